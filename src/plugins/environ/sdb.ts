/** `env`: variables of the environment of the program (salt/sdb/env.py, 3006.16). */
import { SaltInvocationError } from '../../errors/errors.ts';
import { pyTypeName } from '../../python/values/value.ts';
import type { SdbDriver } from '../shared/sdb/sdb-driver.ts';

/** The driver. A variable that is set already keeps its value, as in Salt. */
export const envDriver: SdbDriver = {
  name: 'env',
  get: ({ key }) => process.env[key] ?? null,
  set: ({ key }, value) => {
    const known = process.env[key];
    if (known !== undefined) return known;
    if (typeof value !== 'string') throw new SaltInvocationError(`str expected, not ${pyTypeName(value)}`);
    process.env[key] = value;
    return value;
  },
};
