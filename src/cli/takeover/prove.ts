/** Whether daemons answer, Brine's in the place of Salt's and Salt's again. */
import type { Clock } from '../../host/clock.ts';
import type { ProcessTable } from '../../host/running-processes.ts';
import type { Random } from '../../host/random.ts';
import { tcpSocketsOf } from '../../host/tcp-sockets.ts';
import { askMinion } from './ask-minion.ts';
import { programOf } from './daemon-manager.ts';
import { daemonsOn, type Maker, type RunningDaemon } from './daemons-here.ts';
import { runOwn, type Programs } from './programs.ts';
import type { RecordedDaemon } from './record.ts';
import type { Site } from './site.ts';

/** What seeing to daemons needs. */
export interface ProofDeps {
  readonly site: Site;
  readonly programs: Programs;
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly random: Random;
  /** When aborted, nothing is waited for any more. */
  readonly signal: AbortSignal;
}

/** A daemon that lives so long after its start did not end at once. */
const SETTLED_MS = 3_000;
const LOOK_MS = 500;
/** Minions that are asked at a time: what a command line can hold. */
const ASKED_MAX = 500;
const PING_S = 5;
/** A ping of many minions, with the question who is still at work. */
const PING_MAX_MS = 180_000;
const NAMED_MAX = 10;

/** What is expected. */
export interface Expected {
  readonly maker: Maker;
  readonly daemons: readonly RecordedDaemon[];
  /** Minions that must answer the master. */
  readonly answered: readonly string[];
  readonly timeoutMs: number;
}

/** Waits until all answer. @returns undefined when they do, else the reason why not, a sentence */
export async function prove(expected: Expected, deps: ProofDeps): Promise<string | undefined> {
  const beganMs = deps.clock.monotonicMs();
  for (const daemon of expected.daemons) {
    const why = await waitFor(daemon, expected, beganMs, deps);
    if (why !== undefined) return why;
  }
  return undefined;
}

async function waitFor(
  daemon: RecordedDaemon,
  { maker, answered, timeoutMs }: Expected,
  beganMs: number,
  deps: ProofDeps,
): Promise<string | undefined> {
  const { clock, signal } = deps;
  const name = `${maker === 'salt' ? "Salt's" : "Brine's"} ${programOf(daemon.role)}`;
  const missing = new Set(daemon.role === 'master' ? answered : []);
  for (;;) {
    const running = daemonsOn(deps.site.configDir, deps.table).filter(({ role }) => role === daemon.role);
    const own = running.find((one) => one.maker === maker);
    const other = running.find((one) => one.maker !== maker);
    if (other !== undefined)
      return `${maker === 'salt' ? "Brine's" : "Salt's"} ${programOf(daemon.role)} runs again (process ${other.pid}): something else starts it, which has to be told.`;
    const hasSettled = clock.monotonicMs() - beganMs >= SETTLED_MS;
    if (own === undefined && hasSettled) return `${name} has ended; its log says why.`;
    const why = own === undefined ? 'it does not run' : await lacks(daemon, own, missing, deps);
    if (why === undefined && hasSettled) return undefined;
    if (signal.aborted) return 'It was interrupted.';
    if (clock.monotonicMs() - beganMs > timeoutMs && why !== undefined)
      return `${name} does not do its work after ${Math.round(timeoutMs / 1000)} s: ${why}.`;
    await clock.sleep(LOOK_MS, signal);
  }
}

/** What a daemon does not do yet; undefined when it does all. @param missing minions of a master; who answers goes */
async function lacks(
  daemon: RecordedDaemon,
  running: RunningDaemon,
  missing: Set<string>,
  deps: ProofDeps,
): Promise<string | undefined> {
  const { listening } = tcpSocketsOf(running.pids);
  const closed = daemon.ports.filter((port) => !listening.includes(port));
  if (closed.length > 0) return `nobody listens on port ${closed.join(', ')}`;
  if (daemon.role === 'master') return masterLacks(missing, deps);
  if (daemon.role === 'minion' && running.maker === 'brine')
    return askMinion(deps.site.minion, daemon.hadSession, deps);
  if (daemon.hadSession && !(await deps.site.hasSession(running))) return 'no master has let it in';
  return undefined;
}

async function masterLacks(missing: Set<string>, deps: ProofDeps): Promise<string | undefined> {
  const asked = missing.size === 0 ? undefined : [...missing].slice(0, ASKED_MAX);
  const { answered, fault } = await pingMinions(asked, deps);
  for (const id of answered) missing.delete(id);
  if (fault !== undefined) return `it refuses a ping: ${fault}`;
  if (missing.size === 0) return undefined;
  const named = [...missing].slice(0, NAMED_MAX).join(', ');
  const more = missing.size > NAMED_MAX ? ` and ${missing.size - NAMED_MAX} more` : '';
  return `${named}${more} answered before and ${missing.size === 1 ? 'does' : 'do'} not now`;
}

/** Pings minions through the master on this machine, Salt's or Brine's. @param ids undefined for all */
export async function pingMinions(
  ids: readonly string[] | undefined,
  { site, programs }: Pick<ProofDeps, 'site' | 'programs'>,
): Promise<{ readonly answered: string[]; readonly fault?: string }> {
  const target = ids === undefined ? ['*'] : ['-L', ids.join(',')];
  const { code, stdout, stderr } = await runOwn(
    programs,
    ['salt', '--out', 'json', '--static', '-t', String(PING_S), ...target, 'test.ping'],
    { configDir: site.configDir, timeoutMs: PING_MAX_MS },
  );
  // 1 and 3: some failed or are silent, 2: there are none
  if (![0, 1, 2, 3].includes(code)) return { answered: [], fault: lastLine(stderr) || `exit code ${code}` };
  return { answered: repliesIn(stdout) };
}

function repliesIn(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    const pairs = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return pairs.filter(([, reply]) => reply === true).map(([id]) => id);
  } catch {
    return []; // nobody answered
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.replace(/\.$/, '') ?? '';
}
