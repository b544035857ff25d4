/** Values behind addresses `sdb://<profile>/<key>` (salt/utils/sdb.py, 3006.16). */
import { UNSERVED_SDB_DRIVERS } from '../../config/sdb-drivers.ts';
import { BrineError, messageOf, SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { SdbError, type SdbContext, type SdbDriver, type SdbUse } from './sdb-driver.ts';
import { SDB_TABLE } from './table.ts';

const SCHEME = 'sdb://';
/** What {@link sdbGetOrSetHash} makes texts of when nothing else is said. */
export const HASH_CHARS = 'abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)';

/** An address in its parts. */
interface Address {
  readonly profileName: string;
  readonly key: string;
}

/** True for a text that begins as an address. */
export function isSdbAddress(value: Value | undefined): value is string {
  return typeof value === 'string' && value.startsWith(SCHEME);
}

function parseAddress(uri: string): Address | undefined {
  const slash = uri.indexOf('/', SCHEME.length);
  if (slash < 0 || slash === uri.length - 1) return undefined;
  return { profileName: uri.slice(SCHEME.length, slash), key: uri.slice(slash + 1) };
}

/** The profile, in the options or the pillar; undefined when there is none or it names no driver. */
function findProfile({ opts, pillar }: SdbContext, name: string): Dict | undefined {
  const inOptions = opts.get(name);
  const profile = truthy(inOptions) ? inOptions : pillar?.get(name);
  return isDict(profile) && profile.has('driver') ? profile : undefined;
}

/** Why an address is none that can be looked up, in Salt's words; undefined when it can. */
function whyNoAddress(ctx: SdbContext, uri: Value): string | undefined {
  if (!isSdbAddress(uri)) return 'SDB uri must start with "sdb://"';
  const address = parseAddress(uri);
  if (address === undefined)
    return 'SDB uri must have a profile name as a first part of the uri before the /';
  if (findProfile(ctx, address.profileName) === undefined)
    return `SDB profile "${address.profileName}" wasnt found in the minion configuration`;
  return undefined;
}

/**
 * Reads the value behind an address.
 * @param isStrict refuse what is no address, in place of returning it as it is
 * @throws SaltInvocationError for what is refused; SdbError naming profile and driver when the value cannot be read
 */
export async function sdbGet(ctx: SdbContext, uri: Value, isStrict = false): Promise<Value> {
  const found = find(ctx, uri);
  if (found !== undefined) return run(ctx, found, 'get', (driver, use) => driver.get(use));
  if (isStrict) throw new SaltInvocationError(whyNoAddress(ctx, uri) ?? '');
  return uri;
}

/** Writes a value. @returns what the driver returns; false for what is no address @throws SdbError */
export async function sdbSet(ctx: SdbContext, uri: Value, value: Value): Promise<Value> {
  const found = find(ctx, uri);
  if (found === undefined) return false;
  return run(ctx, found, 'set', (driver, use) => driver.set?.(use, value));
}

/** Removes a value. @returns what the driver returns; false for what is no address @throws SdbError */
export async function sdbDelete(ctx: SdbContext, uri: Value): Promise<Value> {
  const found = find(ctx, uri);
  return found === undefined ? false : run(ctx, found, 'delete', (driver, use) => driver.delete?.(use));
}

/** How the text is made. */
export interface HashForm {
  readonly length: number;
  readonly chars: string;
}

/** Reads a value; where there is none, makes a text by chance and keeps it. @returns the value; false for what is no address */
export async function sdbGetOrSetHash(
  ctx: SdbContext,
  uri: Value,
  { length, chars }: HashForm,
): Promise<Value> {
  if (!isSdbAddress(uri)) return false;
  const value = await sdbGet(ctx, uri);
  if (value !== null) return value;
  const letters = [...chars];
  const made = Array.from({ length }, () => letters[ctx.random.int(0, letters.length - 1)] ?? '').join('');
  await sdbSet(ctx, uri, made);
  return made;
}

interface Found extends Address {
  readonly profile: Dict;
}

function find(ctx: SdbContext, uri: Value): Found | undefined {
  const address = isSdbAddress(uri) ? parseAddress(uri) : undefined;
  const profile = address === undefined ? undefined : findProfile(ctx, address.profileName);
  return address === undefined || profile === undefined ? undefined : { ...address, profile };
}

async function run(
  ctx: SdbContext,
  { profileName, key, profile }: Found,
  what: 'get' | 'set' | 'delete',
  call: (driver: SdbDriver, use: SdbUse) => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  const driver = await loadDriver(profileName, profile);
  if (driver[what] === undefined)
    throw new SdbError(
      `The sdb profile ${profileName} cannot ${what} values: its driver ${driver.name} only has ${abilities(driver)}.`,
    );
  try {
    return (await call(driver, { ctx, key, profile })) ?? null;
  } catch (error) {
    if (error instanceof SaltInvocationError) throw error;
    const reason = error instanceof BrineError ? error.message : messageOf(error);
    throw new SdbError(`The sdb profile ${profileName}: ${reason}`, { cause: error });
  }
}

function abilities(driver: SdbDriver): string {
  return (['get', 'set', 'delete'] as const).filter((name) => driver[name] !== undefined).join(' and ');
}

async function loadDriver(profileName: string, profile: Dict): Promise<SdbDriver> {
  const name = pyStr(profile.get('driver') ?? null);
  const load = SDB_TABLE.get(name);
  if (load !== undefined) return load();
  const instead = UNSERVED_SDB_DRIVERS.get(name);
  throw new SdbError(
    instead === undefined
      ? `The sdb profile ${profileName} names the driver ${name}, and there is none of that name; there are ${[...SDB_TABLE.keys()].join(', ')}.`
      : `The sdb profile ${profileName} names Salt's driver ${name}, which is not served here; ${instead}.`,
  );
}
