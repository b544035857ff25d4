/** `brine takeover` and `brine takeover --back`: what is asked, told and refused around a transfer. */
import { systemClock } from '../../host/clock.ts';
import { dropLock, takeLock } from '../../host/owner-lock.ts';
import { systemRandom } from '../../host/random.ts';
import { systemProcesses } from '../../host/running-processes.ts';
import { messageOf, UsageError } from '../../errors/errors.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import { confirm, NoAnswerError, onSigint } from '../key/prompt.ts';
import type { CommandIo } from '../terminal/io.ts';
import { checkSite } from './check.ts';
import { planLinks } from './command-links.ts';
import { programOf, type DaemonManager } from './daemon-manager.ts';
import { daemonsOn, ROLES, type Role } from './daemons-here.ts';
import { findDaemons } from './find-daemons.ts';
import { jobsUnderWay } from './jobs-under-way.ts';
import { ProcessManager } from './process-manager.ts';
import { ownPrograms } from './programs.ts';
import { pingMinions } from './prove.ts';
import { RecordFile, type RecordedDaemon, type TakeoverRecord } from './record.ts';
import { textReport } from './report.ts';
import { Site } from './site.ts';
import { isSystemdHere, systemctl, SystemdManager, unitOf } from './systemd-manager.ts';
import { TakeoverError } from './takeover-error.ts';
import { Transfer, type TransferDeps, type WayBack } from './transfer.ts';

/** The folder for an administrator's own programs, which comes before that of packages in a PATH. */
const LINK_FOLDER = '/usr/local/bin';
const USUAL_CONFIG_DIR = '/etc/salt';
/** Minions of Salt that lost their master need so long to find it again. */
const BACK_MIN_MS = 120_000;
const LOOK_MS = 500;

/** Everything around one takeover. */
interface Surroundings extends TransferDeps {
  readonly io: CommandIo;
  readonly parsed: ParsedOptions;
  readonly roles: readonly Role[];
  readonly linkFolder: string | undefined;
}

/** Takes over. @returns the exit code */
export async function takeOver(configDir: string, parsed: ParsedOptions, io: CommandIo): Promise<number> {
  const deps = surroundings(configDir, parsed, io);
  return locked(deps, async () => {
    const before = deps.file.read();
    const plan = await planned(deps, before);
    if (plan === undefined) return tellDone(deps, before);
    if (before === undefined || before.state === 'taken') {
      const refusal = await refused(deps, plan);
      if (refusal !== undefined) return refusal;
    }
    return transfer(deps, plan);
  });
}

/** Goes back to Salt. @returns the exit code */
export async function goBack(configDir: string, parsed: ParsedOptions, io: CommandIo): Promise<number> {
  const deps = surroundings(configDir, parsed, io);
  const { file, roles } = deps;
  const isThere = file.read() !== undefined;
  if (!isThere) throw noTakeover(configDir, file);
  return locked(deps, async () => {
    const record = file.read();
    if (record === undefined) throw noTakeover(configDir, file);
    const daemons = record.daemons.filter(({ role }) => roles.includes(role));
    if (daemons.length === 0)
      throw new TakeoverError(
        `Of ${roles.map(programOf).join(', ')} none was taken over on ${configDir}; it is ${namesOf(record.daemons)}.`,
        { code: 'takeover-refused' },
      );
    if (!(await agreed(deps, `${namesOf(daemons)} of Brine ends, and Salt's starts again on ${configDir}.`)))
      return decline(deps);
    await jobsEnded(deps, daemons, "Brine's");
    const way = await new Transfer(record, deps).back(daemons);
    return tellBack(deps, daemons, way);
  });
}

function noTakeover(configDir: string, { path }: RecordFile): TakeoverError {
  return new TakeoverError(
    `Brine has not taken over from Salt on ${configDir} (there is no ${path}), so that there is no way back.`,
    { code: 'takeover-refused' },
  );
}

function surroundings(configDir: string, parsed: ParsedOptions, io: CommandIo): Surroundings {
  const programs = ownPrograms();
  const site = new Site(configDir, io.env);
  const place = { configDir, command: (name: string) => programs.command(name) };
  const processes = new ProcessManager(place, { table: systemProcesses, clock: systemClock });
  const units = new SystemdManager(place);
  const isText = parsed.text('format') === 'text';
  const links = parsed.text('links');
  return {
    ...{ site, programs, io, parsed },
    table: systemProcesses,
    clock: systemClock,
    random: systemRandom,
    file: new RecordFile(configDir),
    managerOf: ({ unit }): DaemonManager => (unit === undefined ? processes : units),
    say: (line) => void (isText ? io.stdout : io.stderr).write(`${line}\n`),
    timeoutMs: secondsOf(parsed) * 1000,
    signal: interruption(),
    roles: rolesOf(parsed.text('only')),
    // another folder of configuration is not this machine's own, whose commands people type
    linkFolder:
      links === 'none'
        ? undefined
        : links !== ''
          ? links
          : configDir === USUAL_CONFIG_DIR
            ? LINK_FOLDER
            : undefined,
  };
}

function secondsOf(parsed: ParsedOptions): number {
  const seconds = parsed.number('timeout') ?? 0;
  if (seconds < 1)
    throw new UsageError(`--timeout is a number of seconds from 1 on, and '${seconds}' is none.`);
  return seconds;
}

function rolesOf(text: string): Role[] {
  const names = text.split(',').map((name) => name.trim().replace(/^salt-/, ''));
  if (text === '') return [...ROLES];
  const wrong = names.find((name) => !ROLES.some((role) => role === name));
  if (wrong !== undefined)
    throw new UsageError(
      `--only names ${ROLES.join(', ')}, separated by commas; '${wrong}' is none of them.`,
    );
  return ROLES.filter((role) => names.includes(role));
}

/** Ctrl-C and SIGTERM have it go back; a terminal that goes away has it go on. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => controller.abort());
  process.on('SIGHUP', () => undefined);
  return controller.signal;
}

/**
 * Whoever reads may go away, as a terminal or a pipe does: nothing ends half-way because of that.
 * @returns whether somebody has gone
 */
function outliveReaders(): () => boolean {
  let isGone = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error');
    stream.on('error', () => {
      isGone = true;
    });
  }
  return () => isGone;
}

/** One at a time on a folder. */
async function locked(deps: Surroundings, work: () => Promise<number>): Promise<number> {
  const { file } = deps;
  const isReaderGone = outliveReaders();
  let code = 1;
  file.prepare();
  const other = takeLock(file.lock);
  if (other !== undefined)
    throw new TakeoverError(
      `Another brine takeover (process ${other}) is at work here: wait until it has ended.`,
      {
        code: 'takeover-refused',
      },
    );
  try {
    code = await work();
  } finally {
    dropLock(file.lock);
    file.tidy();
    // who waits until the last word is written would wait for ever
    if (isReaderGone()) process.exit(code);
  }
  return code;
}

/** What is to be taken over; undefined when all is already. */
async function planned(
  deps: Surroundings,
  before: TakeoverRecord | undefined,
): Promise<TakeoverRecord | undefined> {
  const recorded = before?.daemons ?? [];
  const open = ROLES.filter(
    (role) => deps.roles.includes(role) && !recorded.some((one) => one.role === role),
  );
  const found = await findDaemons(open, {
    ...deps,
    unitOf: async ({ pid, role }) => (isSystemdHere() ? unitOf(pid, role, systemctl) : undefined),
  });
  const resumed = before !== undefined && before.state !== 'taken';
  if (found.length === 0 && !resumed) {
    if (before !== undefined) return undefined;
    throw nothingFound(deps);
  }
  const hasMaster = found.some(({ role }) => role === 'master');
  const { answered } = hasMaster ? await answeringNow(deps) : { answered: before?.answered };
  return {
    state: 'taking',
    // what a way back was at begins anew
    daemons: [...recorded.map((one) => (resumed ? { ...one, isTaken: false } : one)), ...found],
    ...(answered === undefined ? {} : { answered }),
    steps: before?.steps ?? [],
  };
}

/** Who answers Salt's master. */
async function answeringNow(deps: Surroundings): Promise<{ readonly answered: readonly string[] }> {
  deps.say("Asking which minions answer Salt's master …");
  const { answered, fault } = await pingMinions(undefined, deps);
  if (fault !== undefined && !deps.parsed.flag('force'))
    throw new TakeoverError(
      `Salt's master does not take a ping, so that nobody could say afterwards whether Brine's does: ${fault}. Mend that, or say --force.`,
      { code: 'takeover-refused' },
    );
  return { answered: answered.sort() };
}

function nothingFound({ site, roles, table }: Surroundings): TakeoverError {
  const names = roles.map(programOf).join(', ');
  const own = daemonsOn(site.configDir, table).filter(({ maker }) => maker === 'brine');
  const hint =
    own.length > 0
      ? `Brine's ${own.map(({ role }) => programOf(role)).join(', ')} runs there already.`
      : 'Start Salt, so that what is taken over is known to work, or start Brine on the folder.';
  return new TakeoverError(
    `Of Salt's ${names} none runs on ${site.configDir}: nothing to take over. ${hint}`,
    {
      code: 'takeover-refused',
    },
  );
}

/** Everything that ends it before it begins. @returns the exit code; undefined when nothing does */
async function refused(deps: Surroundings, plan: TakeoverRecord): Promise<number | undefined> {
  const { site, parsed, io } = deps;
  const daemons = plan.daemons.filter(({ isTaken }) => !isTaken);
  const remarks = await checkSite({ configDir: site.configDir, insteadOf: '', env: io.env });
  const missing = remarks.filter(({ verdict }) => verdict === 'missing');
  if (missing.length > 0 && !parsed.flag('force')) {
    io.stderr.write(textReport(missing, false));
    throw new TakeoverError(
      `${missing.length} of what this site uses is missing in Brine: see to it, or take over all the same with --force.`,
      { code: 'takeover-refused' },
    );
  }
  const answered = plan.answered === undefined ? '' : ` ${plan.answered.length} minions answer the master.`;
  const question = `${namesOf(daemons)} of Salt ends, and Brine's takes its place on ${site.configDir}.${answered}`;
  if (!(await agreed(deps, question))) return decline(deps);
  await jobsEnded(deps, daemons, "Salt's");
  return undefined;
}

function namesOf(daemons: readonly Pick<RecordedDaemon, 'role'>[]): string {
  return daemons.map(({ role }) => programOf(role)).join(', ');
}

async function agreed({ parsed, io }: Surroundings, text: string): Promise<boolean> {
  if (parsed.flag('yes')) return true;
  if (io.stdin.isTTY !== true)
    throw new UsageError(
      'Nobody can be asked here: say --yes, which answers the question before anything is done.',
    );
  io.stderr.write(`${text}\n`);
  try {
    // the result alone goes to standard output
    return await confirm({ ...io, stdin: io.stdin, stdout: io.stderr }, false, onSigint);
  } catch (error) {
    if (error instanceof NoAnswerError) return false;
    throw error;
  }
}

function decline({ say }: Surroundings): number {
  say('Nothing was changed.');
  return 1;
}

/** Waits until a minion is at no job: what it runs would be lost with it. */
async function jobsEnded(
  deps: Surroundings,
  daemons: readonly RecordedDaemon[],
  whose: string,
): Promise<void> {
  const { site, clock, timeoutMs, parsed, signal } = deps;
  if (!daemons.some(({ role }) => role === 'minion')) return;
  const endMs = clock.monotonicMs() + timeoutMs;
  const cachedir = site.minion.get('cachedir');
  let isTold = false;
  for (let jobs = jobsUnderWay(cachedir); jobs.length > 0; jobs = jobsUnderWay(cachedir)) {
    const named = jobs.map(({ jid, fun }) => `${fun} (${jid})`).join(', ');
    if (!isTold) deps.say(`Waiting for jobs of ${whose} minion: ${named} …`);
    isTold = true;
    if (parsed.flag('force')) return;
    if (clock.monotonicMs() > endMs || signal.aborted)
      throw new TakeoverError(
        `${whose} minion is still at ${named}; nothing was changed. Wait, give more time with --timeout, or have them end with --force. ` +
          'A job of this minion cannot take it over: start it from a shell, or by "at".',
        { code: 'takeover-refused' },
      );
    await clock.sleep(LOOK_MS, signal);
  }
}

async function transfer(deps: Surroundings, plan: TakeoverRecord): Promise<number> {
  const { file, say, site } = deps;
  const daemons = plan.daemons.filter(({ isTaken }) => !isTaken);
  const keys = daemons.some(({ role }) => role === 'master') ? site.acceptedKeys() : undefined;
  try {
    await new Transfer(plan, deps).take();
    requireSameKeys(keys, site);
  } catch (error) {
    const reason = messageOf(error);
    say(`${reason}\nGoing back to Salt.`);
    const record = file.read() ?? plan;
    // whoever interrupted it, or had little time, is given Salt back all the same
    const patience = {
      timeoutMs: Math.max(deps.timeoutMs, BACK_MIN_MS),
      signal: new AbortController().signal,
    };
    const way = await new Transfer(record, { ...deps, ...patience }).back(
      record.daemons.filter(({ role }) => daemons.some((one) => one.role === role)),
    );
    return tellFailed(deps, reason, way);
  }
  return tellTaken(deps, daemons, plan.answered);
}

/** A key that was accepted is so still, and is the same. @throws TakeoverError */
function requireSameKeys(before: ReadonlyMap<string, string> | undefined, site: Site): void {
  if (before === undefined) return;
  const now = site.acceptedKeys();
  const lost = [...before].filter(([id, digest]) => now.get(id) !== digest).map(([id]) => id);
  if (lost.length > 0)
    throw new TakeoverError(`Accepted keys are not as they were: ${lost.slice(0, 10).join(', ')}.`);
}

function tellTaken(
  deps: Surroundings,
  daemons: readonly RecordedDaemon[],
  answered: readonly string[] | undefined,
): number {
  const { roles, linkFolder, programs, site } = deps;
  const minions = daemons.some(({ role }) => role === 'master') ? (answered?.length ?? 0) : undefined;
  const { taken } = planLinks(
    roles.filter((role) => daemons.some((one) => one.role === role)),
    linkFolder,
    programs,
  );
  const held = daemons.filter(({ isInBackground, unit }) => !isInBackground && unit === undefined);
  const notes = [
    ...taken.map(({ path, target }) => `${path} is not Brine's and stays: Brine's program is ${target}.`),
    ...held.map(
      ({ role }) =>
        `${programOf(role)} ran in the foreground: what started it there starts Salt's the next time, so change it.`,
    ),
  ];
  finish(deps, { result: 'taken over', daemons, minions, notes }, [
    `Brine has taken over ${namesOf(daemons)} on ${site.configDir}.${minions === undefined ? '' : ` All ${minions} minions that answered Salt's master answer Brine's.`}`,
    ...notes,
    'brine takeover --back is the way back; Salt stays installed.',
  ]);
  return 0;
}

function tellDone(deps: Surroundings, before: TakeoverRecord | undefined): number {
  const daemons = before?.daemons ?? [];
  const own = daemonsOn(deps.site.configDir, deps.table).filter(({ maker }) => maker === 'brine');
  const away = daemons.filter(({ role }) => !own.some((one) => one.role === role));
  if (away.length > 0)
    throw new TakeoverError(
      `Brine has taken over ${namesOf(daemons)}, and ${namesOf(away)} does not run: start it, or go back with brine takeover --back.`,
    );
  finish(deps, { result: 'nothing to do', daemons }, [
    `Brine has taken over ${namesOf(daemons)} on ${deps.site.configDir} already: nothing was changed.`,
  ]);
  return 0;
}

function tellFailed(deps: Surroundings, reason: string, way: WayBack): number {
  const { daemons, exported, faults } = { daemons: [], ...way };
  const again =
    faults.length === 0
      ? "Salt's daemons run again as before; Brine did not take over."
      : 'The way back is not at its end either: see to it, and call brine takeover --back.';
  finish(deps, { result: 'went back', daemons, reason, faults, ...exportedFields(exported) }, [
    ...faults,
    again,
  ]);
  return 1;
}

function tellBack(deps: Surroundings, daemons: readonly RecordedDaemon[], way: WayBack): number {
  const { exported, faults } = way;
  const isMinion = daemons.some(({ role }) => role === 'minion');
  const waiting = isMinion ? deps.site.returnsWaiting() : 0;
  const notes = [
    ...(exported === undefined
      ? []
      : [
          `${exported.jobs} jobs that ran under Brine, and ${exported.returns} returns, were written for Salt.`,
        ]),
    ...(waiting === 0
      ? []
      : [
          `${waiting} returns that no master has taken stay in ${deps.site.minion.get('cachedir')}/returns; Salt does not send them.`,
        ]),
  ];
  const end =
    faults.length === 0
      ? `Salt runs ${namesOf(daemons)} on ${deps.site.configDir} again.`
      : 'The way back is not at its end: see to it, and call brine takeover --back again.';
  finish(deps, { result: 'back', daemons, faults, notes, ...exportedFields(exported) }, [
    ...notes,
    ...faults,
    end,
  ]);
  return faults.length === 0 ? 0 : 1;
}

function exportedFields(exported: WayBack['exported']): Partial<Outcome> {
  return exported === undefined ? {} : { exported };
}

/** What became of it, for programs; the form is stable. */
interface Outcome {
  readonly result: 'taken over' | 'went back' | 'back' | 'nothing to do';
  readonly daemons: readonly RecordedDaemon[];
  /** How many minions answer that did before. */
  readonly minions?: number | undefined;
  readonly reason?: string;
  readonly exported?: NonNullable<WayBack['exported']>;
  readonly faults?: readonly string[];
  readonly notes?: readonly string[];
}

function finish({ parsed, io, say }: Surroundings, outcome: Outcome, lines: readonly string[]): void {
  if (parsed.text('format') === 'text') return lines.forEach(say);
  const daemons = outcome.daemons.map(({ role, unit }) => ({
    role,
    ...(unit === undefined ? {} : { unit }),
  }));
  io.stdout.write(`${JSON.stringify({ version: 1, ...outcome, daemons }, null, 2)}\n`);
}
