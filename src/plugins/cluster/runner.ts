/** `cluster.*`: making clusters of masters, joining and leaving them, and how they are. Salt has no such runner. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { keepJobsSeconds } from '../../config/job-caches.ts';
import { BrineError } from '../../errors/errors.ts';
import { elsewhereFolder } from '../../network/channel/sessions-elsewhere.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { importJobs } from '../../runtime/cluster/import-jobs.ts';
import {
  acceptMember,
  applicants,
  askToJoin,
  clusterFingerprint,
  finishJoin,
  initCluster,
  type MembershipDeps,
} from '../../runtime/cluster/membership.ts';
import { membershipFolder, readClusterSecret } from '../../runtime/cluster/membership-files.ts';
import { clusterNames } from '../../runtime/cluster/names.ts';
import { ClusterSeal } from '../../runtime/cluster/seal.ts';
import type { MemberStatus } from '../../runtime/cluster/status.ts';
import { generateKeyFiles } from '../../storage/keys/generate.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  askMembers,
  settingsOf,
  trustedKey,
  withNats,
  withPresent,
} from '../shared/runner/cluster-access.ts';
import { clusterFindings } from '../shared/runner/doctor/cluster-findings.ts';
import { measureCluster } from '../shared/runner/doctor/cluster-measure.ts';
import { shownFindings } from '../shared/runner/doctor/findings.ts';
import { defineRunner, defineRunners, refusing, type RunnerContext } from '../shared/runner/runner.ts';

const JOIN_POLL_MS = 500;
const JOIN_S = 600;

/** The cluster runner. */
export const clusterRunners = defineRunners({
  name: 'cluster',
  doc: 'Clusters of masters, as the option cluster names them.',
  functions: {
    init: defineRunner({
      doc: 'Makes a cluster of which this master is the first member. Its key, the keys of its minions and its jobs become the cluster’s.',
      params: {},
      returns: 'A sentence with the fingerprint that further members join with',
      examples: ['salt-run cluster.init'],
      run: (ctx) => refusing(() => withNats(ctx, (parts) => init(ctx, parts))),
    }),
    join: defineRunner({
      doc: 'Makes this master a member of the cluster: asks to join, and waits until an operator has accepted it on a member.',
      params: {
        fingerprint: param.text({
          doc: 'The fingerprint of the key that the cluster’s minions trust, as cluster.status shows it on a member.',
        }),
        timeout: param.numberOnly({ default: JOIN_S, doc: 'Seconds to wait for the operator.' }),
        keep_keys: param.flag({
          default: false,
          doc: 'Bring the minions whose keys are accepted here into the cluster.',
        }),
      },
      returns: 'A sentence',
      examples: ['salt-run cluster.join fingerprint=5f:1c:…'],
      run: (ctx, args) => refusing(() => withNats(ctx, (parts) => joinCluster(ctx, parts, args))),
    }),
    pending: defineRunner({
      doc: 'Lists the masters that have asked to join, each with the fingerprint of its request.',
      params: {},
      returns: 'mapping of names to fingerprints',
      examples: ['salt-run cluster.pending'],
      run: (ctx) =>
        refusing(() =>
          withNats(ctx, async (parts) =>
            dict(
              Object.fromEntries(
                (await applicants(parts)).map(({ member, fingerprint }) => [member, fingerprint]),
              ),
            ),
          ),
        ),
    }),
    accept: defineRunner({
      doc: 'Accepts a master that has asked to join, and hands the cluster’s secret and key over to it.',
      params: {
        member: param.text({ doc: 'Its name.' }),
        fingerprint: param.text({ doc: 'The fingerprint that cluster.join shows there.' }),
      },
      returns: 'A sentence',
      examples: ['salt-run cluster.accept master2 fingerprint=9a:00:…'],
      run: (ctx, { member, fingerprint }) =>
        refusing(() =>
          withNats(ctx, async (parts) => {
            const secret = readClusterSecret(parts.pkiDir, parts.settings.id);
            await acceptMember(parts, secret, member, fingerprint.toLowerCase());
            return `The master ${member} is accepted. It becomes a member at once, where cluster.join still waits.`;
          }),
        ),
    }),
    leave: defineRunner({
      doc: 'Makes this master leave its cluster. It must not be running.',
      params: {},
      returns: 'A sentence',
      examples: ['salt-run cluster.leave'],
      run: (ctx) => refusing(() => leave(ctx)),
    }),
    drain: defineRunner({
      doc: 'Makes this master give its minions away to the others, before it is stopped.',
      params: {},
      returns: 'A sentence',
      examples: ['salt-run cluster.drain'],
      run: (ctx) => refusing(() => drain(ctx)),
    }),
    status: defineRunner({
      doc: 'Tells which masters of the cluster are there, and how each is.',
      params: {},
      returns: 'mapping: cluster, fingerprint, members (each with its state), pending',
      examples: ['salt-run cluster.status'],
      run: (ctx) => refusing(() => status(ctx)),
    }),
    doctor: defineRunner({
      doc:
        'Says what is wrong with the cluster: which NATS server is away or behind, which master is silent, cut off, draining or has a wrong ' +
        'clock, and what to do.',
      params: {},
      returns:
        '`state` (`well`, `warning` or `ill`) and `findings`: a list of mappings with `code`, `severity`, `what`, `who`, `why` and `next`',
      examples: ['salt-run cluster.doctor'],
      run: (ctx) => refusing(async () => shownFindings(clusterFindings(await measureCluster(ctx)))),
    }),
  },
});

async function init(
  ctx: RunnerContext,
  parts: MembershipDeps & { readonly contentBytesMax: number },
): Promise<string> {
  const { settings, streams, pkiDir, trusted, contentBytesMax } = parts;
  await refuseRunning(ctx, 'cluster.init');
  await initCluster(parts, keepJobsSeconds(ctx.opts) * 1000);
  await generateKeyFiles({
    ...trusted,
    directory: pkiDir,
    bits: ctx.opts.get('keysize'),
  });
  const jobs = await importJobs({
    jobs: ctx.jobs,
    streams,
    seal: new ClusterSeal(readClusterSecret(pkiDir, settings.id)),
    names: clusterNames(settings.id),
    member: settings.member,
    contentBytesMax,
    random: ctx.random,
  });
  return (
    `The cluster ${settings.id} is made; ${jobs} jobs of this master are in it. Start the master. On every further master: ` +
    `salt-run cluster.join fingerprint=${clusterFingerprint(pkiDir, trusted)}`
  );
}

async function joinCluster(
  ctx: RunnerContext,
  parts: MembershipDeps,
  args: { readonly fingerprint: string; readonly timeout: number | undefined; readonly keep_keys: boolean },
): Promise<string> {
  const { settings } = parts;
  await refuseRunning(ctx, 'cluster.join');
  const accepted = ctx.keys.list('accepted').length;
  if (accepted > 0 && !args.keep_keys)
    throw new BrineError(
      `This master has ${accepted} accepted keys of minions, which every master of the cluster would accept from then on. ` +
        'If that is meant, say keep_keys=True; if not, delete them with salt-key first.',
    );
  const request = await askToJoin(parts);
  ctx.print(
    `Asked to join. On a member: salt-run cluster.accept ${settings.member} fingerprint=${request.fingerprint}`,
  );
  const giveUpMs = ctx.clock.monotonicMs() + (args.timeout ?? JOIN_S) * 1000;
  while (!(await finishJoin(parts, request, args.fingerprint.toLowerCase()))) {
    if (ctx.signal.aborted || ctx.clock.monotonicMs() > giveUpMs)
      throw new BrineError(
        `Nobody has accepted ${settings.member} so far. Nothing was changed; ask again with cluster.join.`,
      );
    await ctx.clock.sleep(JOIN_POLL_MS, ctx.signal);
  }
  return `This master is a member of the cluster ${settings.id} now. Start it.`;
}

async function leave(ctx: RunnerContext): Promise<string> {
  const settings = settingsOf(ctx);
  await refuseRunning(ctx, 'cluster.leave');
  const pkiDir = ctx.opts.get('pki_dir');
  readClusterSecret(pkiDir, settings.id);
  rmSync(membershipFolder(pkiDir), { recursive: true, force: true });
  const cachedir = ctx.opts.get('cachedir');
  for (const folder of [join(cachedir, 'cluster'), elsewhereFolder(join(cachedir, 'sessions'))])
    rmSync(folder, { recursive: true, force: true });
  return (
    `This master has left the cluster ${settings.id}. It keeps the keys and jobs that it has. Remove the option cluster before it ` +
    'is started alone.'
  );
}

async function refuseRunning(ctx: RunnerContext, fun: string): Promise<void> {
  if (!(await ctx.fire('brine/cluster/probe', dict({ fun })))) return;
  throw new BrineError(`The master is running. Stop it, then run ${fun} again.`);
}

function status(ctx: RunnerContext): Promise<Dict> {
  return withPresent(ctx, async (present) => {
    const { settings, link } = present;
    const pkiDir = ctx.opts.get('pki_dir');
    const members = (await askMembers(present)).map(({ name, status, error = '' }): [string, Value] => [
      name,
      status === undefined ? error : describe(status, ctx.clock.nowMs()),
    ]);
    const trusted = trustedKey(ctx, settings);
    const asking = await applicants({ settings, streams: link.streams, pkiDir, trusted });
    return dict({
      cluster: settings.id,
      fingerprint: clusterFingerprint(pkiDir, trusted),
      members: new Map<Value, Value>(members),
      pending: asking.map((applicant) => applicant.member),
    });
  });
}

function drain(ctx: RunnerContext): Promise<string> {
  return withPresent(ctx, async ({ settings: { member }, names, ask }) => {
    if (!names.includes(member))
      throw new BrineError(
        `The master ${member} does not run, or does not reach the cluster. Nothing was done.`,
      );
    if (names.length === 1)
      throw new BrineError(
        `No other master of the cluster is there, so the minions of ${member} would have nowhere to go. Nothing was done.`,
      );
    const connected = await ask(member).drain();
    return (
      `The master ${member} takes no minions any more, and has let go of ${connected} connections. Minions that know other masters are ` +
      'going there. Stop it when salt-run cluster.status shows that it has no bytes_waiting; starting it again ends this.'
    );
  });
}

function describe(said: MemberStatus, nowMs: number): Dict {
  return dict({
    connected: said.isConnected,
    ...(said.awaySinceMs === undefined
      ? {}
      : { away_seconds: Math.round((said.nowMs - said.awaySinceMs) / 1000) }),
    duty: said.duty === said.member,
    draining: said.isDraining,
    writes_made: said.made,
    bytes_waiting: said.spooledBytes,
    clock_ahead_seconds: Math.round((said.nowMs - nowMs) / 100) / 10,
  });
}
