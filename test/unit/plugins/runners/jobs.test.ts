/** `jobs.*` on a job cache: filters, limits, times. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { SqliteJobStore } from '../../../../src/storage/jobs/sqlite-store.ts';
import { jobsRunners } from '../../../../src/plugins/jobs/runner.ts';
import { parseTime } from '../../../../src/plugins/jobs/runner/parse-time.ts';
import type { RunnerContext } from '../../../../src/plugins/shared/runner/runner.ts';
import { bindCall } from '../../../../src/runtime/loader/bind.ts';
import { masterOptions } from '../../../../src/config/master-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeClock } from '../../../support/module-context.ts';

interface Job {
  readonly jid: string;
  readonly fun: string;
  readonly tgt?: Value;
  readonly metadata?: Dict;
}

const JOBS: Job[] = [
  { jid: '20260101100000000000', fun: 'test.ping', tgt: '*' },
  { jid: '20260101110000000000', fun: 'cmd.run', tgt: 'db1', metadata: dict({ ticket: 7 }) },
  { jid: '20260102100000000000', fun: 'saltutil.find_job', tgt: ['db1', 'web1'] },
  { jid: '20260102100000000000_77', fun: 'test.echo', tgt: ['db1', 'web1'] },
  { jid: '20260103100000000000', fun: 'state.apply', tgt: 'web*' },
  { jid: 'custom', fun: 'test.ping', tgt: 'x' },
];

async function context(t: TestContext): Promise<RunnerContext> {
  const directory = mkdtempSync(join(tmpdir(), 'brine-jobs-'));
  const jobs = new SqliteJobStore({ directory });
  t.after(async () => {
    await jobs.close();
    rmSync(directory, { recursive: true, force: true });
  });
  for (const { jid, fun, tgt = '*', metadata } of JOBS) {
    const kwargs = metadata === undefined ? new Map<Value, Value>() : dict({ metadata });
    await jobs.saveJob(jid, dict({ jid, fun, arg: [], tgt, tgt_type: 'glob', user: 'root', kwargs }), [
      'db1',
      'web1',
    ]);
  }
  const opts = new Options(masterOptions, new Map());
  return {
    jobs,
    opts,
    settings: new Map(),
    clock: fakeClock(),
    log: silentLogger,
  } as unknown as RunnerContext;
}

async function call(
  ctx: RunnerContext,
  name: string,
  args: Value[],
  kwargs: Record<string, Value>,
): Promise<Value> {
  const spec = jobsRunners.functions[name];
  assert.ok(spec);
  const bound = bindCall(name, spec, { positional: args, keywords: new Map(Object.entries(kwargs)) });
  return spec.run(ctx, bound.args, bound.rest, bound.kwargs);
}

const cases: [string, Record<string, Value>, string[]][] = [
  ['all', {}, ['custom', ...JOBS.slice(0, 5).map(({ jid }) => jid)]],
  [
    'a glob for the function',
    { search_function: 'test.*' },
    ['custom', '20260101100000000000', '20260102100000000000_77'],
  ],
  [
    'several functions',
    { search_function: 'cmd.run, state.*' },
    ['20260101110000000000', '20260103100000000000'],
  ],
  ['a list of functions', { search_function: ['cmd.run'] }, ['20260101110000000000']],
  [
    'a glob for the target',
    { search_target: 'web*' },
    ['20260102100000000000', '20260102100000000000_77', '20260103100000000000'],
  ],
  ['metadata', { search_metadata: dict({ ticket: 7, other: 1 }) }, ['20260101110000000000']],
  ['other metadata', { search_metadata: dict({ ticket: 8 }) }, []],
  ['metadata that is no mapping', { search_metadata: 'ticket' }, []],
  ['a first time', { start_time: '2026-01-02' }, ['custom', ...JOBS.slice(2, 5).map(({ jid }) => jid)]],
  ['a last time', { end_time: '2026, Jan 02 10:00' }, JOBS.slice(0, 4).map(({ jid }) => jid)],
  [
    'both times and a function',
    { start_time: '2026-01-01 10:30', end_time: '2026-01-02 12:00', search_function: 'test.*' },
    ['20260102100000000000_77'],
  ],
];

for (const [name, filter, expected] of cases) {
  test(`jobs.list_jobs - ${name}`, async (t) => {
    const found = await call(await context(t), 'list_jobs', [], filter);
    assert.ok(isDict(found));
    assert.deepEqual([...found.keys()], expected);
  });
}

test('jobs.list_jobs_filter - the newest, the oldest of them first, without find_job', async (t) => {
  const ctx = await context(t);
  const jids = async (args: Value[], kwargs = {}): Promise<unknown> =>
    ((await call(ctx, 'list_jobs_filter', args, kwargs)) as Dict[]).map((job) => job.get('JID'));
  assert.deepEqual(await jids([2]), ['20260102100000000000_77', '20260103100000000000']);
  assert.deepEqual(
    await jids([3], { filter_find_job: false }),
    JOBS.slice(2, 5).map(({ jid }) => jid),
  );
  assert.deepEqual(await jids([0]), []);
});

test('jobs.last_run - the newest that passes, or False', async (t) => {
  const ctx = await context(t);
  const last = await call(ctx, 'last_run', [], { function: 'test.*' });
  assert.ok(isDict(last));
  assert.deepEqual([...last.keys()], ['20260102100000000000_77']);
  assert.equal(await call(ctx, 'last_run', [], { target: 'nobody' }), false);
  assert.equal(await call(ctx, 'last_run', [], { metadata: 'text' }), false);
});

test('jobs.lookup_jid - a job cache that does not exist is refused by name', async (t) => {
  await assert.rejects(
    call(await context(t), 'lookup_jid', ['1'], { ext_source: 'nowhere' }),
    /nowhere is no job cache that can be read; salt-run returner\.list names those there are/,
  );
});

/** What Python's dateutil makes of these texts, with 2026-11-21 for what is left out. */
const TIMES: [string, number][] = [
  ['2015, Mar 16 19:00', 1426532400000],
  ['2015-03-16', 1426464000000],
  ['2015-03-16T19:00:05.123', 1426532405123],
  ['2015-03-16 19:00', 1426532400000],
  ['16 Mar 2015', 1426464000000],
  ['Mar 16 2015 7:30 PM', 1426534200000],
  ['20150316', 1426464000000],
  ['20150316190005', 1426532405000],
  ['2015/03/16 08:09:10', 1426493350000],
  ['03/16/2015', 1426464000000],
  ['Mon Mar 16 19:00:05 2015', 1426532405000],
  ['March 16, 2015', 1426464000000],
  ['2026, Nov 21 03:31:52.084875', 1795231912084.875],
  ['19:00', Date.UTC(2026, 10, 21, 19)],
];

for (const [text, expected] of TIMES) {
  test(`jobs - the time ${text} is understood`, () => {
    assert.equal(parseTime(text, Date.UTC(2026, 10, 21, 9)), expected);
  });
}

for (const text of ['yesterday', '', '2015-13-40', 'Feb 30 2015', '1 2 3 4', 'Mar Mar xx']) {
  test(`jobs - the time ${JSON.stringify(text)} is refused`, () => {
    assert.throws(() => parseTime(text, 0), /is not a time/);
  });
}
