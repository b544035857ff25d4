/**
 * Cluster: ties this master to the others of its cluster (docs/internals/cluster.md). It stands between the processes
 * of this master and the owners of the job cache and of the publish port, and it alone speaks with NATS.
 */
import { join } from 'node:path';
import { clusterSettings, type ClusterSettings } from '../../../config/cluster.ts';
import { masterSockets } from '../../../config/master-sockets.ts';
import { awaitedDisk } from '../../../config/power-failure.ts';
import { BrineError } from '../../../errors/errors.ts';
import { makeDirectory } from '../../../host/files.ts';
import type { Crypticle } from '../../../network/crypto/crypticle.ts';
import { truthy } from '../../../python/values/value.ts';
import { clientOf, handlersOf } from '../../../network/ipc/contract.ts';
import { publisher, type PublisherClient } from '../../../network/ipc/contracts/publisher.ts';
import { RpcClient } from '../../../network/ipc/rpc-client.ts';
import { RpcPeer } from '../../../network/ipc/rpc.ts';
import { patiently } from '../../../network/nats/patiently.ts';
import { listen } from '../../../network/transport/listen.ts';
import { sample, type Sample } from '../../../runtime/metrics/sample.ts';
import { CallSpool } from '../../../runtime/cluster/call-spool.ts';
import { DrainingMark } from '../../../runtime/cluster/draining.ts';
import { Duty } from '../../../runtime/cluster/duty.ts';
import { EventBridge } from '../../../runtime/cluster/event-bridge.ts';
import { apiTokenKind, keyKind, minionDataKind, sessionKind } from '../../../runtime/cluster/file-kinds.ts';
import { JobCalls } from '../../../runtime/cluster/job-calls.ts';
import { askSyncing, SYNCING_NOT_ASKED, syncingAdvice } from '../../../runtime/cluster/nats-syncing.ts';
import { awaitLink, startedWithLink } from '../../../runtime/cluster/await-link.ts';
import type { ClusterLink } from '../../../runtime/cluster/link.ts';
import { MemberCalls } from '../../../runtime/cluster/member-calls.ts';
import { Members } from '../../../runtime/cluster/members.ts';
import { readClusterSecret } from '../../../runtime/cluster/membership-files.ts';
import { clusterNames, type ClusterNames } from '../../../runtime/cluster/names.ts';
import { StreamPosition } from '../../../runtime/cluster/position-file.ts';
import { clusterPublisher, PUBLISHER } from '../../../runtime/cluster/publishing.ts';
import { RevokedKeys } from '../../../runtime/cluster/revoked-keys.ts';
import { ClusterSeal } from '../../../runtime/cluster/seal.ts';
import { ClusterSerial } from '../../../runtime/cluster/serial.ts';
import { ClusterKey } from '../../../runtime/cluster/shared-key.ts';
import { SharedFiles } from '../../../runtime/cluster/shared-files.ts';
import { StillConnected } from '../../../runtime/cluster/still-connected.ts';
import { SharedTokens } from '../../../runtime/cluster/shared-tokens.ts';
import { REQUESTS, servedClaims, sharedParts } from '../../../runtime/cluster/parts.ts';
import { answerStatus, STATUS } from '../../../runtime/cluster/status.ts';
import { KeyStore } from '../../../storage/keys/store.ts';
import { keepToldMasters } from '../../../runtime/cluster/told-masters.ts';
import type { RoleContext, RunningRole, StartRole } from './role.ts';

/** Time for the owner of the job cache, or the publisher, to come back before a call to it fails. */
const GIVE_UP_MS = 30_000;
/** A minion whose request waits for the request server has less patience. */
const CLAIM_GIVE_UP_MS = 1_000;
/** Beyond the life of tokens: what is revoked is remembered for longer than what it revokes. */
const TOKEN_MORE_MS = 300_000;
/** How long tokens may live that users choose the life of. */
const CHOSEN_LIFE_MS = 30 * 86_400_000;

/** What the parts of this process share. */
interface Base {
  readonly context: RoleContext;
  readonly settings: ClusterSettings;
  readonly names: ClusterNames;
  readonly seal: ClusterSeal;
  readonly link: ClusterLink;
  /** The folder of what this process remembers. */
  readonly folder: string;
}

export const startCluster: StartRole = async (context) => {
  const base = await openBase(context);
  const { log } = context;
  return startedWithLink({ access: base.settings.nats, log }, () => startMember(base));
};

const startMember = async (base: Base): Promise<RunningRole> => {
  const { context } = base;
  const { settings, names, seal, link, folder } = base;
  const { opts, clock, random, log } = context;
  const { member } = settings;
  const sockets = masterSockets(opts);
  const jobOwner = new RpcClient({
    path: sockets.jobCacheOwner,
    purpose: 'job cache',
    clock,
    giveUpMs: GIVE_UP_MS,
  });
  const publishOwner = new RpcClient({
    path: sockets.publishOwner,
    purpose: 'publisher',
    clock,
    giveUpMs: GIVE_UP_MS,
  });
  const local = clientOf(publisher, publishOwner);
  const serial = new ClusterSerial();
  const draining = new DrainingMark(opts.get('cachedir'));
  draining.remove();
  const address = (): string | undefined => (draining.isSet ? undefined : settings.minionAddress);
  const members = new Members({
    link,
    seal,
    subject: `${names.ask}.members`,
    ...{ member, clock, serial, address, log },
  });
  const calls = new MemberCalls({ link, seal, subject: names.ask, member, clock, random });
  const jobs = new JobCalls({
    link,
    seal,
    ...names.jobs,
    member,
    make: (call) => jobOwner.call(call),
    spool: new CallSpool(join(folder, 'spool'), settings.spoolBytesMax),
    position: new StreamPosition(join(folder, 'position'), clock),
    clock,
    random,
    log,
  });
  const requestServer = new RpcClient({
    path: sockets.workers,
    purpose: 'request server',
    clock,
    giveUpMs: CLAIM_GIVE_UP_MS,
  });
  const revokedKeys = openRevokedKeys(base);
  const files = openFiles(base, (id) => revokedKeys?.revoked(id));
  const tokens = openSharedTokens(base);
  const key = openKey(base);
  const duty = new Duty({
    link,
    seal,
    subject: `${names.state.prefix}.duty`,
    member,
    changed: context.tellDuty,
    clock,
    log,
  });
  const events = openEvents(base, local);
  calls.serve(REQUESTS, servedClaims(requestServer));
  calls.serve(PUBLISHER, (call) => publishOwner.call(call));
  const drain = async (): Promise<number> => {
    log.warning('This master gives its minions away (salt-run cluster.drain). Its next start ends that.');
    draining.set();
    duty.close();
    return local.close();
  };
  calls.serve(STATUS, (call) => answerStatus({ member, link, duty, jobs, draining, drain, clock }, call));
  context.onNewKey(() => [key, revokedKeys].forEach((each) => void each?.changed()));
  closeKeysWhileAway(base);
  const state = await followState(base, key, duty);
  await key.start();
  await Promise.all([files.start(), tokens.start()]);
  await jobs.start();
  await events.start();
  const answers = handlersOf(
    publisher,
    clusterPublisher({ link, members, calls, local, serial, clock, log }),
  );
  const parts = sharedParts({ calls, tokens });
  const servers = [
    await listen({ address: { path: sockets.jobCache }, mode: 0o600 }, (socket) => {
      new RpcPeer(socket, { call: async (call) => [await jobs.call(call)] });
    }),
    await listen({ address: { path: sockets.publishPull }, mode: 0o600 }, (socket) => {
      new RpcPeer(socket, answers);
    }),
    await listen({ address: { path: sockets.cluster }, mode: 0o600 }, (socket) => {
      new RpcPeer(socket, parts);
    }),
  ];
  const told = keepToldMasters({
    cachedir: opts.get('cachedir'),
    link,
    members,
    own: settings.minionAddress,
    isDraining: () => draining.isSet,
    clock,
  });
  log.info(`This master is the member ${member} of the cluster ${settings.id}`);
  return {
    figures: () => figures({ link, members, jobs, files, tokens, events, seal }),
    stop: async () => {
      for (const { server } of servers) server.close();
      told.cancel();
      revokedKeys?.close();
      duty.close();
      members.close();
      events.close();
      await state.stop();
      await Promise.all([files.stop(), jobs.stop(), tokens.stop()]);
      await link.close();
      await Promise.all([jobOwner.close(), publishOwner.close(), requestServer.close()]);
    },
  };
};

async function openBase(context: RoleContext): Promise<Base> {
  const { opts, clock, log } = context;
  const settings = clusterSettings(opts);
  if (settings === undefined)
    throw new BrineError('The configuration names no cluster.', { code: 'config-invalid' });
  const names = clusterNames(settings.id);
  const seal = new ClusterSeal(readClusterSecret(opts.get('pki_dir'), settings.id));
  const folder = join(opts.get('cachedir'), 'cluster');
  makeDirectory(folder, 0o700);
  const link = await awaitLink({
    access: settings.nats,
    name: `salt-master ${settings.member}`,
    probe: names.jobs.stream,
    clock,
    log,
  });
  void warnOfUnsynced(context, settings);
  return { context, settings, names, seal, link, folder };
}

/** Says so when what NATS acknowledges may be lost, or when nobody knows. */
async function warnOfUnsynced({ opts, clock, log }: RoleContext, settings: ClusterSettings): Promise<void> {
  if (awaitedDisk(opts) === undefined) return;
  if (settings.natsMonitoring.length === 0)
    return log.warning(`${SYNCING_NOT_ASKED.what} ${SYNCING_NOT_ASKED.next}`);
  for (const seen of await askSyncing(settings, clock)) {
    const advice = syncingAdvice(seen);
    if (advice !== undefined) log.warning(`${advice.what} ${advice.next}`);
  }
}

function openFiles(
  { context, settings, names, seal, link, folder }: Base,
  revoked: (id: string) => void,
): SharedFiles {
  const { opts, clock, random, log } = context;
  const cachedir = opts.get('cachedir');
  return new SharedFiles({
    link,
    seal,
    ...names.files,
    member: settings.member,
    kinds: [
      keyKind(opts.get('pki_dir'), revoked),
      sessionKind({ folder: join(cachedir, 'sessions'), member: settings.member }),
      apiTokenKind(opts.get('pki_dir')),
      minionDataKind(cachedir, 'data', clock),
      minionDataKind(cachedir, 'mine', clock),
    ],
    statePath: join(folder, 'files.json'),
    clock,
    random,
    log,
  });
}

function openSharedTokens({ context, settings, names, seal, link, folder }: Base): SharedTokens {
  const { opts, clock, log } = context;
  const lifeMs = Math.max(
    opts.get('token_expire') * 1000,
    truthy(opts.get('token_expire_user_override')) ? CHOSEN_LIFE_MS : 0,
  );
  return new SharedTokens({
    link,
    seal,
    ...names.tokens,
    replicas: settings.replicas,
    lifeMs: lifeMs + TOKEN_MORE_MS,
    tokenDir: opts.get('eauth_tokens') === 'localfs' ? opts.get('token_dir') : undefined,
    notesDir: join(folder, 'tokens'),
    clock,
    log,
  });
}

/** While the others cannot be told, nobody decides about keys here: a key that was deleted must be served nowhere. */
function closeKeysWhileAway({ context, link }: Base): void {
  const keys = new KeyStore(context.opts.get('pki_dir'));
  keys.closeToDecisions(undefined);
  link.onChange((isThere) =>
    keys.closeToDecisions(isThere ? undefined : `Nothing is decided about keys. ${link.refusal}`),
  );
}

function openKey({ context, names, seal, link }: Base): ClusterKey {
  const { sharedKeys, adoptKey, opts, clock, log } = context;
  return new ClusterKey({
    version: new StreamPosition(join(opts.get('cachedir'), 'cluster', 'key_version'), clock),
    clock,
    link,
    seal,
    stream: names.state.stream,
    subject: `${names.state.prefix}.aes`,
    current: () => (sharedKeys()[0] as Crypticle).keyString,
    adopt: adoptKey,
    log,
  });
}

/** Undefined where the shared key outlives keys of minions (`rotate_aes_key: False`). */
function openRevokedKeys({ context }: Base): RevokedKeys | undefined {
  const { sharedKeys, hasDuty, requestRotation, opts, clock } = context;
  if (!opts.get('rotate_aes_key')) return undefined;
  const current = (): string => (sharedKeys()[0] as Crypticle).keyString.reveal();
  return new RevokedKeys({ current, hasDuty, requestRotation, clock });
}

function openEvents({ context, settings, names, seal, link }: Base, local: PublisherClient): EventBridge {
  const { opts, clock, random, log } = context;
  const { eventPub, eventPull } = masterSockets(opts);
  const bridge: EventBridge = new EventBridge({
    nats: link.nats,
    isThere: () => link.isThere,
    seal,
    subject: names.events,
    member: settings.member,
    busPub: eventPub,
    busPull: eventPull,
    eventBytesMax: opts.get('max_event_size'),
    passed: (tag) => still.heard(tag),
    clock,
    random,
    log,
  });
  const still = new StillConnected({ local, fire: (tag, data) => bridge.fire(tag, data), clock, log });
  return bridge;
}

/** Hears what is said of the shared key and of the duty. */
async function followState(
  { names, link }: Base,
  key: ClusterKey,
  duty: Duty,
): Promise<{ stop(): Promise<void> }> {
  const { stream, prefix } = names.state;
  const { last } = await patiently(() => link.streams.range(stream));
  return link.streams.follow({ stream, subject: `${prefix}.>` }, last, ({ subject, data, sequence }) => {
    if (subject === `${prefix}.aes`) key.heard(data, sequence);
    else if (subject === `${prefix}.duty`) duty.heard(data, sequence);
  });
}

function figures(parts: {
  readonly link: ClusterLink;
  readonly members: Members;
  readonly jobs: JobCalls;
  readonly files: SharedFiles;
  readonly tokens: SharedTokens;
  readonly events: EventBridge;
  readonly seal: ClusterSeal;
}): Sample[] {
  const { link, members, jobs, files, tokens, events, seal } = parts;
  return [
    sample('brine_cluster_connected', link.isThere ? 1 : 0),
    sample('brine_cluster_cuts_total', link.counters.cuts),
    sample('brine_cluster_leaders_gave_way_total', link.streams.leadersGaveWay),
    sample('brine_cluster_members', members.others().length + 1),
    sample('brine_cluster_calls_total', jobs.counters.made),
    sample('brine_cluster_calls_spooled_total', jobs.counters.spooled),
    sample('brine_cluster_calls_refused_total', jobs.counters.refused),
    sample('brine_cluster_calls_not_heard_back_total', jobs.counters.notBack),
    sample('brine_cluster_calls_lost_total', jobs.lost),
    sample('brine_cluster_files_written_total', files.counters.written),
    sample('brine_cluster_files_conflicts_total', files.counters.conflicts),
    sample('brine_cluster_files_left_out_total', files.counters.tooLarge),
    sample('brine_cluster_tokens_left_out_total', tokens.counters.leftOut),
    sample('brine_cluster_events_dropped_total', events.counters.dropped),
    sample('brine_cluster_messages_refused_total', seal.counters.refused),
  ];
}
