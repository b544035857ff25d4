/** How the runner of clusters reaches NATS and the members. */
import { clusterSettings, type ClusterSettings } from '../../../config/cluster.ts';
import { BrineError, messageOf } from '../../../errors/errors.ts';
import { Secret } from '../../../host/secret.ts';
import { clientOf, type Client } from '../../../network/ipc/contract.ts';
import { connectNats, contentBytesMax } from '../../../network/nats/connect.ts';
import { NatsStreams } from '../../../network/nats/stream.ts';
import { ClusterLink, NATS_TIMEOUT_MS } from '../../../runtime/cluster/link.ts';
import { MemberCalls } from '../../../runtime/cluster/member-calls.ts';
import { Members } from '../../../runtime/cluster/members.ts';
import type { MembershipDeps, TrustedKey } from '../../../runtime/cluster/membership.ts';
import { readClusterSecret } from '../../../runtime/cluster/membership-files.ts';
import { clusterNames } from '../../../runtime/cluster/names.ts';
import { ClusterSeal } from '../../../runtime/cluster/seal.ts';
import { memberStatus, STATUS } from '../../../runtime/cluster/status.ts';
import type { MemberSeen } from './doctor/cluster-findings.ts';
import type { RunnerContext } from './runner.ts';

/** Members say twice a second that they are there. */
const LISTEN_MS = 1_200;

/** The cluster of this master's configuration. @throws BrineError when it names none */
export function settingsOf(ctx: RunnerContext): ClusterSettings {
  const settings = clusterSettings(ctx.opts);
  if (settings !== undefined) return settings;
  throw new BrineError(
    'The configuration of this master names no cluster. Set the option cluster: its id, and nats.',
    {
      code: 'config-invalid',
    },
  );
}

/** The key pair that the cluster's minions trust. */
export function trustedKey({ opts }: RunnerContext, { hasOwnKeys }: ClusterSettings): TrustedKey {
  const phrase = opts.raw(hasOwnKeys ? 'signing_key_pass' : 'key_pass');
  const isProtected = typeof phrase === 'string' && phrase !== '';
  return {
    name: hasOwnKeys ? String(opts.raw('master_sign_key_name')) : 'master',
    passphrase: isProtected ? new Secret(phrase) : undefined,
  };
}

/** Works with the cluster's streams over a connection of its own. */
export async function withNats<T>(
  ctx: RunnerContext,
  work: (parts: MembershipDeps & { readonly contentBytesMax: number }) => Promise<T>,
): Promise<T> {
  const settings = settingsOf(ctx);
  const nats = await connectNats(settings.nats, { name: 'salt-run cluster', timeoutMs: NATS_TIMEOUT_MS });
  try {
    const streams = await NatsStreams.open(nats, {
      timeoutMs: NATS_TIMEOUT_MS,
      clock: ctx.clock,
      report: (sentence) => ctx.log.error(sentence),
    });
    return await work({
      settings,
      streams,
      pkiDir: ctx.opts.get('pki_dir'),
      trusted: trustedKey(ctx, settings),
      contentBytesMax: contentBytesMax(nats),
    });
  } finally {
    await nats.close();
  }
}

/** Who is there, asked over a connection of its own. */
export interface Present {
  readonly settings: ClusterSettings;
  readonly link: ClusterLink;
  readonly names: readonly string[];
  readonly ask: (member: string) => Client<typeof memberStatus>;
}

/** Listens who is there, and works with them over a connection of its own. @throws UnreachableError without NATS */
export async function withPresent<T>(ctx: RunnerContext, work: (present: Present) => Promise<T>): Promise<T> {
  const settings = settingsOf(ctx);
  const { clock, random, log } = ctx;
  const names = clusterNames(settings.id);
  const seal = new ClusterSeal(readClusterSecret(ctx.opts.get('pki_dir'), settings.id));
  const member = `salt-run-${random.bytes(6).toString('hex')}`;
  const access = { access: settings.nats, name: member, probe: names.jobs.stream };
  const link = await ClusterLink.open({ ...access, clock, log });
  try {
    const subject = `${names.ask}.members`;
    const members = new Members({ link, seal, subject, member, clock, isSilent: true });
    await clock.sleep(LISTEN_MS, ctx.signal);
    members.close();
    const calls = new MemberCalls({ link, seal, subject: names.ask, member, clock, random });
    const ask = (name: string): Client<typeof memberStatus> =>
      clientOf(memberStatus, calls.linkTo(name, STATUS));
    return await work({ settings, link, names: members.others().sort(), ask });
  } finally {
    await link.close();
  }
}

/** Asks every member how it is. */
export function askMembers({ names, ask }: Present): Promise<MemberSeen[]> {
  return Promise.all(
    names.map(async (name) => {
      try {
        return { name, status: await ask(name).status() };
      } catch (error) {
        return { name, error: messageOf(error) };
      }
    }),
  );
}
