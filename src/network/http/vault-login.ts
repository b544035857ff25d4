/**
 * Getting a token of Vault with what the option `vault:auth` says: a token, an AppRole, or something wrapped
 * (salt/utils/vault.py, 3006.16).
 */
import type { Clock } from '../../host/clock.ts';
import { Secret } from '../../host/secret.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { askVault, reasonsOf, type VaultConnection, type VaultPlace } from './vault-request.ts';
import { VaultError, type VaultSettings } from './vault-settings.ts';

/** Logs in. @throws VaultError when an option is missing, or Vault gives no token */
export async function logIn(settings: VaultSettings, clock: Clock): Promise<VaultConnection> {
  const { url, namespace, verify, auth } = settings;
  const place: VaultPlace = { url, namespace, verify, clock };
  const method = pyStr(auth.get('method') ?? 'token');
  const connected = (token: Secret): VaultConnection => ({ url, namespace, verify, token });
  if (method === 'token') return connected(await plainToken(place, auth.get('token')));
  if (method === 'wrapped_token') return connected(await unwrappedToken(place, required(auth, 'token')));
  if (method === 'approle') return connected(await roleToken(place, settings));
  throw new VaultError(`vault:auth:method is ${method}, and there are token, approle and wrapped_token.`);
}

function required(auth: Dict, name: string): string {
  const value = auth.get(name);
  if (typeof value === 'string' && value !== '') return value;
  throw new VaultError(`the option vault:auth:${name} is missing.`);
}

/** A token as it is, or in the wrapping of 3007. */
async function plainToken(place: VaultPlace, given: Value | undefined): Promise<Secret> {
  if (isDict(given)) return unwrappedToken(place, wrappingToken(given, 'token'));
  return new Secret(required(new Map([['token', given ?? null]]), 'token'));
}

async function roleToken(place: VaultPlace, { auth, approleMount }: VaultSettings): Promise<Secret> {
  const [role, secret] = [await idOf(place, auth, 'role_id'), await idOf(place, auth, 'secret_id')];
  if (role === undefined) throw new VaultError('the option vault:auth:role_id is missing.');
  const body = dict({ role_id: role, ...(secret === undefined ? {} : { secret_id: secret }) });
  const { status, data } = await askVault(place, {
    method: 'POST',
    path: `auth/${approleMount}/login`,
    body,
  });
  const token = fieldOf(data, 'auth', 'client_token');
  if (status === 200 && token !== undefined) return new Secret(token);
  throw new VaultError(
    `Vault gives no token for the role of vault:auth (it answers ${status}): see role_id and secret_id.`,
  );
}

/** An id as it is, or in the wrapping of 3007. */
async function idOf(
  place: VaultPlace,
  auth: Dict,
  name: 'role_id' | 'secret_id',
): Promise<string | undefined> {
  const given = auth.get(name);
  if (!isDict(given)) return typeof given === 'string' && given !== '' ? given : undefined;
  const data = await unwrapped(place, wrappingToken(given, name));
  return fieldOf(data, 'data', name) ?? fail(`vault:auth:${name} is a wrapping of something else.`);
}

function wrappingToken(given: Dict, name: string): string {
  const info = given.get('wrap_info');
  const token = isDict(info) ? info.get('token') : undefined;
  return typeof token === 'string' ? token : fail(`vault:auth:${name} is a mapping without wrap_info:token.`);
}

async function unwrappedToken(place: VaultPlace, wrapping: string): Promise<Secret> {
  const token = fieldOf(await unwrapped(place, wrapping), 'auth', 'client_token');
  return new Secret(token ?? fail('vault:auth:token is a wrapping of something else than a token.'));
}

/** What is wrapped, which can be had once only. @throws VaultError */
async function unwrapped(place: VaultPlace, wrapping: string): Promise<Value> {
  const token = new Secret(wrapping);
  const { status, data } = await askVault(place, { method: 'POST', path: 'sys/wrapping/unwrap', token });
  if (status === 200) return data;
  throw new VaultError(
    `Vault does not unwrap what vault:auth has (it answers ${status}${reasonsOf(data)}): a wrapping is good for one use, and for its time.`,
  );
}

/** Where a wrapping comes from that has a token in it. */
const TOKEN_PATH = /^auth\/token\/create(\/[^/]+)?$/;

/**
 * The token in a wrapping that a master has given: first it is asked where the wrapping comes from, so that nobody on
 * the way has put another one in its place (salt/utils/vault/client.py `unwrap`, 3007.8).
 * @returns what Vault says of the token: `client_token`, `lease_duration` …
 * @throws VaultError when it was opened before, is too old, or is another's
 */
export async function unwrapIssued(place: VaultPlace, wrapping: string): Promise<Dict> {
  const token = new Secret(wrapping);
  const looked = await askVault(place, { method: 'POST', path: 'sys/wrapping/lookup', token });
  if (looked.status !== 200)
    throw new VaultError(
      `the wrapping from the master is none that Vault knows (it answers ${looked.status}${reasonsOf(looked.data)}): it is too old, or somebody has opened it on its way.`,
    );
  const path = fieldOf(looked.data, 'data', 'creation_path') ?? '';
  if (!TOKEN_PATH.test(path))
    throw new VaultError(
      `the wrapping from the master comes from ${path}, and not from the making of a token.`,
    );
  const { status, data } = await askVault(place, { method: 'POST', path: 'sys/wrapping/unwrap', token });
  const auth = isDict(data) ? data.get('auth') : undefined;
  if (status === 200 && isDict(auth)) return auth;
  throw new VaultError(
    `Vault does not unwrap what the master has given (it answers ${status}${reasonsOf(data)}).`,
  );
}

function fieldOf(data: Value, outer: string, name: string): string | undefined {
  const inner = isDict(data) ? data.get(outer) : undefined;
  const value = isDict(inner) ? inner.get(name) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function fail(reason: string): never {
  throw new VaultError(reason);
}
