/**
 * The few facts of each minion that targets ask for. Whole grains and pillars of ten thousand minions would fill the
 * memory of every worker, and reading their files for every target would take seconds; so a minion's file is read once,
 * the parts that targets have asked for are kept, and the file is read again only when it has changed or another part
 * is asked for.
 */
import type { Clock } from '../../host/clock.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { ChangeMark } from './change-list.ts';
import { RIGHTS_PILLAR, type MinionDataCache } from './minion-data.ts';

/** Parts of grains and pillar, by the names of their uppermost keys; `all` for the whole. */
export interface WantedFacts {
  readonly grains: ReadonlySet<string> | 'all';
  readonly pillar: ReadonlySet<string> | 'all';
}

/** What is kept of one minion: mappings with no other keys than the wanted ones. */
export interface MinionFactsRow {
  readonly grains: Dict;
  readonly pillar: Dict;
  /** Undefined where it is `pillar`. */
  readonly rightsPillar: Dict | undefined;
}

interface Row extends MinionFactsRow {
  readonly stamp: number;
  readonly generation: number;
}

/** Grains that targets usually ask for: kept from the first reading on, so that no second one is needed for them. */
const USUAL_GRAINS = [
  ...[
    'id',
    'host',
    'fqdn',
    'domain',
    'nodename',
    'ipv4',
    'ipv6',
    'saltversion',
    'brineversion',
    'init',
    'virtual',
    'cpuarch',
    'osarch',
  ],
  ...[
    'os',
    'os_family',
    'osfinger',
    'osfullname',
    'oscodename',
    'osrelease',
    'osmajorrelease',
    'kernel',
    'kernelrelease',
  ],
  ...['role', 'roles', 'env', 'environment', 'datacenter', 'location', 'productname', 'manufacturer'],
];
/** Names of parts kept at the same time; with more, all are forgotten and the kept parts begin anew. */
const NAMES_MAX = 500;
/** Minions looked at in one go by a refresh, and the pause between. */
const SLICE = 50;
const SLICE_PAUSE_MS = 20;

/** Answers what targets ask of grains and pillar, from the few facts that it keeps of each minion. */
export class MinionFacts {
  readonly #cache: MinionDataCache;
  /** null: nothing is kept of this minion. */
  readonly #rows = new Map<string, Row | null>();
  /** Minions whose files must be looked at. */
  readonly #suspect = new Set<string>();
  #mark: ChangeMark | undefined;
  #grains = new Set<string>(USUAL_GRAINS);
  #pillar = new Set<string>();
  /** Grows whenever something more is wanted than the rows have. */
  #generation = 0;

  constructor(cache: MinionDataCache) {
    this.#cache = cache;
  }

  /** @returns what gives the wanted facts of a minion, or undefined when nothing is kept of it */
  select(wanted: WantedFacts): (id: string) => MinionFactsRow | undefined {
    if (wanted.grains === 'all' || wanted.pillar === 'all')
      return (id) => wholeOf(this.#cache.peek(id, 'data'));
    this.#want(wanted.grains, wanted.pillar);
    this.#noticeChanges();
    return (id) => this.#row(id);
  }

  /**
   * Looks at the files of these minions, little by little: at first, so that no target need wait for it, and now and
   * then, for changes by other programs than ours.
   */
  async refresh(ids: readonly string[], clock: Clock, signal: AbortSignal): Promise<void> {
    this.#noticeChanges();
    for (let at = 0; at < ids.length && !signal.aborted; at += SLICE) {
      for (const id of ids.slice(at, at + SLICE)) {
        this.#suspect.add(id);
        this.#row(id);
      }
      await clock.sleep(SLICE_PAUSE_MS, signal);
    }
  }

  /** Forgets minions that are no longer known. */
  keepOnly(ids: readonly string[]): void {
    if (this.#rows.size <= ids.length) return;
    const known = new Set(ids);
    for (const id of this.#rows.keys()) {
      if (known.has(id)) continue;
      this.#rows.delete(id);
      this.#suspect.delete(id);
    }
  }

  #want(grains: ReadonlySet<string>, pillar: ReadonlySet<string>): void {
    const isKnown = (names: ReadonlySet<string>, kept: ReadonlySet<string>): boolean =>
      [...names].every((name) => kept.has(name));
    if (isKnown(grains, this.#grains) && isKnown(pillar, this.#pillar)) return;
    if (this.#grains.size + this.#pillar.size + grains.size + pillar.size > NAMES_MAX) {
      this.#grains = new Set(USUAL_GRAINS);
      this.#pillar = new Set();
    }
    for (const name of grains) this.#grains.add(name);
    for (const name of pillar) this.#pillar.add(name);
    this.#generation++;
  }

  #noticeChanges(): void {
    const { names, mark } = this.#cache.changesSince(this.#mark);
    this.#mark = mark;
    for (const id of names ?? this.#rows.keys()) if (this.#rows.has(id)) this.#suspect.add(id);
  }

  #row(id: string): Row | undefined {
    const known = this.#rows.get(id);
    if (known !== undefined && !this.#suspect.has(id)) {
      if (known === null) return undefined;
      if (known.generation === this.#generation) return known;
    }
    this.#suspect.delete(id);
    const row = this.#read(id, known ?? undefined);
    this.#rows.set(id, row ?? null);
    return row;
  }

  #read(id: string, known: Row | undefined): Row | undefined {
    const stamp = this.#cache.stamp(id, 'data');
    if (stamp === undefined) return undefined;
    if (known?.stamp === stamp && known.generation === this.#generation) return known;
    const whole = wholeOf(this.#cache.peek(id, 'data'));
    if (whole === undefined) return undefined;
    return {
      stamp,
      generation: this.#generation,
      grains: pick(whole.grains, this.#grains),
      pillar: pick(whole.pillar, this.#pillar),
      rightsPillar: whole.rightsPillar && pick(whole.rightsPillar, this.#pillar),
    };
  }
}

/** What the bank `data` of a minion says, in the parts that targets look at. */
export function wholeOf(data: Dict | undefined): MinionFactsRow | undefined {
  const part = (name: string): Dict => {
    const value = data?.get(name);
    return value !== undefined && isDict(value) ? value : new Map<Value, Value>();
  };
  return (
    data && {
      grains: part('grains'),
      pillar: part('pillar'),
      rightsPillar: data.has(RIGHTS_PILLAR) ? part(RIGHTS_PILLAR) : undefined,
    }
  );
}

/** The wanted keys; those that are no text are wanted by what they look like, as targets name them. */
function pick(data: Dict, names: ReadonlySet<string>): Dict {
  const out: Dict = new Map();
  for (const [key, value] of data)
    if (names.has(typeof key === 'string' ? key : pyStr(key))) out.set(key, value);
  return out;
}
