/**
 * Functions that call another one, which their arguments name. Whoever may call `test.*` could call anything with
 * `test.cross_test cmd.run '[id]'` (CVE-2013-4435 was of this kind): so the function inside needs a permission of its
 * own.
 *
 * Salt compat: Salt looks at the outer function only. Functions of Salt's that do not exist here are listed, too:
 * minions may be Salt's. Functions that run what stands in a file or a template (`state.*`, `slsutil.renderer`,
 * `cp.get_template`) have no inner call that could be read: to allow them is to allow everything.
 */
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { yamlifyArgument } from '../../formats/yaml/yamlify.ts';

/** A call inside another. */
export interface EmbeddedCall {
  readonly fun: string;
  /** Its arguments as a job carries them: keywords in a mapping with `__kwarg__` at the end. */
  readonly args: Value[];
}

/** The arguments of the outer function, keywords apart. */
export interface GivenArguments {
  readonly positional: readonly Value[];
  readonly keywords: Dict;
}

/**
 * The calls inside; `unnamed` where no function is named, so that none would run; `refused` for what no list can allow.
 */
export type Inside = readonly EmbeddedCall[] | 'unnamed' | 'refused';

type Reader = (given: GivenArguments) => Inside;

const FUNCTION = /^\w+(\.\w+)+$/;

const READERS = new Map<string, Reader>([
  ['test.cross_test', crossTest],
  ['test.try', wrapper(0, 'module', ['return_try_exception'])],
  ['saltutil.mmodule', wrapper(1, 'fun', ['saltenv'])],
  ['snapper.run', wrapper(0, 'function', [])],
  ['mine.send', sentToMine],
  ['mine.update', updateOfMine],
  ['schedule.add', scheduledJob],
  ['schedule.modify', scheduledJob],
]);

/** The calls inside a call, in one reading of its arguments; none for a function that calls no other. */
export function embeddedCalls(fun: string, given: GivenArguments): Inside {
  const read = READERS.get(fun);
  return read === undefined ? [] : read(given);
}

function call(fun: Value | undefined, positional: readonly Value[], keywords: Dict): Inside {
  if (typeof fun !== 'string' || !FUNCTION.test(fun)) return 'unnamed';
  const named = [...keywords].filter(([name]) => name !== '__kwarg__');
  const last: Value[] = named.length === 0 ? [] : [new Map<Value, Value>([['__kwarg__', true], ...named])];
  return [{ fun, args: [...positional, ...last] }];
}

/** A function whose argument at `place` names what it calls with all arguments behind it and all other keywords. */
function wrapper(place: number, name: string, own: readonly string[]): Reader {
  return ({ positional, keywords }) => {
    const inner: Dict = new Map(keywords);
    for (const key of [name, ...own]) inner.delete(key);
    return call(keywords.get(name) ?? positional[place], positional.slice(place + 1), inner);
  };
}

function crossTest({ positional, keywords }: GivenArguments): Inside {
  const args = asRead(keywords.get('args') ?? positional[1] ?? null);
  return call(keywords.get('func') ?? positional[0], Array.isArray(args) ? args : [], new Map());
}

function sentToMine({ positional, keywords }: GivenArguments): Inside {
  const inner: Dict = new Map(keywords);
  for (const key of ['name', 'mine_function', 'allow_tgt', 'allow_tgt_type']) inner.delete(key);
  const fun = keywords.get('mine_function') ?? keywords.get('name') ?? positional[0];
  return call(fun, positional.slice(1), inner);
}

/** Without `mine_functions` it runs what the minion's own configuration says. */
function updateOfMine({ positional, keywords }: GivenArguments): Inside {
  const functions = asRead(keywords.get('mine_functions') ?? positional[1] ?? null);
  if (functions === null) return [];
  if (!isDict(functions) && !Array.isArray(functions)) return 'unnamed';
  const entries: [Value, Value][] = isDict(functions) ? [...functions] : functions.map((fun) => [fun, null]);
  const calls = entries.map(([alias, definition]) => definedCall(alias, definition));
  return calls.some((each) => typeof each === 'string')
    ? 'refused'
    : calls.flatMap((each) => (typeof each === 'string' ? [] : each));
}

function definedCall(alias: Value, definition: Value): Inside {
  const positional: Value[] = [];
  const keywords: Dict = new Map();
  for (const item of Array.isArray(definition) ? definition : [definition]) {
    if (isDict(item)) for (const [key, value] of item) keywords.set(key, value);
    else if (item !== null) positional.push(item);
  }
  const fun = keywords.get('mine_function') ?? alias;
  for (const key of ['mine_function', 'allow_tgt', 'allow_tgt_type']) keywords.delete(key);
  return call(fun, positional, keywords);
}

/**
 * `return_kwargs` and `return_config` say where a returner writes, as the minion's user: that is more than a function.
 */
function scheduledJob({ keywords }: GivenArguments): Inside {
  if (keywords.has('return_kwargs') || keywords.has('return_config')) return 'refused';
  const args = asRead(keywords.get('job_args') ?? null);
  const kwargs = asRead(keywords.get('job_kwargs') ?? null);
  return call(keywords.get('function'), Array.isArray(args) ? args : [], isDict(kwargs) ? kwargs : new Map());
}

/** A text as the minion reads it. */
function asRead(value: Value): Value {
  return typeof value === 'string' ? yamlifyArgument(value) : value;
}
