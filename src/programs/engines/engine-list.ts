/**
 * The engines and processes that a configuration asks for (salt/engines/__init__.py `start_engines`, salt/master.py
 * `ext_processes`, 3006.16).
 */
import { engineEntries, isReactorEngine } from '../../config/reactor.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import { SOURCE_ENDINGS } from '../../runtime/extensions/folder.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** One that is to run. */
export interface ConfiguredEngine {
  /** Shown in the process list: `Engine(name)`. */
  readonly title: string;
  /** Which engine it is; for a file of one's own its path. */
  readonly engine: string;
  readonly options: Dict;
  readonly kind: 'engine' | 'file' | 'command';
}

/** What is configured, and what of it cannot be read. */
export interface EngineList {
  readonly engines: readonly ConfiguredEngine[];
  /** A sentence for each. */
  readonly refused: readonly string[];
}

/** @param opts `engines` and, for a master, `ext_processes` */
export function configuredEngines(opts: Dict, role: 'master' | 'minion'): EngineList {
  const list = new List();
  for (const item of engineEntries(opts.get('engines'))) if (!isReactorEngine(item)) list.addEngine(item);
  const processes = role === 'master' ? (opts.get('ext_processes') ?? []) : [];
  for (const item of Array.isArray(processes) ? processes : [processes]) list.addProcess(item);
  return list;
}

class List implements EngineList {
  readonly engines: ConfiguredEngine[] = [];
  readonly refused: string[] = [];
  readonly #titles = new Map<string, number>();

  addEngine(item: Value): void {
    const [[name, given] = [null, null], ...others] = isDict(item) ? [...item] : [[item, null] as const];
    if (typeof name !== 'string' || name === '')
      return this.#refuse(
        `An entry of engines is neither a name nor a mapping of a name to options: ${pyStr(item)}.`,
      );
    for (const [other] of others)
      this.#refuse(
        `The engine ${pyStr(other)} is not started: it stands in the same entry of engines as ${name}; begin a line of its own for it.`,
      );
    const options = truthy(given) ? given : new Map<Value, Value>();
    if (!isDict(options))
      return this.#refuse(`The engine ${name} is not started: its options are no mapping.`);
    const module = options.get('engine_module');
    const engine = module === undefined ? name : pyStr(module);
    const passed = new Map([...options].filter(([key]) => key !== 'engine_module'));
    this.#add(`Engine(${engine === name ? name : `${engine}, name=${name}`})`, {
      engine,
      options: passed,
      kind: 'engine',
    });
  }

  addProcess(item: Value): void {
    if (
      typeof item === 'string' &&
      item.startsWith('/') &&
      SOURCE_ENDINGS.some((ending) => item.endsWith(ending))
    )
      return this.#add(`ExtProcess(${item})`, { engine: item, options: new Map(), kind: 'file' });
    if (isDict(item)) return this.#addCommand(item);
    this.#refuse(
      `The process ${pyStr(item)} of ext_processes is not started: it names a Python class, and Brine runs none. ` +
        'Give the path of a TypeScript or JavaScript file, or a command: {name: {cmd: [program, argument]}}.',
    );
  }

  #addCommand(item: Dict): void {
    const [[name, options] = [null, null]] = item;
    if (item.size !== 1 || !isDict(options) || !options.has('cmd'))
      return this.#refuse(
        `An entry of ext_processes is no mapping of a name to {cmd: …}: ${pyStr([...item.keys()])}.`,
      );
    const unknown = [...options.keys()].filter((key) => key !== 'cmd').map(pyStr);
    if (unknown.length > 0)
      return this.#refuse(
        `The process ${pyStr(name)} is not started: it has no option ${unknown.join(', ')}, only cmd.${didYouMean(unknown[0] as string, ['cmd'])}`,
      );
    this.#add(`ExtProcess(${pyStr(name)})`, { engine: 'command', options, kind: 'command' });
  }

  #add(title: string, engine: Omit<ConfiguredEngine, 'title'>): void {
    const times = (this.#titles.get(title) ?? 0) + 1;
    this.#titles.set(title, times);
    this.engines.push({ ...engine, title: times === 1 ? title : `${title} ${times}` });
  }

  #refuse(sentence: string): void {
    this.refused.push(sentence);
  }
}
