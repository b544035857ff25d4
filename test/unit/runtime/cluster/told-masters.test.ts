import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Clock } from '../../../../src/host/clock.ts';
import { keepToldMasters, ToldMasters } from '../../../../src/runtime/cluster/told-masters.ts';

function stage(t: TestContext, own: string | undefined) {
  const cachedir = mkdtempSync(join(tmpdir(), 'bt-'));
  t.after(() => rmSync(cachedir, { recursive: true, force: true }));
  let nowMs = 0;
  let look = (): void => undefined;
  const clock = {
    monotonicMs: () => nowMs,
    every: (_ms: number, run: () => void) => {
      look = run;
      return { cancel: () => undefined };
    },
  } as unknown as Clock;
  const heard: string[] = [];
  let [isThere, isDraining] = [true, false];
  const members = { addresses: () => heard };
  const link = {
    get isThere() {
      return isThere;
    },
  };
  return {
    cachedir,
    heard,
    start: () => keepToldMasters({ cachedir, link, members, own, isDraining: () => isDraining, clock }),
    after: (ms: number) => {
      nowMs += ms;
      look();
    },
    cut: () => (isThere = false),
    drain: () => (isDraining = true),
    told: () => [...new ToldMasters(cachedir, clock).list],
  };
}

test('told masters - a new member tells of itself from the first log-in on, and of each other one as it hears it', (t) => {
  const { start, told, heard, after } = stage(t, 'b:4506');
  start();
  assert.deepEqual(told(), ['b:4506']);
  heard.push('a:4506');
  after(1_000);
  assert.deepEqual(told(), ['a:4506', 'b:4506']);
});

test('told masters - one that starts again leaves out nobody before the others could be heard', (t) => {
  const { cachedir, start, told, after, cut } = stage(t, 'b:4506');
  start();
  writeFileSync(join(cachedir, 'cluster', 'masters.json'), '["a:4506", "b:4506"]');
  start();
  after(3_000);
  assert.deepEqual(told(), ['a:4506', 'b:4506']);
  after(1_000);
  assert.deepEqual(told(), ['b:4506']);
  cut();
  writeFileSync(join(cachedir, 'cluster', 'masters.json'), '["a:4506", "b:4506"]');
  after(60_000);
  assert.deepEqual(told(), ['a:4506', 'b:4506'], 'while it is cut off nothing is decided');
});

test('told masters - one that gives its minions away names the others, also soon after its start', (t) => {
  const { start, told, heard, after, drain } = stage(t, 'b:4506');
  heard.push('a:4506');
  start();
  drain();
  after(1_000);
  assert.deepEqual(told(), ['a:4506']);
});

test('told masters - what the file holds that is no list is written anew', (t) => {
  const { cachedir, start, told } = stage(t, 'b:4506');
  start();
  for (const bad of ['{', '{"a": 1}', '[1, null]']) {
    writeFileSync(join(cachedir, 'cluster', 'masters.json'), bad);
    assert.deepEqual(told(), []);
    start();
    assert.deepEqual(told(), ['b:4506']);
  }
});
