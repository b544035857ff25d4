import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { Supervisor, type ChildSpec } from '../../../../src/programs/daemon/supervisor.ts';
import { readFromChild, readToChild } from '../../../../src/programs/master/messages.ts';
import { folder, keptLog } from '../../../support/attacker.ts';
import { until } from '../../../support/fleet.ts';
import { halt } from '../../../support/halt.ts';

const PART = `
process.on('message', (m) => {
  if (m.type === 'start' && m.opts === 'fails') process.exit(7);
  if (m.type === 'start' && m.opts === 'not yet') {
    const fs = require('node:fs');
    fs.appendFileSync(__dirname + '/tried', 'x');
    if (fs.readFileSync(__dirname + '/tried', 'utf8').length < 3) process.exit(75);
  }
  if (m.type === 'start') process.send({ type: 'ready' });
  if (m.type === 'ping') process.send({ type: 'pong' });
  if (m.type === 'stop') {
    require('node:fs').appendFileSync(__dirname + '/ended', process.argv[2].trim() + ' ');
    process.exit(0);
  }
});
process.on('disconnect', () => process.exit(0));
`;

/** A clock whose timers come a hundred times as often, and whose time goes as fast. */
const fastClock: Clock = {
  ...systemClock,
  monotonicMs: () => systemClock.monotonicMs() * 100,
  every: (periodMs, run, options) => systemClock.every(periodMs / 100, run, options),
};

function supervise(t: TestContext, clock: Clock, opts = '') {
  const childScript = join(folder(t), 'part.cjs');
  writeFileSync(childScript, PART);
  const { log, lines } = keptLog();
  const supervisor = new Supervisor({
    childScript,
    startMessage: () => ({ type: 'start', opts }),
    read: readFromChild,
    onMessage: () => undefined,
    clock,
    log,
  });
  t.after(() => supervisor.stop());
  const pid = (): number => Number(/pid (\d+) ready/.exec(supervisor.describe()[0] ?? '')?.[1] ?? 0);
  return { supervisor, lines, pid, ended: join(childScript, '..', 'ended') };
}

const part: ChildSpec = { title: 'part' };

test(
  'supervisor - a part that is killed is back, and a part that hangs is killed',
  { timeout: 60_000 },
  async (t) => {
    const { supervisor, lines, pid } = supervise(t, fastClock);
    await supervisor.start([part]);
    const first = pid();
    process.kill(first, 'SIGKILL');
    await until('it is back', () => pid() !== 0 && pid() !== first);
    const second = pid();
    halt(second);
    await until('another is there', () => pid() !== 0 && pid() !== second);
    assert.ok(supervisor.counters.hung >= 1);
    assert.match(lines.join('\n'), new RegExp(`part \\(${second}\\) gives no sign of life; it is killed`));
  },
);

test('supervisor - a part that cannot start ends the start, in one sentence', async (t) => {
  const { supervisor } = supervise(t, systemClock, 'fails');
  await assert.rejects(supervisor.start([part]), {
    message: 'The master cannot start: part ended with exit status 7 before it was ready.',
    exitCode: 1,
  });
});

test('supervisor - a part that needs the others for its end is ended before them', async (t) => {
  const { supervisor, ended } = supervise(t, systemClock);
  await supervisor.start([part, { ...part, title: 'door', endsFirst: true }]);
  await supervisor.stop();
  assert.equal(readFileSync(ended, 'utf8'), 'door part ');
});

test('supervisor - what is no message of the contract between the main process and its parts is read as none', () => {
  assert.deepEqual(readFromChild({ type: 'rotate', reason: 'a key was deleted', more: 1 }), {
    type: 'rotate',
    reason: 'a key was deleted',
  });
  assert.equal(readFromChild({ type: 'adopt', key: 'no key' }), undefined);
  assert.equal(readFromChild({ type: 'duty' }), undefined);
  for (const strange of [null, 'ready', { type: 'rotate' }, { type: 'rotate', reason: 5 }, { type: 'stop' }])
    assert.equal(readFromChild(strange), undefined);
  const start = { type: 'start', role: 'MWorker', index: 1, opts: '', aes: ['k'], userKeys: { root: 'r' } };
  const console = { level: 'info', daemon: false };
  const whole = { ...start, console, hasDuty: true };
  assert.deepEqual(readToChild(whole), whole);
  assert.deepEqual(readToChild({ type: 'duty', isMine: false }), { type: 'duty', isMine: false });
  for (const strange of [
    start,
    { ...start, console },
    { ...whole, role: 'Nobody' },
    { type: 'duty', isMine: 'yes' },
    { type: 'aes', aes: [5] },
    { type: 'ready' },
  ])
    assert.equal(readToChild(strange), undefined);
});

test('supervisor - a part that cannot start yet is started again until it is ready, and the start waits', async (t) => {
  const { supervisor, pid, ended } = supervise(t, fastClock, 'not yet');
  await supervisor.start([part]);
  assert.notEqual(pid(), 0);
  assert.equal(readFileSync(join(ended, '..', 'tried'), 'utf8'), 'xxx');
  assert.equal(supervisor.counters.restarts, 2);
});
