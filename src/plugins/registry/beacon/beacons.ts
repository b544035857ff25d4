/**
 * The beacons of a minion: which are configured, when each looks, what their events are, and the orders that change
 * them (salt/beacons/__init__.py, salt/minion.py `process_beacons`, 3006.16).
 */
import { didYouMean } from '../../../errors/did-you-mean.ts';
import { messageOf } from '../../../errors/errors.ts';
import {
  copyValue,
  isDict,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';
import { param, readOptions, type TypedArguments } from '../../../runtime/loader/params.ts';
import {
  listToDict,
  type BeaconContext,
  type BeaconSpec,
  type RunningBeacon,
  type Verdict,
} from '../../shared/beacon/beacon.ts';
import { SALTS_BEACONS } from '../../shared/beacon/salts-beacons.ts';
import { BEACON_TABLE } from './table.generated.ts';

/** Items of a configuration that are no beacon's own. */
const COMMON = {
  enabled: param.flag({ default: true, doc: 'false: the beacon does not look' }),
  interval: param.number({ default: 0, doc: 'seconds between two looks; 0: each second' }),
  disable_during_state_run: param.flag({ default: false, doc: 'does not look while states are applied' }),
  run_once: param.flag({ default: false, doc: 'looks once, and is then disabled' }),
  beacon_module: param.textIfGiven({ default: null, doc: 'the kind of beacon, when its name is another' }),
};
const COMMON_ITEMS: ReadonlySet<Value> = new Set(Object.keys(COMMON));
/** Those that Salt takes away before a beacon looks (`_trim_config`). */
const TIME_ITEMS: ReadonlySet<Value> = new Set(['interval', 'disable_during_state_run']);
/** A look may come this much before its interval is over, because timers are not exact. */
const EARLY_MS = 200;

/** What beacons need. */
export interface BeaconsDeps {
  readonly id: string;
  readonly context: BeaconContext;
  /** `beacons` of the configuration. */
  readonly configured: Dict;
  /** `beacons` of the pillar as it is now. */
  readonly pillar: () => Value | undefined;
  /** Whether states are being applied. */
  readonly isStateRunning: () => boolean;
  /** Custom beacons by name, which come before those of this program; another object when one has changed. */
  readonly own?: () => Promise<ReadonlyMap<string, BeaconSpec>>;
}

/** An event of a beacon. */
export interface BeaconEvent {
  readonly tag: string;
  readonly data: Dict;
  readonly beaconName: string;
  /** Why the beacon could not look. */
  readonly error?: string;
}

/** One configured beacon at work. */
interface Active {
  readonly config: Value;
  readonly spec: BeaconSpec;
  readonly isOwn: boolean;
  running: RunningBeacon | undefined;
  /** When its interval began. */
  armedMs: number | undefined;
}

/** The configured beacons, the times at which they look, and the orders that change them. */
export class Beacons {
  readonly #deps: BeaconsDeps;
  #configured: Dict;
  readonly #active = new Map<Value, Active>();
  /** What was said of each beacon last, so that it is not said again every second. */
  readonly #said = new Map<Value, string>();

  constructor(deps: BeaconsDeps) {
    this.#deps = deps;
    this.#configured = deps.configured;
  }

  /** The beacons from the configuration. */
  get configured(): Dict {
    return this.#configured;
  }

  /**
   * All beacons, those of the configuration over those of the pillar. Salt compat: while the pillar has any, Salt lists
   * those of the configuration but does not run them; here they run.
   */
  list(options: { readonly pillar: boolean; readonly configured: boolean }): Dict {
    const out: Dict = new Map(options.pillar ? this.#fromPillar() : []);
    if (options.configured) for (const [name, config] of this.#configured) out.set(name, config);
    return out;
  }

  isFromPillar(name: Value): boolean {
    return this.#fromPillar().has(name);
  }

  set(name: Value, config: Value): void {
    this.#configured.set(name, config);
  }

  remove(name: Value): boolean {
    return this.#configured.delete(name);
  }

  reset(): void {
    this.#configured = new Map();
    this.close();
  }

  /** Enables or disables a configured beacon. @returns false when it is not configured */
  setEnabled(name: Value, isEnabled: boolean): boolean {
    const config = this.#configured.get(name);
    if (isDict(config)) config.set('enabled', isEnabled);
    else if (Array.isArray(config)) {
      const item = config.filter(isDict).find((each) => each.has('enabled'));
      if (item === undefined) config.push(new Map([['enabled', isEnabled]]));
      else item.set('enabled', isEnabled);
    } else return false;
    return true;
  }

  /** The kinds of beacons there are. */
  async available(): Promise<string[]> {
    return [...new Set([...BEACON_TABLE.keys(), ...(await this.#own()).keys()])].sort();
  }

  /** Whether a configuration can be used. */
  async validate(name: Value, config: Value): Promise<Verdict> {
    const kind = kindOf(name, config);
    const spec = await this.#spec(kind);
    if (spec === undefined)
      return [true, `Beacon ${kind} does not have a validate function, skipping validation.`];
    return spec.validate(itemsFor(spec, config));
  }

  close(): void {
    for (const name of this.#active.keys()) this.#end(name);
  }

  /** Gives back what a beacon holds open, such as watched files; it begins anew when it looks again. */
  #end(name: Value): void {
    this.#active.get(name)?.running?.close?.();
    this.#active.delete(name);
  }

  /** Has each beacon look whose time it is. */
  async process(): Promise<BeaconEvent[]> {
    const all = this.list({ pillar: true, configured: true });
    const isOff = all.has('enabled') && !truthy(all.get('enabled'));
    for (const name of this.#active.keys()) if (isOff || !all.has(name)) this.#end(name);
    if (isOff) return [];
    const events: BeaconEvent[] = [];
    for (const [name, config] of all)
      if (name !== 'enabled') events.push(...(await this.#processOne(name, config)));
    return events;
  }

  #own(): Promise<ReadonlyMap<string, BeaconSpec>> {
    return this.#deps.own?.() ?? Promise.resolve(new Map());
  }

  async #spec(kind: string): Promise<BeaconSpec | undefined> {
    return (await this.#own()).get(kind) ?? (await BEACON_TABLE.get(kind)?.());
  }

  #fromPillar(): Dict {
    const pillar = this.#deps.pillar();
    return isDict(pillar) ? pillar : new Map();
  }

  async #processOne(name: Value, config: Value): Promise<BeaconEvent[]> {
    const options = commonOptions(config);
    // Salt compat: Salt lets a disabled beacon watch on, and delivers the events of that time when it is enabled again
    if (!options.enabled) {
      this.#end(name);
      return [];
    }
    const active = await this.#activate(name, config);
    if (active === undefined || !this.#isTime(active, options.interval ?? 0)) return [];
    if (options.disable_during_state_run && this.#deps.isStateRunning()) {
      this.#deps.context.log.info(
        `${active.running?.close ? 'Closing' : 'Skipping'} beacon ${String(name)}. State run in progress.`,
      );
      active.running?.close?.();
      return [];
    }
    const events = await this.#look(name, config, active);
    if (options.run_once) this.setEnabled(name, false);
    return events;
  }

  /** A beacon whose configuration is new begins anew. @returns undefined for one that cannot be used */
  async #activate(name: Value, config: Value): Promise<Active | undefined> {
    const known = this.#active.get(name);
    const own = (await this.#own()).get(kindOf(name, config));
    const isSame = own === undefined ? known?.isOwn === false : known?.spec === own;
    if (known !== undefined && isSame && valuesEqual(known.config, config)) return known;
    this.#end(name);
    const spec = own ?? (await this.#spec(kindOf(name, config)));
    if (spec === undefined) {
      this.#say(
        name,
        `Unable to process beacon ${String(name)}${whyNot(kindOf(name, config), [...BEACON_TABLE.keys(), ...(await this.#own()).keys()])}`,
      );
      return undefined;
    }
    const [isValid, comment] = await spec.validate(itemsFor(spec, config));
    if (!isValid) {
      this.#say(name, `Beacon ${String(name)} configuration invalid, not running.\n${comment}`);
      return undefined;
    }
    const isOwn = own !== undefined;
    const active: Active = { config: copyValue(config), spec, isOwn, running: undefined, armedMs: undefined };
    this.#active.set(name, active);
    this.#said.delete(name);
    return active;
  }

  /** The first evaluation only begins the interval. */
  #isTime(active: Active, intervalSeconds: number): boolean {
    if (intervalSeconds <= 0) return true;
    const nowMs = this.#deps.context.clock.monotonicMs();
    const periodMs = intervalSeconds * 1000;
    if (active.armedMs === undefined) {
      active.armedMs = nowMs;
      return false;
    }
    if (nowMs - active.armedMs < periodMs - EARLY_MS) return false;
    active.armedMs = nowMs - active.armedMs < 2 * periodMs ? active.armedMs + periodMs : nowMs;
    return true;
  }

  async #look(name: Value, config: Value, active: Active): Promise<BeaconEvent[]> {
    const { id, context } = this.#deps;
    const base = `salt/beacon/${id}/${String(name)}/`;
    const beaconName = active.spec.name;
    try {
      active.running ??= active.spec.start(context, String(name));
      const found = await active.running.look(itemsFor(active.spec, config, TIME_ITEMS));
      this.#said.delete(name);
      return found.map((data) => {
        const tag = data.get('tag');
        const rest: Dict = new Map(data);
        rest.delete('tag');
        if (!rest.has('id')) rest.set('id', id);
        return { tag: tag === undefined ? base : base + String(tag), data: rest, beaconName };
      });
    } catch (error) {
      const text = messageOf(error);
      const failed = active.running === undefined ? 'could not be started' : 'failed';
      this.#say(name, `The beacon ${String(name)} ${failed}: ${text}`);
      return [{ tag: base, data: new Map(), beaconName, error: text }];
    }
  }

  #say(name: Value, text: string): void {
    if (this.#said.get(name) === text) return;
    this.#said.set(name, text);
    this.#deps.context.log.error(text);
  }
}

function commonOptions(config: Value): TypedArguments<typeof COMMON> {
  return readOptions(COMMON, isDict(config) ? config : listToDict(config));
}

/** Why a beacon of Salt is not here. */
function whyNot(kind: string, known: readonly string[]): string {
  const why = SALTS_BEACONS.get(kind);
  if (why !== undefined) return `: the beacon ${kind} is not served: ${why}.`;
  return `: there is no beacon ${kind}.${didYouMean(kind, known)} Correct the name, or bring the beacon with saltutil.sync_beacons.`;
}

function kindOf(name: Value, config: Value): string {
  return commonOptions(config).beacon_module ?? String(name);
}

/** What a beacon is to see of its configuration. @param hidden what even one that sees all does not see */
function itemsFor({ seesAll }: BeaconSpec, config: Value, hidden: ReadonlySet<Value> = new Set()): Value[] {
  return without(config, seesAll === true ? hidden : COMMON_ITEMS);
}

function without(config: Value, hidden: ReadonlySet<Value>): Value[] {
  if (!Array.isArray(config)) return config as unknown as Value[];
  return config
    .map((item) => (isDict(item) ? new Map([...item].filter(([key]) => !hidden.has(key))) : item))
    .filter((item) => !isDict(item) || item.size > 0);
}
