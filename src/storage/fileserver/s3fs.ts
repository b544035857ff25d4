/** The backend `s3`: buckets of S3 as environments, or folders of buckets (3006.16 salt/fileserver/s3fs.py). */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { ConfigError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { safeJoin } from '../../host/files.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { ObjectCopy } from '../remotes/object-copy.ts';
import { s3Store } from '../remotes/s3-options.ts';
import { firstFetches, type FetchedRemote } from '../remotes/update-remotes.ts';
import type { FetchedBackend } from './fetched.ts';
import type { Layer } from './layer.ts';

/** The backend's name in answers, events and options. */
const S3FS = 's3fs';

/** What the backend needs. */
export interface S3fsDeps {
  readonly opts: Dict;
  /** Where copies of buckets lie. */
  readonly folder: string;
  readonly clock: Clock;
}

interface S3Remote extends FetchedRemote {
  readonly repository: ObjectCopy;
  /** The environment whose files they are; undefined where the first folder of an object names it. */
  readonly saltenv: string | undefined;
}

/** Makes the backend. @throws ConfigError, StoreError for buckets that cannot be understood, or without keys */
export function createS3fs({ opts, folder, clock }: S3fsDeps): FetchedBackend {
  const updateIntervalMs = (toNumber(opts.get('s3fs_update_interval') ?? 60) ?? 60) * 1000;
  const remotes = bucketsOf(opts.get('s3.buckets') ?? null).map(([saltenv, bucket]): S3Remote => {
    const store = s3Store(bucket, (name) => opts.get(`s3.${name}`), clock);
    const name = createHash('sha256').update(store.name).digest('hex').slice(0, 32);
    const repository = new ObjectCopy({ folder: safeJoin(folder, name), store, clock });
    return { id: `s3://${bucket}`, repository, updateIntervalMs, saltenv };
  });
  return {
    name: S3FS,
    // one bucket may belong to several environments, and is fetched once
    remotes: [...new Map(remotes.map((remote) => [remote.id, remote])).values()],
    environments: () => [
      ...new Set(
        remotes.flatMap(({ saltenv, repository }) =>
          saltenv === undefined ? foldersIn(repository.files) : [saltenv],
        ),
      ),
    ],
    layers: async (saltenv) => {
      await firstFetches(remotes, clock);
      return remotes.flatMap((remote) => layerOf(remote, saltenv) ?? []);
    },
  };
}

function layerOf({ saltenv: own, repository }: S3Remote, saltenv: string): Layer | undefined {
  if (own !== undefined && own !== saltenv) return undefined;
  if (own === undefined && !foldersIn(repository.files).includes(saltenv)) return undefined;
  const folder = own === undefined ? safeJoin(repository.files, saltenv) : repository.files;
  return {
    backend: S3FS,
    folder,
    mountpoint: '',
    isConfined: true,
    isFixed: false,
    version: repository.version,
  };
}

/** Environment and bucket; a list of buckets has environments as the first folders of their objects. */
function bucketsOf(given: Value): [string | undefined, string][] {
  if (Array.isArray(given)) return given.map((bucket) => [undefined, pyStr(bucket)]);
  if (isDict(given))
    return [...given].flatMap(([saltenv, buckets]) =>
      (Array.isArray(buckets) ? buckets : [buckets]).map((bucket): [string, string] => [
        pyStr(saltenv),
        pyStr(bucket),
      ]),
    );
  throw new ConfigError(
    's3.buckets must be a mapping of environments to lists of buckets, or a list of buckets.',
  );
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
