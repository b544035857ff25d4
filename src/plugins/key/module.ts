/** `key`: fingerprints of this minion's keys. Follows 3006.16 salt/modules/key.py. */
import { optionOf } from '../../runtime/loader/option-of.ts';
import { createHash } from 'node:crypto';
import { readTextIfExists } from '../../host/files.ts';
import { joinPath } from '../../python/paths.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';
import { hashName } from '../shared/hash-kinds.ts';

/** The hash over the lines of a key without the first and the last, two digits at a time; empty without a file. */
function fingerprint(ctx: ModuleContext, file: string, hashType: Value): string {
  const type = pyStr(hashType ?? optionOf(ctx.opts, 'hash_type'));
  const content = readTextIfExists(joinPath(optionOf(ctx.opts, 'pki_dir'), file));
  if (content === undefined) return '';
  const name = hashName(type);
  if (name === undefined)
    throw new PythonError('AttributeError', `module 'hashlib' has no attribute '${type}'`);
  const lines = content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const body = lines.filter((line) => line.trim() !== '').slice(1, -1);
  const digest = createHash(name).update(body.join('').replaceAll('\r\n', '\n')).digest('hex');
  return (digest.match(/../g) ?? []).join(':');
}

const HASH_TYPE = {
  hash_type: param.value({ default: null, type: 'str', doc: 'The hash; default: the option hash_type.' }),
} as const;

/** The module. */
export const keyModule = defineModule({
  name: 'key',
  file: 'key',
  doc: 'Fingerprints of keys.',
  functions: {
    finger: defineFunction({
      doc: "Returns the fingerprint of the minion's public key.",
      params: HASH_TYPE,
      returns: 'text; empty without a key',
      examples: ["salt '*' key.finger"],
      run: (ctx, { hash_type }) => fingerprint(ctx, 'minion.pub', hash_type),
    }),
    finger_master: defineFunction({
      doc: "Returns the fingerprint of the master's public key as the minion knows it.",
      params: HASH_TYPE,
      returns: 'text; empty without a key',
      examples: ["salt '*' key.finger_master"],
      run: (ctx, { hash_type }) => fingerprint(ctx, 'minion_master.pub', hash_type),
    }),
  },
});
