/** `data`: values that a minion keeps for itself. Follows 3006.16 salt/modules/data.py. */
import { rmSync } from 'node:fs';
import { messageOf } from '../../errors/errors.ts';
import { PythonError } from '../../python/exceptions.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { yamlifyArgument } from '../../formats/yaml/yamlify.ts';
import { datastorePath, readDatastore, writeDatastore } from '../shared/datastore.ts';
import { param } from '../../runtime/loader/params.ts';

function save(ctx: ModuleContext, store: Dict): boolean {
  try {
    writeDatastore(ctx, store);
    return true;
  } catch (error) {
    ctx.log.error(`${datastorePath(ctx)} cannot be written: ${messageOf(error)}`);
    return false;
  }
}

/** A mapping, or the text of one. @throws PythonError `ValueError: malformed node or string: 5` for anything else */
function mappingOf(value: Value): Dict | undefined {
  if (isDict(value)) return value;
  if (typeof value !== 'string')
    throw new PythonError('ValueError', `malformed node or string: ${pyStr(value)}`);
  const parsed = yamlifyArgument(value);
  return isDict(parsed) ? parsed : undefined;
}

const key = param.value({ type: 'str', doc: 'The key.' });
const value = param.value({ type: 'any', doc: 'The value.' });
const fallback = param.value({ default: null, type: 'any', doc: 'What to give when there is no such key.' });

/** The module. */
export const dataModule = defineModule({
  name: 'data',
  file: 'data',
  doc: 'Values that a minion keeps for itself, in a file below its cache.',
  failsWith: { false: ['cas', 'dump'] },
  functions: {
    clear: defineFunction({
      doc: 'Forgets everything.',
      returns: 'True',
      run: (ctx) => {
        rmSync(datastorePath(ctx), { force: true });
        return true;
      },
    }),
    load: defineFunction({ doc: 'Shows everything.', returns: 'mapping', run: (ctx) => readDatastore(ctx) }),
    dump: defineFunction({
      doc: 'Replaces everything.',
      params: { new_data: param.by(mappingOf, { type: 'dict', doc: 'The new values.' }) },
      returns: 'bool',
      examples: [`salt '*' data.dump '{"eggs": "spam"}'`],
      run: (ctx, { new_data }) => {
        const data = new_data;
        return data !== undefined && save(ctx, data);
      },
    }),
    update: defineFunction({
      doc: 'Sets a value.',
      params: { key, value },
      returns: 'True',
      examples: ["salt '*' data.update <key> <value>"],
      run: (ctx, args) => {
        save(ctx, readDatastore(ctx).set(args.key, args.value));
        return true;
      },
    }),
    cas: defineFunction({
      doc: 'Sets a value when the old one is as expected.',
      params: { key, value, old_value: param.value({ type: 'any', doc: 'The value that is expected.' }) },
      returns: 'bool',
      examples: ["salt '*' data.cas <key> <value> <old_value>"],
      run: (ctx, args) => {
        const store = readDatastore(ctx);
        const old = store.get(args.key);
        if (old === undefined || !valuesEqual(old, args.old_value)) return false;
        save(ctx, store.set(args.key, args.value));
        return true;
      },
    }),
    pop: defineFunction({
      doc: 'Takes a value out.',
      params: { key, default: fallback },
      returns: 'the value',
      examples: ["salt '*' data.pop <key> 'there was no val'"],
      run: (ctx, args) => {
        const store = readDatastore(ctx);
        const found = store.get(args.key) ?? args.default;
        store.delete(args.key);
        save(ctx, store);
        return found;
      },
    }),
    get: defineFunction({
      doc: 'Shows a value, or those of a list of keys.',
      params: {
        key: param.value({ type: 'str or list', doc: 'The key, or a list of them.' }),
        default: fallback,
      },
      returns: 'the value, or a list',
      examples: ["salt '*' data.get key", 'salt \'*\' data.get \'["key1", "key2"]\''],
      run: (ctx, args) => {
        const store = readDatastore(ctx);
        if (!Array.isArray(args.key)) return store.get(args.key) ?? args.default;
        const keys = args.default === null ? args.key.filter((each) => store.has(each)) : args.key;
        return keys.map((each) => store.get(each) ?? args.default);
      },
    }),
    keys: defineFunction({
      doc: 'Lists the keys.',
      returns: 'list',
      run: (ctx) => [...readDatastore(ctx).keys()],
    }),
    values: defineFunction({
      doc: 'Lists the values.',
      returns: 'list',
      run: (ctx) => [...readDatastore(ctx).values()],
    }),
    items: defineFunction({ doc: 'Shows everything.', returns: 'mapping', run: (ctx) => readDatastore(ctx) }),
    has_key: defineFunction({
      doc: 'Returns whether there is a value.',
      params: { key },
      returns: 'bool',
      examples: ["salt '*' data.has_key <mykey>"],
      run: (ctx, args) => readDatastore(ctx).has(args.key),
    }),
  },
});
