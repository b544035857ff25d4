/** Looks at a cluster's NATS servers, streams and members. */
import type { ClusterSettings } from '../../../../config/cluster.ts';
import { messageOf } from '../../../../errors/errors.ts';
import { connectNats } from '../../../../network/nats/connect.ts';
import type { NatsStreams } from '../../../../network/nats/stream.ts';
import { NATS_TIMEOUT_MS } from '../../../../runtime/cluster/link.ts';
import { askSyncing } from '../../../../runtime/cluster/nats-syncing.ts';
import { applicants } from '../../../../runtime/cluster/membership.ts';
import { clusterNames } from '../../../../runtime/cluster/names.ts';
import { askMembers, settingsOf, trustedKey, withPresent } from '../cluster-access.ts';
import type { RunnerContext } from '../runner.ts';
import type { ClusterMeasured, ServerSeen, StreamSeen } from './cluster-findings.ts';

/** Looks at everything; where no NATS server answers, at the servers alone. */
export async function measureCluster(ctx: RunnerContext): Promise<ClusterMeasured> {
  const settings = settingsOf(ctx);
  const { member, replicas } = settings;
  const servers = await Promise.all(settings.nats.servers.map((address) => lookAtServer(settings, address)));
  const isAwaited = ctx.opts.get('may_lose_on_power_failure') !== true;
  const syncing = isAwaited ? await askSyncing(settings, ctx.clock) : undefined;
  const own = { member, replicas, servers, syncing, nowMs: ctx.clock.nowMs() };
  if (servers.every(({ error }) => error !== undefined))
    return { ...own, streams: [], members: [], pending: [] };
  return withPresent(ctx, async (present) => {
    const { streams } = present.link;
    const { jobs, files, state } = clusterNames(settings.id);
    const pkiDir = ctx.opts.get('pki_dir');
    const trusted = trustedKey(ctx, settings);
    const nowMs = ctx.clock.nowMs();
    const [seen, members, asking] = await Promise.all([
      Promise.all([jobs, files, state].map(({ stream }) => lookAtStream(streams, stream))),
      askMembers(present),
      applicants({ settings, streams, pkiDir, trusted }).catch(() => []),
    ]);
    return { ...own, nowMs, streams: seen, members, pending: asking.map((applicant) => applicant.member) };
  });
}

async function lookAtServer({ nats }: ClusterSettings, address: string): Promise<ServerSeen> {
  try {
    const access = { ...nats, servers: [address] };
    const server = await connectNats(access, { name: 'salt-run cluster.doctor', timeoutMs: NATS_TIMEOUT_MS });
    const { info } = server;
    await server.close();
    return {
      address,
      ...(info === undefined
        ? {}
        : { hasJetStream: info.jetstream === true, payloadBytesMax: info.max_payload }),
    };
  } catch (error) {
    return { address, error: messageOf(error) };
  }
}

async function lookAtStream(streams: NatsStreams, name: string): Promise<StreamSeen> {
  try {
    return { name, state: await streams.state(name) };
  } catch (error) {
    return { name, error: messageOf(error) };
  }
}
