/** The console: what it makes of events, returns and what people type. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job, Return } from '../../../src/console/model/contract.ts';
import { sameFingerprint } from '../../../src/console/model/fingerprints.ts';
import { docPieces } from '../../../src/console/model/doc-text.ts';
import { fieldsOf } from '../../../src/console/model/form-fields.ts';
import { detailOf } from '../../../src/console/model/function-detail.ts';
import { best } from '../../../src/console/model/fuzzy.ts';
import { globFilter } from '../../../src/console/model/glob.ts';
import { LiveJobs } from '../../../src/console/model/live-jobs.ts';
import { describeCounts } from '../../../src/console/model/outcomes.ts';
import { orchestrationOf } from '../../../src/console/model/orchestration-return.ts';
import { mayCallSome } from '../../../src/console/model/rights.ts';
import { linkTo, readRoute } from '../../../src/console/model/route.ts';
import { SseParser } from '../../../src/console/model/sse.ts';
import { diffLines, readStateReturn, splitChanges } from '../../../src/console/model/state-run.ts';
import { StateRuns } from '../../../src/console/model/state-groups.ts';
import { sentTarget, shellTarget } from '../../../src/console/model/targets.ts';
import { ago, duration, isoMs, jidTimeMs } from '../../../src/console/model/time.ts';
import { fingerprintOf, jsonText, summary } from '../../../src/console/model/value-rows.ts';
import { versionNote, versionOf } from '../../../src/console/model/versions.ts';
import { readArguments, writeArguments } from '../../../src/console/model/words.ts';

const event = (tag: string, data: Record<string, unknown>) => ({ tag, data, stamp: null });

test('console - events become jobs with the outcome of each minion', () => {
  const jobs = new LiveJobs();
  const jid = '20261125164012345678';
  const start = {
    fun: 'cmd.run',
    arg: ['ls /'],
    tgt: '*',
    tgt_type: 'glob',
    user: 'alice',
    minions: ['a', 'b', 'c'],
  };
  assert.equal(jobs.take(event(`salt/job/${jid}/new`, start), 1000), true);
  jobs.take(event(`salt/job/${jid}/received/b`, {}), 1001);
  jobs.take(event(`salt/job/${jid}/ret/a`, { retcode: 0, success: true, return: 'x' }), 1002);
  const job = jobs.get(jid);
  assert.ok(job !== undefined);
  assert.deepEqual(job.counts, { expected: 3, returned: 1, failed: 0, running: 2, silent: 0 });
  assert.deepEqual(job.tail, ['b', 'c']);
  jobs.take(event(`salt/job/${jid}/ret/b`, { retcode: 2, success: true, return: 'x' }), 1003);
  jobs.take(event(`salt/job/${jid}/received/b`, {}), 1004);
  jobs.take(event(`salt/job/${jid}/outcome/c`, { outcome: 'connection lost' }), 1005);
  const over = jobs.get(jid);
  assert.deepEqual(over?.counts, { expected: 3, returned: 1, failed: 1, running: 0, silent: 1 });
  assert.deepEqual([over?.isDone, over?.tail], [true, []]);
  // what was handed out before is as it was
  assert.deepEqual([job.isDone, job.counts.running, job.tail], [false, 2, ['b', 'c']]);
  assert.equal(jobs.list(), jobs.list());
  // one that nobody expected, an event of a job that was not seen, and what is no job at all
  jobs.take(event(`salt/job/${jid}/ret/d/e`, { retcode: 0 }), 1006);
  assert.equal(jobs.get(jid)?.counts.returned, 2);
  assert.equal(jobs.take(event('salt/job/20261125164012345679/ret/a', {}), 1007), false);
  assert.equal(jobs.take(event('salt/auth', { id: 'a' }), 1008), false);
  assert.equal(
    jobs.take(event('salt/job/20261125164012345670/new', { ...start, fun: 'saltutil.find_job' }), 1009),
    false,
  );
  assert.equal(
    describeCounts(jobs.get(jid)?.counts ?? job.counts),
    '4 minions: 1 failed, 1 silent, 2 succeeded',
  );
});

test('console - functions of the master are jobs too, and arguments by name are shown as such', () => {
  const jobs = new LiveJobs();
  const [run, job] = ['20261125164012345678', '20261125164012345679'];
  jobs.take(event(`salt/run/${run}/new`, { fun: 'runner.state.orchestrate', user: 'root' }), 1);
  assert.deepEqual(jobs.get(run)?.counts, { expected: 1, returned: 0, failed: 0, running: 1, silent: 0 });
  jobs.take(event(`salt/run/${run}/progress`, { fun: 'runner.state.orchestrate' }), 2);
  jobs.take(event(`salt/run/${run}/ret`, { fun: 'runner.state.orchestrate', success: false }), 3);
  assert.deepEqual([jobs.get(run)?.counts.failed, jobs.get(run)?.isDone], [1, true]);
  jobs.take(event('salt/run/20261125164012345680/ret', { fun: 'runner.manage.up', success: true }), 4);
  jobs.take(event('salt/wheel/20261125164012345681/new', { fun: 'wheel.config.values' }), 5);
  assert.equal(jobs.list().length, 1);
  const arg = ['late', { __kwarg__: true, test: true }];
  jobs.take(event(`salt/job/${job}/new`, { fun: 'state.apply', arg, minions: ['a'] }), 6);
  assert.deepEqual([jobs.get(job)?.arg, jobs.get(job)?.kwarg], [['late'], { test: true }]);
});

test('console - only so many jobs are kept, and those that run stay longest', () => {
  const jobs = new LiveJobs();
  for (let nth = 0; nth < 200; nth++)
    jobs.take(
      event(`salt/job/${20261125164012000000n + BigInt(nth)}/new`, {
        fun: 'test.ping',
        minions: nth === 0 ? ['a'] : [],
      }),
      nth,
    );
  assert.equal(jobs.list().length, 60);
  assert.equal(jobs.list().at(-1)?.counts.running, 1);
});

test('console - streams of events come in any pieces', () => {
  const text = 'retry: 400\n\n: note\nid: 7\nevent: event\ndata: {"a":\ndata: 1}\n\nid: 8\r\ndata: x\r\n\r\n';
  for (const size of [1, 2, 3, 7, text.length]) {
    const parser = new SseParser();
    const events = [];
    for (let at = 0; at < text.length; at += size) events.push(...parser.feed(text.slice(at, at + size)));
    assert.deepEqual(events, [
      { name: 'event', id: '7', data: '{"a":\n1}' },
      { name: 'message', id: '8', data: 'x' },
    ]);
  }
  const parser = new SseParser();
  for (let nth = 0; nth < 20; nth++) parser.feed(`data: ${'x'.repeat(1024 * 1024)}\n`);
  assert.deepEqual(parser.feed('\ndata: short\n\n'), [{ name: 'message', id: undefined, data: 'short' }]);
  assert.equal(parser.dropped, 1);
});

test('console - arguments are read as on the command line', () => {
  assert.deepEqual(readArguments(`nginx 'a b' 3 0644 1.10 True x=[1, "y z"] text="5" 'k=v'`), {
    arg: ['nginx', 'a b', 3, '0644', '1.10', true],
    kwarg: { x: [1, 'y z'], text: 5, k: 'v' },
  });
  assert.match(readArguments("it's").problem ?? '', /position 3/);
  assert.deepEqual(readArguments('__proto__=1'), { arg: [], kwarg: Object.fromEntries([['__proto__', 1]]) });
  const line = writeArguments(['a b', 'True', 5, null, { a: 1 }], { refresh: true, v: '1.10' });
  assert.equal(line, '"a b" "True" 5 None {"a":1} refresh=True v=1.10');
  assert.deepEqual(readArguments(line).arg, ['a b', 'True', 5, null, { a: 1 }]);
});

test('console - targets, routes and links keep what they are given', () => {
  assert.deepEqual(sentTarget({ text: 'a, b,', kind: 'list' }), { tgt: ['a', 'b'], tgt_type: 'list' });
  assert.equal(shellTarget({ text: "G@os:De'b and *", kind: 'compound' }), "-C 'G@os:De'\\''b and *'");
  for (const id of ['web1', 'a/b?c#d', '../x', 'javascript:alert(1)', '"><img src=x>']) {
    const link = linkTo('minions', id, { tab: 'pillar' });
    assert.match(link, /^#\/minions\/[\w%.:()!'~*-]+\?tab=pillar$/);
    assert.equal(readRoute(link).id, id);
    assert.equal(readRoute(link).query.get('tab'), 'pillar');
  }
  assert.deepEqual(readRoute('#/jobs/%E0%A4%A'), { view: 'jobs', id: undefined, query: new Map() });
  assert.equal(readRoute('').view, 'now');
});

test('console - state runs are read, grouped by state, and what failed comes first', () => {
  const state = (result: boolean | null, more: object = {}) => ({
    result,
    comment: 'c',
    changes: {},
    __id__: 'conf',
    __sls__: 'web',
    __run_num__: 1,
    duration: '12.5 ms',
    ...more,
  });
  const good = {
    'file_|-conf_|-/etc/x_|-managed': state(true),
    'pkg_|-nginx_|-nginx_|-installed': state(true, {
      __id__: 'nginx',
      __run_num__: 0,
      changes: { nginx: { new: '1' } },
    }),
  };
  const bad = { ...good, 'file_|-conf_|-/etc/x_|-managed': state(false) };
  const runs = new StateRuns();
  for (const [minion, value] of [
    ['a', good],
    ['b', good],
    ['c', bad],
  ] as const)
    runs.add(minion, readStateReturn(value)?.rows ?? []);
  const [first, second] = runs.groups();
  assert.deepEqual([first?.id, first?.counts], ['conf', { ok: 2, changed: 0, failed: 1, 'would change': 0 }]);
  assert.deepEqual(second?.counts, { ok: 0, changed: 3, failed: 0, 'would change': 0 });
  assert.equal(readStateReturn(good)?.rows[0]?.seconds, 0.0125);
  assert.deepEqual(readStateReturn(['No matching sls found']), {
    rows: [],
    errors: ['No matching sls found'],
  });
  for (const other of [true, null, {}, { a: 1 }, { 'a_|-b_|-c_|-d': 1 }])
    assert.equal(readStateReturn(other), undefined);
  const { diffs, rest } = splitChanges({ diff: '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n', mode: '0644' });
  assert.deepEqual(rest, { mode: '0644' });
  const { lines, isCut } = diffLines(diffs[0]?.text ?? '', 100);
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    ['file', 'file', 'place', 'removed', 'added'],
  );
  assert.equal(isCut, false);
});

test('console - what rules say of functions of the master', () => {
  const may = (...rules: unknown[]): [boolean, boolean] => [
    mayCallSome('runner', rules),
    mayCallSome('wheel', rules),
  ];
  assert.deepEqual(may({ 'web*': ['test.ping'] }, 'test.*'), [false, false]);
  assert.deepEqual(may('@runner'), [true, false]);
  assert.deepEqual(may({ '@wheel': ['key.*'] }), [false, true]);
  assert.deepEqual(may('@jobs'), [true, true]);
});

test('console - great and deep values cost little', () => {
  let deep: unknown = 1;
  for (let nth = 0; nth < 2000; nth++) deep = [deep];
  assert.equal(summary(deep), '[[[[…]]]]');
  assert.equal(summary({ a: 'x\ny', b: [true, null] }), '{a: x y, b: [True, None]}');
  const great = { text: 'x'.repeat(10_000_000), list: Array.from({ length: 100_000 }, (_, nth) => nth) };
  assert.ok(summary(great).length <= 161);
  assert.equal(jsonText(great, 1000).isCut, true);
  assert.equal(fingerprintOf({ a: 1, b: 2 }), fingerprintOf({ b: 2, a: 1 }));
  assert.notEqual(fingerprintOf(['x'.repeat(500)]), fingerprintOf([`${'x'.repeat(499)}y`]));
});

test('console - finding by letters, globs, fingerprints and times', () => {
  const names = ['state.apply', 'test.ping', 'pkg.install', 'status.uptime'];
  assert.deepEqual(
    best('sap', names, (name) => name, 1),
    ['state.apply'],
  );
  assert.deepEqual(
    best('zzz', names, (name) => name, 5),
    [],
  );
  const jobs = globFilter('salt/job/*, beacon');
  assert.deepEqual(['salt/job/1/new', 'salt/beacon/a', 'salt/auth'].map(jobs), [true, true, false]);
  assert.equal(globFilter('[')('x[y'), true);
  const finger = 'ab:cd:ef:01:23:45:67:89:ab:cd:ef:01:23:45:67:89';
  assert.equal(sameFingerprint(finger, finger.toUpperCase().replaceAll(':', ' ')), true);
  assert.equal(sameFingerprint(finger, 'ab:cd'), false);
  assert.equal(jidTimeMs('20261125164012345678'), Date.UTC(2026, 10, 25, 16, 40, 12, 345));
  assert.equal(isoMs('2026-11-25T16:40:12.345678'), Date.UTC(2026, 10, 25, 16, 40, 12, 345));
  assert.deepEqual([0.5, 3.14, 65, 7300, 100_000].map(duration), [
    '0.50 s',
    '3.1 s',
    '1 min 5 s',
    '2 h 1 min',
    '1 d 3 h',
  ]);
  assert.equal(ago(0, 61_000), '1 min ago');
});

test('console - a form is made out of what sys.doc and sys.argspec return', () => {
  const doc = `
    Installs packages.

    name (str) : None
        The package, or several
        separated by commas.
    refresh (bool) : False
        Fetch the lists first.

    Returns: what has changed

    CLI Example:

        salt '*' pkg.install nginx
    `;
  const detail = detailOf('pkg.install', doc, {
    args: ['name', 'refresh'],
    defaults: [false],
    varargs: null,
    kwargs: true,
  });
  assert.deepEqual(detail.params, [
    {
      name: 'name',
      type: 'str',
      doc: 'The package, or several separated by commas.',
      keyword_only: false,
      required: true,
    },
    {
      name: 'refresh',
      type: 'bool',
      doc: 'Fetch the lists first.',
      keyword_only: false,
      required: false,
      default: false,
    },
  ]);
  assert.deepEqual(
    [detail.varargs, detail.kwargs, detail.examples],
    [false, true, ["salt '*' pkg.install nginx"]],
  );
  assert.match(detail.doc, /^Installs packages\.[^]*has changed$/);
});

test('console - the return of an orchestration becomes its steps', () => {
  const job = {
    jid: '20261125174806984343',
    fun: 'runner.state.orchestrate',
    arg: [],
    start_time: '2026-11-25T17:48:06.984Z',
  } as unknown as Job;
  const step = {
    name: 'test.ping',
    changes: {},
    comment: 'ran',
    result: true,
    __jid__: '20261125174807222881',
    __sls__: 'orch',
    __run_num__: 0,
    duration: 52.1,
    __id__: 'ping all',
  };
  const data = {
    m_master: {
      'salt_|-ping all_|-test.ping_|-function': step,
      'salt_|-b_|-b_|-state': { ...step, __id__: 'b', __run_num__: 1, result: false, __jid__: undefined },
    },
  };
  const value = { fun_args: [{ mods: ['orch', 'x'] }], return: { data, outputter: 'highstate' } };
  const run = orchestrationOf(job, { return: value, success: true } as unknown as Return);
  assert.deepEqual([run.mods, run.state, run.failed], ['orch,x', 'failed', 1]);
  assert.deepEqual(
    run.steps.map(({ id, state, jid }) => [id, state, jid]),
    [
      ['ping all', 'done', '20261125174807222881'],
      ['b', 'failed', null],
    ],
  );
  assert.equal(orchestrationOf(job, undefined).state, 'running');
});

test('console - a minion of ours is shown by its own version, one of Salt by that of Salt', () => {
  const shown = (version: string | null, brine_version: string | null): unknown[] => [
    versionOf({ version, brine_version }),
    versionNote({ version, brine_version }),
  ];
  assert.deepEqual(shown('3006.16', '0.1.0'), ['Brine 0.1.0', 'follows Salt 3006.16']);
  assert.deepEqual(shown('3007.8', null), ['Salt 3007.8', undefined]);
  assert.deepEqual(shown(null, null), ['', undefined]);
});

test('console - a long form shows at once what must be given, what examples name, and what is well known', () => {
  const parts = (params: readonly string[], examples: readonly string[] = []): string[][] => {
    const detail = detailOf('m.f', '', {
      args: params.map((name) => name.replace('!', '')),
      defaults: params.filter((name) => !name.endsWith('!')).map(() => null),
    });
    const { usual, more } = fieldsOf({ ...detail, examples });
    return [usual, more].map((fields) => fields.map(({ name }) => name));
  };
  const rare = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6'];
  assert.deepEqual(parts(['a', ...rare]), [['a', ...rare], []], 'a short one is shown as a whole');
  assert.deepEqual(parts(['a!', 'b!', 'c!', 'd!', 'e!', ...rare]), [['a', 'b', 'c', 'd', 'e'], rare]);
  assert.deepEqual(
    parts(['cmd!', ...rare, 'runas', 'timeout'], ["salt '*' m.f 'x=1' r4='{\"a\": 1}'", 'salt-run m.f r6=2']),
    [
      ['cmd', 'r4', 'r6', 'runas', 'timeout'],
      ['r1', 'r2', 'r3', 'r5'],
    ],
  );
  assert.deepEqual(parts([...rare, 'r7', 'r8']), [rare.slice(0, 4), ['r5', 'r6', 'r7', 'r8']]);
});

test('console - code in a description is told from its words, and a lone backtick stays', () => {
  const shown = (doc: string): string =>
    docPieces(doc)
      .map(({ text, isCode }) => (isCode ? `<${text}>` : text))
      .join('');
  assert.equal(
    shown('Let `^` and `$` match; `\\1` stands for groups.'),
    'Let <^> and <$> match; <\\1> stands for groups.',
  );
  assert.equal(shown('``salt-key -L`` lists'), '<salt-key -L> lists');
  assert.equal(shown('a ` alone\nand ` another'), 'a ` alone\nand ` another');
  assert.equal(shown('``` fence ``` and ``'), '``` fence ``` and ``');
  assert.deepEqual(docPieces(''), []);
});
