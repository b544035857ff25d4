/**
 * Who may log in from where, and which addresses are served at all (`api_acl`, `authorized_ips`;
 * salt/netapi/rest_cherrypy/app.py, 3006.16).
 */
import type { Logger } from '../../host/log.ts';
import { visibleName } from '../../python/values/visible.ts';
import { isDict, truthy, type Value } from '../../python/values/value.ts';

/**
 * Whether `api_acl` lets a user log in from an address.
 * Salt compat: a list of users that is there and empty lets nobody; behind whose name nothing stands is not let in.
 */
export function mayLogIn(acl: Value, user: Value, address: string, log: Logger): boolean {
  if (!truthy(acl) || !isDict(acl)) return true;
  const users = acl.get('users');
  const addresses = isDict(users) ? users.get(users.has(user) ? user : '*') : undefined;
  const listed = addressList(addresses);
  const isAllowed = listed.includes(address) || listed.includes('*');
  const outcome = isAllowed ? 'successful' : 'failed';
  const name = visibleName(typeof user === 'string' ? user : 'None');
  log.info(`[api_acl] Authentication ${outcome} for user ${name} from IP ${address}`);
  return isAllowed;
}

/**
 * Addresses as a list, as the names of a mapping, or as a text. Salt compat: Salt looks for an address anywhere in a
 * text.
 */
function addressList(addresses: Value | undefined): readonly Value[] {
  if (Array.isArray(addresses)) return addresses;
  if (addresses !== undefined && isDict(addresses)) return [...addresses.keys()];
  return typeof addresses === 'string' ? addresses.split(/[\s,]+/) : [];
}

/** Whether `authorized_ips` lets an address send requests. */
export function mayAsk(addresses: Value, address: string): boolean {
  if (!truthy(addresses)) return true;
  return Array.isArray(addresses) ? addresses.includes(address) : addresses === address;
}
