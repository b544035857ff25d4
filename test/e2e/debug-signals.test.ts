/** Each process of a daemon tells of itself when it gets a signal, and goes on. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { Fleet } from '../support/fleet.ts';

/** The file that a log names. */
function fileIn(log: string, pattern: RegExp): string {
  const [, path] = pattern.exec(log) ?? [];
  assert.ok(path !== undefined, log);
  return path;
}

test('debug signals - parts of a master write their state and their profile, and none of them ends', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMaster([]);
  const master = fleet.start('salt-master', ['-c', fleet.masterDir, '-l', 'info']);
  await master.logged('is ready', 2);
  const parts = master.children();
  for (const pid of parts.values()) process.kill(pid, 'SIGUSR2');
  await master.logged('the next SIGUSR2 ends it', parts.size);
  for (const pid of parts.values()) process.kill(pid, 'SIGUSR2');
  await master.logged('The profile was written to', parts.size);
  for (const pid of parts.values()) process.kill(pid, 'SIGUSR1');
  await master.logged('The state of this process was written to', parts.size);
  // whoever sends the signal has to find the file with the usual level of the log
  assert.doesNotMatch(master.log, /\[INFO[^\n]*The state of this process/);
  for (const [title, pid] of parts) {
    const profile = fileIn(master.log, new RegExp(`profile was written to (\\S+-${pid}\\.cpuprofile)`));
    const state = fileIn(master.log, new RegExp(`state of this process was written to (\\S+-${pid}\\.log)`));
    assert.ok('samples' in (JSON.parse(readFileSync(profile, 'utf8')) as object), title);
    assert.match(readFileSync(state, 'utf8'), new RegExp(`process ${pid}, Node`));
    for (const path of [profile, state]) rmSync(path);
  }
  assert.deepEqual(master.childrenAmong(parts), parts);
});
