/** What a beacon is: a file that looks at one thing of this host, and says when something is to be told. */
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import { isDict, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { readOptions, type Params, type TypedArguments } from '../../../runtime/loader/params.ts';

/** What a beacon may touch. */
export interface BeaconContext {
  readonly clock: Clock;
  readonly log: Logger;
  /** Calls an execution function. @throws what it throws */
  call(fun: string, args?: readonly Value[], kwargs?: Dict): Promise<Value>;
}

/** Whether a configuration can be used, and Salt's sentence about it. */
export type Verdict = readonly [isValid: boolean, comment: string];

/** One configured beacon; keeps what it has seen. */
export interface RunningBeacon {
  /**
   * Looks.
   * @param config the configured list
   * @returns the data of the events; `tag` becomes the end of the event's tag
   */
  look(config: readonly Value[]): readonly Dict[] | Promise<readonly Dict[]>;
  /** Stops watching; the next look begins anew. */
  close?(): void;
}

/** A kind of beacon. */
export interface BeaconSpec {
  readonly name: string;
  readonly doc: string;
  readonly params?: Params;
  /** It is handed items that are no beacon's own, too (`beacon_module`, `enabled` …), as Salt's beacons are. */
  readonly seesAll?: boolean;
  validate(config: Value): Verdict | Promise<Verdict>;
  /** @param name of the configured beacon, where it may be another than that of its kind */
  start(ctx: BeaconContext, name?: string): RunningBeacon;
}

/** One configured beacon whose options arrive as its parameters read them. */
export interface TypedBeacon<P extends Params> extends Omit<RunningBeacon, 'look'> {
  look(options: TypedArguments<P>): readonly Dict[] | Promise<readonly Dict[]>;
}

interface TypedBeaconSpec<P extends Params> extends Omit<BeaconSpec, 'start'> {
  readonly params: P;
  start(ctx: BeaconContext): TypedBeacon<P>;
}

/** Describes a beacon whose configuration is one mapping of options, written as a list of mappings. */
export function defineBeacon<const P extends Params>(spec: TypedBeaconSpec<P>): BeaconSpec {
  return {
    ...spec,
    start: (ctx) => {
      const typed = spec.start(ctx);
      return {
        look: (config) => typed.look(readOptions(spec.params, listToDict(config))),
        ...(typed.close === undefined ? {} : { close: () => typed.close?.() }),
      };
    },
  };
}

/** Salt's sentence for a good configuration. */
export const VALID: Verdict = [true, 'Valid beacon configuration'];

/** The mapping that a list of mappings makes, later entries over earlier ones. */
export function listToDict(config: Value | readonly Value[]): Dict {
  const out: Dict = new Map();
  for (const item of Array.isArray(config) ? (config as readonly Value[]) : [])
    if (isDict(item)) for (const [key, value] of item) out.set(key, value);
  return out;
}

/** The entries that people have written: those of the minion begin with `_`. */
export function withoutHidden(config: readonly Value[]): Dict[] {
  return config.filter(isDict).filter((item) => ![...item.keys()].some((key) => String(key).startsWith('_')));
}

/**
 * A number that others are compared with, as Python's `float()` reads it; NaN, which nothing reaches, where that
 * raises.
 */
export function limitOf(value: Value): number {
  return typeof value === 'string' && value.trim() === '' ? NaN : (toNumber(value) ?? Number(value ?? NaN));
}

/** A limit such as `63%` or 63; NaN when it is none. */
export function percentOf(value: Value | undefined): number {
  if (typeof value === 'string') return value.trim() === '' ? NaN : Number(value.replaceAll('%', ''));
  return value === undefined || value === null || isDict(value) ? NaN : Number(value);
}
