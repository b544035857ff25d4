/** `cache`: named values in the banks of the cache of this program (salt/sdb/cache.py, 3006.16). */
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';
import type { Banks } from '../../storage/cache/cache-server.ts';
import { ValueBanks } from '../../storage/cache/value-banks.ts';
import { SdbError, type SdbDriver, type SdbUse } from '../shared/sdb/sdb-driver.ts';

/** The driver. */
export const cacheDriver: SdbDriver = {
  name: 'cache',
  get: (use) => inBanks(use, (banks, bank, key) => banks.fetch(bank, key)),
  set: (use, value) =>
    inBanks(use, async (banks, bank, key) => {
      await banks.store(bank, key, value);
      return banks.fetch(bank, key);
    }),
  delete: (use) =>
    inBanks(use, async (banks, bank, key) => {
      await banks.flush(bank, key);
      return true;
    }),
};

/** Behind a question mark the key may have `bank=` and `cachedir=`, which count before the profile's. */
function inBanks(
  { ctx, key, profile }: SdbUse,
  run: (banks: Banks, bank: string, key: string) => Value | Promise<Value>,
): Value | Promise<Value> {
  const [name = '', words = ''] = key.split('?');
  const told = new Map(words.split('&').map((pair) => pair.split('=', 2) as [string, string | undefined]));
  const option = (what: string): string | undefined => {
    const value = told.get(what) ?? profile.get(what);
    return value === undefined || value === null ? undefined : pyStr(value);
  };
  const bank = option('bank');
  if (bank === undefined)
    throw new SdbError('no bank is named: set its option `bank`, or add ?bank=NAME to the key.');
  const cachedir = option('cachedir') ?? pyStr(ctx.opts.get('cachedir') ?? '');
  return ctx.withBanks === undefined
    ? run(new ValueBanks(cachedir), bank, name)
    : ctx.withBanks(cachedir, (banks) => run(banks, bank, name));
}
