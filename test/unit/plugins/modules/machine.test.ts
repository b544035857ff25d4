/**
 * Calls that a real Salt 3006.16 made on the machine of `test/fixtures/machine` (`test/compare/record-machine.ts`),
 * made again on ours.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runSetup } from '../../../support/bash-script.ts';
import { OwnMachine, outcomeText } from '../../../support/machine-calls.ts';
import {
  RECORDS,
  recordedGrains,
  recordedScenes,
  recordedTables,
  sceneOf,
  type RecordedScene,
} from '../../../support/machine-records.ts';
import { MachineView } from '../../../support/machine-view.ts';
import { readMachine } from '../../../support/machine.ts';

/** Owners of files are part of the answers, and other users cannot set them. */
const skip = process.getuid?.() === 0 ? false : 'only root may do this';
const LARGEST_FILE_BYTES = 512 * 1024;
const LARGEST_SUM_BYTES = 4 * 1024 * 1024;

/** One machine for all tables: every scene finds it as it was. */
let shared: OwnMachine | undefined;

function machineOfAll(): OwnMachine {
  return (shared ??= new OwnMachine());
}

after(() => shared?.remove());

/** Plays a scene. @returns a text for each call that does not end as it was recorded */
async function replay(machine: OwnMachine, recorded: RecordedScene): Promise<string[]> {
  const scene = sceneOf(recorded);
  const outcomes = await machine.play(scene, recordedGrains(), (env) => runSetup(scene, env));
  return recorded.calls.flatMap(([call, salt, ours], i) => {
    const outcome = outcomes[i];
    assert.ok(outcome);
    const text = outcomeText(outcome, scene, machine.places);
    // where we differ from Salt, to answer as Salt does is no fault
    const isExpected = text === salt || text === ours;
    return isExpected ? [] : [`${JSON.stringify(call)}\n  gives ${text}\n  and not ${ours ?? salt}`];
  });
}

for (const table of recordedTables())
  for (const recorded of recordedScenes(table))
    test(`modules on a machine - ${table}, ${recorded.scene}: as with Salt 3006.16`, { skip }, async () => {
      assert.equal((await replay(machineOfAll(), recorded)).join('\n'), '');
    });

test('modules on a machine - the recordings stay small', () => {
  const folder = join(RECORDS, 'calls');
  const sizes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size] as const);
  assert.deepEqual(
    sizes.filter(([, size]) => size > LARGEST_FILE_BYTES),
    [],
  );
  const sum = sizes.reduce((total, [, size]) => total + size, 0);
  assert.ok(sum <= LARGEST_SUM_BYTES, `${sum} bytes`);
});

test('modules on a machine - while a machine is seen, nothing of the host is written', { skip }, async () => {
  const calls = ['file.write /etc/brine-was-here x', 'file.symlink /etc /srv/brine-link'];
  const [written, linked] = await machineOfAll().play({ scene: 'writing', calls }, recordedGrains());
  assert.equal(written?.changes[0]?.[0], '/etc/brine-was-here');
  assert.equal(linked?.changes[0]?.[0], '/srv/brine-link');
  assert.equal(existsSync('/etc/brine-was-here'), false);
  assert.equal(existsSync('/srv/brine-link'), false);
});

test('modules on a machine - a closed view leaves the process as it was', async () => {
  const { base, environment } = readMachine();
  const before = { ...process.env };
  const folder = mkdtempSync(join(tmpdir(), 'brine-view-'));
  after(() => rmSync(folder, { recursive: true }));
  const view = new MachineView({
    root: join(folder, 'root'),
    folder: tmpdir(),
    base,
    scripts: [],
    environment,
  });
  await assert.rejects(
    view.within(() => {
      assert.equal(existsSync('/etc/passwd'), false);
      return Promise.reject(new Error('thrown within'));
    }),
    /thrown within/,
  );
  assert.equal(existsSync('/etc/passwd'), true);
  assert.deepEqual({ ...process.env }, before);
});
