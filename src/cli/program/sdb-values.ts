/**
 * Values `sdb://…` of a configuration, replaced by what is behind them before a program starts (salt/config/__init__.py
 * `apply_sdb`, 3006.16).
 */
import type { Options, OptionTable } from '../../config/option.ts';
import { checkTypes } from '../../config/type-check.ts';
import { ConfigError, messageOf } from '../../errors/errors.ts';
import { systemClock } from '../../host/clock.ts';
import { silentLogger, type Logger } from '../../host/log.ts';
import { systemRandom } from '../../host/random.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { SdbContext } from '../../plugins/shared/sdb/sdb-driver.ts';

const SCHEME = 'sdb://';

/**
 * The options with each address replaced, also those in lists and mappings. Nothing is loaded where there are none.
 * @throws ConfigError naming the option and the address, never a value, when one cannot be read
 */
export async function withSdbValues<T extends OptionTable>(
  options: Options<T>,
  log: Logger,
): Promise<Options<T>> {
  const values = options.toDict();
  const named = [...values].filter(([, value]) => hasAddress(value)).map(([name]) => name);
  if (named.length === 0) return options;
  const { sdbGet } = await import('../../plugins/registry/sdb/sdb.ts');
  const opts: Dict = new Map(values);
  const ctx = configContext(opts, log);
  // profiles first, which may have addresses in them: a password out of the environment
  const isProfile = (name: Value): boolean => isDriven(values.get(name));
  const changes: Dict = new Map();
  for (const name of [...named.filter(isProfile), ...named.filter((one) => !isProfile(one))]) {
    const option = pyStr(name);
    const read = async (uri: string): Promise<Value> => {
      try {
        return await sdbGet(ctx, uri);
      } catch (error) {
        throw new ConfigError(`The option ${option} is ${uri}, which cannot be read. ${messageOf(error)}`, {
          cause: error,
        });
      }
    };
    const value = await replaced(values.get(name) ?? null, read);
    changes.set(name, value);
    opts.set(name, value);
  }
  // its warnings have the value in them
  checkTypes(options.table, changes, silentLogger);
  for (const name of named)
    if (!changes.has(name)) {
      log.warning(`The option ${pyStr(name)} has its default: what sdb gives for it is of another type.`);
      changes.set(name, null);
    }
  return options.with(changes);
}

function hasAddress(value: Value | undefined): boolean {
  if (typeof value === 'string') return value.startsWith(SCHEME);
  if (Array.isArray(value)) return value.some(hasAddress);
  return isDict(value) && [...value.values()].some(hasAddress);
}

async function replaced(value: Value, read: (uri: string) => Promise<Value>): Promise<Value> {
  if (typeof value === 'string') return value.startsWith(SCHEME) ? read(value) : value;
  if (Array.isArray(value)) {
    const out: Value[] = [];
    for (const item of value) out.push(await replaced(item, read));
    return out;
  }
  if (!isDict(value)) return value;
  const out: Dict = new Map();
  for (const [key, item] of value) out.set(key, await replaced(item, read));
  return out;
}

function isDriven(value: Value | undefined): boolean {
  return isDict(value) && typeof value.get('driver') === 'string';
}

function configContext(opts: Dict, log: Logger): SdbContext {
  return {
    opts,
    clock: systemClock,
    random: systemRandom,
    log,
    query: async (url, kwargs) => {
      const { masterMinion } = await import('../../programs/runner/master-minion.ts');
      const { functions } = await masterMinion({
        opts,
        id: pyStr(opts.get('id') ?? ''),
        jid: '',
        fun: 'http.query',
        signal: new AbortController().signal,
        clock: systemClock,
        random: systemRandom,
        log,
      });
      const answer = await functions.call('http.query', [url], kwargs);
      return isDict(answer) ? answer : new Map();
    },
  };
}
