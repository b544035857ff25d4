/** `environ`: the minion's own environment variables. Follows 3006.16 salt/modules/environ.py. */
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';

/** Sets one variable. @returns its value; None when it was removed; false for what is no text */
function setOne(ctx: ModuleContext, key: Value, value: Value, falseUnsets: Value): Value {
  if (typeof key !== 'string') return false;
  const name = key;
  if (value === false && falseUnsets === true) {
    delete process.env[name];
    return null;
  }
  const text = value === false ? '' : value;
  if (typeof text !== 'string') {
    ctx.log.debug(`environ: the value for '${name}' is not a string or False`);
    return false;
  }
  if (name === '' || /[=\0]/.test(name) || text.includes('\0')) {
    ctx.log.error(`environ: the variable '${name}' cannot be set`);
    return false;
  }
  process.env[name] = text;
  return text;
}

async function setAll(
  ctx: ModuleContext,
  environ: Dict | undefined,
  how: {
    readonly falseUnsets: Value;
    readonly clearAll: Value;
    readonly updateMinion: Value;
    readonly permanent: Value;
  },
): Promise<Value> {
  if (environ === undefined) {
    ctx.log.debug("environ: 'environ' argument is not a dict");
    return false;
  }
  const out: Dict = new Map();
  if (how.clearAll === true)
    for (const name of Object.keys(process.env))
      if (!environ.has(name)) out.set(name, setOne(ctx, name, false, how.falseUnsets));
  for (const [key, value] of environ) {
    if (typeof value !== 'string' && value !== false) return false;
    out.set(key, setOne(ctx, key, value, how.falseUnsets));
  }
  if (how.updateMinion === true) {
    const data = dict({
      environ,
      false_unsets: how.falseUnsets,
      clear_all: how.clearAll,
      permanent: how.permanent,
    });
    await ctx.functions.call('event.fire', [data, 'environ_setenv']);
  }
  return out;
}

/** One name, or a list of them; anything else names nothing. */
function namesOf(given: Value): Value[] {
  if (typeof given === 'string') return [given];
  return Array.isArray(given) ? given : [];
}

const value = (key: Value): string | undefined => process.env[pyStr(key)];
const KEY = param.value({ type: 'str', doc: 'The name of the variable.' });
const DEFAULT = param.value({
  default: '',
  type: 'any',
  doc: 'What to give for variables that are not set.',
});
const FALSE_UNSETS = param.value({
  default: false,
  type: 'bool',
  doc: 'A value of false removes the variable instead of emptying it.',
});
const PERMANENT = param.value({ default: false, type: 'bool', doc: 'Only for Windows.' });

/** The module. */
export const environModule = defineModule({
  name: 'environ',
  file: 'environ',
  doc: 'Reads and sets environment variables of the minion itself, which its programs inherit.',
  failsWith: { false: ['setenv', 'setval'] },
  functions: {
    get: defineFunction({
      doc: 'Gives the value of a variable.',
      params: { key: KEY, default: DEFAULT },
      returns: 'text, or the default',
      examples: ["salt '*' environ.get foo", "salt '*' environ.get baz default=False"],
      run: (_ctx, args) => (typeof args.key === 'string' ? (value(args.key) ?? args.default) : false),
    }),
    has_value: defineFunction({
      doc: 'Returns whether a variable is set or, with a value, whether it has that.',
      params: { key: KEY, value: param.value({ default: null, type: 'str', doc: 'The value.' }) },
      returns: 'true or false',
      examples: ["salt '*' environ.has_value foo"],
      run: (_ctx, { key, value: wanted }) => {
        const current = typeof key === 'string' ? value(key) : undefined;
        return current !== undefined && (wanted === null || current === wanted);
      },
    }),
    item: defineFunction({
      doc: 'Gives the values of one or more variables.',
      params: { keys: param.by(namesOf, { type: 'str or list', doc: 'The names.' }), default: DEFAULT },
      returns: 'mapping of name to value',
      examples: [`salt '*' environ.item foo`, `salt '*' environ.item '[foo, baz]' default=None`],
      run: (_ctx, { keys, default: fallback }) =>
        new Map(keys.map((name) => [name, value(name) ?? fallback])),
    }),
    items: defineFunction({
      doc: 'Gives all variables.',
      returns: 'mapping of name to value',
      examples: ["salt '*' environ.items"],
      run: () => new Map<Value, Value>(Object.entries(process.env).map(([name, text]) => [name, text ?? ''])),
    }),
    setval: defineFunction({
      doc: 'Sets a variable.',
      params: {
        key: KEY,
        val: param.value({ type: 'str', doc: 'The value.' }),
        false_unsets: FALSE_UNSETS,
        permanent: PERMANENT,
      },
      returns: 'the value; None when it was removed; false when it could not be set',
      examples: ["salt '*' environ.setval foo bar"],
      run: (ctx, { key, val, false_unsets }) => setOne(ctx, key, val, false_unsets),
    }),
    setenv: defineFunction({
      doc: 'Sets several variables.',
      params: {
        environ: param.mappingIfGiven({ doc: 'Name to value.' }),
        false_unsets: FALSE_UNSETS,
        clear_all: param.value({ default: false, type: 'bool', doc: 'Empty (or remove) all others.' }),
        update_minion: param.flag({
          default: false,
          doc: 'Set them in the minion itself, too, not only for this job.',
        }),
        permanent: PERMANENT,
      },
      returns: 'mapping of name to value; false when one is no text',
      examples: [`salt '*' environ.setenv '{"foo": "bar", "baz": "quux"}'`],
      run: (ctx, { environ, false_unsets, clear_all, update_minion, permanent }) =>
        setAll(ctx, environ, {
          falseUnsets: false_unsets,
          clearAll: clear_all,
          updateMinion: update_minion,
          permanent,
        }),
    }),
  },
});
