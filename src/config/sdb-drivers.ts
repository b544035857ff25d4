/** Drivers of `sdb://` that Salt has and Brine has not. */

/** By the name that a profile gives: what to take in its place. */
export const UNSERVED_SDB_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['confidant', 'keep the values in Vault, or behind a web interface for the driver rest'],
  ['consul', 'its HTTP interface can be asked with the driver rest'],
  ['couchdb', 'its HTTP interface can be asked with the driver rest'],
  ['etcd', 'keep the values in Vault or Redis'],
  ['keyring', 'keep the values in a file for the driver yaml, or in the environment for the driver env'],
  ['memcached', 'keep the values in Redis'],
  ['tism', 'its HTTP interface can be asked with the driver rest'],
]);
