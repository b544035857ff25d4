/** Values behind addresses `sdb://<profile>/<key>` (salt/utils/sdb.py, 3006.16). */
import { UNSERVED_SDB_DRIVERS } from '../../../config/sdb-drivers.ts';
import { didYouMean } from '../../../errors/did-you-mean.ts';
import { BrineError, messageOf, SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { SdbError, type SdbContext, type SdbDriver, type SdbUse } from '../../shared/sdb/sdb-driver.ts';
import { hasExtensions } from '../../../runtime/extensions/folder.ts';
import type { KindModule } from '../../../runtime/extensions/kind-module.ts';
import { SDB_TABLE } from './table.generated.ts';

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
  const refusal = isStrict ? whyNoAddress(ctx, uri) : undefined;
  if (refusal !== undefined) throw new SaltInvocationError(refusal);
  const found = find(ctx, uri);
  return found === undefined ? uri : run(ctx, found, 'get', (driver, use) => driver.get(use));
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

/**
 * Reads a value; where there is none, makes a text by chance and keeps it.
 * @returns the value; false for what is no address
 */
export async function sdbGetOrSetHash(
  ctx: SdbContext,
  uri: Value,
  { length, chars }: HashForm,
): Promise<Value> {
  if (!isSdbAddress(uri)) return false;
  const value = await sdbGet(ctx, uri);
  // Salt compat: a bank of the driver cache gives an empty mapping for what it does not have; Salt takes it for a value
  if (value !== null && !(isDict(value) && value.size === 0)) return value;
  const letters = [...chars];
  const made = Array.from({ length }, () => letters[ctx.random.int(0, letters.length - 1)] ?? '').join('');
  await sdbSet(ctx, uri, made);
  return made;
}

interface Found extends Address {
  readonly profile: Dict;
}

/** What an address leads to; undefined for what is none, and for one that leads nowhere, which the log says. */
function find(ctx: SdbContext, uri: Value): Found | undefined {
  if (!isSdbAddress(uri)) return undefined;
  const address = parseAddress(uri);
  if (address === undefined) {
    ctx.log.warning('An address of sdb is written sdb://PROFILE/KEY; one without a key leads nowhere.');
    return undefined;
  }
  const profile = findProfile(ctx, address.profileName);
  if (profile === undefined) ctx.log.warning(noProfile(ctx, address.profileName));
  return profile === undefined ? undefined : { ...address, profile };
}

/** Salt compat: Salt gives the address itself back and says nothing. The key may be secret, and is not said. */
function noProfile({ opts, pillar }: SdbContext, name: string): string {
  const known = [opts, pillar].flatMap((source) =>
    [...(source ?? [])]
      .filter(([, value]) => isDict(value) && value.has('driver'))
      .map(([key]) => pyStr(key)),
  );
  const where = 'an entry of the configuration or the pillar with a driver';
  return `There is no sdb profile '${name}', ${where}, so nothing was looked up.${didYouMean(name, known)}`;
}

async function run(
  ctx: SdbContext,
  { profileName, key, profile }: Found,
  what: 'get' | 'set' | 'delete',
  call: (driver: SdbDriver, use: SdbUse) => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  const used = await useOwnDriver(ctx, { profileName, key, profile }, what, call);
  if (used !== undefined) return used.result;
  const driver = await loadDriver(profileName, profile);
  requireAbility(profileName, driver, what);
  return told(profileName, () => call(driver, { ctx, key, profile }));
}

/** @throws SdbError when the driver cannot do it */
function requireAbility(profileName: string, driver: SdbDriver, what: 'get' | 'set' | 'delete'): void {
  if (driver[what] === undefined)
    throw new SdbError(
      `The sdb profile ${profileName} cannot ${what} values: its driver ${driver.name} only has ${abilities(driver)}.`,
    );
}

/** @throws SdbError naming the profile, with the reason of whatever is thrown */
async function told(
  profileName: string,
  work: () => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  try {
    return (await work()) ?? null;
  } catch (error) {
    if (error instanceof SaltInvocationError) throw error;
    const reason = error instanceof BrineError ? error.message : messageOf(error);
    throw new SdbError(`The sdb profile ${profileName}: ${reason}`, { cause: error });
  }
}

function abilities(driver: SdbDriver): string {
  return (['get', 'set', 'delete'] as const).filter((name) => driver[name] !== undefined).join(' and ');
}

/** A driver of the site's own (`_sdb`), which comes before one of ours with that name, as in Salt. */
async function useOwnDriver(
  ctx: SdbContext,
  { profileName, key, profile }: Found,
  what: 'get' | 'set' | 'delete',
  call: (driver: SdbDriver, use: SdbUse) => Value | undefined | Promise<Value | undefined>,
): Promise<{ readonly result: Value } | undefined> {
  const name = pyStr(profile.get('driver') ?? null);
  if (!hasExtensions(ctx.opts, 'sdb')) return undefined;
  const { useKindModule } = await import('../../../runtime/extensions/kind-module.ts');
  return useKindModule('sdb', name, ctx, (module) => {
    const driver = ownDriver(name, module);
    requireAbility(profileName, driver, what);
    return told(profileName, () => call(driver, { ctx, key, profile }));
  });
}

/** Salt compat: functions are called with the key, a value, and the profile by name (3006.16 salt/utils/sdb.py). */
function ownDriver(name: string, module: KindModule): SdbDriver {
  const by = ({ profile }: SdbUse): Dict => new Map([['profile', profile]]);
  const setter = module.has('set') ? 'set' : 'set_';
  return {
    name,
    get: (use) => module.call('get', [use.key], by(use)),
    ...(module.has(setter)
      ? {
          set: (use: SdbUse, value: Value) =>
            withoutValue(module.call(setter, [use.key, value], by(use)), value),
        }
      : {}),
    ...(module.has('delete') ? { delete: (use: SdbUse) => module.call('delete', [use.key], by(use)) } : {}),
  };
}

/** What the code throws is logged; it may say what it was given. */
async function withoutValue(asked: Promise<Value>, value: Value): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    const secret = pyStr(value);
    throw new SdbError(secret === '' ? messageOf(error) : messageOf(error).split(secret).join('***'));
  }
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
