/**
 * What `salt-call` offers its functions: events and refreshing over the bus of the minion that runs on this host, if
 * one does (salt/modules/event.py, salt/modules/saltutil.py, 3006.16), running jobs from its proc files, requests to
 * the master.
 */
import { onceLimits, requestLimits } from '../../programs/minion/request-limits.ts';
import { mayListen, placeText, type LocalPlace } from '../../host/local-place.ts';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { MinionOptions } from '../../config/minion-options.ts';
import { BrineError, CommandExecutionError, UnreachableError } from '../../errors/errors.ts';
import { refusalIn } from '../../network/channel/refusal.ts';
import { safeJoin } from '../../host/files.ts';
import { signalTree } from '../../host/process-tree.ts';
import { isSafeJid } from '../../storage/jobs/jid.ts';
import type { MinionServices } from '../../runtime/loader/module.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { decode } from '../../formats/wire/msgpack.ts';
import type { CallerServiceDeps } from './caller-services-deps.ts';

const EVENT_QUEUE_BYTES_MAX = 16 * 1024 * 1024;
const REFRESH_TAGS = {
  modules: 'module_refresh',
  grains: 'grains_refresh',
  pillar: 'pillar_refresh',
  beacons: 'beacons_refresh',
  matchers: 'matchers_refresh',
} as const;

/** Makes the services. */
export function callerServices(deps: CallerServiceDeps): MinionServices {
  return {
    fireLocal: (tag, data) => fireOnMinion(deps, tag, data),
    fireMaster: (tag, data, preload) => fireOnMaster(deps, tag, data, preload),
    ...(deps.showStep === undefined ? {} : { showStep: deps.showStep }),
    runningJobs: async () => runningJobs(deps),
    signalJob: async (jid, signal) => signalJob(deps, jid, signal),
    refresh: (what, options) => fireOnMinion(deps, REFRESH_TAGS[what], options ?? new Map()),
    grains: async () => {
      const { grainsNow } = await import('./caller-grains.ts');
      return grainsNow({ opts: deps.opts.toDict(), log: deps.log });
    },
    showEvents: (wanted) => showOnTerminal(deps, wanted),
    request: async (load, { master, once } = {}) => {
      const { link } = deps;
      if (link === undefined) throw new UnreachableError('There is no master to ask: this is a local call.');
      if (master !== undefined && master !== link.address.host) {
        const { noSuchMaster } = await import('../../programs/minion/master-address.ts');
        throw noSuchMaster(master, [link.address]);
      }
      return link.requests.send(load, once === true ? onceLimits(deps.opts) : requestLimits(deps.opts));
    },
    requestAll: async (load) => {
      if (deps.link === undefined)
        throw new UnreachableError('There is no master to ask: this is a local call.');
      return deps.link.requests.send(load, requestLimits(deps.opts));
    },
    manage: async (part, order, answerTag) => {
      const { manageMinion } = await import('./manage-minion.ts');
      return manageMinion(deps, part, order, answerTag);
    },
  };
}

/** @returns false when no minion runs here */
async function fireOnMinion({ opts, clock }: CallerServiceDeps, tag: string, data: Dict): Promise<boolean> {
  const [{ minionSockets }, { EventBusWriter }] = await Promise.all([
    import('../../programs/minion/event-bus.ts'),
    import('../../network/events/bus-client.ts'),
  ]);
  const path = minionSockets(opts).pull;
  if (!mayListen(path)) return false;
  const writer = new EventBusWriter({
    path,
    clock,
    eventBytesMax: opts.get('max_event_size'),
    queueBytesMax: EVENT_QUEUE_BYTES_MAX,
  });
  try {
    writer.fire(tag, data);
    await writer.flush();
    return true;
  } catch (error) {
    if (error instanceof BrineError) return false; // a socket file that a minion has left behind
    throw error;
  } finally {
    writer.close();
  }
}

async function fireOnMaster(
  { link, opts, log }: CallerServiceDeps,
  tag: string,
  data: Value,
  preload: Dict | undefined,
): Promise<boolean> {
  if (link === undefined) return false;
  // Salt compat: unlike what a minion sends for whoever runs in it, such a load has no `pretag` (salt/modules/event.py,
  // 3006.16)
  const load: Dict = new Map<Value, Value>([
    ...dict({ cmd: '_minion_event', tag, data }),
    ...(preload ?? []),
  ]);
  try {
    const reason = refusalIn(await link.requests.send(load, requestLimits(opts)));
    if (reason !== undefined) throw new CommandExecutionError(reason);
    return true;
  } catch (error) {
    log.warning(`The master did not take the event ${tag}: ${(error as Error).message}`, error);
    return false;
  }
}

async function showOnTerminal(
  { opts, clock, signal, print }: CallerServiceDeps,
  {
    node,
    sockDir,
    count,
    isQuiet,
    isPretty,
    matches,
  }: Parameters<NonNullable<MinionServices['showEvents']>>[0],
): Promise<void> {
  const [{ minionSockets }, { showEvents }] = await Promise.all([
    import('../../programs/minion/event-bus.ts'),
    import('../../network/events/show-events.ts'),
  ]);
  const folder = sockDir ?? opts.get('sock_dir');
  const ofMinion = minionSockets(opts.with(new Map([['sock_dir', folder]]))).pub;
  const path: LocalPlace = node === 'minion' ? ofMinion : join(folder, 'master_event_pub.ipc');
  await showEvents({
    ...{ path, matches, count, isPretty, clock },
    ...(isQuiet ? {} : { print }),
    signal: signal ?? new AbortController().signal,
    noBus: () =>
      new UnreachableError(
        `There is no event bus at ${placeText(path)}. Is the ${node} running, and is sock_dir right?`,
      ),
  });
}

/** The jobs of the minion on this host, and of other salt-calls; files of processes that are gone are removed. */
function runningJobs({ opts }: CallerServiceDeps): Dict[] {
  const folder = join(opts.get('cachedir'), 'proc');
  const jobs: Dict[] = [];
  for (const jid of existsSync(folder) ? readdirSync(folder).filter(isSafeJid) : []) {
    const path = safeJoin(folder, jid);
    const job = readJob(path);
    const pid = job === undefined ? undefined : toNumber(job.get('pid'));
    if (job === undefined || pid === undefined || pid === process.pid) continue;
    if (existsSync(`/proc/${pid}`)) jobs.push(job);
    else rmSync(path, { force: true });
  }
  return jobs;
}

function readJob(path: string): Dict | undefined {
  try {
    const job = decode(readFileSync(path), 'network');
    return isDict(job) ? job : undefined;
  } catch {
    return undefined; // it has ended meanwhile, or is being written
  }
}

/** A job that runs inside the minion itself has the minion's process id, which must not be signalled. */
function signalJob(deps: CallerServiceDeps, jid: string, signal: number): boolean {
  const pid = toNumber(
    runningJobs(deps)
      .find((job) => job.get('jid') === jid)
      ?.get('pid'),
  );
  if (pid === undefined || !Number.isInteger(pid) || pid <= 1) return false;
  if (pid === minionPid(deps.opts)) {
    deps.log.error(
      `Job ${jid} runs inside the minion (process ${pid}); end it from the master: salt '${deps.opts.get('id')}' saltutil.kill_job ${jid}`,
    );
    return false;
  }
  return signalTree(pid, signal);
}

function minionPid(opts: MinionOptions): number | undefined {
  try {
    return Number(readFileSync(opts.get('pidfile'), 'utf8').trim());
  } catch {
    return undefined;
  }
}
