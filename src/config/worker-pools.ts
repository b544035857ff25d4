/**
 * The option `worker_pools` of Salt 3008.1: named pools of workers, and the commands that each serves. A worker here
 * serves requests side by side, so that no command holds up others for long, and takes all of them; of the pools their
 * size counts.
 */
import { ConfigError } from '../errors/errors.ts';
import { pyStr } from '../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../python/values/value.ts';

/** The command that stands for those that no pool names. */
const OTHERS = '*';

/**
 * Sets `worker_threads` to the sum of the pools, unless the configuration has it.
 * @param values as written, before types are checked; changed in place
 * @throws ConfigError for pools with which a Salt 3008.1 does not start either, naming all faults
 */
export function applyWorkerPools(values: Dict): void {
  if (values.get('worker_pools_enabled') === false || !truthy(values.get('worker_pools') ?? null)) return;
  const pools = values.get('worker_pools') as Value;
  const faults = poolFaults(pools, values.get('worker_pool_default') ?? null);
  if (faults.length > 0)
    throw new ConfigError(
      `worker_pools in ${pyStr(values.get('conf_file') ?? 'the configuration')} cannot be used:\n` +
        faults.map((fault) => `  ${fault}\n`).join('') +
        'Correct it, remove it, or set worker_pools_enabled: False.',
    );
  if (values.has('worker_threads') || !isDict(pools)) return;
  const counts = [...pools.values()].map((pool) => (isDict(pool) ? countOf(pool) : undefined) ?? 0);
  values.set(
    'worker_threads',
    counts.reduce((sum, count) => sum + count, 0),
  );
}

function poolFaults(pools: Value, fallback: Value): string[] {
  if (!isDict(pools)) return [`It is ${pyStr(pools)}, and has to be a mapping of names to pools.`];
  const owners = new Map<string, string>();
  const faults: string[] = [];
  for (const [key, pool] of pools) {
    const name = pyStr(key);
    if (typeof key !== 'string' || key === '' || /[/\\\0]|^\.\./.test(key))
      faults.push(`'${name}' is no name of a pool.`);
    if (!isDict(pool)) {
      faults.push(`The pool '${name}' is ${pyStr(pool)}, and has to have worker_count and commands.`);
      continue;
    }
    if (countOf(pool) === undefined)
      faults.push(
        `The worker_count of the pool '${name}' is ${pyStr(pool.get('worker_count') ?? null)}; write a whole number of 1 or more.`,
      );
    const commands = pool.get('commands') ?? null;
    if (!Array.isArray(commands) || commands.length === 0)
      faults.push(`The pool '${name}' has no list of commands.`);
    else
      for (const command of commands.map(pyStr)) {
        const owner = owners.get(command);
        if (owner !== undefined && owner !== name)
          faults.push(`The command '${command}' is both of the pool '${owner}' and of '${name}'.`);
        owners.set(command, name);
      }
  }
  if (!owners.has(OTHERS) && (typeof fallback !== 'string' || !pools.has(fallback)))
    faults.push(
      fallback === null
        ? "No pool has the command '*', and worker_pool_default names none, for commands that no pool has."
        : `worker_pool_default is ${pyStr(fallback)}, which is none of the pools.`,
    );
  return faults;
}

function countOf(pool: Dict): number | undefined {
  const value = pool.get('worker_count') ?? null;
  const count = typeof value === 'number' ? toNumber(value) : undefined;
  return count !== undefined && Number.isInteger(count) && count >= 1 ? count : undefined;
}
