import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { CommandExecutionError, UnsafePathError } from '../../../../src/errors/errors.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { fakeClock, type FakeContextOptions } from '../../../support/module-context.ts';
import { recordedMinion, type RecordedMinion } from '../../../support/module-vectors.ts';

const OWN = '20240102030405678901';
const JOBS: Dict[] = [
  dict({ jid: '20240102030405000001', fun: 'state.apply', pid: 11 }),
  dict({ jid: '20240102030405000002', fun: ['cmd.run', 'test.ping'], pid: 12 }),
  dict({ jid: OWN, fun: 'saltutil.running', pid: 13 }),
];

function minion(t: TestContext, options: FakeContextOptions = {}): RecordedMinion {
  const made = recordedMinion({ jid: OWN, ...options });
  t.after(() => made.remove());
  return made;
}

function busy(t: TestContext, alive = true): { ctx: RecordedMinion; sent: [string, number][] } {
  const sent: [string, number][] = [];
  const services = {
    runningJobs: () => Promise.resolve(JOBS),
    signalJob: (jid: string, signal: number) => Promise.resolve(sent.push([jid, signal]) > 0 && alive),
  };
  return { ctx: minion(t, { services }), sent };
}

test('saltutil - running jobs are listed without the one that asks', async (t) => {
  const { ctx } = busy(t);
  assert.deepEqual(await ctx.functions.call('saltutil.running'), JOBS.slice(0, 2));
  assert.deepEqual(await ctx.functions.call('saltutil.find_job', ['20240102030405000001']), JOBS[0]);
  assert.deepEqual(await ctx.functions.call('saltutil.find_job', [OWN]), dict());
  assert.deepEqual(await ctx.functions.call('saltutil.is_running', ['state.*']), [JOBS[0]]);
  assert.deepEqual(await ctx.functions.call('saltutil.is_running', ['cmd.*']), [JOBS[1]]);
});

test('saltutil - jobs are signalled, and the answer is the sentence of Salt', async (t) => {
  const { ctx, sent } = busy(t);
  const jid = '20240102030405000001';
  assert.equal(
    await ctx.functions.call('saltutil.term_job', [jid]),
    `Signal 15 sent to job ${jid} at pid 11`,
  );
  assert.equal(await ctx.functions.call('saltutil.kill_job', [jid]), `Signal 9 sent to job ${jid} at pid 11`);
  assert.equal(
    await ctx.functions.call('saltutil.signal_job', [jid, '10']),
    `Signal 10 sent to job ${jid} at pid 11`,
  );
  assert.equal(await ctx.functions.call('saltutil.kill_job', ['20240102030405000009']), '');
  assert.equal(((await ctx.functions.call('saltutil.kill_all_jobs')) as string[]).length, 2);
  assert.deepEqual(sent.slice(0, 3), [
    [jid, 15],
    [jid, 9],
    [jid, 10],
  ]);
  const gone = busy(t, false).ctx;
  assert.equal(
    await gone.functions.call('saltutil.term_job', [jid]),
    `Job ${jid} was not running and job data has been cleaned up`,
  );
});

test('saltutil - refresh functions ask the minion', async (t) => {
  const ctx = minion(t);
  const calls: [string, Dict][] = [
    ['refresh_pillar', dict({ wait: true, timeout: 60 })],
    ['refresh_modules', dict({ async: false })],
    ['refresh_grains', dict({ refresh_pillar: false })],
    ['refresh_beacons', dict()],
    ['sync_grains', dict()],
    ['sync_modules', dict({ refresh: false })],
    ['sync_engines', dict()],
    ['sync_all', dict({ clean_pillar_cache: true })],
  ];
  for (const [fun, kwargs] of calls) await ctx.functions.call(`saltutil.${fun}`, [], kwargs);
  assert.deepEqual(ctx.refreshes, [
    ['pillar', dict({ wait: true, timeout: 60, clean_cache: true })],
    ['modules', dict({ wait: true, timeout: 30 })],
    ['grains', dict({ refresh_pillar: false, clean_cache: false })],
    ['beacons', undefined],
    ['pillar', dict({ clean_cache: false })],
    ['pillar', dict({ clean_cache: true })],
  ]);
});

test('saltutil - pillar modules are for minions without a master', async (t) => {
  const ctx = minion(t);
  ctx.opts.set('file_client', 'remote');
  assert.equal(((await ctx.functions.call('saltutil.sync_all')) as Dict).has('pillar'), false);
  await assert.rejects(
    ctx.functions.call('saltutil.sync_pillar'),
    new CommandExecutionError('Pillar modules can only be synced to masterless minions'),
  );
});

test('saltutil - cached returns are found by job id only', async (t) => {
  const ctx = minion(t);
  const folder = join(ctx.folder, 'cache', 'minion_jobs', OWN);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'return.p'), encode(dict({ return: true }), 'local'));
  assert.deepEqual(await ctx.functions.call('saltutil.find_cached_job', [OWN]), dict({ return: true }));
  ctx.opts.set('cache_jobs', true);
  const missing = join(ctx.folder, 'cache', 'minion_jobs', '1');
  assert.equal(
    await ctx.functions.call('saltutil.find_cached_job', [1]),
    `Local jobs cache directory ${missing} not found`,
  );
  await assert.rejects(ctx.functions.call('saltutil.find_cached_job', ['../..']), UnsafePathError);
});

test('saltutil - caches are cleared, links are not followed', async (t) => {
  const nowMs = 1_700_000_000_000;
  const ctx = minion(t, { clock: fakeClock(nowMs) });
  const cache = join(ctx.folder, 'cache');
  const jobs = join(cache, 'minion_jobs');
  for (const [name, hours] of [
    ['old', 25],
    ['new', 23],
  ] as const) {
    mkdirSync(join(jobs, name), { recursive: true });
    utimesSync(join(jobs, name), (nowMs - hours * 3_600_000) / 1000, (nowMs - hours * 3_600_000) / 1000);
  }
  assert.equal(await ctx.functions.call('saltutil.clear_job_cache'), true);
  assert.deepEqual(readdirSync(jobs), ['new']);
  mkdirSync(join(ctx.folder, 'outside'));
  writeFileSync(join(ctx.folder, 'outside', 'kept'), '');
  writeFileSync(join(jobs, 'new', 'return.p'), '');
  symlinkSync(join(ctx.folder, 'outside'), join(cache, 'link'));
  assert.equal(await ctx.functions.call('saltutil.clear_cache'), true);
  assert.equal(existsSync(join(ctx.folder, 'outside', 'kept')), true);
  assert.deepEqual(readdirSync(join(jobs, 'new')), []);
});

test('saltutil - custom modules are listed by kind', async (t) => {
  const ctx = minion(t);
  assert.deepEqual(await ctx.functions.call('saltutil.list_extmods'), dict());
  mkdirSync(join(ctx.folder, 'cache', 'extmods'), { recursive: true });
  // an empty folder is the one case of none in which Salt answers, too
  assert.deepEqual(await ctx.functions.call('saltutil.list_extmods'), dict());
  mkdirSync(join(ctx.folder, 'cache', 'extmods', 'modules', 'sub'), { recursive: true });
  writeFileSync(join(ctx.folder, 'cache', 'extmods', 'modules', 'b.py'), '');
  writeFileSync(join(ctx.folder, 'cache', 'extmods', 'modules', 'sub', 'a.x.py'), '');
  assert.deepEqual(await ctx.functions.call('saltutil.list_extmods'), dict({ modules: ['a', 'b'] }));
});

test('saltutil - keys are removed, and the master is asked to forget the minion', async (t) => {
  const ctx = minion(t);
  mkdirSync(join(ctx.folder, 'pki', 'kept'), { recursive: true });
  writeFileSync(join(ctx.folder, 'pki', 'minion.pem'), '');
  assert.equal(await ctx.functions.call('saltutil.regen_keys'), null);
  assert.deepEqual(readdirSync(join(ctx.folder, 'pki')), ['kept']);
  assert.equal(await ctx.functions.call('saltutil.revoke_auth'), false);
  assert.deepEqual(ctx.requests, [dict({ cmd: 'revoke_auth', id: 'vec', preserve_minion_cache: false })]);
});

test('saltutil - what needs the machine of the master says so', async (t) => {
  const ctx = minion(t);
  const sentence = 'This command can only be executed on a minion that is located on the master.';
  for (const [fun, args] of [
    ['cmd', ['*', 'test.ping']],
    ['runner', ['jobs.list_jobs']],
    ['wheel', ['key.list_all']],
  ] as const) {
    await assert.rejects(ctx.functions.call(`saltutil.${fun}`, args), new CommandExecutionError(sentence));
  }
});
