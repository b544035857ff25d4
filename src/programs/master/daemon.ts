/** The master's main process: prepares, starts the parts, and ends them (salt/master.py `Master.start`, 3006.16). */
import { clusterSettings, isClustered } from '../../config/cluster.ts';
import { isCacheOnServer } from '../../config/minion-cache.ts';
import { runsReactor, withReactorEngine } from '../../config/reactor.ts';
import { needsReturners } from '../../config/job-caches.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { generateKeyString } from '../../network/crypto/crypticle.ts';
import { isDaemonProcess, reportDaemonUp } from '../daemon/daemonize.ts';
import { serviceManager, type ServiceManager } from '../daemon/notify.ts';
import { limitOpenFiles } from '../daemon/open-files.ts';
import { removePidFile, writePidFile } from '../daemon/pid-file.ts';
import { giveTree } from '../daemon/give-tree.ts';
import { accountOf, becomeUser, prepareOnDisk, requireSwitchable } from '../daemon/privileges.ts';
import { sayMissingOfMaster } from '../daemon/missing-paths.ts';
import { warnOfOpenFolders } from '../daemon/open-folders.ts';
import { openMetrics } from '../daemon/metrics-server.ts';
import { handleSignals } from '../daemon/signals.ts';
import { outliveUnexpected } from '../daemon/unexpected.ts';
import { EventBusWriter } from '../../network/events/bus-client.ts';
import { tags } from '../../network/events/tags.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { Secret } from '../../host/secret.ts';
import { KeyStore } from '../../storage/keys/store.ts';
import { dict } from '../../python/values/value.ts';
import { sample } from '../../runtime/metrics/sample.ts';
import { brineVersion } from '../../version.ts';
import { readClusterSecret } from '../../runtime/cluster/membership-files.ts';
import { GatherFigures, supervisorFigures } from './gather-figures.ts';
import { loadMasterKey } from './master-key.ts';
import { packOptions, readFromChild, type FromChild, type Role, type ToChild } from './messages.ts';
import { planWorkers } from './worker-plan.ts';
import { masterSockets } from '../../config/master-sockets.ts';
import { checkExternalAuth } from './auth/start-check.ts';
import { sayLooseKeyFiles } from './auth/autosign.ts';
import { sayIdleBackends, sayUnusableNodegroups } from './check-names.ts';
import {
  checkCache,
  checkRemotes,
  checkTops,
  checkPorts,
  prepareFolders,
  prepareKeys,
  tidyFolders,
  writeUserKeys,
} from './start-up.ts';
import { startableEngines, type StartableEngine } from '../engines/startable.ts';
import { Supervisor, type ChildSpec, type PartMessage } from '../daemon/supervisor.ts';

/** The longest pause before the restart of an engine that keeps ending. */
const ENGINE_PAUSE_MAX_MS = 60_000;

/**
 * A rendered template is garbage a moment later: with the usual nursery a fifth of the reactor's time goes into
 * collecting it.
 */
const REACTOR_NURSERY_MEGABYTES = 16;

/** A part of a master. */
interface MasterPart extends ChildSpec {
  readonly role: Role;
  readonly index: number;
}

type PartsSupervisor = Supervisor<MasterPart, ToChild, Exclude<FromChild, PartMessage>>;

/** How long the shared key before a rotation still opens requests of protocol versions below 3. */
const OLD_KEY_MS = 10_000;

/** What the master's main process is started with. */
export interface MasterStart {
  readonly opts: MasterOptions;
  readonly log: Logger;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  /** The program that runs a part. */
  readonly childScript: string;
}

/** Runs a master until it is told to stop. @returns the exit code. @throws BrineError when it cannot start */
export async function runMaster(start: MasterStart): Promise<number> {
  const { log, clock, env, childScript } = start;
  const manager = serviceManager(env, start);
  log.info('Setting up the Salt Master');
  const { opts, unknown } = withReactorEngine(start.opts);
  const userKeys = await prepare(opts, log);
  const shared = new SharedKey();
  // who stands alone does what there is to do
  const duty = { isMine: !isClustered(opts) };
  const supervisor: PartsSupervisor = new Supervisor({
    childScript,
    startMessage: (spec) =>
      startMessage(spec, { opts, shared, userKeys, daemon: isDaemonProcess(env), duty }),
    read: readFromChild,
    onMessage: (message, { spec, pid }) => {
      if (message.type === 'rotate') rotate(message);
      else if (message.type === 'adopt')
        adoptSharedKey(new Secret(message.key), { clock, shared, supervisor });
      else if (message.type === 'duty') {
        duty.isMine = message.isMine;
        supervisor.broadcast({ type: 'duty', isMine: message.isMine });
      } else if (message.type === 'workers') {
        const { serving, standIns } = planWorkers(opts.get('worker_threads'));
        supervisor.add([...serving, ...(message.wanted === 'all' ? standIns : [])].map(workerPart));
      } else figures.take(spec.title, pid, message.round, message.samples);
    },
    clock,
    log,
  });
  const rotate = ({ reason }: Extract<FromChild, { type: 'rotate' }>): void =>
    rotateSharedKey(reason, { opts, log, clock, shared, supervisor });
  const figures = new GatherFigures({
    ask: (round) => supervisor.broadcast({ type: 'figures', round }),
    ready: () => supervisor.ready,
    own: () => [
      sample('brine_build_info', 1, 'salt-master', brineVersion),
      ...supervisorFigures(supervisor.counters),
    ],
    clock,
  });
  const stopped = new Promise<string>((resolve) => {
    handleSignals({ stop: resolve, describe: () => supervisor.describe() }, clock, log);
  });
  process.on('uncaughtException', outliveUnexpected(clock, log));
  log.info(`salt-master is starting as user '${opts.get('user')}'`);
  warnOfOpenFolders(opts.toDict(), log);
  sayMissingOfMaster(opts, log);
  if (opts.get('order_masters') && opts.get('allowed_syndics').length === 0)
    log.warning(
      'With order_masters and without allowed_syndics an accepted key that has not acted as a minion yet may become a syndic, ' +
        'which speaks for other minions. Name the syndics in allowed_syndics.',
    );
  const { startable, refused } = startableEngines(opts.toDict(), 'master');
  for (const sentence of refused) log.error(sentence);
  for (const name of unknown)
    log.error(
      `The engine reactor has no option ${name}, which has no effect. It has refresh_interval, worker_threads and worker_hwm.`,
    );
  const metrics = await openMetrics(opts, () => figures.gather(), { clock, log });
  const started = supervisor.start(childSpecs(opts, startable));
  // a member of a cluster waits here until NATS is there, and may be told to end meanwhile
  const isUp = await Promise.race([started.then(() => true), stopped.then(() => false)]);
  started.catch(() => undefined);
  if (isUp) await tellStarted(opts, { log, env, manager });
  const signal = await stopped;
  manager.stopping();
  metrics.close();
  await supervisor.stop();
  if (isUp) removePidFile(opts.get('pidfile'));
  log.info('The Salt Master is shut down');
  log.warning(`The salt master is shutdown. Master received a ${signal}. Exited.`);
  return 0;
}

async function tellStarted(
  opts: MasterOptions,
  { log, env, manager }: Pick<MasterStart, 'log' | 'env'> & { manager: ServiceManager },
): Promise<void> {
  const accepted = new KeyStore(opts.get('pki_dir')).list('accepted').length;
  log.debug(`This salt-master instance has accepted ${accepted} minion keys.`);
  writePidFile(opts.get('pidfile'), log, manager);
  await manager.ready();
  reportDaemonUp(env);
}

async function prepare(opts: MasterOptions, log: Logger): Promise<ReadonlyMap<string, Secret>> {
  const user = await accountOf(opts.get('user'));
  requireSwitchable(user);
  await limitOpenFiles(opts.get('max_open_files'), log);
  const cluster = clusterSettings(opts);
  if (cluster !== undefined) readClusterSecret(opts.get('pki_dir'), cluster.id);
  // before anything is written: what a master that has these ports works with must stay as it is
  await checkPorts(opts);
  await checkExternalAuth(opts, log);
  await checkRemotes(opts, log);
  await checkCache(opts);
  await checkTops(opts, log);
  sayUnusableNodegroups(opts, log);
  sayIdleBackends(opts, log);
  sayLooseKeyFiles(opts, log);
  if (opts.get('verify_env')) await prepareOnDisk(() => prepareFolders(opts, user));
  await prepareOnDisk(() => prepareKeys(opts, log));
  loadMasterKey(opts);
  giveTree(opts.get('pki_dir'), user);
  const userKeys = await prepareOnDisk(() => writeUserKeys(opts, user));
  await becomeUser(user);
  if (opts.get('verify_env')) await prepareOnDisk(() => tidyFolders(opts));
  return userKeys;
}

/** The shared AES key, which only this process makes. */
class SharedKey {
  keys: readonly Secret[] = [generateKeyString()];

  rotate(key = generateKeyString()): void {
    this.keys = [key, this.keys[0] as Secret];
  }

  forgetOld(): void {
    this.keys = this.keys.slice(0, 1);
  }

  reveal(): string[] {
    return this.keys.map((key) => key.reveal());
  }
}

function childSpecs(opts: MasterOptions, engines: readonly StartableEngine[]): MasterPart[] {
  const parts = [
    { role: 'EventPublisher', index: 0, title: 'salt-master EventPublisher' },
    { role: 'PubServer', index: 0, title: 'salt-master PubServer' },
    { role: 'Maintenance', index: 0, title: 'salt-master Maintenance' },
    { role: 'ReqServer', index: 0, title: 'salt-master ReqServer MWorkerQueue', endsFirst: true },
  ] as const;
  const workers = planWorkers(opts.get('worker_threads')).first.map(workerPart);
  const cluster = { role: 'Cluster', index: 0, title: 'salt-master Cluster', endsFirst: true } as const;
  const cache = { role: 'Cache', index: 0, title: 'salt-master Cache' } as const;
  const returners = { role: 'Returners', index: 0, title: 'salt-master Returners' } as const;
  const reactor = {
    role: 'Reactor',
    index: 0,
    title: 'salt-master Reactor',
    endsFirst: true,
    nurseryMegabytes: REACTOR_NURSERY_MEGABYTES,
  } as const;
  return [
    ...parts,
    ...(isClustered(opts) ? [cluster] : []),
    // before the workers, so that they find what the server has
    ...(isCacheOnServer(opts) ? [cache] : []),
    ...(needsReturners(opts) ? [returners] : []),
    ...workers,
    ...(runsReactor(opts) ? [reactor] : []),
    ...engines.map(enginePart),
  ];
}

function workerPart(index: number): MasterPart {
  return { role: 'MWorker', index, title: `salt-master ReqServer MWorker-${index}` };
}

function enginePart({ title, index }: StartableEngine): MasterPart {
  const optional = { pauseMaxMs: ENGINE_PAUSE_MAX_MS };
  return { role: 'Engine', index, title: `salt-master ${title}`, endsFirst: true, optional };
}

/** What all parts are started with. */
interface PartStart {
  readonly opts: MasterOptions;
  readonly shared: SharedKey;
  readonly userKeys: ReadonlyMap<string, Secret>;
  readonly daemon: boolean;
  readonly duty: { readonly isMine: boolean };
}

function startMessage(spec: MasterPart, { opts, shared, userKeys, daemon, duty }: PartStart): ToChild {
  return {
    type: 'start',
    role: spec.role,
    index: spec.index,
    opts: packOptions(opts),
    aes: shared.reveal(),
    userKeys: Object.fromEntries([...userKeys].map(([user, key]) => [user, key.reveal()])),
    console: { level: String(opts.raw('log_level') ?? 'warning'), daemon },
    hasDuty: duty.isMine,
  };
}

/**
 * Takes over the shared key that another master of the cluster has made; minions notice as they do after a rotation.
 */
function adoptSharedKey(key: Secret, deps: Pick<RotationDeps, 'clock' | 'shared' | 'supervisor'>): void {
  deps.shared.rotate(key);
  putInForce(deps);
}

/** Tells all parts of the new shared key, and a little later to forget the one before it. */
function putInForce({
  clock,
  shared,
  supervisor,
}: Pick<RotationDeps, 'clock' | 'shared' | 'supervisor'>): void {
  supervisor.broadcast({ type: 'aes', aes: shared.reveal() });
  clock.after(
    OLD_KEY_MS,
    () => {
      shared.forgetOld();
      supervisor.broadcast({ type: 'aes', aes: shared.reveal() });
    },
    { background: true },
  );
}

interface RotationDeps {
  readonly opts: MasterOptions;
  readonly log: Logger;
  readonly clock: Clock;
  readonly shared: SharedKey;
  readonly supervisor: PartsSupervisor;
}

/** Replaces the shared key; minions notice at the next publication and authenticate anew. */
function rotateSharedKey(reason: string, { opts, log, clock, shared, supervisor }: RotationDeps): void {
  log.info(`Rotating the shared key: ${reason}`);
  shared.rotate();
  putInForce({ clock, shared, supervisor });
  const events = new EventBusWriter({
    path: masterSockets(opts).eventPull,
    clock,
    eventBytesMax: opts.get('max_event_size'),
    queueBytesMax: 1024 * 1024,
  });
  events.fire(tags.keyRotated, dict({ rotate_aes_key: true }));
  events.flush().then(
    () => events.close(),
    () => events.close(),
  );
}
