/** Asking the terminal, the exit codes, the job cache and JSON for the same outcome. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import type { OutcomeKind } from '../../src/storage/jobs/ledger.ts';
import { openSqlite } from '../../src/storage/jobs/sqlite.ts';
import { systemClock } from '../../src/host/clock.ts';
import type { Finished, Fleet } from './fleet.ts';

const WAIT_MS = 30_000;

/** One command, run as an operator and as a program would. */
export interface BothWays {
  readonly plain: Finished;
  /** With `--exit-codes=strict --out=json`. */
  readonly strict: Finished;
  /** What the second printed, by minion. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The job of the first. */
  readonly jid: string;
}

/** Runs `salt` both ways at the same time, and checks what the job cache has of both jobs. */
export async function bothWays(
  fleet: Fleet,
  args: readonly string[],
  id: string,
  kind: OutcomeKind,
): Promise<BothWays> {
  const [plain, strict] = await Promise.all([
    fleet.salt(['--show-jid', '--exit-codes=salt', ...args]),
    fleet.salt(['--show-jid', '--exit-codes=strict', '--out=json', '--out-indent=-1', ...args]),
  ]);
  const json: Record<string, unknown> = {};
  for (const line of strict.stdout.split('\n').filter((text) => text.startsWith('{')))
    Object.assign(json, JSON.parse(line));
  const [jid = '', other = ''] = [plain, strict].map(({ stdout }) => /^jid: (\d+)$/m.exec(stdout)?.[1]);
  // each of the runner's ways is asked for one of the jobs: they must tell the same
  const [first, second] = await Promise.all([
    fleet.run('salt-run', ['--out=json', 'jobs.outcomes', jid]),
    fleet.run('salt-run', ['--out=json', 'jobs.list_job', other, 'outcomes=True']),
  ]);
  const told = [JSON.parse(first.stdout), (JSON.parse(second.stdout) as { Outcomes: unknown }).Outcomes];
  for (const { [id]: found } of told as Outcomes[]) {
    assert.equal(found?.['outcome'], kind, `${plain.stdout}${plain.stderr}`);
    assert.match(String(found?.['published']), /^\d{4}-\d\d-\d\dT/);
  }
  return { plain, strict, json, jid };
}

type Outcomes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Asks the job cache until it tells this outcome. */
export async function cachedOutcome(
  fleet: Fleet,
  jid: string,
  id: string,
  kind: OutcomeKind,
): Promise<Readonly<Record<string, unknown>>> {
  const untilMs = systemClock.monotonicMs() + WAIT_MS;
  for (;;) {
    const { stdout } = await fleet.run('salt-run', ['--out=json', 'jobs.outcomes', jid]);
    const found = (JSON.parse(stdout) as Outcomes)[id];
    if (found?.['outcome'] === kind) return found;
    if (systemClock.monotonicMs() > untilMs) assert.equal(found?.['outcome'], kind);
  }
}

/** How many receipts the master has written down. */
export function receipts(fleet: Fleet): number {
  const folder = fleet.path('m', 'cache', 'job_cache');
  if (!existsSync(folder)) return 0;
  let count = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.sqlite'))) {
    const db = openSqlite(`${folder}/${name}`, true);
    const row = db.prepare('SELECT count(*) AS n FROM ledger WHERE received IS NOT NULL').get();
    count += Number((row as { n: number }).n);
    db.close();
  }
  return count;
}
