/** `nacl.*`: boxes of NaCl for secrets in pillar, on the master. Follows 3006.16 salt/runners/nacl.py. */
import { readFile } from 'node:fs/promises';
import { pyStr } from '../../python/values/repr.ts';
import { convertFile, decrypt, encrypt, keygen, type BoxUse } from './module/boxes.ts';
import { NACL_DESCRIPTIONS } from './module/functions.ts';
import type { Dict } from '../../python/values/value.ts';
import { defineRunner, defineRunners, refusing, type RunnerContext } from '../shared/runner/runner.ts';

function useOf({ settings: opts, random }: RunnerContext): BoxUse {
  return { opts, config: opts.get('nacl.config') ?? null, random, readFile: (name) => readFile(name) };
}

/** The argument of old for `sk_file`. */
function keyfile(kwargs: Dict): string | undefined {
  const file = kwargs.get('keyfile');
  return file === undefined ? undefined : pyStr(file);
}

/** The nacl runner. */
export const naclRunners = defineRunners({
  name: 'nacl',
  doc: 'Boxes of NaCl for secrets in pillar.',
  functions: {
    keygen: defineRunner({
      ...NACL_DESCRIPTIONS.keygen,
      isSecret: true,
      kwargs: 'kwargs',
      examples: ['salt-run nacl.keygen sk_file=/etc/salt/pki/master/nacl'],
      run: (ctx, args, _rest, kwargs) =>
        refusing(async () => keygen(ctx.random, keyfile(kwargs) ?? args.sk_file, args.pk_file)),
    }),
    enc: defineRunner({
      ...NACL_DESCRIPTIONS.enc,
      isSecret: true,
      kwargs: 'kwargs',
      examples: ['salt-run nacl.enc datatoenc pk_file=/etc/salt/pki/master/nacl.pub'],
      run: (ctx, args, _rest, kwargs) => refusing(async () => encrypt(useOf(ctx), args.data, kwargs)),
    }),
    dec: defineRunner({
      ...NACL_DESCRIPTIONS.dec,
      isSecret: true,
      kwargs: 'kwargs',
      examples: ["salt-run nacl.dec 'pEXHQM6cuaF7A=' sk_file=/etc/salt/pki/master/nacl"],
      run: (ctx, args, _rest, kwargs) => refusing(async () => decrypt(useOf(ctx), args.data, kwargs)),
    }),
    enc_file: defineRunner({
      ...NACL_DESCRIPTIONS.enc_file,
      isSecret: true,
      kwargs: 'kwargs',
      examples: ['salt-run nacl.enc_file /tmp/id_rsa out=/tmp/id_rsa.out'],
      run: (ctx, args, _rest, kwargs) => refusing(async () => convertFile(useOf(ctx), encrypt, args, kwargs)),
    }),
    dec_file: defineRunner({
      ...NACL_DESCRIPTIONS.dec_file,
      isSecret: true,
      kwargs: 'kwargs',
      examples: ['salt-run nacl.dec_file /tmp/id_rsa out=/tmp/id_rsa.out'],
      run: (ctx, args, _rest, kwargs) => refusing(async () => convertFile(useOf(ctx), decrypt, args, kwargs)),
    }),
    sealedbox_encrypt: defineRunner({
      ...NACL_DESCRIPTIONS.sealedbox_encrypt,
      isSecret: true,
      kwargs: 'kwargs',
      examples: ['salt-run nacl.sealedbox_encrypt datatoenc'],
      run: (ctx, args, _rest, kwargs) =>
        refusing(async () => encrypt(useOf(ctx), args.data, kwargs, 'sealedbox')),
    }),
    sealedbox_decrypt: defineRunner({
      ...NACL_DESCRIPTIONS.sealedbox_decrypt,
      isSecret: true,
      kwargs: 'kwargs',
      examples: ["salt-run nacl.sealedbox_decrypt 'pEXHQM6cuaF7A='"],
      run: (ctx, args, _rest, kwargs) =>
        refusing(async () => decrypt(useOf(ctx), args.data, kwargs, 'sealedbox')),
    }),
    secretbox_encrypt: defineRunner({
      ...NACL_DESCRIPTIONS.secretbox_encrypt,
      isSecret: true,
      kwargs: 'kwargs',
      examples: ['salt-run nacl.secretbox_encrypt datatoenc'],
      run: (ctx, args, _rest, kwargs) =>
        refusing(async () => encrypt(useOf(ctx), args.data, kwargs, 'secretbox')),
    }),
    secretbox_decrypt: defineRunner({
      ...NACL_DESCRIPTIONS.secretbox_decrypt,
      isSecret: true,
      kwargs: 'kwargs',
      examples: ["salt-run nacl.secretbox_decrypt 'pEXHQM6cuaF7A='"],
      run: (ctx, args, _rest, kwargs) =>
        refusing(async () => decrypt(useOf(ctx), args.data, kwargs, 'secretbox')),
    }),
  },
});
