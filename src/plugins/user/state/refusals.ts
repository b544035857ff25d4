/**
 * What no account and no group can have, as `useradd` and `groupadd` refuse it.
 * Salt compat: there, test mode promises it, and the run ends with a failure that does not say why.
 */
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { isInt, truthy, type Value } from '../../../python/values/value.ts';

/** The largest id; the one after it means none. */
const MAX_ID = 4_294_967_294;

/** Why a new account or group cannot have a name. @param what `A user`, `A group` */
export function nameRefusal(what: string, name: string): string | undefined {
  if (name !== '' && name !== '.' && name !== '..' && !/^[-+~]|[\s:,/\0]/.test(name)) return undefined;
  return `${what} cannot be called ${pyRepr(name)}: names have no colons, commas, slashes or blanks, and do not begin with -, + or ~`;
}

/** Why a value is no id. @param key `uid` or `gid` */
export function idRefusal(key: string, value: Value): string | undefined {
  if (value === null || value === '') return undefined;
  const isId = isInt(value) && Number(value) >= 0 && Number(value) <= MAX_ID;
  return isId ? undefined : `${key} must be a whole number from 0 to ${MAX_ID}, not ${pyRepr(value)}`;
}

/** Why a value is neither the name of a group nor its id. @param key the parameter */
export function groupRefusal(key: string, value: Value): string | undefined {
  if (typeof value === 'string' || value === null) return undefined;
  return isInt(value)
    ? idRefusal(key, value)
    : `${key} must be the name or the id of a group, not ${pyRepr(value)}`;
}

/** Why one of the fields of an account cannot stand in its line. */
export function fieldRefusal(fields: Readonly<Record<string, Value>>): string | undefined {
  for (const [key, value] of Object.entries(fields))
    if (value !== null && /[:\n\r\0]/.test(pyStr(value)))
      return `${key} cannot have colons or line ends in it${key === 'password' ? '' : `: ${pyRepr(value)}`}`;
  for (const key of ['home', 'shell']) {
    const value = fields[key] ?? null;
    // an empty shell is /bin/sh, and there is no empty home
    const isSaid = key === 'home' ? value !== null : truthy(value);
    if (isSaid && !/^[/*]/.test(pyStr(value)))
      return `${key} must be a whole path, beginning with a slash, not ${pyRepr(value)}`;
  }
  return undefined;
}

/** Why one of the days of an account is none. */
export function dayRefusal(days: Readonly<Record<string, Value>>): string | undefined {
  const [key, value] = Object.entries(days).find(([, day]) => day !== null && !isInt(day)) ?? [];
  return key === undefined
    ? undefined
    : `${key} must be a number of days, or a date such as 2030-12-31, not ${pyRepr(value ?? null)}`;
}
