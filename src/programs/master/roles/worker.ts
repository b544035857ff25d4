/** MWorker: serves requests. It has one door, and two explicit tables of what lies behind it. */
import { executionModules } from '../../../plugins/registry/module/on-demand.ts';
import { join } from 'node:path';
import { ApiTokens } from '../../../storage/tokens/api-tokens.ts';
import { AcceptedKeys } from '../../../network/channel/accepted-keys.ts';
import { Door, type AesHandler, type ClearHandler } from '../../../network/channel/door.ts';
import type { Crypticle } from '../../../network/crypto/crypticle.ts';
import type { RsaPrivateKey } from '../../../network/crypto/rsa.ts';
import { LoadMirror } from '../../../storage/jobs/load-mirror.ts';
import { clientOf, handlersOf, type Client } from '../../../network/ipc/contract.ts';
import { requestServer, requestWorker } from '../../../network/ipc/contracts/request-worker.ts';
import { clusterParts } from '../../../network/ipc/contracts/cluster.ts';
import { connectRpc, RpcClient } from '../../../network/ipc/rpc-client.ts';
import { dict } from '../../../python/values/value.ts';
import { Authenticator } from '../auth/authenticator.ts';
import { AutoKey } from '../auth/autosign.ts';
import { Access } from '../auth/access.ts';
import { Audit } from '../auth/audit.ts';
import type { ExternalLogins } from '../auth/logins.ts';
import { externalLogins } from '../auth/open-logins.ts';
import { tokenHandlers } from '../commands/tokens.ts';
import { LocalGroups } from '../auth/local-groups.ts';
import { UserAuth } from '../auth/user-auth.ts';
import { connectedIds } from '../commands/connected.ts';
import { fileHandlers } from '../commands/files.ts';
import { mineHandlers } from '../commands/mine.ts';
import { minionEventHandler } from '../commands/minion-events.ts';
import { masterOptionsHandler } from '../commands/master-opts.ts';
import { masterTopsHandler } from '../commands/master-tops.ts';
import { FewAtATime } from '../commands/few-at-a-time.ts';
import { pillarHandler } from '../commands/pillar.ts';
import type { PeerCommands } from '../commands/peer.ts';
import { publishHandler } from '../commands/publish.ts';
import { publicationDeps, type PublishDeps } from '../commands/publish-deps.ts';
import { countedLines, countedWarnings } from '../counted-log.ts';
import { returnHandler } from '../commands/returns.ts';
import { signedOnly } from '../commands/signed.ts';
import { revokeHandler } from '../commands/revoke.ts';
import { rightsHandlers } from '../commands/rights.ts';
import { WorkerFigures } from '../worker-figures.ts';
import { keyFleet } from '../../runner/key-fleet.ts';
import type { SyndicRegistry } from '../syndics.ts';
import { loadMasterKey, publicKeySigner } from '../master-key.ts';
import type { PillarService } from '../../../runtime/pillar/service.ts';
import { messageOf } from '../../../errors/errors.ts';
import type { Logger } from '../../../host/log.ts';
import { systemRandom } from '../../../host/random.ts';
import { rareLines, rareLog } from '../../../host/rare-lines.ts';
import { openTracing } from '../../../runtime/tracing/open.ts';
import { TRACED_AS } from '../return-traces.ts';
import { isClustered } from '../../../config/cluster.ts';
import { masterSockets, sharesEventBus } from '../../../config/master-sockets.ts';
import { openMasterServices, type MasterServices } from '../master-services.ts';
import { onceAmongAll } from '../../../runtime/cluster/parts.ts';
import { DrainingMark } from '../../../runtime/cluster/draining.ts';
import { ToldMasters } from '../../../runtime/cluster/told-masters.ts';
import type { RoleContext, StartRole } from './role.ts';

const RECONNECT_MS = 20;
/**
 * Pillars that a worker makes side by side; Salt's worker makes one. Those that wait for a service leave the others to
 * go on.
 */
const PILLARS_AT_ONCE = 8;
/** A request whose session another master has given waits no longer for the way to that one. */
const CLAIM_GIVE_UP_MS = 2_000;

/** What the tables are built from. */
interface WorkerServices extends MasterServices {
  readonly masterKey: RsaPrivateKey;
  readonly accepted: AcceptedKeys;
  readonly audit: Audit;
  readonly groups: LocalGroups;
  readonly figures: WorkerFigures;
  /** Connects when it is first asked, which it is in a cluster only. */
  readonly cluster: Client<typeof clusterParts>;
  /** Undefined without `external_auth`. */
  readonly externalLogins: () => Promise<ExternalLogins | undefined>;
}

export const startWorker: StartRole = async (context) => {
  const { opts, clock, log, index } = context;
  // the first request should not wait for the connections that its answer needs
  const figures = new WorkerFigures();
  const tracing = await openTracing(opts, { ...context, service: TRACED_AS });
  const services = openMasterServices(context, { counted: countReturns(figures), tracer: tracing.tracer });
  const clusterLink = new RpcClient({
    path: masterSockets(opts).cluster,
    purpose: 'cluster',
    clock,
    giveUpMs: CLAIM_GIVE_UP_MS,
  });
  const cluster = clientOf(clusterParts, clusterLink);
  const logins = externalLogins(context, onceAmongAll(opts, cluster));
  const deps: WorkerServices = {
    ...services,
    figures,
    cluster,
    audit: new Audit(services.fireEvent, log, clock),
    groups: new LocalGroups({ users: [...context.userKeys.keys()], clock, log: rareLog(log, clock) }),
    externalLogins: logins.open,
    masterKey: loadMasterKey(opts),
    accepted: new AcceptedKeys(join(opts.get('pki_dir'), 'minions'), clock),
  };
  const door = makeDoor(deps);
  if (index === 0 && opts.get('ping_on_rotate')) context.onNewKey(() => void pingAll(deps));
  await deps.groups.start(opts);
  const link = await serve(context, door);
  log.info(`Worker ${index} is ready`);
  return {
    figures: () => [...figures.samples(door), ...tracing.samples()],
    stop: async () => {
      deps.groups.stop();
      link.stop();
      await Promise.all([services.close(), logins.close(), tracing.close(), clusterLink.close()]);
    },
  };
};

/** `ping_on_rotate`: minions that are asked something fetch the new shared key at once, not with the next job. */
async function pingAll(deps: WorkerServices): Promise<void> {
  const { opts, userKeys, log } = deps.context;
  const user = opts.get('user');
  const key = userKeys.get(user)?.reveal() ?? null;
  const job = dict({
    cmd: 'publish',
    fun: 'test.ping',
    arg: [],
    tgt: '*',
    tgt_type: 'glob',
    ret: '',
    jid: '',
    user,
    key,
  });
  log.debug('Pinging all connected minions due to key rotation');
  try {
    await publishHandler(publishDeps(deps))(job, 'the master itself');
  } catch (error) {
    log.warning('The minions could not be pinged after the new shared key.', error);
  }
}

function makeDoor(deps: WorkerServices): Door {
  const { context, sessions, accepted } = deps;
  const { opts, clock, log } = context;
  const authenticator = makeAuthenticator(deps);
  const publishing = publishDeps(deps);
  const users = new UserAuth(opts, context.userKeys, (user) => deps.groups.of(user));
  return new Door({
    clear: clearTable(deps, publishing),
    aes: aesTable(deps, publishing),
    authenticate: (load, version, _from, publishPort) =>
      authenticator.authenticate(load, version, publishPort),
    sessions,
    keys: accepted,
    claimElsewhere: (member, request) => deps.cluster.claim({ member, ...request }),
    knowsUser: (head) => users.check(head) !== undefined,
    sharedKeys: context.sharedKeys,
    minimumVersion: opts.get('minimum_auth_version'),
    ttlSeconds: opts.get('request_server_ttl'),
    clock,
    log,
  });
}

function makeAuthenticator(deps: WorkerServices): Authenticator {
  const { context, masterKey, keys, sessions, facts, publisher, fireEvent, figures } = deps;
  const { opts, clock, log } = context;
  // what a member has left in its folder does not bind a master that is none any more
  const member = isClustered(opts)
    ? {
        draining: new DrainingMark(opts.get('cachedir')),
        told: new ToldMasters(opts.get('cachedir'), clock),
      }
    : undefined;
  return new Authenticator({
    opts,
    masterKey,
    keys,
    autoKey: new AutoKey(opts, keys, rareLog(log, clock)),
    sessions,
    sharedKey: () => context.sharedKeys()[0] as Crypticle,
    signPublicKey: publicKeySigner(opts, masterKey),
    connectedIds: () => connectedIds(keys, facts, publisher, opts.get('con_cache')),
    isDraining: () => member?.draining.isSet ?? false,
    masters: () => member?.told.list ?? [],
    fireEvent,
    decided: (outcome) => figures.authenticated(outcome),
    log,
  });
}

/** What local programs may ask for in the clear. Each handler checks the credentials in the load. */
function clearTable(deps: WorkerServices, publishing: PublishDeps): ReadonlyMap<string, ClearHandler> {
  const { audit, externalLogins: logins, context } = deps;
  return new Map<string, ClearHandler>([
    ['ping', (load) => load],
    ['publish', publishHandler(publishing)],
    ...tokenHandlers({ logins, audit, log: rareLog(context.log, context.clock) }),
    ...controlHandlers(deps, publishing.access),
    ...rightsHandlers(publishing),
  ]);
}

/** What programs may call of the master itself. The code is read when it is first asked for. */
function controlHandlers(
  { context, jobs, jids, fireEvent }: WorkerServices,
  access: Access,
): [string, ClearHandler][] {
  let handlers: Promise<ReadonlyMap<string, ClearHandler>> | undefined;
  const load = async (): Promise<ReadonlyMap<string, ClearHandler>> => {
    const { controlTable } = await import('../commands/control-table.ts');
    return controlTable({ context, access, jobs, jids, fireEvent });
  };
  return ['runner', 'wheel'].map((cmd) => [
    cmd,
    async (request, from) => (await (handlers ??= load())).get(cmd)?.(request, from) ?? null,
  ]);
}

/** Who may do what, for all commands in the clear. */
function makeAccess({ context, audit, groups, externalLogins }: WorkerServices): Access {
  const { opts, userKeys, clock } = context;
  return new Access({
    opts,
    users: new UserAuth(opts, userKeys, (user) => groups.of(user)),
    logins: externalLogins,
    apiTokens: new ApiTokens(opts.get('pki_dir')),
    clock,
    audit,
  });
}

function publishDeps(deps: WorkerServices): PublishDeps {
  const { opts, clock, log } = deps.context;
  const notPublished = rareLines(clock, (text, error) => log.error(text, error));
  return {
    ...publicationDeps(deps),
    access: makeAccess(deps),
    notPublished: (text, error) => notPublished('', text, error),
    mirror: new LoadMirror({
      cachedir: opts.get('cachedir'),
      hashType: opts.get('hash_type'),
      isShared: sharesEventBus(opts),
      clock,
      log,
    }),
  };
}

/** What peers may ask for. Their code is read when a master that allows them anything is first asked. */
function peerHandlers(deps: WorkerServices, publishing: PublishDeps): [string, AesHandler][] {
  const { opts } = deps.context;
  const log = rareLog(deps.context.log, deps.context.clock);
  const isAllowed = opts.get('peer').size + opts.get('peer_run').size > 0;
  let commands: Promise<PeerCommands> | undefined;
  const load = async (): Promise<PeerCommands> => {
    const [{ PeerCommands: Commands }, { peerRunner }, { returnsOnBus }] = await Promise.all([
      import('../commands/peer.ts'),
      import('../commands/peer-runner.ts'),
      import('../commands/peer-returns.ts'),
    ]);
    const run = peerRunner({ opts, jobs: deps.jobs, jids: deps.jids, log });
    const hear = returnsOnBus(masterSockets(opts).eventPub);
    return new Commands({ publishing, run, hear, warn: countedWarnings(log) });
  };
  return (['minion_pub', 'minion_publish', 'minion_runner', 'pub_ret'] as const).map((cmd) => [
    cmd,
    async (request) => ({
      value: isAllowed ? await (await (commands ??= load())).serve(cmd, request) : {},
    }),
  ]);
}

/** What an authenticated minion may ask for. */
function aesTable(deps: WorkerServices, publishing: PublishDeps): ReadonlyMap<string, AesHandler> {
  const { context, masterKey, accepted, keys, sessions, cache, jobs, jids, fireEvent, traces } = deps;
  const { opts, clock, log, index, requestRotation } = context;
  const { syndics } = deps;
  // templates are a third of a worker's code: a master without pillar does without
  let pillars: Promise<PillarService> | undefined;
  const pillarService = async (): Promise<PillarService> => {
    const [{ PillarService: Service }, { loadedFunctions }] = await Promise.all([
      import('../../../runtime/pillar/service.ts'),
      import('../../../runtime/pillar/functions.ts'),
    ]);
    const deps = { clock, random: systemRandom, log };
    const beside = async () => (await import('../../runner/run-beside.ts')).besideOptions({ ...deps, opts });
    return new Service({
      ...deps,
      opts: opts.toDict(),
      functions: (made, own) =>
        loadedFunctions(made, {
          ...deps,
          own,
          modules: executionModules,
          masterBeside: {
            run: async (call) => (await beside()).run(call),
            publish: async (job) => (await beside()).publish(job),
          },
        }),
    });
  };
  // said once, and not only to the first minion that asks
  if (index === 0 && opts.get('ext_pillar').length > 0)
    void (pillars ??= pillarService())
      .then((service) => service.sayMissingSources())
      .catch((error: unknown) =>
        log.error(`The sources of ext_pillar could not be looked for: ${messageOf(error)}`, error),
      );
  const notKept = rareLines(clock, (text) => log.error(text));
  const pillarTurns = new FewAtATime(PILLARS_AT_ONCE);
  deps.figures.countPillars(pillarTurns.counters);
  const signed = { opts, keyOf: (id: string) => accepted.get(id), log };
  return new Map<string, AesHandler>([
    [
      '_return',
      signedOnly(
        signed,
        returnOfMinion(
          returnHandler({
            opts,
            jobs,
            jids,
            fireEvent,
            targets: deps.targets,
            unasked: deps.unasked,
            days: deps.days,
            counted: countReturns(deps.figures),
            traces,
            clock,
            log,
          }),
          syndics,
        ),
      ),
    ],
    [
      '_minion_event',
      minionEventHandler({
        fireEvent,
        log,
        ...(syndics === undefined ? {} : { syndics }),
        targets: deps.targets,
        received: (jid, id) => jobs.note(jid, [{ id, receivedMs: clock.nowMs() }]),
      }),
    ],
    [
      '_pillar',
      pillarHandler({
        opts,
        masterKey,
        keys: accepted,
        cache,
        compile: async (query) =>
          (await (pillars ??= pillarService())).pillar({ ...query, minionId: query.id }, query.fresh),
        turns: pillarTurns,
        fireEvent,
        notKept: (error) => notKept('', error.message),
        warn: countedLines(log, 'warning'),
      }),
    ],
    ['_syndic_return', signedOnly(signed, syndicReturnHandler(syndics, log))],
    ['_master_opts', masterOptionsHandler(opts)],
    ['_master_tops', masterTopsHandler({ opts, clock, log })],
    ...fileHandlers(context),
    ...mineHandlers({
      opts,
      cache,
      fleet: keyFleet(keys, cache),
      warn: countedLines(context.log, 'warning'),
    }),
    ...peerHandlers(deps, publishing),
    ['revoke_auth', revokeHandler({ opts, keys, sessions, cache, fireEvent, requestRotation })],
  ]);
}

function countReturns(figures: WorkerFigures): WorkerFigures['returned'] {
  return (outcome, load, receivedMs) => figures.returned(outcome, load, receivedMs);
}

/** With `order_masters`: who returns a job's result is a minion, and no syndic from then on. */
function returnOfMinion(
  handle: AesHandler,
  syndics: (() => Promise<SyndicRegistry>) | undefined,
): AesHandler {
  if (syndics === undefined) return handle;
  return async (request) => {
    (await syndics()).actedAsMinion(request.id);
    return handle(request);
  };
}

/**
 * Salt compat: Salt takes them without `order_masters`, too. Here the empty answer makes a syndic of ours keep them.
 */
function syndicReturnHandler(syndics: (() => Promise<SyndicRegistry>) | undefined, log: Logger): AesHandler {
  const warn = countedWarnings(log);
  return async ({ id, load }) => {
    if (syndics === undefined) {
      warn(`The minion ${id} sent returns of other minions. If it is a syndic, set order_masters: True here`);
      return { value: '' };
    }
    await (await syndics()).takeReturns(id, load);
    return { value: null };
  };
}

/** Takes requests from the request server, and comes back to it when it restarts. */
async function serve({ opts, clock, index }: RoleContext, door: Door): Promise<{ stop(): void }> {
  const { workers } = masterSockets(opts);
  let stopped = false;
  let current: { close(): void } | undefined;
  const answers = handlersOf(requestWorker, {
    serve: ({ body, from, publishPort, standing }) => door.handle(body, from, publishPort, standing),
    ping: () => undefined,
  });
  const attach = async (): Promise<void> => {
    for (;;) {
      if (stopped) return;
      try {
        const link = await connectRpc(workers, { ...answers, closed: () => void attach() });
        clientOf(requestServer, link).register({ index });
        current = link;
        return;
      } catch {
        await clock.sleep(RECONNECT_MS);
      }
    }
  };
  await attach();
  return {
    stop: () => {
      stopped = true;
      current?.close();
    },
  };
}
