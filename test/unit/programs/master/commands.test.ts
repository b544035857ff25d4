import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { MinionDataCache } from '../../../../src/storage/cache/minion-data.ts';
import type { AesRequest } from '../../../../src/network/channel/door.ts';
import { SessionKeys } from '../../../../src/network/channel/session-keys.ts';
import { masterOptions } from '../../../../src/config/master-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { isTagAllowedFromSyndic } from '../../../../src/network/events/tag-rules.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { Secret } from '../../../../src/host/secret.ts';
import { JidSource } from '../../../../src/storage/jobs/jid.ts';
import { SqliteJobStore } from '../../../../src/storage/jobs/sqlite-store.ts';
import { KeyStore } from '../../../../src/storage/keys/store.ts';
import { LocalGroups } from '../../../../src/programs/master/auth/local-groups.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { UserAuth } from '../../../../src/programs/master/auth/user-auth.ts';
import type { SyndicRegistry } from '../../../../src/programs/master/syndics.ts';
import { minionEventHandler } from '../../../../src/programs/master/commands/minion-events.ts';
import { isPartOf } from '../../../../src/programs/master/commands/job-parts.ts';
import type { PublishRequest } from '../../../../src/programs/master/commands/publish-request.ts';
import { OWNER_FIELD } from '../../../../src/storage/jobs/job-owner.ts';
import { JobTargets } from '../../../../src/programs/master/job-targets.ts';
import { returnHandler } from '../../../../src/programs/master/commands/returns.ts';
import { revokeHandler } from '../../../../src/programs/master/commands/revoke.ts';
import { UnaskedReturns } from '../../../../src/programs/master/unasked-returns.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { folder, keptLog, keyPair } from '../../../support/attacker.ts';

const JID = '20261121000000000001';
const options = (values: DictInit = {}): Options<typeof masterOptions> =>
  new Options(masterOptions, dict(values));
const request = (id: string, load: DictInit): AesRequest => ({
  id,
  cmd: '',
  load: dict({ id, ...load }),
  version: 3,
  nonce: '',
  encAlgo: '',
  sigAlgo: '',
});

function returns(t: TestContext, values: DictInit = {}) {
  const jobs = new SqliteJobStore({ directory: join(folder(t), 'jobs') });
  t.after(() => jobs.close());
  const events: [string, Dict][] = [];
  const { log, lines } = keptLog();
  const handler = returnHandler({
    opts: options(values),
    jobs,
    jids: new JidSource(systemClock),
    fireEvent: (tag, data) => events.push([tag, data]),
    targets: new JobTargets({ jobs, log }),
    unasked: new UnaskedReturns({ opts: options(values), clock: systemClock, log }),
    days: { holds: (day) => !/^(?:9999|0001|undated)/.test(day) },
    clock: systemClock,
    log,
  });
  return { jobs, events, lines, give: async (id: string, load: DictInit) => handler(request(id, load)) };
}

test('returns - one is kept and told, a second one is not kept', async (t) => {
  const { jobs, events, lines, give } = returns(t);
  assert.deepEqual(await give('m1', { jid: JID, fun: 'test.ping', return: true, retcode: 0 }), {
    value: null,
  });
  assert.equal(events[0]?.[0], `salt/job/${JID}/ret/m1`);
  await give('m1', { jid: JID, fun: 'test.ping', return: 'forged later' });
  const kept = await jobs.returns(JID);
  assert.deepEqual(
    kept.map(({ id, return: value }) => [id, value]),
    [['m1', true]],
  );
  assert.match(lines.join('\n'), /m1 has returned job .* before; the first return stays/);
  for (let n = 0; n < 100; n++) await give('m1', { jid: JID, fun: 'test.ping', return: n });
  assert.ok(lines.filter((line) => line.includes('first return stays')).length <= 10, 'a flood fills no log');
});

test('returns - those of a further part of a job are of that job, and those of others stay apart', async (t) => {
  const { jobs, events, give } = returns(t);
  await jobs.saveJob(JID, dict({ tgt: ['m1'], tgt_type: 'list', fun: 'test.ping', arg: [] }), ['m1']);
  const tagsOf = async (id: string): Promise<string | undefined> => {
    await give(id, { jid: JID, fun: 'test.ping', return: true, retcode: 0 });
    return events.at(-1)?.[0];
  };
  assert.equal(await tagsOf('m1'), `salt/job/${JID}/ret/m1`);
  assert.equal(await tagsOf('m2'), `salt/job/${JID}/apart/m2`);
  await jobs.addMinions(JID, ['m2', 'm3'], 'part/m2');
  assert.equal(await tagsOf('m2'), `salt/job/${JID}/ret/m2`);
  assert.equal(await tagsOf('m4'), `salt/job/${JID}/apart/m4`);
  assert.deepEqual((await jobs.job(JID))?.get('Minions'), ['m1', 'm2', 'm3']);
});

test('publish - a further part of a job is of its user, function, arguments and list of minions', () => {
  const request = {
    fun: 'test.ping',
    arg: ['x'],
    user: 'anna',
    tgtType: 'list',
    eauth: 'pam',
    publisher: undefined,
  };
  const job = dict({ fun: 'test.ping', arg: ['x'], user: 'anna', tgt_type: 'list', [OWNER_FIELD]: 'pam' });
  const isPart = (change: object, of: Dict = job): boolean =>
    isPartOf(of, { ...request, ...change } as unknown as PublishRequest);
  assert.equal(isPart({}), true);
  for (const change of [
    { fun: 'cmd.run' },
    { arg: ['y'] },
    { user: 'bert' },
    { tgtType: 'glob' },
    { eauth: undefined },
    { publisher: 'm1' },
  ])
    assert.equal(isPart(change), false, JSON.stringify(change));
  assert.equal(isPart({}, new Map([...job, ['tgt_type', 'glob']])), false);
});

test('returns - one that began on the minion and is sent again is one job; a proposed jid of somebody else or of the future is not taken', async (t) => {
  const { jobs, give } = returns(t);
  const scheduled = { jid: 'req', fun: 'test.ping', fun_args: [], return: true, retcode: 0 };
  const sent = { ...scheduled, req_jid: JID };
  await give('m1', sent);
  await give('m1', sent);
  assert.deepEqual(
    (await jobs.jobs({})).map(({ jid }) => jid),
    [JID],
  );
  assert.equal((await jobs.returns(JID)).length, 1);
  assert.equal((await jobs.job(JID))?.has('req_jid'), false);
  await give('m2', sent);
  await give('m2', { ...scheduled, req_jid: '29991121000000000001' });
  await give('m2', { ...scheduled, req_jid: '00010101000000000000' });
  await give('m2', { ...scheduled, req_jid: '../../x' });
  await give('m2', scheduled);
  const all = await jobs.jobs({});
  assert.deepEqual([all.length, new Set(all.map(({ jid }) => jid.slice(0, 4))).has('2999')], [6, false]);
  assert.deepEqual(
    (await jobs.returns(JID)).map(({ id }) => id),
    ['m1'],
  );
});

test('returns - of what nobody asked for, one minion leaves as much as the options say, and is named', async (t) => {
  const { jobs, events, lines, give } = returns(t, { unknown_returns_max: 3, own_jobs_max: 2 });
  const unknown = (n: number): string => `2026112108000000000${n}`;
  for (let n = 0; n < 6; n++) await give('m1', { jid: unknown(n), fun: 'test.ping', return: n, retcode: 0 });
  await give('m2', { jid: unknown(5), fun: 'test.ping', return: 'of another', retcode: 0 });
  const kept = await Promise.all(Array.from({ length: 6 }, (_, n) => jobs.returns(unknown(n))));
  assert.deepEqual(
    kept.map((each) => each.map(({ id }) => id)),
    [['m1'], ['m1'], ['m1'], [], [], ['m2']],
  );
  assert.equal(events.filter(([tag]) => tag.endsWith('/ret/m1')).length, 6, 'whoever listens sees all');
  for (let n = 0; n < 4; n++) await give('m1', { jid: 'req', fun: 'test.ping', return: n, retcode: 0 });
  await give('m2', { jid: 'req', fun: 'test.ping', return: 'of another', retcode: 0 });
  assert.equal((await jobs.jobs({})).length, 3);
  const told = lines.filter((line) => line.includes('nobody') || line.includes('allows'));
  assert.match(
    told.join('\n'),
    /m1 has returned for job 20261121080000000003, .* unknown_returns_max \(3\) allows/,
  );
  assert.match(told.join('\n'), /begun itself.* own_jobs_max \(2\) allows/);
  // a job that is known counts no time
  await jobs.saveJob(JID, dict({ fun: 'test.ping', tgt: '*', tgt_type: 'glob' }), ['m1']);
  await give('m1', { jid: JID, fun: 'test.ping', return: true, retcode: 0 });
  assert.equal((await jobs.returns(JID)).length, 1);
});

test('returns - of what nobody asked for, the size is bounded as well', async (t) => {
  const { jobs, lines, give } = returns(t, { unasked_returns_max_size: 1 });
  const text = 'x'.repeat(400_000);
  for (let n = 0; n < 4; n++)
    await give('m1', { jid: `2026112108000000000${n}`, fun: 'test.ping', return: text });
  await give('m1', { jid: 'req', fun: 'test.ping', return: text });
  assert.equal((await jobs.returns('20261121080000000001')).length, 1);
  assert.equal((await jobs.returns('20261121080000000002')).length, 0);
  assert.equal((await jobs.jobs({})).length, 0);
  await give('m1', { jid: 'req', fun: 'test.ping', return: true });
  assert.equal((await jobs.jobs({})).length, 1, 'what there is room for is kept');
  assert.match(lines.join('\n'), /unasked_returns_max_size \(1 MB\)/);
});

test('returns - unusable job ids fill no log', async (t) => {
  const { lines, give } = returns(t);
  for (let n = 0; n < 100; n++) await give('m1', { jid: `../${n}`, fun: 'test.ping', return: true });
  const told = lines.filter((line) => line.includes('unusable jid'));
  assert.equal(told.length, 10);
  assert.match(told[9] ?? '', /\(10 times so far\)/);
});

test('returns - one of a minion that the job was not meant for stands apart', async (t) => {
  const { jobs, events, lines, give } = returns(t);
  const targets: [string, Value, string, boolean][] = [
    ['glob', 'web*', 'test.ping', false],
    ['glob', '*', 'test.ping', true],
    ['list', ['web1', 'web2'], 'test.ping', false],
    ['list', 'web1,db1', 'test.ping', true],
    ['pcre', 'web[0-9]+', 'test.ping', false],
    ['compound', 'web1 or L@web2', 'test.ping', false],
    ['compound', '* and not db*', 'test.ping', false],
    // what the master cannot know for certain, the minion does
    ['grain', 'os:Debian', 'test.ping', true],
    ['pillar', 'role:web', 'test.ping', true],
    ['compound', 'web* or not G@os:Debian', 'test.ping', true],
    ['compound', 'N@web', 'test.ping', true],
    ['ipcidr', '10.0.0.0/8', 'test.ping', true],
    // a function of the master has no minion
    ['glob', '*', 'runner.state.orchestrate', false],
  ];
  for (const [n, [tgt_type, tgt, fun, isMeant]] of targets.entries()) {
    const jid = `202611210000000000${String(n).padStart(2, '0')}`;
    await jobs.saveJob(jid, dict({ fun, tgt, tgt_type }), []);
    await give('db1', { jid, fun, return: 'said', retcode: 0 });
    const kept = (await jobs.returns(jid)).map(({ id }) => id);
    assert.deepEqual(kept, isMeant ? ['db1'] : [], `${tgt_type} ${String(tgt)}`);
    assert.equal(events.at(-1)?.[0], `salt/job/${jid}/${isMeant ? 'ret' : 'apart'}/db1`);
  }
  assert.match(lines.join('\n'), /db1 has returned for job \d+, which was not meant for it/);
});

test('returns - one for a job that nobody can have begun is not kept', async (t) => {
  const { jobs, events, give } = returns(t);
  for (const jid of ['99991231235959999999', '00010101000000000000']) {
    await give('m1', { jid, fun: 'test.ping', return: true, retcode: 0 });
    assert.deepEqual(await jobs.returns(jid), []);
    assert.equal(events.at(-1)?.[0], `salt/job/${jid}/apart/m1`);
  }
  // a job of another master of the cluster may be known here a moment later
  await give('m1', { jid: JID, fun: 'test.ping', return: true, retcode: 0 });
  assert.equal((await jobs.returns(JID)).length, 1);
});

test('returns - the names of failed states make no tags but their own', async (t) => {
  const { events, give } = returns(t);
  const failed = dict({ result: false, comment: 'no' });
  const states = dict({
    'file_|-a_|-a_|-managed': failed,
    [`salt/job/${JID}/ret/web1_|-a_|-a_|-example.org`]: failed,
    'salt/presence/present\n\nx_|-a_|-a_|-y': failed,
    'salt/key_|-a_|-a_|-': failed,
    nothing: failed,
  });
  await give('m1', { jid: JID, fun: 'state.sls', return: states, retcode: 2 });
  assert.deepEqual(
    events.map(([tag]) => tag),
    [`salt/job/${JID}/ret/m1`, 'file.managed', `salt/job/${JID}/sub/m1/error/state.sls`],
  );
});

test('returns - jids that are no names are dropped (CVE-2025-22242)', async (t) => {
  const { events, give } = returns(t);
  const jids: Value[] = [
    '',
    '..',
    '../../etc/passwd',
    'a/b',
    `${JID}\n`,
    'x'.repeat(65),
    'ü',
    7,
    null,
    dict({}),
    [JID],
  ];
  for (const jid of jids) await give('m1', { jid, fun: 'x', return: 1 });
  await give('m1', { fun: 'x', return: 1 });
  await give('m1', { jid: JID, fun: 'x' });
  assert.equal(events.length, 0);
});

test('returns - jid req gets a jid and a load, nocache is told and not kept', async (t) => {
  const { jobs, events, give } = returns(t);
  await give('m1', {
    jid: 'req',
    fun: 'test.ping',
    fun_args: ['x'],
    return: true,
    tgt: '*',
    tgt_type: 'glob',
  });
  const jid = /^salt\/job\/(\d{20})\/ret\/m1$/.exec(events[0]?.[0] ?? '')?.[1] as string;
  assert.equal((await jobs.job(jid))?.get('tgt'), 'm1');
  assert.equal((await jobs.returns(jid)).length, 1);
  await give('m1', { jid: 'nocache', fun: 'test.ping', return: true });
  assert.equal((await jobs.returns('nocache')).length, 0);
  assert.equal(events.length, 2);
});

test('returns - job_cache off keeps nothing', async (t) => {
  const { jobs, give } = returns(t, { job_cache: false });
  await give('m1', { jid: JID, fun: 'test.ping', return: true });
  assert.equal((await jobs.returns(JID)).length, 0);
});

function events(syndics?: () => Promise<SyndicRegistry>) {
  const fired: [string, Dict][] = [];
  const { log, lines } = keptLog();
  const handler = minionEventHandler({
    fireEvent: (tag, data) => fired.push([tag, data]),
    log,
    ...(syndics && { syndics }),
  });
  return { fired, lines, fire: (load: DictInit) => handler(request('m1', load)) };
}

const FORBIDDEN = [
  `salt/job/${JID}/new`,
  `salt/job/${JID}/publish`,
  `salt/job/${JID}/return`,
  'salt/job/a/b/new',
  'salt/key',
  'salt/cloud/x/created',
  'salt/run/1/ret',
  'salt/cluster/peer',
  'salt/wheel/1/new',
  'salt/wheel/1/return',
  'salt/auth',
  'key',
  'salt/presence/present',
  `salt/job/${JID}/error`,
  JID,
  `salt/job/${JID}/ret/m2`,
  `salt/job/${JID}/prog/m2/1`,
  'salt/minion/m2/start',
  'salt/beacon/m2/load',
  'minion/refresh/m2',
  'brine/minion/m1/disconnected',
  '',
  'x\n\ny',
  'x'.repeat(1025),
];

test('minion events - tags of the master and of other minions are dropped, in both forms (CVE-2025-22236, CVE-2025-22239)', () => {
  for (const tag of FORBIDDEN) {
    const { fired, fire } = events();
    fire({ tag, data: dict({ x: 1 }) });
    fire({ events: [dict({ tag, data: dict({ x: 1 }) })] });
    assert.deepEqual(fired, [], tag);
  }
  const hidden = events();
  hidden.fire({ events: [dict({ tag: JID, data: dict({}) })], pretag: `salt/job` });
  hidden.fire({ events: [dict({ tag: 'new', data: dict({}) })], pretag: `salt/job/${JID}` });
  assert.deepEqual(
    hidden.fired.map(([tag]) => tag),
    ['salt/job/' + JID, 'new'],
  );
});

test('minion events - whoever sends one event that is dropped is told so, and others get what Salt answers', async () => {
  const { fire } = events();
  const refused = await fire({ tag: 'salt/auth', data: dict({ x: 1 }) });
  const reason = 'A minion may not fire an event with the tag "salt/auth"; choose a tag of your own';
  assert.deepEqual(refused, { value: dict({ __refused__: reason }) });
  assert.deepEqual(await fire({ tag: 'my/tag', data: dict({ x: 1 }) }), { value: null });
  const listed = (tag: string): Dict => dict({ tag, data: dict() });
  assert.deepEqual(await fire({ events: [listed('salt/auth')] }), refused);
  assert.deepEqual(await fire({ events: [listed('salt/auth')], pretag: 'syndic' }), { value: null });
  assert.deepEqual(await fire({ events: [listed('my/tag'), listed('other')] }), { value: null });
  const some = `2 of 3 events were dropped: ${reason}`;
  assert.deepEqual(await fire({ events: [listed('my/tag'), listed('salt/auth'), listed('key')] }), {
    value: dict({ __refused__: some }),
  });
});

test('minion events - what is no event in a list is told, to the sender and in the log', async () => {
  const { fire, fired, lines } = events();
  const none = 'An event is a mapping with a tag and data';
  assert.deepEqual(await fire({ events: ['text', dict({ tag: 'my/tag' })] }), {
    value: dict({ __refused__: `1 of 2 events were dropped: ${none}` }),
  });
  assert.equal(fired.length, 1);
  assert.match(lines.join('\n'), /^warning: m1 sent a list of events with something that is none/m);
});

test('minion events - its own tags pass, without fields that mean something inside', () => {
  const { fired, fire } = events();
  fire({ tag: 'salt/minion/m1/start', data: 'text', __peer_id: 'x', _stamp: 'y' });
  fire({
    events: [dict({ tag: 'my/tag', data: dict({ a: 1, __peer_id: 'x', _stamp: 'y' }) })],
    pretag: 'pre',
  });
  assert.deepEqual(
    fired.map(([tag]) => tag),
    ['salt/minion/m1/start', 'my/tag', 'pre/my/tag'],
  );
  for (const [, data] of fired) assert.ok(!data.has('__peer_id') && !data.has('_stamp'));
});

test('minion events - a job that was not meant for a minion hears nothing of it', async () => {
  const fired: string[] = [];
  const received: string[] = [];
  const handler = minionEventHandler({
    fireEvent: (tag) => fired.push(tag),
    log: keptLog().log,
    targets: {
      partOf: (jid, id) => Promise.resolve(jid === JID && id === 'm1' ? 'not meant' : 'may be meant'),
    },
    received: async (_jid, id) => void received.push(id),
  });
  const kinds = ['ret/m1', 'received/m1', 'prog/m1/0', 'sub/m1/error/x'];
  for (const kind of kinds) await handler(request('m1', { tag: `salt/job/${JID}/${kind}`, data: dict() }));
  const listed = kinds.map((kind) => dict({ tag: `salt/job/${JID}/${kind}`, data: dict() }));
  await handler(request('m1', { events: listed }));
  await handler(
    request('m1', { pretag: `salt/job/${JID}/ret`, events: [dict({ tag: 'm1', data: dict() })] }),
  );
  assert.deepEqual(
    fired.filter((tag) => tag !== 'm1'),
    [],
  );
  assert.deepEqual(received, []);
  await handler(request('m2', { tag: `salt/job/${JID}/received/m2`, data: dict() }));
  assert.deepEqual(received, ['m2']);
});

test('minion events - what a minion tells of a job is told of itself', () => {
  const { fired, fire } = events();
  const forged = { id: 'web1', jid: JID, return: 'forged' };
  fire({ events: [dict({ tag: `salt/job/${JID}/ret/m1`, data: dict(forged) })] });
  fire({ events: [dict({ tag: 'my/event', data: dict(forged) })] });
  assert.deepEqual(
    fired.map(([, data]) => data.get('id')),
    ['m1', 'm1'],
  );
});

test('minion events - a minion that is no syndic tells nothing as one: who is lost below, whom it expects', () => {
  const { fired, fire } = events();
  const at = '2026-11-21T00:00:00';
  fire({ tag: 'syndic/m1/brine/minion/web1/disconnected', data: 'x', id: 'web1', at });
  const report = dict({ tag: JID, data: dict({ jid: JID, minions: [], refused: dict({ web1: 'no' }) }) });
  fire({ events: [report], pretag: 'syndic/m1' });
  assert.deepEqual(
    fired.map(([tag]) => tag),
    [],
  );
});

test('minion events - a syndic speaks for others, and still not for the master', async () => {
  const isBelow = (id: string): boolean => id === 'below';
  for (const [tag, isAllowed] of [
    [`salt/job/${JID}/ret/below`, true],
    [`salt/job/${JID}/ret/here`, false],
    [`salt/job/${JID}/new`, false],
    ['syndic/m1/salt/auth', true],
    ['syndic/other/salt/auth', false],
  ] as const)
    assert.equal(isTagAllowedFromSyndic(tag, 'm1', isBelow), isAllowed, tag);
  const registry = {
    isSyndic: () => true,
    started: () => true,
    takeReport: () => Promise.resolve(),
    speaksFor: (_: string, id: string) => isBelow(id),
    isOurs: (id: string) => id === 'here',
  };
  const { fired, lines, fire } = events(() => Promise.resolve(registry as unknown as SyndicRegistry));
  await fire({ tag: 'salt/minion/below/start', data: 'x' });
  assert.equal(fired.length, 1);
  const listed = ['salt/job/x/new', 'salt/auth', 't'].map((tag) => dict({ tag, data: dict({}) }));
  await fire({ events: listed, pretag: 'syndic/m1' });
  assert.deepEqual(
    fired.slice(1).map(([tag]) => tag),
    ['syndic/m1/salt/auth', 't', 'syndic/m1/t'],
  );
  const forged = dict({ tag: 'myco/deploy', data: dict({ id: 'here' }) });
  await fire({ events: [forged], pretag: null });
  assert.equal(fired.length, 4, 'its data name a minion of this master');
  assert.deepEqual(lines, []);
});

test('minion events - a flood of forbidden or endless tags does not fill the log, and one request is bounded', () => {
  const { fired, lines, fire } = events();
  fire({ events: Array.from({ length: 20_000 }, () => dict({ tag: `salt/key`, data: dict({}) })) });
  fire({ tag: 'x'.repeat(1_000_000), data: dict({}) });
  assert.ok(lines.length <= 25, `${lines.length} lines`);
  assert.ok(lines.every((line) => line.length < 500));
  fire({ events: Array.from({ length: 20_000 }, () => dict({ tag: `t`, data: dict({}) })) });
  assert.equal(fired.length, 10_000);
  assert.match(lines.join('\n'), /sent 20000 events in one request, of which the last 10000 were dropped/);
});

test('minion events - odd loads cost nothing', () => {
  const { fired, fire } = events();
  const odd: Value[] = [null, 7, 'x', [], [1, null, 'x', []], dict({})];
  for (const value of odd) {
    fire({ events: value });
    fire({ tag: value === 'x' ? null : value, data: value });
    fire({ tag: 't', pretag: value });
  }
  assert.ok(fired.every(([tag]) => tag === 't'));
});

test('revoke_auth - a minion gives up its own key and session, unless the master forbids it', async (t) => {
  for (const allowed of [true, false]) {
    const root = folder(t);
    const keys = new KeyStore(root);
    keys.ensureFolders();
    for (const id of ['m1', 'm2']) keys.writeAccepted(id, keyPair(id).key.publicKey.pem);
    const sessions = new SessionKeys(join(root, 'sessions'), 86_400_000, systemClock);
    sessions.ensure('m1');
    const rotations: string[] = [];
    const handler = revokeHandler({
      opts: options({ allow_minion_key_revoke: allowed }),
      keys,
      sessions,
      cache: new MinionDataCache(root),
      fireEvent: () => undefined,
      requestRotation: (reason) => rotations.push(reason),
    });
    await handler(request('m1', { id: 'm2' }));
    assert.equal(keys.has('m1', 'accepted'), !allowed);
    assert.ok(keys.has('m2', 'accepted'));
    assert.equal(existsSync(join(root, 'sessions', 'm1')), !allowed);
    assert.equal(rotations.length, allowed ? 1 : 0);
  }
});

test('user keys - each key speaks for its own user only', () => {
  const keys = new Map([
    ['root', new Secret('r'.repeat(76))],
    ['ann', new Secret('a'.repeat(76))],
    ['bob', new Secret('b'.repeat(76))],
  ]);
  const acl = dict({ ann: ['test.*'], 'b*': ['cmd.run'] });
  const users = new UserAuth(options({ user: 'root', publisher_acl: acl }), keys);
  const check = (user: Value | undefined, key: Value): string =>
    users.check(dict({ user, key }))?.kind ?? 'nobody';
  assert.equal(check('root', 'r'.repeat(76)), 'full');
  assert.equal(check('ann', 'a'.repeat(76)), 'limited');
  for (const [user, key] of [
    ['root', 'a'.repeat(76)],
    ['sudo_root', 'a'.repeat(76)],
    ['bob', 'a'.repeat(76)],
    [undefined, 'a'.repeat(76)],
    ['ann', ''],
    ['ann', 'x'],
    ['ann', 7],
    ['ann', null],
    ['ann', ['a']],
    ['__proto__', 'a'.repeat(76)],
  ] as [Value | undefined, Value][]) {
    assert.equal(check(user, key), 'nobody', String(user));
  }
});

test('user keys - the groups of a user of publisher_acl give him their roles, as the system has them now', async () => {
  const roles = dict({ web: { groups: ['ops'], rules: ['service.*'] } });
  const opts = options({ user: 'root', publisher_acl: dict({ ann: ['test.*'] }), roles });
  const members = new Map([['ann', ['ops']]]);
  const groups = new LocalGroups({
    users: ['ann'],
    clock: systemClock,
    log: silentLogger,
    ask: (user) => Promise.resolve(members.get(user) ?? []),
  });
  const key = 'a'.repeat(76);
  const users = new UserAuth(opts, new Map([['ann', new Secret(key)]]), (user) => groups.of(user));
  const rules = (): Value[] => {
    const rights = users.check(dict({ user: 'ann', key }));
    return rights?.kind === 'limited' ? rights.rules.map(({ rule }) => rule) : [];
  };
  await groups.start(opts);
  assert.deepEqual(rules(), ['test.*', 'service.*']);
  members.delete('ann');
  await groups.refresh();
  assert.deepEqual(rules(), ['test.*']);
  groups.stop();
});

test('user keys - the key of a user is found in the bytes of a request, and nothing else is taken for one', () => {
  const [root, ann] = ['r'.repeat(76), `${'ä'.repeat(30)}n`];
  const keys = new Map([
    ['root', new Secret(root)],
    ['ann', new Secret(ann)],
  ]);
  const users = new UserAuth(options({ user: 'root' }), keys);
  const request = (fields: DictInit): Buffer =>
    encode(dict({ enc: 'clear', load: dict(fields), version: 3 }), 'network');
  const arg = Array.from({ length: 20_000 }, (_, n) => dict({ key: n }));
  assert.ok(users.isKeyIn(request({ cmd: 'publish', arg, key: root, user: 'root' })));
  assert.ok(users.isKeyIn(request({ key: ann, arg })));
  assert.ok(users.isKeyIn(request({ key: Buffer.from(root), arg })), 'as bytes');
  assert.ok(!users.isKeyIn(request({ key: 'x'.repeat(76), user: root, token: ann, arg })));
  assert.ok(!users.isKeyIn(request({ arg, key: root }).subarray(0, -10)), 'cut short');
  const guesses = Array.from({ length: 100 }, () => dict({ key: 'x'.repeat(76) }));
  assert.ok(!users.isKeyIn(request({ guesses, key: root })), 'after many guesses it is given up');
});
