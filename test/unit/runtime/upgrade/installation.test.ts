import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { compareVersions, Installation, isVersion } from '../../../../src/runtime/upgrade/installation.ts';
import {
  endTrial,
  readOutcome,
  readTrial,
  writeTrial,
  type TrialRecord,
} from '../../../../src/runtime/upgrade/trial-record.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'brine-versions-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function lay(base: string, ...versions: readonly string[]): void {
  for (const version of versions) {
    mkdirSync(join(base, version, 'bin'), { recursive: true });
    writeFileSync(join(base, version, 'bin/salt-minion'), '');
  }
}

test('installation - only a folder of its version with a link beside it is one', (t) => {
  const base = folder(t);
  lay(base, '1.0.0', 'checkout');
  assert.equal(Installation.around(join(base, '1.0.0')), undefined);
  symlinkSync('1.0.0', join(base, 'current'));
  assert.equal(Installation.around(join(base, '1.0.0'))?.version, '1.0.0');
  assert.equal(Installation.around(join(base, 'checkout')), undefined);
});

test('installation - the link is exchanged, and what was brought goes when nobody keeps it', (t) => {
  const base = folder(t);
  lay(base, '1.0.0');
  symlinkSync('1.0.0', join(base, 'current'));
  const here = Installation.around(join(base, '1.0.0'));
  assert.ok(here !== undefined);
  for (const version of ['1.1.0', '1.2.0']) {
    mkdirSync(join(here.unready(version), 'bin'), { recursive: true });
    writeFileSync(join(here.unready(version), 'bin/salt-minion'), '');
    here.adopt(version);
  }
  mkdirSync(here.unready('1.3.0'));
  here.setCurrent('1.2.0');
  assert.equal(here.current, '1.2.0');
  here.tidy(['1.0.0']);
  assert.deepEqual(readdirSync(base).sort(), ['1.0.0', '1.2.0', 'current']);
  assert.deepEqual(here.versions(), ['1.0.0', '1.2.0']);
});

test('installation - versions are names of folders and nothing else, and are ordered as packages are', () => {
  for (const text of ['../etc', '1/2', '', 'x1', '1..2', `1${'0'.repeat(80)}`])
    assert.equal(isVersion(text), false, text);
  const ordered = ['0.9.0', '1.0~rc1', '1.0', '1.0.1', '1.0.9', '1.0.10', '1.2', '10.0'];
  assert.deepEqual([...ordered].reverse().sort(compareVersions), ordered);
  assert.equal(compareVersions('1.0', '1.0'), 0);
});

test('trial record - it is there until there is an outcome, and what is no record is none', (t) => {
  const base = folder(t);
  const record: TrialRecord = {
    ...{ from: '1.0.0', to: '1.1.0', jid: '1', attempts: 1, trialMs: 5, memoryBytesMax: 6 },
    child: { pid: 7, startTicks: '8' },
  };
  writeTrial(base, record);
  assert.deepEqual(readTrial(base), record);
  const outcome = { result: false, from: '1.0.0', to: '1.1.0', step: 'trial', comment: 'x', jid: '1' };
  endTrial(base, { ...outcome, atMs: 1, awayMs: 2, isTold: false });
  assert.equal(readTrial(base), undefined);
  assert.equal(readOutcome(base)?.comment, 'x');
  for (const text of ['', '{', '[]', '{"from": "../x", "to": "1"}']) {
    writeFileSync(join(base, 'trial.json'), text);
    assert.equal(readTrial(base), undefined, text);
  }
});
