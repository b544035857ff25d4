/**
 * Records what a real Salt does in the cases of `queue.*` and `sdb.*`: `node scripts/run-ts.mjs
 * test/compare/record-queue-sdb.ts [SCENARIO…]`; `test/unit/plugins/runners/queue-sdb.test.ts` replays it.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { realSalt, runProgram } from '../support/fleet.ts';
import {
  neutral,
  prepareQueueSdb,
  QUEUE_SDB_FIXTURE,
  queueSdbCases,
  startQueueSdbServer,
  type QueueSdbRecorded,
} from '../support/queue-sdb-place.ts';

const wanted = new Set(process.argv.slice(2));
const salt = realSalt('3006');
if (salt === undefined) throw new Error('No real Salt 3006 is found; BRINE_REAL_SALT names its folder.');
const ends: (() => unknown)[] = [];
const context = { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext;
const before = existsSync(QUEUE_SDB_FIXTURE)
  ? (JSON.parse(readFileSync(QUEUE_SDB_FIXTURE, 'utf8')) as QueueSdbRecorded[])
  : [];
const all: QueueSdbRecorded[] = [];
for (const [scenario, calls] of queueSdbCases()) {
  if (wanted.size > 0 && !wanted.has(scenario)) {
    all.push(...before.filter((one) => one.scenario === scenario));
    continue;
  }
  const { port } = await startQueueSdbServer(context);
  const folder = mkdtempSync(join(tmpdir(), 'queue-sdb-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  prepareQueueSdb(folder, port);
  for (const { program, argv } of calls) {
    const { code, stdout } = await runProgram(
      join(salt.folder, program),
      ['-c', folder, '-l', 'quiet', ...argv],
      {
        env: { ...process.env, QUEUE_SDB_WORD: 'from the environment' },
      },
    );
    all.push({ scenario, program, argv, code, stdout: neutral(stdout, folder, port) });
    process.stdout.write(`${scenario} ${code} ${argv.join(' ')}\n`);
  }
}
writeFileSync(QUEUE_SDB_FIXTURE, `${JSON.stringify(all, null, 1)}\n`);
for (const end of ends.reverse()) await end();
