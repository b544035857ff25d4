/**
 * Records what the reactor of a real Salt sends, calls and logs in the cases of `test/compare/reactor/cases.yaml`:
 * `node scripts/run-ts.mjs test/compare/record-reactor.ts`; `test/unit/programs/reactor/recorded.test.ts` replays it.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realSalt, runProgram } from '../support/fleet.ts';
import {
  reactorCases,
  reactorConfiguration,
  REACTOR_FIXTURE,
  REACTOR_FOLDER,
  withFolder,
  type ReactorDeed,
} from '../support/reactor-cases.ts';

const salt = realSalt('3006');
if (salt === undefined) throw new Error('No real Salt 3006 is found; BRINE_REAL_SALT names its folder.');
const cases = reactorCases();
const folder = mkdtempSync(join(tmpdir(), 'reactor-'));
try {
  for (const name of ['srv', 'run', 'cache', 'pki']) mkdirSync(join(folder, name));
  // the real client looks whether a master is there before it sends
  writeFileSync(join(folder, 'run', 'publish_pull.ipc'), '');
  for (const name of ['master', 'minion']) writeFileSync(join(folder, name), reactorConfiguration(folder));
  const placed = withFolder(cases, 'DIR', folder).map((one) => withFolder(one, '"ID"', '"the_id"'));
  writeFileSync(join(folder, 'cases.json'), JSON.stringify(placed));
  const launcher = readFileSync(join(salt.folder, 'salt-run'), 'utf8');
  const [, path = ''] = /PYTHONPATH=(\S+)/.exec(launcher) ?? [];
  const { code, stdout, stderr } = await runProgram(
    '/usr/bin/python3',
    [join(REACTOR_FOLDER, 'driver.py'), folder],
    { env: { ...process.env, PYTHONPATH: path, PYTHONWARNINGS: 'ignore' } },
  );
  const lines = readFileSync(join(folder, 'outcomes.json'), 'utf8').split('\n').filter(Boolean);
  if (lines.length < cases.length)
    throw new Error(
      `Salt ended with ${code} in the case "${cases[lines.length]?.name}":\n${stdout}${stderr}`,
    );
  const recorded = lines.map((line, at) => ({
    name: cases[at]?.name,
    did: withFolder(JSON.parse(line) as ReactorDeed[], folder, 'DIR'),
  }));
  writeFileSync(REACTOR_FIXTURE, `${JSON.stringify(recorded, null, 1)}\n`);
  process.stdout.write(`${recorded.length} cases\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
