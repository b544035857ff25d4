/** `nacl`: boxes of NaCl for secrets in pillar. Follows 3006.16 salt/modules/nacl.py. */
import { readFile } from 'node:fs/promises';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Dict } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { convertFile, decrypt, encrypt, keygen, type BoxUse } from './module/boxes.ts';
import { NACL_DESCRIPTIONS } from './module/functions.ts';
import { neededContent } from '../shared/served-files.ts';
import { defaultEnvironment } from '../../storage/fileclient/open.ts';

async function useOf(ctx: ModuleContext): Promise<BoxUse> {
  return {
    opts: ctx.opts,
    config: await ctx.functions.call('config.get', ['nacl.config', dict()]),
    random: ctx.random,
    readFile: (name) =>
      name.includes('://') ? neededContent(ctx, name, defaultEnvironment(ctx.opts)) : readFile(name),
  };
}

/** The argument of old for `sk_file`. */
function keyfile(kwargs: Dict): string | undefined {
  const file = kwargs.get('keyfile');
  return file === undefined ? undefined : pyStr(file);
}

/** The module. */
export const naclModule = defineModule({
  name: 'nacl',
  file: 'nacl',
  doc: 'Boxes of NaCl for secrets in pillar.',
  unavailable: ({ opts }) =>
    truthy(opts.get('fips_mode')) ? 'nacl module not available in FIPS mode' : undefined,
  functions: {
    keygen: defineFunction({
      ...NACL_DESCRIPTIONS.keygen,
      kwargs: 'kwargs',
      examples: ['salt-call --local nacl.keygen sk_file=/etc/salt/pki/master/nacl'],
      run: (ctx, args, _rest, kwargs) => keygen(ctx.random, keyfile(kwargs) ?? args.sk_file, args.pk_file),
    }),
    enc: defineFunction({
      ...NACL_DESCRIPTIONS.enc,
      kwargs: 'kwargs',
      examples: ['salt-call --local nacl.enc datatoenc pk_file=/etc/salt/pki/master/nacl.pub'],
      run: async (ctx, args, _rest, kwargs) => encrypt(await useOf(ctx), args.data, kwargs),
    }),
    dec: defineFunction({
      ...NACL_DESCRIPTIONS.dec,
      kwargs: 'kwargs',
      examples: ["salt-call --local nacl.dec 'pEXHQM6cuaF7A=' sk_file=/etc/salt/pki/master/nacl"],
      run: async (ctx, args, _rest, kwargs) => decrypt(await useOf(ctx), args.data, kwargs),
    }),
    enc_file: defineFunction({
      ...NACL_DESCRIPTIONS.enc_file,
      kwargs: 'kwargs',
      examples: ['salt-call --local nacl.enc_file /tmp/id_rsa out=/tmp/id_rsa.out'],
      run: async (ctx, args, _rest, kwargs) => convertFile(await useOf(ctx), encrypt, args, kwargs),
    }),
    dec_file: defineFunction({
      ...NACL_DESCRIPTIONS.dec_file,
      kwargs: 'kwargs',
      examples: ['salt-call --local nacl.dec_file /tmp/id_rsa out=/tmp/id_rsa.out'],
      run: async (ctx, args, _rest, kwargs) => convertFile(await useOf(ctx), decrypt, args, kwargs),
    }),
    sealedbox_encrypt: defineFunction({
      ...NACL_DESCRIPTIONS.sealedbox_encrypt,
      kwargs: 'kwargs',
      examples: ['salt-call --local nacl.sealedbox_encrypt datatoenc'],
      run: async (ctx, args, _rest, kwargs) => encrypt(await useOf(ctx), args.data, kwargs, 'sealedbox'),
    }),
    sealedbox_decrypt: defineFunction({
      ...NACL_DESCRIPTIONS.sealedbox_decrypt,
      kwargs: 'kwargs',
      examples: ["salt-call --local nacl.sealedbox_decrypt 'pEXHQM6cuaF7A='"],
      run: async (ctx, args, _rest, kwargs) => decrypt(await useOf(ctx), args.data, kwargs, 'sealedbox'),
    }),
    secretbox_encrypt: defineFunction({
      ...NACL_DESCRIPTIONS.secretbox_encrypt,
      kwargs: 'kwargs',
      examples: ['salt-call --local nacl.secretbox_encrypt datatoenc'],
      run: async (ctx, args, _rest, kwargs) => encrypt(await useOf(ctx), args.data, kwargs, 'secretbox'),
    }),
    secretbox_decrypt: defineFunction({
      ...NACL_DESCRIPTIONS.secretbox_decrypt,
      kwargs: 'kwargs',
      examples: ["salt-call --local nacl.secretbox_decrypt 'pEXHQM6cuaF7A='"],
      run: async (ctx, args, _rest, kwargs) => decrypt(await useOf(ctx), args.data, kwargs, 'secretbox'),
    }),
  },
});
