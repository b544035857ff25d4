/**
 * What a driver of `sdb://` is (salt/sdb, 3006.16): values behind keys, in a place that a profile of the configuration
 * describes.
 */
import type { ErrorCode } from '../../../errors/codes.ts';
import { CommandExecutionError } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { Random } from '../../../host/random.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { Banks } from '../../../storage/cache/cache-server.ts';

/** What drivers work with. */
export interface SdbContext {
  /** The options of the program by Salt's names. */
  readonly opts: Dict;
  /** Profiles are looked for here, too. */
  readonly pillar?: Dict;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** `http.query`, which the driver `rest` asks with. @returns the fields of its return */
  query(url: string, kwargs: Dict): Promise<Dict>;
  /** The banks of the cache where the option `cache` of a master has them; without it they are in files. */
  withBanks?<T>(cachedir: string, run: (banks: Banks) => T | Promise<T>): Promise<T>;
}

/** One use of a driver. */
export interface SdbUse {
  readonly ctx: SdbContext;
  /** What stands behind the profile in the address. */
  readonly key: string;
  /** What the configuration says under the profile's name. */
  readonly profile: Dict;
}

/** A driver. What it cannot do is left out. */
export interface SdbDriver {
  readonly name: string;
  /** @returns null for a key that has no value */
  get(use: SdbUse): Value | Promise<Value>;
  set?(use: SdbUse, value: Value): Value | Promise<Value>;
  delete?(use: SdbUse): Value | Promise<Value>;
}

/** A value cannot be read or written. The message never has the value in it. */
export class SdbError extends CommandExecutionError {
  static override readonly errorCode: ErrorCode = 'sdb-failed';
}
