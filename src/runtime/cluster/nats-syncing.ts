/**
 * Whether NATS servers bring each message to the disk before they acknowledge it. By default JetStream does so every
 * two minutes: when the power of several servers fails at once, what they acknowledged in that time is gone, on all of
 * them.
 */
import type { ClusterSettings } from '../../config/cluster.ts';
import { messageOf } from '../../errors/errors.ts';
import { parseJson } from '../../formats/json/text.ts';
import type { Clock } from '../../host/clock.ts';
import { sendHttp } from '../../network/http/client.ts';
import { isDict, toNumber, type Value } from '../../python/values/value.ts';

/** The first version of nats-server that can (`sync_interval: always`, its pull request 4483). */
const FIRST_SYNCING = '2.10.0';
const TIMEOUT_MS = 3_000;
const NS_IN_S = 1_000_000_000;

/** What one server does. */
export type NatsSyncing =
  | { readonly does: 'always'; readonly server: string }
  /** @param everyS seconds between two times; undefined when it does not say */
  | {
      readonly does: 'now and then';
      readonly server: string;
      readonly version: string;
      readonly everyS?: number;
    }
  /** Its monitoring says nothing that can be understood. */
  | { readonly does: 'not known'; readonly server: string; readonly reason: string };

/** Asks each server whose monitoring address the option `cluster` has. Never rejects. */
export function askSyncing(settings: ClusterSettings, clock: Clock): Promise<NatsSyncing[]> {
  return Promise.all(settings.natsMonitoring.map((address) => askServer(address, settings, clock)));
}

async function askServer(address: string, { nats }: ClusterSettings, clock: Clock): Promise<NatsSyncing> {
  try {
    const { status, text } = await sendHttp({
      method: 'GET',
      url: new URL('/varz', address),
      timeoutMs: TIMEOUT_MS,
      clock,
      agent: 'salt-master',
      ...(nats.tlsCa === undefined ? {} : { verify: nats.tlsCa }),
    });
    if (status !== 200) return { does: 'not known', server: address, reason: `it answered with ${status}` };
    return readSyncing(address, parseJson(text));
  } catch (error) {
    return { does: 'not known', server: address, reason: messageOf(error) };
  }
}

/** @param varz what a server says at `/varz` */
export function readSyncing(address: string, varz: Value): NatsSyncing {
  const config = valueAt(varz, 'jetstream', 'config');
  const name = valueAt(varz, 'server_name');
  const version = valueAt(varz, 'version');
  const server = typeof name === 'string' && name !== '' ? `${name} (${address})` : address;
  if (typeof version !== 'string') return { does: 'not known', server, reason: 'it is no NATS server' };
  if (!isDict(config)) return { does: 'not known', server, reason: 'JetStream does not run there' };
  if (config.get('sync_always') === true) return { does: 'always', server };
  const everyS = toNumber(config.get('sync_interval') ?? null);
  return {
    does: 'now and then',
    server,
    version,
    ...(everyS === undefined ? {} : { everyS: everyS / NS_IN_S }),
  };
}

/** Whether a version of nats-server knows the option. */
function canSync(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [firstMajor = 0, firstMinor = 0] = FIRST_SYNCING.split('.').map(Number);
  return major > firstMajor || (major === firstMajor && minor >= firstMinor);
}

/** What there is to say of a server that does not; undefined for one that does. */
export function syncingAdvice(
  seen: NatsSyncing,
): { readonly what: string; readonly next: string } | undefined {
  if (seen.does === 'always') return undefined;
  if (seen.does === 'not known')
    return {
      what: `Whether the NATS server ${seen.server} brings each message to its disk is not known: ${seen.reason}.`,
      next: 'See whether the address is the one of http or https in its configuration (cluster: nats_monitoring).',
    };
  const every = seen.everyS === undefined ? 'now and then' : `every ${seen.everyS} s`;
  return {
    what:
      `The NATS server ${seen.server} acknowledges what its disk does not have yet; it brings that there ${every}. ` +
      'When the power of several servers fails at once, what was acknowledged meanwhile is lost.',
    next: canSync(seen.version)
      ? 'Write sync_interval: always into jetstream { … } of its configuration, and start it again.'
      : `Its version, ${seen.version}, cannot do otherwise: take ${FIRST_SYNCING} or newer, and write sync_interval: always into jetstream { … }.`,
  };
}

/** What there is to say where nobody can be asked. */
export const SYNCING_NOT_ASKED = {
  what: 'Whether the NATS servers bring each message to their disks is not known.',
  next:
    'Write http: "127.0.0.1:8222", or an address that the masters reach, into the configuration of each NATS server, and these addresses ' +
    'into nats_monitoring of the option cluster. With may_lose_on_power_failure: True nobody asks.',
} as const;

function valueAt(value: Value, ...path: readonly string[]): Value {
  let at = value;
  for (const name of path) at = isDict(at) ? (at.get(name) ?? null) : null;
  return at;
}
