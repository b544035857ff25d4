/** What a driver of the cache is: a way to open its server from the master's options (salt/cache/, 3006.16). */
import type { Clock } from '../../../host/clock.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';
import type { CacheServer } from '../../../storage/cache/cache-server.ts';

/** What a server is opened with. */
export interface DriverUse {
  /** An option of the master by its whole name; undefined where nothing sets it. */
  readonly option: (name: string) => Value | undefined;
  readonly clock: Clock;
}

/** A driver. Nothing is connected before the server is first asked. */
export interface CacheDriver {
  readonly name: string;
  open(use: DriverUse): CacheServer;
}

/** How long a server may take for one answer. */
export const ANSWER_MS = 10_000;

/** The time as Salt's drivers note it: whole seconds since 1970. */
export function stampNow(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000);
}

/** What ends the name of a key's time. */
export function suffixOf(value: Value | undefined): string {
  return value === undefined ? '.tstamp' : pyStr(value);
}
