/** The external pillar s3: SLS in a bucket (3006.16 salt/pillar/s3.py). */
import { createHash } from 'node:crypto';
import { CommandExecutionError } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import { safeJoin } from '../../../host/files.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { ObjectCopy } from '../../../storage/remotes/object-copy.ts';
import { s3Store } from '../../../storage/remotes/s3-options.ts';
import type { CheckoutPillarDeps } from './checkouts.ts';
import { namedSettings, type ExtPillar } from './ext-pillar.ts';

const NAMES = [
  ...[
    'bucket',
    'key',
    'keyid',
    'verify_ssl',
    'location',
    'multiple_env',
    'environment',
    'prefix',
    'service_url',
  ],
  ...['kms_keyid', 's3_cache_expire', 's3_sync_on_update', 'path_style', 'https_enable'],
];
const EXPIRE_SECONDS = 30;

/**
 * Makes the external pillar. Salt compat: a bucket that was never fetched fails the pillar; one that cannot be fetched
 * now is told in the log.
 */
export function s3Pillar({
  clock,
  compile,
}: Pick<CheckoutPillarDeps, 'compile'> & { readonly clock: Clock }): ExtPillar {
  return async (settings, context) => {
    const { opts, log } = context;
    const given = namedSettings(settings, NAMES);
    const prefix = pyStr(given.get('prefix') ?? '').replace(/^\/+|\/+$/g, '');
    const environment = pyStr(given.get('environment') ?? 'base');
    const store = s3Store(pyStr(given.get('bucket') ?? ''), (name) => given.get(name), clock);
    const name = createHash('sha256').update(`${store.name}\0${prefix}`).digest('hex').slice(0, 32);
    const folder = safeJoin(pyStr(opts.get('cachedir') ?? ''), 'pillar_s3fs', name);
    const copy = new ObjectCopy({ folder, store, prefix: prefix === '' ? '' : `${prefix}/`, clock });
    const expireMs = (toNumber(given.get('s3_cache_expire') ?? null) ?? EXPIRE_SECONDS) * 1000;
    if (clock.nowMs() - copy.state().triedAtMs > expireMs) await copy.fetch();
    const { fetchedAtMs, fault } = copy.state();
    if (fetchedAtMs === undefined)
      throw new CommandExecutionError(`${store.name} has never been fetched: ${fault ?? 'not yet'}`);
    if (fault !== undefined)
      log.error(`${fault}. The pillar of ${new Date(fetchedAtMs).toISOString()} is used.`);
    const below = [...(prefix === '' ? [] : prefix.split('/'))];
    if (truthy(given.get('multiple_env') ?? null)) below.push(environment);
    const roots = opts.get('pillar_roots');
    const all: Dict = new Map<Value, Value>(isDict(roots) ? roots : []);
    return compile(context, all.set(environment, [safeJoin(copy.files, ...below)]), environment);
  };
}
