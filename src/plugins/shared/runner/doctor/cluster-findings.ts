/**
 * What is wrong with a cluster of masters, out of what NATS and the members say: a table of rules, as `findings.ts` has
 * for a fleet.
 */
import type { StreamState } from '../../../../network/nats/stream.ts';
import {
  SYNCING_NOT_ASKED,
  syncingAdvice,
  type NatsSyncing,
} from '../../../../runtime/cluster/nats-syncing.ts';
import type { MemberStatus } from '../../../../runtime/cluster/status.ts';
import { worstFirst, type DoctorFinding } from './findings.ts';

/** One NATS server of the option `cluster`. */
export interface ServerSeen {
  /** As the option names it. */
  readonly address: string;
  /** Why it cannot be used. */
  readonly error?: string;
  readonly hasJetStream?: boolean;
  readonly payloadBytesMax?: number;
}

/** One of the cluster's streams. */
export interface StreamSeen {
  readonly name: string;
  readonly error?: string;
  readonly state?: StreamState;
}

/** One master that has said that it is there. */
export interface MemberSeen {
  readonly name: string;
  readonly error?: string;
  readonly status?: MemberStatus;
}

/** What was measured. */
export interface ClusterMeasured {
  /** The name of the member that asks. */
  readonly member: string;
  /** How many NATS servers are to keep each message. */
  readonly replicas: number;
  readonly servers: readonly ServerSeen[];
  /** Whether they bring messages to the disk; empty where none can be asked, undefined where that does not matter. */
  readonly syncing: readonly NatsSyncing[] | undefined;
  readonly streams: readonly StreamSeen[];
  readonly members: readonly MemberSeen[];
  /** Masters that have asked to join. */
  readonly pending: readonly string[];
  /** The time here when the members were asked, ms since 1970. */
  readonly nowMs: number;
}

type Rule = (measured: ClusterMeasured) => readonly DoctorFinding[];

/** What the guide has NATS take; minion data that are larger are not shared. */
const PAYLOAD_BYTES = 8_000_000;
/** Members do not take each other's calls when their clocks are further apart. */
const CLOCK_CRITICAL_MS = 15_000;
const CLOCK_WARNING_MS = 2_000;

function syncingFinding(said: {
  readonly what: string;
  readonly next: string;
  readonly who?: string;
}): DoctorFinding {
  return {
    code: 'nats-sync',
    severity: 'warning',
    why: 'JetStream syncs its files every two minutes unless it is told otherwise.',
    figures: {},
    ...said,
  };
}

/** Every rule is asked. */
export function clusterFindings(measured: ClusterMeasured): DoctorFinding[] {
  return worstFirst(RULES.flatMap((rule) => rule(measured)));
}

const RULES: readonly Rule[] = [
  ({ servers }) => {
    const away = servers.filter(({ error }) => error !== undefined);
    const isMost = away.length > servers.length / 2;
    return away.map(({ address, error = '' }) => ({
      code: 'nats-server-away',
      severity: isMost ? 'critical' : 'warning',
      what: `The NATS server ${address} cannot be used.`,
      who: address,
      why: error,
      next: 'See whether nats-server runs there and what its log says; the address and the credentials are those of the option cluster.',
      figures: { away: away.length, servers: servers.length },
    }));
  },
  ({ servers }) =>
    servers
      .filter(({ hasJetStream }) => hasJetStream === false)
      .map(({ address }) => ({
        code: 'nats-without-jetstream',
        severity: 'warning',
        what: `The NATS server ${address} keeps nothing.`,
        who: address,
        why: 'JetStream is not enabled there, or has ended because its disk is full.',
        next: 'Write jetstream { store_dir: … } into its configuration, make room on its disk, and start it again.',
        figures: {},
      })),
  ({ servers }) =>
    servers
      .filter(({ payloadBytesMax = Infinity }) => payloadBytesMax < PAYLOAD_BYTES)
      .map(({ address, payloadBytesMax = 0 }) => ({
        code: 'nats-payload-small',
        severity: 'warning',
        what: `The NATS server ${address} takes messages of ${payloadBytesMax} bytes at most.`,
        who: address,
        why: 'Grains and pillar of a minion that are larger stay on the master that has them.',
        next: 'Write max_payload: 8MB into its configuration.',
        figures: { bytes: payloadBytesMax },
      })),
  ({ syncing }) =>
    (syncing ?? []).flatMap((seen) => {
      const advice = syncingAdvice(seen);
      return advice === undefined ? [] : [syncingFinding({ ...advice, who: seen.server })];
    }),
  ({ syncing }) => (syncing?.length === 0 ? [syncingFinding(SYNCING_NOT_ASKED)] : []),
  ({ servers, replicas }) =>
    servers.length >= replicas
      ? []
      : [
          {
            code: 'nats-servers-few',
            severity: 'warning',
            what: `The option cluster names ${servers.length} NATS servers, and each message is to be kept by ${replicas}.`,
            why: 'A master that knows fewer servers than there are loses the cluster when those are away.',
            next: 'Name all of them under nats, on every master.',
            figures: { servers: servers.length, replicas },
          },
        ],
  ({ streams }) =>
    streams
      .filter(({ error }) => error !== undefined)
      .map(({ name, error = '' }) => ({
        code: 'stream-away',
        severity: 'critical',
        what: `The stream ${name} does not answer.`,
        who: name,
        why: error,
        next: 'Most of the NATS servers have to run; the log of a master names the one that leads and writes nothing. Stop that one.',
        figures: {},
      })),
  ({ streams, replicas }) =>
    streams.flatMap(({ name, state }) =>
      state === undefined || state.replicas === replicas
        ? []
        : [
            {
              code: 'stream-replicas',
              severity: 'warning',
              what: `The stream ${name} is kept by ${state.replicas} NATS servers, and the option cluster says ${replicas}.`,
              who: name,
              why: 'The number is that of the time when the cluster was made.',
              next: `Change it with nats stream edit ${name} --replicas ${replicas}, or correct the option.`,
              figures: { replicas: state.replicas },
            },
          ],
    ),
  ({ streams }) =>
    streams.flatMap(({ name, state }) =>
      (state?.others ?? [])
        .filter(({ isCurrent, isOffline }) => isOffline || !isCurrent)
        .map(({ server, isOffline, behind }) => ({
          code: 'stream-copy-behind',
          severity: 'warning',
          what: `The NATS server ${server} does not have all of the stream ${name}.`,
          who: server,
          why: isOffline ? 'It is not there.' : `It is ${behind} messages behind.`,
          next: 'Until it has, no other one of them may end. Look at its disk and its log; it catches up by itself when it can write.',
          figures: { behind },
        })),
    ),
  ({ members, member }) =>
    members.some(({ name }) => name === member)
      ? []
      : [
          {
            code: 'member-down',
            severity: 'critical',
            what: `The master ${member}, which is this one, does not run, or does not reach NATS.`,
            who: member,
            why: 'It has given no sign of life.',
            next: 'Start it with systemctl start salt-master, and read its log when it does not stay.',
            figures: {},
          },
        ],
  ({ members }) =>
    members
      .filter(({ error }) => error !== undefined)
      .map(({ name, error = '' }) => ({
        code: 'member-silent',
        severity: 'critical',
        what: `The master ${name} says that it is there, and answers nothing.`,
        who: name,
        why: error,
        next: 'Read its log.',
        figures: {},
      })),
  ({ members }) =>
    members.flatMap(({ name, status }) =>
      status === undefined || status.spooledBytes === 0
        ? []
        : [
            {
              code: 'returns-wait',
              severity: 'warning',
              what: `${status.spooledBytes} bytes of returns wait on the disk of the master ${name}.`,
              who: name,
              why: status.isConnected
                ? 'They are being brought to the others.'
                : 'It does not reach the streams now.',
              next: 'Look again in a minute; if it does not become less, read its log.',
              figures: { bytes: status.spooledBytes },
            },
          ],
    ),
  ({ members, nowMs }) =>
    members.flatMap(({ name, status }) => {
      const offMs = status === undefined ? 0 : status.nowMs - nowMs;
      if (Math.abs(offMs) < CLOCK_WARNING_MS) return [];
      return [
        {
          code: 'clock-off',
          severity: Math.abs(offMs) < CLOCK_CRITICAL_MS ? 'warning' : 'critical',
          what: `The clock of the master ${name} is ${Math.abs(offMs) / 1000} s ${offMs > 0 ? 'ahead of' : 'behind'} this one.`,
          who: name,
          why: `Members take no calls of each other when their clocks are ${CLOCK_CRITICAL_MS / 1000} s apart.`,
          next: 'Run a time service on all of them.',
          figures: { seconds: offMs / 1000 },
        },
      ];
    }),
  ({ members }) =>
    members.length === 0 || members.some(({ status }) => status?.duty === status?.member)
      ? []
      : [
          {
            code: 'duty-free',
            severity: 'warning',
            what: 'No master does what is to be done once (schedules, reactors, clean-up).',
            why: 'The one that had it is gone or drained, and no other has taken it yet.',
            next: 'Look again in five seconds; if it stays so, read the logs of the masters.',
            figures: {},
          },
        ],
  ({ members }) =>
    members
      .filter(({ status }) => status?.isDraining === true)
      .map(({ name }) => ({
        code: 'member-draining',
        severity: 'warning',
        what: `The master ${name} takes no minions.`,
        who: name,
        why: 'It was told to with salt-run cluster.drain.',
        next: 'Stop it, or start it again to end that.',
        figures: {},
      })),
  ({ pending }) =>
    pending.map((name) => ({
      code: 'master-pending',
      severity: 'warning',
      what: `The master ${name} has asked to join.`,
      who: name,
      why: 'Nobody has accepted it.',
      next: `Compare the fingerprint of salt-run cluster.pending with what it shows, then salt-run cluster.accept ${name} fingerprint=….`,
      figures: {},
    })),
];
