/** The console: what views draw while a job goes on is never changed under them, and another one each time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  sameCommand,
  sendingProblem,
  type FormCall,
  type Sending,
} from '../../../src/console/model/command-line.ts';
import type {
  Counts,
  FunctionDetail,
  Job,
  JobDetail,
  MinionOutcome,
  Return,
  TargetType,
} from '../../../src/console/model/contract.ts';
import { JobRecord } from '../../../src/console/model/job-record.ts';
import { LiveJobs } from '../../../src/console/model/live-jobs.ts';
import { kindOf, outcomeWords } from '../../../src/console/model/outcomes.ts';
import { hasTestMode, onlyLooks, questionOf, type AskedCall } from '../../../src/console/model/questions.ts';
import { resultsIn, StateRuns } from '../../../src/console/model/state-groups.ts';
import { namesOne } from '../../../src/console/model/targets.ts';
import { readStateReturn } from '../../../src/console/model/state-run.ts';

const JID = '20261128170000000001';

const outcome = (minion: string, name: string): MinionOutcome =>
  ({
    minion,
    outcome: name,
    reason: null,
    retcode: null,
    success: null,
    seconds: null,
    returned: null,
  }) as MinionOutcome;

const state = (result: boolean | null, more: object = {}): Record<string, unknown> => ({
  ...{ result, comment: 'c', changes: {}, name: '/etc/x', duration: 1 },
  ...{ __id__: 'conf', __sls__: 'web', __run_num__: 0 },
  ...more,
});

const returned = (minion: string, value: unknown): Return =>
  ({ minion, return: value, retcode: 0, success: true, fun: 'state.apply' }) as unknown as Return;

test('console - what is shown of a job is not changed when more of it comes in, and what is new is another object', () => {
  const record = new JobRecord();
  const minions = ['a', 'b', 'c'].map((minion) => outcome(minion, 'published'));
  record.begin({ jid: JID, fun: 'state.apply', state: 'running', minions } as unknown as JobDetail);
  const views = [record.view()];
  const texts = [JSON.stringify(views[0], plain)];
  for (const tell of [
    () => record.returned(returned('a', { 'file_|-conf_|-/etc/x_|-managed': state(null) })),
    () => record.outcome(outcome('a', 'returned')),
    () => record.returned(returned('b', { 'file_|-conf_|-/etc/x_|-managed': state(true) })),
    () => record.returned(returned('c', ['No matching sls found'])),
    () => record.progressed({ minion: 'b', data: 'half' }),
    () => record.end(),
  ]) {
    tell();
    const view = record.view();
    views.push(view);
    texts.push(JSON.stringify(view, plain));
  }
  assert.equal(new Set(views).size, views.length, 'each is another one');
  views.forEach((view, at) => assert.equal(JSON.stringify(view, plain), texts[at], `view ${at}`));
  // parts that are drawn by themselves are new where something came
  const [, first, , second, third] = views;
  assert.notEqual(first?.states, second?.states);
  assert.notEqual(first?.states[0], second?.states[0]);
  assert.notEqual(first?.rows, second?.rows);
  assert.notEqual(first?.same, second?.same);
  assert.notEqual(second?.stateErrors, third?.stateErrors);
  // and the same where nothing came, so that what is drawn once stays
  assert.equal(first?.rows.get('c'), second?.rows.get('c'));
  const last = record.view();
  const [group] = last.states;
  assert.deepEqual(group?.counts, { ok: 1, changed: 0, failed: 0, 'would change': 1 });
  assert.deepEqual([last.counts?.returned, last.isDone], [3, true]);
});

/** Maps as lists of their entries. */
function plain(_key: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}

test('console - a job is the same page in whichever order its minions came', () => {
  const values: readonly unknown[] = [
    { 'file_|-conf_|-/etc/x_|-managed': state(true) },
    { 'file_|-conf_|-/etc/x_|-managed': state(true, { comment: 'd' }) },
    ['No matching sls found'],
  ];
  const names = Array.from({ length: 450 }, (_, nth) => `web${nth + 1}`);
  const shown = (order: readonly string[]): string => {
    const record = new JobRecord();
    const minions = names.map((minion) => outcome(minion, 'published'));
    record.begin({ jid: JID, fun: 'state.apply', state: 'running', minions } as unknown as JobDetail);
    for (const minion of order) record.returned(returned(minion, values[Number(minion.slice(3)) % 3]));
    const { same, states, stateErrors } = record.view();
    return JSON.stringify({ same, states, stateErrors }, plain);
  };
  const first = shown(names);
  assert.equal(shown([...names].reverse()), first);
  assert.equal(shown([...names].sort()), first);
  const record = new JobRecord();
  for (const minion of names) record.returned(returned(minion, values[0]));
  const [kind] = record.view().states[0]?.kinds ?? [];
  assert.deepEqual([kind?.count, kind?.minions], [450, [...names].sort().slice(0, 30)]);
});

test('console - a group of states is another one only when a minion had that state', () => {
  const runs = new StateRuns();
  const rows = (value: object): NonNullable<ReturnType<typeof readStateReturn>>['rows'] =>
    readStateReturn(value)?.rows ?? [];
  runs.add(
    'a',
    rows({
      'file_|-conf_|-/etc/x_|-managed': state(true),
      'test_|-n_|-n_|-nop': state(true, { __id__: 'n', name: 'n', __run_num__: 1 }),
    }),
  );
  const [conf, nop] = runs.groups();
  assert.equal(runs.groups(), runs.groups());
  runs.add('b', rows({ 'file_|-conf_|-/etc/x_|-managed': state(false) }));
  const after = runs.groups();
  assert.notEqual(after[0], conf);
  assert.equal(after[1], nop);
  assert.deepEqual([conf?.counts.ok, conf?.counts.failed, conf?.kinds.length], [1, 0, 1]);
  assert.deepEqual(
    after[0]?.kinds.map(({ row, minions, count }) => [row.result, minions, count]),
    [
      ['failed', ['b'], 1],
      ['ok', ['a'], 1],
    ],
  );
  // the same minion again, by the stream and by the list
  runs.add('b', rows({ 'file_|-conf_|-/etc/x_|-managed': state(false) }));
  assert.equal(runs.groups()[0]?.counts.failed, 1);
});

test('console - each of the names of one id is counted, the first one that failed too', () => {
  const runs = new StateRuns();
  const value = Object.fromEntries(
    ['/a', '/b', '/c'].map((name, nth) => [
      `file_|-conf_|-${name}_|-managed`,
      state(nth !== 0, { name, __run_num__: nth }),
    ]),
  );
  runs.add('a', readStateReturn(value)?.rows ?? []);
  assert.deepEqual(
    runs.groups().map(({ name, counts }) => [name, counts.failed, counts.ok]),
    [
      ['/a', 1, 0],
      ['/b', 0, 1],
      ['/c', 0, 1],
    ],
  );
});

/** What one minion that was named is asked about, too. */
const DESTROY = [
  ...['pip.uninstall', 'lvm.lvremove', 'ps.pkill', 'virt.undefine', 'mount.umount', 'partition.mkfs'],
  ...['redis.flushall', 'grains.delkey', 'saltutil.regen_keys', 'docker.rmi', 'consul.catalog_deregister'],
];

test('console - what changes many minions, or destroys, is asked about, and names how many and what', () => {
  const call = (fun: string, more: Partial<AskedCall> = {}): AskedCall => ({
    ...{ kind: 'local', fun, args: 'web', isTest: false, target: '*', isNamed: false, count: 12_000 },
    ...more,
  });
  const asked = questionOf(call('state.apply'));
  assert.equal(asked?.title, 'Run state.apply on 12,000 minions?');
  assert.match(
    asked.text,
    /^state\.apply web is run without test mode on 12,000 minions, which is every minion/,
  );
  for (const fun of [
    'state.apply',
    'state.highstate',
    'state.sls',
    'cmd.run',
    'pkg.install',
    'file.remove',
    'site.deploy',
    'service.restart',
    'state.single',
  ])
    assert.notEqual(questionOf(call(fun)), undefined, fun);
  for (const fun of [
    'test.ping',
    'grains.items',
    'pillar.get',
    'disk.usage',
    'pkg.version',
    'service.status',
    'state.show_sls',
    'network.interfaces'.replace('interfaces', 'get_hostname'),
  ])
    assert.equal(questionOf(call(fun)), undefined, fun);
  assert.equal(questionOf(call('state.apply', { isTest: true })), undefined);
  // one minion that was named: states and what destroys only
  const one = { count: 1, target: 'web1', isNamed: true };
  assert.equal(questionOf(call('cmd.run', one)), undefined);
  for (const fun of ['state.apply', 'file.remove', 'system.reboot', 'user.delete', ...DESTROY])
    assert.equal(questionOf(call(fun, one))?.action, 'Run on 1 minion', fun);
  // a pattern that reaches one today is not the name of one
  for (const target of ['*', 'web*'])
    assert.equal(
      questionOf(call('cmd.run', { ...one, isNamed: false, target }))?.action,
      'Run on 1 minion',
      target,
    );
  // as long as nobody knows whom it reaches, it is asked
  assert.match(
    questionOf(call('cmd.run', { count: undefined, target: 'G@os:Debian' }))?.title ?? '',
    /whatever G@os:Debian reaches/,
  );
  const master = { kind: 'wheel', target: '', count: undefined } as const;
  for (const fun of ['key.delete', 'key.reject', 'key.accept', 'key.delete_match'])
    assert.equal(questionOf(call(fun, master))?.isDangerous, true, fun);
  assert.equal(questionOf(call('key.list_all', master)), undefined);
  assert.match(
    questionOf(call('state.orchestrate', { ...master, kind: 'runner' }))?.text ?? '',
    /whatever minions it names/,
  );
  assert.equal(questionOf(call('manage.up', { ...master, kind: 'runner' })), undefined);
  assert.equal(onlyLooks('pkg.list_pkgs'), true);
  for (const [fun, args] of [
    ['manage.key_regen', ''],
    ['manage.down', 'removekeys=True'],
    ['salt.execute', "'*' cmd.run id"],
    ['mine.update', "'*'"],
    ['pillar.clear_pillar_cache', ''],
    ['saltutil.sync_all', ''],
  ] as const)
    assert.match(
      questionOf(call(fun, { ...master, kind: 'runner', args }))?.title ?? '',
      /on the master/,
      fun,
    );
  for (const [fun, args] of [
    ['manage.down', ''],
    ['manage.down', 'removekeys=False'],
    ['cache.grains', "'*'"],
    ['jobs.list_jobs', ''],
    ['jobs.outcomes', '20261128170000000001'],
  ] as const)
    assert.equal(questionOf(call(fun, { ...master, kind: 'runner', args })), undefined, `${fun} ${args}`);
  // names that sound as if they only looked
  for (const [fun, args] of [
    ['cp.get_file', 'salt://a /a'],
    ['git.fetch', '/srv'],
    ['file.check_perms', '/etc/shadow {} root root 0644'],
    ['file.find', '/ delete=f'],
  ] as const)
    assert.notEqual(questionOf(call(fun, { args })), undefined, fun);
  assert.equal(questionOf(call('file.find', { args: '/ name=*.log' })), undefined);
  assert.deepEqual(
    [
      ['web1', 'glob'],
      ['web*', 'glob'],
      ['web1', 'list'],
      ['web1,web2', 'list'],
      ['os:Debian', 'grain'],
    ].map(([text = '', kind]) => namesOne({ text, kind: kind as TargetType })),
    [true, false, true, false, false],
  );
});

test('console - results over a filter are the sums of those beside the states, and say of how many minions', () => {
  const record = new JobRecord();
  const minions = ['a', 'b', 'c', 'd'].map((minion) => outcome(minion, 'published'));
  record.begin({ jid: JID, fun: 'state.apply', state: 'running', minions } as unknown as JobDetail);
  const results: [number, ReturnType<typeof resultsIn>][] = [];
  const value = (result: boolean | null, more: object): object => ({
    'file_|-conf_|-/etc/x_|-managed': state(result),
    'test_|-n_|-n_|-nop': state(true, { __id__: 'n', name: 'n', __run_num__: 1, ...more }),
  });
  for (const [minion, given] of [
    ['a', value(true, {})],
    ['b', value(false, { changes: { a: 1 } })],
    ['c', value(null, {})],
    ['d', ['No matching sls found']],
  ] as const) {
    record.returned(returned(minion, given));
    const { states, stateMinions } = record.view();
    results.push([stateMinions, resultsIn(states)]);
  }
  const none = { ok: 0, changed: 0, failed: 0, 'would change': 0 };
  assert.deepEqual(results, [
    [1, { ...none, ok: 2 }],
    [2, { ...none, ok: 2, failed: 1, changed: 1 }],
    [3, { ok: 3, failed: 1, changed: 1, 'would change': 1 }],
    [3, { ok: 3, failed: 1, changed: 1, 'would change': 1 }],
  ]);
});

const job = (counts: Counts): Job =>
  ({ jid: JID, fun: 'test.ping', tgt: '*', tgt_type: 'glob', arg: [], kwarg: {}, counts }) as unknown as Job;

const heard = (jobs: LiveJobs, what: string, data: Record<string, unknown> = {}): Counts | undefined => {
  jobs.take({ tag: `salt/job/${JID}/${what}`, data, stamp: null }, 1000);
  return jobs.get(JID)?.counts;
};

test('console - an answer that is older than what the bus has told since takes no return back', () => {
  const jobs = new LiveJobs();
  heard(jobs, 'new', { fun: 'test.ping', tgt: '*', minions: ['a', 'b', 'c'] });
  heard(jobs, 'ret/a', { retcode: 0 });
  heard(jobs, 'ret/b', { retcode: 1 });
  const running = { expected: 3, returned: 0, failed: 0, running: 3, silent: 0 };
  jobs.add(
    job(running),
    ['a', 'b', 'c'].map((minion) => outcome(minion, 'published')),
    0,
  );
  assert.deepEqual(jobs.get(JID)?.counts, { expected: 3, returned: 1, failed: 1, running: 1, silent: 0 });
  jobs.add(job(running), [], 0);
  assert.deepEqual(jobs.get(JID)?.counts, { expected: 3, returned: 1, failed: 1, running: 1, silent: 0 });
  // and one that is newer, after a gap, counts
  jobs.add(
    job(running),
    ['a', 'b', 'c'].map((minion) => outcome(minion, minion === 'c' ? 'no response' : 'returned')),
    0,
  );
  assert.deepEqual(jobs.get(JID)?.counts, { expected: 3, returned: 2, failed: 0, running: 0, silent: 1 });
});

test('console - a minion that returns late to a job of which only figures are known is not one more', () => {
  const jobs = new LiveJobs();
  jobs.add(job({ expected: 10, returned: 7, failed: 1, running: 0, silent: 2 }), [], 0);
  const late = { expected: 10, returned: 8, failed: 1, running: 0, silent: 1 };
  assert.deepEqual(heard(jobs, 'ret/web9', { retcode: 0 }), late);
  assert.deepEqual(heard(jobs, 'outcome/web9', { outcome: 'returned late', retcode: 0 }), late);
  assert.deepEqual(heard(jobs, 'received/web10'), late);
  assert.deepEqual(heard(jobs, 'ret/web10', { retcode: 2 }), { ...late, failed: 2, silent: 0 });
  // one that nobody expected is
  const others = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  for (const minion of others) heard(jobs, `ret/${minion}`, { retcode: minion === 'a' ? 1 : 0 });
  assert.equal(jobs.get(JID)?.counts.expected, 10);
  assert.equal(heard(jobs, 'ret/stranger', { retcode: 0 })?.expected, 11);
});

test('console - a late return that failed is a failure in each view', () => {
  const late = (minion: string, retcode: number | null, success: boolean | null = null): MinionOutcome => ({
    ...outcome(minion, 'returned late'),
    retcode,
    success,
  });
  const counts = { expected: 4, returned: 1, failed: 3, running: 0, silent: 0 };
  const minions = [late('good', 0), late('bad', 1), late('odd', null), late('claims', 0, false)];

  // the page of the job, as it begins and as it goes on
  const record = new JobRecord();
  record.begin({ jid: JID, fun: 'test.ping', state: 'done', minions } as unknown as JobDetail);
  assert.deepEqual(record.view().counts, counts);
  const followed = new JobRecord();
  for (const { minion } of minions) followed.outcome(outcome(minion, 'no response'));
  for (const each of minions) followed.outcome(each);
  assert.deepEqual(followed.view().counts, counts);
  const rows = [...followed.view().rows.values()];
  assert.deepEqual(rows.map(kindOf), ['ok', 'failed', 'failed', 'failed']);
  assert.deepEqual(rows.map(outcomeWords), ['returned late', 'failed, late', 'failed, late', 'failed, late']);

  // what is running, as it was when the page began and as the bus tells of it
  const jobs = new LiveJobs();
  jobs.add(job(counts), minions, 0);
  assert.deepEqual(jobs.get(JID)?.counts, counts);
  const told = new LiveJobs();
  const names = minions.map(({ minion }) => minion);
  told.take({ tag: `salt/job/${JID}/new`, data: { fun: 'test.ping', minions: names }, stamp: null }, 0);
  for (const { minion } of minions) heard(told, `outcome/${minion}`, { outcome: 'no response' });
  for (const { minion, retcode, success } of minions) {
    heard(told, `ret/${minion}`, { retcode: retcode ?? 1, success });
    heard(told, `outcome/${minion}`, { outcome: 'returned late', retcode, success });
  }
  assert.deepEqual(told.get(JID)?.counts, counts);
});

test('console - test mode spares the question only where the function has one', () => {
  const detail = (...params: readonly string[]): FunctionDetail =>
    ({ params: params.map((name) => ({ name })) }) as unknown as FunctionDetail;
  for (const fun of ['state.apply', 'state.sls_id', 'state.orchestrate', 'state.template_str'])
    assert.equal(hasTestMode(fun, undefined), true, fun);
  assert.equal(hasTestMode('site.deploy', detail('name', 'test')), true);
  // these take any keyword, and act as ever with test=True
  for (const fun of ['cmd.run', 'pkg.remove', 'state.run_request', 'state.disable'])
    assert.equal(hasTestMode(fun, detail('name')), false, fun);
});

test('console - the command line that a form names does the same', () => {
  const form = (more: Partial<FormCall> = {}, sending: Partial<Sending> = {}): FormCall => ({
    ...{ kind: 'local', target: { text: 'web*', kind: 'glob' }, fun: 'state.apply', args: 'web' },
    sending: { test: false, batch: '', canary: '', timeout: '', ...sending },
    ...more,
  });
  const batch = '10%';
  for (const [call, command] of [
    [form({}, { test: true }), "salt 'web*' state.apply web test=True"],
    [form({}, { batch, timeout: '5' }), "salt -b 10% -t 5 'web*' state.apply web"],
    // with --canary=1 alone the others would never have their turn
    [form({}, { canary: '1' }), "salt --canary=1,100% 'web*' state.apply web"],
    [form({ kind: 'runner', fun: 'manage.up', args: '' }), 'salt-run manage.up'],
  ] as const)
    assert.deepEqual(sameCommand(call), { command });
  for (const call of [form({}, { canary: '1', batch }), form({ kind: 'wheel', fun: 'key.list_all' })])
    assert.ok('none' in sameCommand(call));
  for (const timeout of ['', '5', '2.5'])
    assert.equal(sendingProblem(form({}, { timeout }).sending), undefined);
  for (const timeout of ['5s', '0', '-1', '1e9', 'abc'])
    assert.match(
      sendingProblem(form({}, { timeout }).sending) ?? '',
      /is no number of seconds above 0/,
      timeout,
    );
});
