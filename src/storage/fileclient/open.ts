/** The file client of a job: asks the master, or with `file_client: local` a file server in this process. */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { FileClient } from './client.ts';
import type { FileBackend } from '../fileserver/layer.ts';
import type { SendRequest } from './file-source.ts';

/** What the client is opened with; the context of a job has it all. */
export interface FileClientContext {
  readonly opts: Dict;
  readonly services: { request(load: Dict): Promise<Value> };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Opens the client; nothing is connected or read before it is used. */
export function openFileClient(ctx: FileClientContext): FileClient {
  const { opts, log } = ctx;
  const hashType = opts.get('hash_type');
  return new FileClient({
    send: opts.get('file_client') === 'local' ? localRequests(ctx) : (load) => ctx.services.request(load),
    cachedir: pyStr(opts.get('cachedir') ?? '/var/cache/salt/minion'),
    hashType: typeof hashType === 'string' ? hashType : 'sha256',
    log,
  });
}

/** Without a master nobody else fetches; the parts of one job do it once. */
const FETCHED_BY_JOB_MS = 5_000;

async function bringUpToDate(
  backends: readonly FileBackend[],
  deps: { clock: Clock; log: Logger },
): Promise<void> {
  if (backends.every(({ name }) => name === 'roots')) return;
  const [{ isFetched }, { updateRemotes }] = await Promise.all([
    import('../fileserver/fetched.ts'),
    import('../remotes/update-remotes.ts'),
  ]);
  const olderThanMs = (): number => FETCHED_BY_JOB_MS;
  for (const { name, remotes } of backends.filter(isFetched))
    await updateRemotes(remotes, deps, { role: name, olderThanMs });
}

/** The environment that functions work in unless one is named: `saltenv`, else `base`. */
export function defaultEnvironment(opts: Dict): string {
  const saltenv = opts.get('saltenv');
  return truthy(saltenv) ? pyStr(saltenv as Value) : 'base';
}

function localRequests({ opts, clock, random, log }: FileClientContext): SendRequest {
  let table: Promise<ReadonlyMap<string, (load: Dict) => Value | Promise<Value>>> | undefined;
  const open = async (): Promise<ReadonlyMap<string, (load: Dict) => Value | Promise<Value>>> => {
    const { openFileServer } = await import('../fileserver/open.ts');
    const server = openFileServer({ opts, clock, random, log });
    await bringUpToDate(server.backends, { clock, log });
    return server.commands;
  };
  return async (load) => {
    const serve = (await (table ??= open())).get(String(load.get('cmd')));
    return serve === undefined ? new Map() : serve(load);
  };
}
