/** What the functions of `brine` do on a minion. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { runProcess } from '../../../host/process.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, float, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { compareVersions, isVersion, type Installation } from '../../../runtime/upgrade/installation.ts';
import { ownInstallation } from '../../../runtime/upgrade/own-installation.ts';
import { readOutcome, readTrial } from '../../../runtime/upgrade/trial-record.ts';
import { brineVersion } from '../../../version.ts';
import { fetchRelease, findRelease } from './fetch-release.ts';

/** Reading the configuration, asking the master and running a job, on a machine that is busy. */
const PROVE_MS = 90_000;

const NOT_SIDE_BY_SIDE =
  'This Brine cannot exchange itself: it does not lie in a folder of its version with a link "current" beside it, as packages and the archive for upgrades lay it out. Install a package, or unpack the archive (guide "Debian packages", "Upgrade, and back"), or upgrade it as it was installed: with npm, or in its checkout.';

/** A version that is asked for. */
export interface Wanted {
  readonly version: string | undefined;
  readonly isTest: boolean;
  readonly allowsOlder: boolean;
}

/** A step went wrong, before anything was changed. */
function failed(from: string, to: string | undefined, step: string, comment: string): Dict {
  return dict({ result: false, from, to: to ?? null, step, comment, away_s: float(0) });
}

function fine(from: string, to: string, step: string, comment: string, result: boolean | null = true): Dict {
  return dict({ result, from, to, step, comment, away_s: float(0) });
}

/** `brine.version` */
export function versions(): Dict {
  const here = ownInstallation();
  return dict({
    version: here?.version ?? brineVersion,
    current: here?.current ?? null,
    versions: here?.versions() ?? [],
    node: process.version,
  });
}

/** `brine.upgrade_status` */
export function status(): Dict {
  const here = ownInstallation();
  const trial = here && readTrial(here.base);
  const outcome = here && readOutcome(here.base);
  return dict({
    trial:
      trial === undefined
        ? null
        : dict({ from: trial.from, to: trial.to, jid: trial.jid, attempts: trial.attempts }),
    outcome:
      outcome === undefined
        ? null
        : dict({
            ...{ result: outcome.result, from: outcome.from, to: outcome.to, step: outcome.step },
            ...{ comment: outcome.comment, jid: outcome.jid, away_s: float(outcome.awayMs / 1000) },
            at: new Date(outcome.atMs).toISOString(),
          }),
  });
}

/** `brine.upgrade` */
export async function upgrade(ctx: ModuleContext, wanted: Wanted): Promise<Value> {
  const here = ownInstallation();
  if (here === undefined)
    return refused(ctx, failed(brineVersion, wanted.version, 'check', NOT_SIDE_BY_SIDE));
  const from = here.version;
  let step = 'metadata';
  let to = wanted.version;
  try {
    if (to !== undefined && !isVersion(to))
      throw new CommandExecutionError(`${JSON.stringify(to)} is no version.`);
    if (to === from) return fine(from, from, 'check', `${from} runs already.`);
    const release = await findRelease(ctx, here, wanted);
    to = release.version;
    if (to === from)
      return fine(from, from, 'check', `${from} runs already, and there is none that is newer.`);
    if (compareVersions(to, from) < 0 && !wanted.allowsOlder)
      throw new CommandExecutionError(
        `${to} is older than ${from}, which runs. Say allow_downgrade=True to have it all the same.`,
      );
    if (wanted.isTest)
      return fine(from, to, 'test', `${to} would be brought, tried and put in the place of ${from}.`, null);
    step = 'fetch';
    const isBrought = !here.has(to);
    if (isBrought) await fetchRelease(ctx, here, release);
    step = 'prove';
    await prove(ctx, here, to).catch((error: unknown) => {
      // it does not work here, and takes no room
      if (isBrought) here.remove(release.version);
      throw error;
    });
  } catch (error) {
    return refused(ctx, failed(from, to, step, messageOf(error)));
  }
  return tryIt(ctx, here, to);
}

/** `brine.go_back` */
export async function goBack(
  ctx: ModuleContext,
  { version, isTest }: Omit<Wanted, 'allowsOlder'>,
): Promise<Value> {
  const here = ownInstallation();
  if (here === undefined) return refused(ctx, failed(brineVersion, version, 'check', NOT_SIDE_BY_SIDE));
  const from = here.version;
  const to = version ?? formerOf(here);
  if (to === undefined)
    return refused(
      ctx,
      failed(from, undefined, 'check', `There is no version beside ${from} to go back to.`),
    );
  if (to === from) return fine(from, from, 'check', `${from} runs already.`);
  if (!isVersion(to) || !here.has(to))
    return refused(
      ctx,
      failed(
        from,
        to,
        'check',
        `${to} does not lie on this machine; there are ${here.versions().join(', ')}.`,
      ),
    );
  if (isTest) return fine(from, to, 'test', `${to} would be tried and put in the place of ${from}.`, null);
  try {
    await prove(ctx, here, to);
  } catch (error) {
    return refused(ctx, failed(from, to, 'prove', messageOf(error)));
  }
  return tryIt(ctx, here, to);
}

/** The version that the last upgrade came from; else the newest one beside. */
function formerOf(here: Installation): string | undefined {
  const outcome = readOutcome(here.base);
  if (outcome?.result === true && outcome.to === here.version && here.has(outcome.from)) return outcome.from;
  return here.versions().findLast((version) => version !== here.version);
}

/** Has the other version say whether it works on this machine, beside this one. @throws CommandExecutionError */
async function prove(ctx: ModuleContext, here: Installation, to: string): Promise<void> {
  const home = here.folder(to);
  const own = join(home, 'node/bin/node');
  const argv = [
    existsSync(own) ? own : process.execPath,
    join(home, 'bin/salt-minion'),
    '--prove',
    ...['-c', dirname(pyStr(ctx.opts.get('conf_file') ?? '/etc/salt/minion'))],
  ];
  const { retcode, stderr, stdout, timedOut } = await runProcess(argv, {
    timeoutMs: PROVE_MS,
    mergeStderr: true,
    clock: ctx.clock,
    signal: ctx.signal,
    diesWithUs: true,
  });
  if (retcode === 0) return;
  const said = `${stdout.toString('utf8')}${stderr.toString('utf8')}`.trim().slice(-2000);
  throw new CommandExecutionError(
    timedOut
      ? `${to} did not prove that it works on this machine within ${PROVE_MS / 1000} seconds; ${here.version} stays.`
      : `${to} does not work on this machine (exit code ${retcode}); ${here.version} stays. It said: ${said}`,
  );
}

async function tryIt(ctx: ModuleContext, here: Installation, to: string): Promise<Value> {
  const outcome = await ctx.services.tryVersion?.(dict({ to, jid: ctx.job.jid }));
  if (outcome === undefined || outcome.size === 0)
    return refused(
      ctx,
      failed(here.version, to, 'start', 'No minion runs that could leave its place: ask through the master.'),
    );
  return outcome.get('result') === true ? outcome : refused(ctx, outcome);
}

function refused(ctx: ModuleContext, outcome: Dict): Dict {
  ctx.setRetcode(1);
  return outcome;
}
