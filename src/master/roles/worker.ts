/** MWorker: serves requests. It has one door, and two explicit tables of what lies behind it. */
import { join } from 'node:path';
import { MinionDataCache } from '../../cache/minion-data.ts';
import { MinionFacts } from '../../cache/minion-facts.ts';
import { AcceptedKeys } from '../../channel/accepted-keys.ts';
import { Door, type AesHandler, type ClearHandler } from '../../channel/door.ts';
import { ReplayGuard } from '../../channel/replay-guard.ts';
import { SessionKeys } from '../../channel/session-keys.ts';
import type { Crypticle } from '../../crypto/crypticle.ts';
import type { RsaPrivateKey } from '../../crypto/rsa.ts';
import { EventBusWriter } from '../../events/bus-client.ts';
import { JidSource } from '../../jobs/jid.ts';
import { LoadMirror } from '../../jobs/load-mirror.ts';
import { RemoteJobStore } from '../../jobs/remote-store.ts';
import { KeyStore } from '../../keys/store.ts';
import { RpcClient, connectRpc } from '../../transport/ipc/rpc-client.ts';
import type { Dict } from '../../values/value.ts';
import { Authenticator } from '../auth/authenticator.ts';
import { AutoKey } from '../auth/autosign.ts';
import { UserAuth } from '../auth/user-auth.ts';
import { connectedIds } from '../commands/connected.ts';
import { fileHandlers } from '../commands/files.ts';
import { mineHandlers } from '../commands/mine.ts';
import { minionEventHandler } from '../commands/minion-events.ts';
import { masterOptionsHandler } from '../commands/master-opts.ts';
import { pillarHandler } from '../commands/pillar.ts';
import type { PeerCommands } from '../commands/peer.ts';
import { publishHandler, type PublishParts } from '../commands/publish.ts';
import { countedWarnings } from '../counted-log.ts';
import { returnHandler, takeReturn } from '../commands/returns.ts';
import { revokeHandler } from '../commands/revoke.ts';
import { keyFleet } from '../fleet.ts';
import type { SyndicDesk } from '../syndics.ts';
import { loadMasterKey, publicKeySigner } from '../master-key.ts';
import type { PillarService } from '../../pillar/service.ts';
import type { Logger } from '../../host/log.ts';
import { systemRandom } from '../../host/random.ts';
import { masterSockets } from '../../config/master-sockets.ts';
import { packPublishOrder, readPublishAnswer } from './publisher.ts';
import { PING, unpackRequest } from './dispatcher.ts';
import type { RoleContext, StartRole } from './role.ts';

const EVENT_QUEUE_BYTES_MAX = 64 * 1024 * 1024;
const PUBLISH_GIVE_UP_MS = 10_000;
const RECONNECT_MS = 20;
/** How often minions' data are looked at for changes by other programs than ours. */
const FACTS_MS = 60_000;

/** What the tables are built from. */
interface WorkerParts {
  readonly context: RoleContext;
  readonly masterKey: RsaPrivateKey;
  readonly keys: KeyStore;
  readonly accepted: AcceptedKeys;
  readonly sessions: SessionKeys;
  readonly cache: MinionDataCache;
  readonly facts: MinionFacts;
  readonly jobs: RemoteJobStore;
  readonly jids: JidSource;
  readonly publisher: RpcClient;
  readonly fireEvent: (tag: string, data: Dict) => void;
  readonly desk: { it?: Promise<SyndicDesk> };
}

export const startWorker: StartRole = async (context) => {
  const { opts, clock, log, index } = context;
  const sockets = masterSockets(opts);
  const events = new EventBusWriter({
    path: sockets.eventPull,
    clock,
    eventBytesMax: opts.get('max_event_size'),
    queueBytesMax: EVENT_QUEUE_BYTES_MAX,
  });
  const cache = new MinionDataCache(opts.get('cachedir'));
  const parts: WorkerParts = {
    context,
    masterKey: loadMasterKey(opts),
    keys: new KeyStore(opts.get('pki_dir'), { clock }),
    accepted: new AcceptedKeys(join(opts.get('pki_dir'), 'minions'), clock),
    sessions: new SessionKeys(
      join(opts.get('cachedir'), 'sessions'),
      opts.get('publish_session') * 1000,
      clock,
    ),
    cache,
    facts: new MinionFacts(cache),
    jobs: new RemoteJobStore(sockets.jobCache, clock),
    jids: new JidSource(clock, opts.get('unique_jid') ? `_${process.pid}` : ''),
    publisher: new RpcClient({
      path: sockets.publishPull,
      clock,
      purpose: 'publisher',
      giveUpMs: PUBLISH_GIVE_UP_MS,
    }),
    fireEvent: (tag, data) => events.fire(tag, data),
    desk: {},
  };
  // the replays that an earlier worker knew are forgotten
  parts.sessions.beginAnew();
  const door = makeDoor(parts);
  // the first request should not wait for the connections that its answer needs
  events.open();
  parts.jobs.open();
  parts.publisher.open();
  const link = await serve(context, door);
  const stopped = new AbortController();
  const refreshFacts = (): void =>
    void parts.facts.refresh(parts.keys.list('accepted'), clock, stopped.signal);
  const timer = clock.every(FACTS_MS, refreshFacts, { background: true });
  refreshFacts();
  log.info(`Worker ${index} is ready`);
  return {
    stop: async () => {
      stopped.abort();
      timer.cancel();
      link.stop();
      events.close();
      await Promise.all([parts.jobs.close(), parts.publisher.close()]);
    },
  };
};

function makeDoor(parts: WorkerParts): Door {
  const { context, sessions, accepted } = parts;
  const { opts, clock, log } = context;
  const authenticator = makeAuthenticator(parts);
  const publishing = publishParts(parts);
  return new Door({
    clear: clearTable(publishing),
    aes: aesTable(parts, publishing),
    authenticate: (load, version, _from, publishPort) =>
      authenticator.authenticate(load, version, publishPort),
    sessions,
    keys: accepted,
    replays: new ReplayGuard(),
    sharedKeys: context.sharedKeys,
    minimumVersion: opts.get('minimum_auth_version'),
    ttlSeconds: opts.get('request_server_ttl'),
    clock,
    log,
  });
}

function makeAuthenticator(parts: WorkerParts): Authenticator {
  const { context, masterKey, keys, sessions, facts, publisher, fireEvent } = parts;
  const { opts, log } = context;
  return new Authenticator({
    opts,
    masterKey,
    keys,
    autoKey: new AutoKey(opts, keys, log),
    sessions,
    sharedKey: () => context.sharedKeys()[0] as Crypticle,
    signPublicKey: publicKeySigner(opts, masterKey),
    connectedIds: () => connectedIds(keys, facts, publisher),
    fireEvent,
    log,
  });
}

/** What local programs may ask for in the clear. Each handler checks the credentials in the load. */
function clearTable(publishing: PublishParts): ReadonlyMap<string, ClearHandler> {
  return new Map<string, ClearHandler>([
    ['ping', (load) => load],
    ['publish', publishHandler(publishing)],
  ]);
}

function publishParts(parts: WorkerParts): PublishParts {
  const { context, keys, sessions, cache, facts, jobs, jids, publisher, fireEvent } = parts;
  const { opts, clock, log, userKeys } = context;
  return {
    opts,
    users: new UserAuth(opts, userKeys),
    fleet: keyFleet(keys, cache, facts),
    jobs,
    mirror: new LoadMirror(opts.get('cachedir'), opts.get('hash_type'), log),
    jids,
    keyState: (id) => keys.state(id),
    hasAuthenticated: (id) => sessions.has(id),
    ...syndicsOf(parts),
    clock,
    fireEvent,
    send: async (order) => readPublishAnswer(await publisher.call(packPublishOrder(order))),
    log,
  };
}

/** What peers may ask for. Their code is read when a master that allows them anything is first asked. */
function peerHandlers(parts: WorkerParts, publishing: PublishParts): [string, AesHandler][] {
  const { opts, log } = parts.context;
  const isAllowed = opts.get('peer').size + opts.get('peer_run').size > 0;
  let commands: Promise<PeerCommands> | undefined;
  const load = async (): Promise<PeerCommands> => {
    const [{ PeerCommands: Commands }, { peerRunner }, { returnsOnBus }] = await Promise.all([
      import('../commands/peer.ts'),
      import('../commands/peer-runner.ts'),
      import('../commands/peer-returns.ts'),
    ]);
    const run = peerRunner({ opts, jobs: parts.jobs, jids: parts.jids, log });
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
function aesTable(parts: WorkerParts, publishing: PublishParts): ReadonlyMap<string, AesHandler> {
  const { context, masterKey, accepted, keys, sessions, cache, jobs, jids, fireEvent } = parts;
  const { opts, clock, log, requestRotation } = context;
  const syndics = syndicsOf(parts);
  // templates are a third of a worker's code: a master without pillar does without
  let pillars: Promise<PillarService> | undefined;
  const pillarService = async (): Promise<PillarService> => {
    const { PillarService: Service } = await import('../../pillar/service.ts');
    return new Service({ opts: opts.toDict(), clock, random: systemRandom, log });
  };
  return new Map<string, AesHandler>([
    ['_return', returnHandler({ opts, jobs, jids, fireEvent, clock, log })],
    [
      '_minion_event',
      minionEventHandler({
        fireEvent,
        log,
        ...syndics,
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
        fireEvent,
      }),
    ],
    ['_syndic_return', syndicReturnHandler(syndics.syndics, log)],
    ['_master_opts', masterOptionsHandler(opts)],
    ['_master_tops', () => ({ value: {} })],
    ...fileHandlers(context),
    ...mineHandlers({ opts, cache, fleet: keyFleet(keys, cache) }),
    ...peerHandlers(parts, publishing),
    ['revoke_auth', revokeHandler({ opts, keys, sessions, cache, fireEvent, requestRotation })],
  ]);
}

/** With `order_masters`: what is known of syndics. One for each worker, made when it is first needed. */
function syndicsOf(parts: WorkerParts): { syndics?: () => Promise<SyndicDesk> } {
  const { context, keys, jobs, jids, fireEvent } = parts;
  const { opts, clock, log } = context;
  if (!opts.get('order_masters')) return {};
  const make = async (): Promise<SyndicDesk> => {
    const { SyndicDesk: Desk } = await import('../syndics.ts');
    const returns = { opts, jobs, jids, fireEvent, clock, log };
    return new Desk({
      opts,
      jobs,
      takeReturn: (id, load) => takeReturn(returns, id, load, { once: true }),
      keyState: (id) => keys.state(id),
      clock,
      log,
    });
  };
  const { desk } = parts;
  return {
    syndics: () =>
      (desk.it ??= make().catch((error: unknown) => {
        delete desk.it; // the next one tries again
        throw error;
      })),
  };
}

/** Salt compat: Salt takes them without `order_masters`, too. Here the empty answer makes a syndic of ours keep them. */
function syndicReturnHandler(syndics: (() => Promise<SyndicDesk>) | undefined, log: Logger): AesHandler {
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
  const attach = async (): Promise<void> => {
    for (;;) {
      if (stopped) return;
      try {
        const link = await connectRpc(workers, {
          call: (bytes) => {
            if (bytes.length === 0) return PING;
            const { publishPort, from, body } = unpackRequest(bytes);
            return door.handle(body, from, publishPort);
          },
          closed: () => void attach(),
        });
        link.notify(Buffer.from(String(index)));
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
