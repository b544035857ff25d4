import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { Fleet, namesIn, until } from '../support/fleet.ts';

test('ledger - the dead hold nobody up, and everybody has one named outcome', async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True']);
  await fleet.startMaster();
  const [web1, web2] = await Promise.all(['web1', 'web2', 'web3'].map((id) => fleet.joinMinion(id)));

  await t.test('never received: a minion that was killed before', async () => {
    await web2?.stop('SIGKILL');
    const begin = systemClock.monotonicMs();
    const { stdout, code } = await fleet.salt(['*', 'test.ping']);
    const tookMs = systemClock.monotonicMs() - begin;
    assert.match(stdout, /^web1:\n {4}True$/m);
    assert.match(
      stdout,
      /^web2:\n {4}Minion did not return\. \[Not connected\]\n {4}The connection was lost at .* UTC, before the job was published/m,
    );
    assert.equal(code, 1);
    assert.ok(tookMs < 10_000, `it took ${tookMs} ms`);
  });

  await t.test('connection lost: a minion that is killed under way', async () => {
    const running = fleet.salt(['web1', 'cmd.run', 'sleep 600']);
    await until('the job runs', () => namesIn(fleet.path('web1', 'cache', 'proc')).length === 1);
    await web1?.stop('SIGKILL');
    const { stdout, code } = await running;
    assert.match(
      stdout,
      /\[Not connected\]\n {4}The connection was lost at .* UTC, while the job was under way/,
    );
    assert.equal(code, 1);
  });

  await t.test('not known: a name without a key', async () => {
    const { stdout } = await fleet.salt(['-L', 'web3,nobody', 'test.ping']);
    assert.match(stdout, /^web3:\n {4}True$/m);
    assert.match(
      stdout,
      /^nobody:\n {4}Minion did not return\. \[No response\]\n {4}No key of this name is known/m,
    );
  });
});

test('ledger - a job that takes longer than the time-out is waited for as long as it runs', async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True']);
  await fleet.startMaster();
  await fleet.joinMinion('web1');
  const { stdout } = await fleet.salt([
    '-t',
    '1',
    'web1',
    'cmd.run',
    'sleep 4; echo done',
    'python_shell=True',
  ]);
  assert.equal(stdout, 'web1:\n    done\n');
});
