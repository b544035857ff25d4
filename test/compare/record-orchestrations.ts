/**
 * Records what `salt-run` of a real Salt 3006 prints for the orchestrations of
 * `test/compare/orchestrations/cases.yaml`: `node scripts/run-ts.mjs test/compare/record-orchestrations.ts [--new |
 * NAME…]`; `orchestrations.ts` runs them on the built programs.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Fleet, realSalt } from '../support/fleet.ts';
import {
  neutralOutput,
  ODD_ORCHESTRATIONS,
  oddOrchestrations,
  prepareOrchestrations,
  type RecordedOrchestration,
} from '../support/orchestration-cases.ts';

const [first, ...others] = process.argv.slice(2);
const wanted = new Set(first === undefined || first === '--new' ? [] : [first, ...others]);
const SECONDS_MAX = 60;

test('orchestrations - a real Salt is recorded', async (t) => {
  const salt = realSalt('3006');
  if (salt === undefined) throw new Error('No real Salt 3006 is found; BRINE_REAL_SALT names its folder.');
  const before = new Map(
    (existsSync(ODD_ORCHESTRATIONS)
      ? (JSON.parse(readFileSync(ODD_ORCHESTRATIONS, 'utf8')) as RecordedOrchestration[])
      : []
    ).map((one) => [one.name, one]),
  );
  const fleet = await Fleet.create(t);
  prepareOrchestrations(fleet);
  await fleet.startMaster(salt);
  const options = ['grains: {}'];
  await Promise.all(['min-a', 'min-b', 'min-c'].map((id) => fleet.joinMinion(id, options, salt)));
  const recorded: RecordedOrchestration[] = [];
  for (const { name, args } of oddOrchestrations().cases) {
    const known = before.get(name);
    if (known !== undefined && (first === '--new' || (wanted.size > 0 && !wanted.has(name)))) {
      recorded.push({ ...known, args });
      continue;
    }
    const daemon = fleet.start(
      'timeout',
      [
        '-k',
        '1',
        String(SECONDS_MAX),
        `${salt.folder}/salt-run`,
        '-c',
        fleet.masterDir,
        '--no-color',
        '-l',
        'quiet',
        ...args,
      ],
      { name: 'timeout', folder: '/usr/bin' },
    );
    let stdout = '';
    daemon.child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    const ended = new Promise<void>((resolve) => daemon.child.on('close', () => resolve()));
    const code = (await daemon.exited) ?? 124;
    await ended;
    recorded.push({
      name,
      args,
      code: code >= 124 ? 'timeout' : code,
      stdout: neutralOutput(stdout, fleet.folder),
    });
    process.stdout.write(`${code} ${name}\n`);
    writeFileSync(ODD_ORCHESTRATIONS, `${JSON.stringify(recorded, null, 1)}\n`);
  }
  writeFileSync(ODD_ORCHESTRATIONS, `${JSON.stringify(recorded, null, 1)}\n`);
});
