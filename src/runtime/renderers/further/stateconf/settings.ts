/** Settings of SLS files: the arguments of `stateconf.set`, and what `extend` of other files says instead. */
import { pyStr } from '../../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../../python/values/value.ts';
import { moduleOf, named, type StateconfNames } from './high.ts';

const JOINED = ['require', 'watch', 'listen', 'onchanges', 'onfail'];

/** The settings that the files of a run have so far. */
export class Settings {
  readonly #own = new Map<string, Dict>();
  readonly #extended = new Map<string, Dict>();

  /** Keeps the settings of high data whose ids have their full names. */
  take(high: Dict, names: StateconfNames): void {
    const extend = high.get('extend');
    if (isDict(extend)) this.#from(extend, names, true);
    this.#from(high, names, false);
  }

  /** What templates of an SLS see: its own settings by their ids alone, those of others by their whole ids. */
  variables(sls: string): (readonly [string, Value])[] {
    const prefix = `${sls}::`;
    return [...this.#own].map(([id, set]) => [id.startsWith(prefix) ? id.slice(prefix.length) : id, set]);
  }

  #from(high: Dict, { settings }: StateconfNames, isExtend: boolean): void {
    const kept = isExtend ? this.#extended : this.#own;
    for (const [key, states] of high) {
      const id = pyStr(key);
      if (!isDict(states) || (id === 'extend' && !isExtend)) continue;
      const args = states.get(moduleOf(settings)) ?? states.get(settings);
      if (args === undefined) continue;
      const set: Dict = kept.get(id) ?? new Map();
      kept.set(id, set);
      for (const [, name, value] of named(args)) set.set(name, value);
      const extended = isExtend ? undefined : this.#extended.get(id);
      if (extended !== undefined) extendWith(set, extended);
    }
  }
}

function extendWith(set: Dict, extended: Dict): void {
  for (const kind of JOINED) {
    const [more, there] = [extended.get(kind), set.get(kind)];
    if (Array.isArray(more) && Array.isArray(there)) more.push(...there);
  }
  for (const [name, value] of extended) set.set(name, value);
}
