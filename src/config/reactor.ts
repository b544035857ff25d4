/**
 * Whether a configuration has its daemon react to events: the option `reactor`, or the engine of that name
 * (salt/engines/__init__.py, salt/engines/reactor.py, 3006.16).
 */
import { pyStr } from '../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../python/values/value.ts';
import type { OptionTable, Options } from './option.ts';

const REACTOR = 'reactor';
/** Option of the engine to the option of the daemon that it stands for. */
const ENGINE_OPTIONS: ReadonlyMap<Value, string> = new Map([
  ['refresh_interval', 'reactor_refresh_interval'],
  ['worker_threads', 'reactor_worker_threads'],
  ['worker_hwm', 'reactor_worker_hwm'],
]);

/** The entries of the option `engines`, which is a list, or a mapping of names to options. */
export function engineEntries(value: Value | undefined): Value[] {
  if (value === undefined || value === null) return [];
  if (isDict(value)) return [...value].map(([name, options]) => new Map([[name, options]]));
  return Array.isArray(value) ? value : [value];
}

/** True for the entry of `engines` that means the reactor. */
export function isReactorEngine(entry: Value): boolean {
  if (entry === REACTOR) return true;
  if (!isDict(entry)) return false;
  const [[name, options] = [null, null]] = entry;
  const module = isDict(options) ? options.get('engine_module') : undefined;
  return module === undefined ? name === REACTOR : module === REACTOR;
}

/** @returns whether the reactor is to run. A minion starts it as an engine only. */
export function runsReactor(opts: Options, role: 'master' | 'minion' = 'master'): boolean {
  if (role === 'master' && truthy(opts.raw(REACTOR) ?? null)) return true;
  return engineEntries(opts.raw('engines')).some(isReactorEngine);
}

/** What the reactor's engine says, laid over the options of the daemon. */
export interface ReactorEngine<T extends OptionTable> {
  readonly opts: Options<T>;
  /** Options of the engine that there are not. */
  readonly unknown: readonly string[];
}

/** Reads the options of the reactor's engine. */
export function withReactorEngine<T extends OptionTable>(opts: Options<T>): ReactorEngine<T> {
  const entry = engineEntries(opts.raw('engines')).find(isReactorEngine);
  const [[, given] = [null, null]] = isDict(entry ?? null) ? (entry as Dict) : new Map<Value, Value>();
  const changes: Dict = new Map();
  const unknown: string[] = [];
  for (const [key, value] of isDict(given) ? given : []) {
    const name = ENGINE_OPTIONS.get(key);
    if (name !== undefined) {
      if (value !== null) changes.set(name, value);
    } else if (key !== 'engine_module') unknown.push(pyStr(key));
  }
  return { opts: changes.size === 0 ? opts : opts.with(changes), unknown };
}
