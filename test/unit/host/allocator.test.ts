import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dropAllocatorSettings, withAllocatorSettings } from '../../../src/host/allocator.ts';

const BIN = join(process.env['BRINE_ROOT'] ?? '', 'bin');

test('allocator - our processes get its settings, and the programs that they start do not', () => {
  const env = withAllocatorSettings({ PATH: '/bin' });
  assert.deepEqual(Object.keys(env).sort(), ['MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_', 'PATH']);
  dropAllocatorSettings(env);
  assert.deepEqual(env, { PATH: '/bin' });
});

test('allocator - what the user has set counts, and is handed on', () => {
  const env = withAllocatorSettings({ MALLOC_ARENA_MAX: '4' });
  assert.equal(env['MALLOC_ARENA_MAX'], '4');
  dropAllocatorSettings(env);
  assert.deepEqual(env, { MALLOC_ARENA_MAX: '4' });
});

test('allocator - daemons that a user starts have the same settings, by whichever way they are started', () => {
  const settings = withAllocatorSettings({});
  for (const name of ['salt-master', 'salt-minion', 'salt-syndic', 'salt-api']) {
    const text = readFileSync(join(BIN, name), 'utf8');
    for (const [variable, value] of Object.entries(settings))
      assert.ok(text.includes(`${variable}=\${${variable}-${value}} `), `${name}: ${variable}`);
    for (const argv of [
      [join(BIN, name)],
      ['/bin/sh', join(BIN, name)],
      [process.execPath, join(BIN, name)],
    ]) {
      const [program = '', ...args] = [...argv, '--version'];
      const { stdout, status } = spawnSync(program, args, { encoding: 'utf8' });
      assert.equal(status, 0);
      assert.match(stdout, new RegExp(`^${name} \\d`));
    }
  }
});
