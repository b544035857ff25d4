/** What Python says of itself is kept, so that not every start of a program starts a Python. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import type { GrainsContext } from '../../../../src/plugins/grains/core/context.ts';
import { keptAnswer } from '../../../../src/plugins/grains/core/python-answer.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { silentLogger } from '../../../../src/host/log.ts';

test('python grains - a Python is asked again when its file has changed, after a day, and where nothing can be kept', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-python-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'python3');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  let [nowMs, asked] = [1_800_000_000_000, 0];
  const clock = { ...systemClock, nowMs: () => nowMs };
  const answer = (cachedir: string): Promise<string | undefined> =>
    keptAnswer(
      { opts: dict({ cachedir }), clock, log: silentLogger } as unknown as GrainsContext,
      program,
      () => Promise.resolve(`answer ${++asked}`),
    );
  assert.equal(await answer(folder), 'answer 1');
  assert.equal(await answer(folder), 'answer 1');
  utimesSync(program, 1, 1);
  assert.equal(await answer(folder), 'answer 2', 'its file has changed');
  nowMs += 86_400_000;
  assert.equal(await answer(folder), 'answer 3', 'a day has passed');
  writeFileSync(join(folder, 'python_grains.json'), '{"file": ');
  assert.equal(await answer(folder), 'answer 4', 'what is kept is not whole');
  assert.equal(await answer(join(folder, 'nowhere')), 'answer 5', 'nothing can be kept');
  assert.equal(await answer(''), 'answer 6');
  rmSync(program);
  assert.equal(await answer(folder), 'answer 7', 'there is no file: whoever asks finds that out');
  assert.ok(existsSync(join(folder, 'python_grains.json')));
});
