/** What the options say about several masters (salt/minion.py `eval_master`, 3006.16). */
import type { MinionOptions } from '../../../config/minion-options.ts';
import { BrineError, ConfigError, messageOf } from '../../../errors/errors.ts';
import type { Logger } from '../../../host/log.ts';
import type { Random } from '../../../host/random.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';

/** How masters are used: none, all at once, or one after the other. */
export interface MasterPlan {
  readonly mode: 'none' | 'all' | 'one';
  /** As the configuration says them, in the order in which they count. */
  readonly entries: readonly Value[];
  readonly random: boolean;
  /** The first stays first when the order is random, because the minion returns to it. */
  readonly failback: boolean;
  /** The minion whose name chooses which master is tried first; undefined when none is preferred. */
  readonly distributedFor: string | undefined;
  /** A master that is away for so long is left; `master_alive_interval` where it is not set. */
  readonly aliveSeconds?: number;
}

/**
 * Reads the plan; with `master_type: func` the function that `master` names is asked first.
 * @throws ConfigError, and BrineError when the function fails or gives something else than masters
 */
export async function planMasters(
  opts: MinionOptions,
  log: Logger,
  call: (fun: string) => Promise<Value>,
): Promise<MasterPlan> {
  const named = opts.raw('master');
  if (opts.get('master_type') !== 'func') return readMasterPlan(opts, named, log);
  const fun = String(named);
  let master: Value;
  try {
    master = await call(fun);
  } catch (cause) {
    throw new BrineError(`Failed to load module ${fun}: ${messageOf(cause)}`, { cause });
  }
  if (typeof master !== 'string' && !Array.isArray(master))
    throw new BrineError(`${pyStr(master)} returned from ${fun} is not a string`);
  log.info(`Evaluated master from module: ${fun}`);
  return readMasterPlan(opts, master, log);
}

/**
 * Reads the plan.
 * @param master the option, or what the function that it names with `master_type: func` has given
 * @throws ConfigError for a `master_type` that is none
 */
function readMasterPlan(opts: MinionOptions, master: Value | undefined, log: Logger): MasterPlan {
  const type = opts.get('master_type');
  const isList = Array.isArray(master);
  if (isList && master.length === 0 && type !== 'disable')
    throw new ConfigError(
      "The option 'master' is an empty list and names no master; give the minion one, or set master_type: disable.",
    );
  const entries: readonly Value[] = isList ? master : [master ?? ''];
  if (opts.get('master_shuffle'))
    log.warning(
      "Use of 'master_shuffle' detected. 'master_shuffle' is deprecated in favor of 'random_master'. Please update your minion config file.",
    );
  const random = opts.get('random_master') || opts.get('master_shuffle');
  const common = { entries, random, failback: false, distributedFor: undefined };
  switch (type) {
    case 'disable':
      log.warning('Master is set to disable, skipping connection');
      return { ...common, mode: 'none' };
    case 'str':
      if (!isList && random)
        log.warning('random_master is True but there is only one master specified. Ignoring.');
      return { ...common, mode: 'all' };
    case 'func':
      return { ...common, mode: isList ? 'one' : 'all' };
    case 'failover':
      return { ...common, mode: 'one', failback: opts.get('master_failback') };
    case 'distributed':
      if (entries.length < 2) log.warning('master_type = distributed needs more than 1 master.');
      return {
        ...common,
        mode: 'one',
        failback: opts.get('master_failback'),
        distributedFor: opts.get('id'),
      };
    default:
      throw unknownType(type);
  }
}

/** @throws ConfigError for a `master_type` that is none */
export function requireMasterType(type: string): void {
  if (!['disable', 'str', 'func', 'failover', 'distributed'].includes(type)) throw unknownType(type);
}

function unknownType(type: string): ConfigError {
  return new ConfigError(
    `Invalid keyword '${type}' for variable 'master_type'; it can be str, failover, distributed, func or disable.`,
  );
}

/** Puts masters into the order in which they are tried. */
export function inPlannedOrder<T>(plan: MasterPlan, masters: readonly T[], random: Random): T[] {
  const order = [...masters];
  if (plan.distributedFor !== undefined && order.length > 1) {
    // Salt compat: Salt means this, but fails on it with a TypeError and takes the first
    const [preferred] = order.splice(crc32(Buffer.from(plan.distributedFor)) % order.length, 1);
    if (preferred !== undefined) order.unshift(preferred);
  }
  if (!plan.random) return order;
  const first = plan.failback ? order.splice(0, 1) : [];
  for (let at = order.length - 1; at > 0; at--) {
    const other = random.int(0, at);
    [order[at], order[other]] = [order[other] as T, order[at] as T];
  }
  return [...first, ...order];
}

/** The checksum of `zlib.crc32`. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
