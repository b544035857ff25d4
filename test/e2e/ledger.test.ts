/** Each outcome of the ledger, brought about with real processes: terminal, exit codes, job cache and JSON agree. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import type { OutcomeKind } from '../../src/storage/jobs/ledger.ts';
import { bothWays, cachedOutcome, receipts } from '../support/ledger.ts';
import { Fleet, namesIn, until } from '../support/fleet.ts';
import { halt } from '../support/halt.ts';

const STRICT = { failed: 1, silent: 3 };

test('ledger - every outcome is told alike by terminal, exit code, job cache and JSON', async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True', 'gather_job_timeout: 1']);
  await fleet.startMaster();
  const [web1, web2, web3, , web5] = await Promise.all(
    ['web1', 'web2', 'web3', 'web4', 'web5'].map((id) => fleet.joinMinion(id)),
  );

  await t.test('returned', async () => {
    const { plain, strict, json } = await bothWays(fleet, ['web1', 'test.ping'], 'web1', 'returned');
    assert.match(plain.stdout, /^web1:\n {4}True$/m);
    assert.deepEqual([json['web1'], plain.code, strict.code], [true, 0, 0]);
  });

  await t.test('failed', async () => {
    const args = ['web1', 'test.exception', 'no'];
    const { plain, strict, json } = await bothWays(fleet, args, 'web1', 'failed');
    assert.match(String(json['web1']), /caused an exception/);
    assert.deepEqual([plain.code, strict.code], [1, STRICT.failed]);
  });

  /** A minion that is silent: the words under its name, on the terminal and in JSON. */
  const silent = async (
    args: readonly string[],
    id: string,
    kind: OutcomeKind,
    words: RegExp,
  ): Promise<string> => {
    const { plain, strict, json, jid } = await bothWays(fleet, args, id, kind);
    assert.match(plain.stdout, new RegExp(`^${id}:\n {4}Minion did not return\\. \\[`, 'm'));
    assert.match(plain.stdout, words);
    assert.match(String(json[id]), words);
    assert.deepEqual([plain.code, strict.code], [1, STRICT.silent]);
    return jid;
  };

  await t.test('not known: a name without a key, and one whose key was deleted', async () => {
    await silent(['-L', 'web1,nobody', 'test.ping'], 'nobody', 'not known', /No key of this name is known/);
    await web5?.stop('SIGKILL');
    await fleet.run('salt-key', ['-y', '-d', 'web5']);
    await silent(['-L', 'web1,web5', 'test.ping'], 'web5', 'not known', /No key of this name is known/);
  });

  await t.test('key not accepted: a key that was rejected', async () => {
    await fleet.run('salt-key', ['-y', '-r', 'web4', '--include-accepted']);
    const args = ['-L', 'web1,web4', 'test.ping'];
    await silent(args, 'web4', 'key not accepted', /Its key is rejected, not accepted/);
  });

  await t.test('still running: a minion that has the job and stands still', async () => {
    const args = ['-t', '1', 'web3', 'cmd.run', 'sleep 60'];
    const told = silent(args, 'web3', 'still running', /has received the job and may still work on it/);
    await until('both jobs are acknowledged', () => receipts(fleet) === 2);
    halt(web3?.child.pid);
    await told;
    web3?.child.kill('SIGCONT');
  });

  await t.test('returned late: a minion that stands still while somebody waits', async () => {
    halt(web1?.child.pid);
    const args = ['-t', '1', 'web1', 'test.ping'];
    const jid = await silent(args, 'web1', 'never received', /The minion has not acknowledged the job/);
    web1?.child.kill('SIGCONT');
    await cachedOutcome(fleet, jid, 'web1', 'returned late');
    const ways = [[], ['--exit-codes=strict', '--out=json']];
    for (const more of ways) {
      const watched = await fleet.salt(['--watch', jid, ...more]);
      assert.match(watched.stdout, /web1.*\s+[Tt]rue/);
      assert.match(watched.stderr, /^web1 returned late: it was given up at .* UTC\.$/m);
      assert.equal(watched.code, 0);
    }
  });

  await t.test('connection lost: a minion that is killed under way', async () => {
    const args = ['web1', 'cmd.run', 'sleep 60'];
    const told = silent(
      args,
      'web1',
      'connection lost',
      /The connection was lost at .* UTC, while the job was under way/,
    );
    await until('both jobs run', () => namesIn(fleet.path('web1', 'cache', 'proc')).length === 2);
    await web1?.stop('SIGKILL');
    await told;
  });

  await t.test('never received: a minion that was killed before; the living are not held up', async () => {
    await web2?.stop('SIGKILL');
    const begin = systemClock.monotonicMs();
    const words = /The connection was lost at .* UTC, before the job was published/;
    await silent(['-L', 'web2,web3', 'test.ping'], 'web2', 'never received', words);
    const tookMs = systemClock.monotonicMs() - begin;
    assert.ok(tookMs < 10_000, `it took ${tookMs} ms`);
  });

  await t.test('nobody waits: the job is judged when somebody asks', async () => {
    const { stdout } = await fleet.salt(['--async', '-L', 'web2,web3', 'cmd.run', 'sleep 60']);
    const jid = /job ID: (\d+)/.exec(stdout)?.[1] ?? '';
    await cachedOutcome(fleet, jid, 'web2', 'never received');
    await cachedOutcome(fleet, jid, 'web3', 'still running');
    await web3?.stop('SIGKILL');
    const lost = await cachedOutcome(fleet, jid, 'web3', 'connection lost');
    assert.match(String(lost['since']), /^\d{4}-\d\d-\d\dT/);
    assert.match(String(lost['received']), /^\d{4}-\d\d-\d\dT/);
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
