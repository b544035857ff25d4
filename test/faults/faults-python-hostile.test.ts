/**
 * A site's own Python that attacks its process and its connection: one sentence each, another process, bounded memory
 * and time.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { Fleet } from '../support/fleet.ts';
import { HOSTILE, HOSTILE_OUTCOMES } from '../support/hostile-python.ts';
import { untilKept } from '../support/tree.ts';

const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3';
/** Of the program at the other end: a message may take 129 MiB. */
const PEAK_BYTES_MAX = 700 * 1024 * 1024;
const SECONDS_MAX = 25;
/** These end as they should, and leave a process that is fit for nothing. */
const SPOIL = ['modules', 'replaces_modules', 'many_threads'];

test('faults - Python that attacks its process and its connection', { skip }, async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMaster(['auto_accept: True', `file_roots: {base: [${fleet.path('srv')}]}`]);
  fleet.write(fleet.path('srv', '_modules'), 'hostile.py', HOSTILE.split('\n'));
  await fleet.startMaster();
  await fleet.joinMinion('one', []);
  await fleet.json(['one', 'saltutil.sync_modules']);
  const ask = async (...words: string[]) => (await fleet.json(['one', ...words]))['one'];

  for (const [fun, outcome] of HOSTILE_OUTCOMES)
    await t.test(`${fun}: a sentence, and the next call works`, async () => {
      const before = await ask('hostile.fine');
      const begin = process.hrtime.bigint();
      const { stdout, stderr } = await fleet.salt(['-t', '60', 'one', `hostile.${fun}`]);
      const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
      assert.match(stdout, outcome, `${stdout}${stderr}`);
      assert.doesNotMatch(stdout, /brine_guest/);
      assert.ok(seconds < SECONDS_MAX, `${seconds} s`);
      const after = await ask('hostile.fine');
      assert.equal(typeof after, 'number', JSON.stringify(after));
      if (SPOIL.includes(fun)) assert.notEqual(after, before, 'it is the same process');
      const peak = Number(await ask('hostile.peak'));
      assert.ok(peak < PEAK_BYTES_MAX, `${peak} bytes`);
    });

  for (const signal of ['SIGKILL', 'SIGTERM'])
    await t.test(`its parent gets ${signal}: the job has an outcome, and the next call works`, async () => {
      const { stdout, stderr } = await fleet.salt(['-t', '60', 'one', 'hostile.parent', signal]);
      assert.match(stdout, /was ended by signal|was killed|ended/, `${stdout}${stderr}`);
      assert.doesNotMatch(stdout, /waited in vain|did not return/);
      assert.equal(typeof (await ask('hostile.fine')), 'number');
    });

  await t.test('its parent gets SIGSTOP: the job can be ended, and the next call works', async () => {
    const { stdout } = await fleet.salt(['--async', 'one', 'hostile.parent', 'SIGSTOP']);
    const jid = /job ID: (\d+)/.exec(stdout)?.[1] ?? '';
    let said = '';
    for (let tries = 0; tries < 60 && !said.includes('sent to job'); tries++)
      said = String(await ask('saltutil.kill_job', jid));
    assert.match(said, /Signal 9 sent to job/);
    const outcome = await untilKept(fleet, jid, 1);
    assert.match(JSON.stringify(outcome['one']), /was ended by signal 9/);
    assert.equal(typeof (await ask('hostile.fine')), 'number');
    assert.deepEqual(await ask('saltutil.is_running', 'hostile.parent'), []);
  });
});
