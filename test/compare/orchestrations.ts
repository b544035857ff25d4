/**
 * Orchestrations on the built programs beside what a real Salt 3006.16 printed for them (`test/fixtures/orchestration/runs.json`): text of
 * the output, JSON and exit codes. Needs no real Salt. `node scripts/run-ts.mjs test/compare/orchestrations.ts [NAME]`
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Fleet } from '../support/fleet.ts';

/** One command, and what the real Salt made of it. */
interface RecordedRun {
  readonly name: string;
  readonly args: readonly string[];
  readonly code: number;
  readonly stdout: string;
  /** Why ours is different. */
  readonly differs?: string;
}

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const { files, cases } = JSON.parse(
  readFileSync(join(ROOT, 'test/fixtures/orchestration/runs.json'), 'utf8'),
) as { readonly files: Readonly<Record<string, string>>; readonly cases: readonly RecordedRun[] };

/** What differs from run to run, made alike. The recordings are of this form. */
function neutral(text: string): string {
  return text
    .replace(/\d\d:\d\d:\d\d\.\d{6}/g, 'TIME')
    .replace(/(Duration|Total run time):\s+[\d.]+ (ms|s)/g, '$1: N')
    .replace(/("?duration"?: )[\d.]+/g, '$1 N')
    .replace(/\b20\d{18}\b/g, 'JID')
    .replace(/seen in [\d.e-]+ s/g, 'seen in N s')
    .replace(/('duration': )[\d.]+/g, '$1N')
    .replaceAll(`${hostname()}_master`, 'HOST_master');
}

/** The lines of an output in an order of their own: minions return in any order. */
function linesOf(text: string): string {
  const lines = text.replaceAll('min-b, min-a', 'min-a, min-b').split('\n');
  return lines
    .map((line) => line.trim())
    .sort()
    .join('\n');
}

test('orchestrations - print what a real Salt prints', async (t) => {
  const wanted = process.argv[2];
  const fleet = await Fleet.create(t);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(fleet.path(path)), { recursive: true });
    writeFileSync(fleet.path(path), text);
  }
  fleet.configureMaster([
    'auto_accept: True',
    'gather_job_timeout: 3',
    `file_roots: {base: [${fleet.path('srv')}], dev: [${fleet.path('srvdev')}]}`,
    `pillar_roots: {base: [${fleet.path('pillar')}]}`,
  ]);
  await fleet.startMaster();
  await Promise.all(['min-a', 'min-b', 'min-c'].map((id) => fleet.joinMinion(id)));
  const unexplained: string[] = [];
  const alike: string[] = [];
  for (const { name, args, code, stdout, differs } of cases) {
    if (wanted !== undefined && name !== wanted) continue;
    const own = await fleet.run('salt-run', ['--no-color', ...args]);
    const isSame = own.code === code && linesOf(neutral(own.stdout)) === linesOf(stdout);
    if (isSame) alike.push(name);
    else if (differs === undefined)
      unexplained.push(`${name} (${own.code}, not ${code}):\n${own.stdout}\n--- Salt:\n${stdout}`);
  }
  t.diagnostic(`${alike.length} of ${cases.length} alike`);
  if (unexplained.length > 0) throw new Error(unexplained.join('\n\n'));
});
