import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { answerOf } from '../../../support/call-answers.ts';
import type { CallAnswer } from '../../../support/module-calls.ts';
import { fakeContext } from '../../../support/module-context.ts';

const MAP = '/../mnt/a -fstype=nfs,ro nfs:/a\n/../mnt/b -fstype=nfs,ro nfs:/b\n';

interface Machine {
  remove(name: string, device: string): Promise<CallAnswer>;
  read(file: string): string;
}

/** A map, and a PATH that holds nothing, or only a program `automount` that notes its arguments. */
function machine(t: TestContext, hasAutomounter: boolean): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'brine-mount-'));
  const path = process.env['PATH'];
  t.after(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true });
  });
  process.env['PATH'] = folder;
  const map = join(folder, 'map');
  writeFileSync(map, MAP);
  if (hasAutomounter)
    writeFileSync(join(folder, 'automount'), `#!/bin/sh\necho "$*" >> '${folder}/told'\n`, { mode: 0o755 });
  const ctx = fakeContext({ clock: systemClock, random: systemRandom });
  return {
    remove: (name, device) => answerOf('mount.rm_automaster', ctx, [name, device, `config=${map}`]),
    read: (file) => readFileSync(join(folder, file), 'utf8'),
  };
}

test('mount.rm_automaster - takes the entry out of the map and tells the automounter', async (t) => {
  const { remove, read } = machine(t, true);
  assert.deepEqual(await remove('/mnt/a', '/a'), { value: true });
  assert.equal(read('map'), '/../mnt/b -fstype=nfs,ro nfs:/b\n');
  assert.equal(read('told'), '-cv\n');
});

test('mount.rm_automaster - leaves the entry of another device, and takes it out when no device is named', async (t) => {
  const { remove, read } = machine(t, true);
  assert.deepEqual(await remove('/mnt/a', '/b'), { value: true });
  assert.equal(read('map'), MAP);
  assert.deepEqual(await remove('/mnt/a', 'None'), { value: true });
  assert.equal(read('map'), '/../mnt/b -fstype=nfs,ro nfs:/b\n');
});

test('mount.rm_automaster - says that there is no automounter after the entry is gone', async (t) => {
  const { remove, read } = machine(t, false);
  const answer = await remove('/mnt/a', '/a');
  assert.match(
    'error' in answer ? answer.error : '',
    /^\[Errno 2\] No such file or directory: 'automount': /,
  );
  assert.equal(read('map'), '/../mnt/b -fstype=nfs,ro nfs:/b\n');
});
