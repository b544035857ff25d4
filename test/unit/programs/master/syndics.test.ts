import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { masterOptions } from '../../../../src/config/master-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { makeDirectory } from '../../../../src/host/files.ts';
import { JidSource } from '../../../../src/storage/jobs/jid.ts';
import { SqliteJobStore } from '../../../../src/storage/jobs/sqlite-store.ts';
import type { JobReader, JobWriter } from '../../../../src/storage/jobs/job-store.ts';
import type { LoadMirror } from '../../../../src/storage/jobs/load-mirror.ts';
import { isAllowed } from '../../../support/access.ts';
import type { UserAuth } from '../../../../src/programs/master/auth/user-auth.ts';
import type { Rights } from '../../../../src/runtime/access/question.ts';
import { given } from '../../../../src/runtime/access/auth-list.ts';
import { accessFor } from '../../../support/access.ts';
import { syndicName } from '../../../../src/network/events/tags.ts';
import { publishHandler } from '../../../../src/programs/master/commands/publish.ts';
import { takeReturn } from '../../../../src/programs/master/commands/returns.ts';
import { UnaskedReturns } from '../../../../src/programs/master/unasked-returns.ts';
import { JobTargets } from '../../../../src/programs/master/job-targets.ts';
import { SyndicRegistry } from '../../../../src/programs/master/syndics.ts';
import { dict, type Dict, type DictInit } from '../../../../src/python/values/value.ts';
import { folder, keptLog } from '../../../support/attacker.ts';

const JID = '20261121000000000001';

function registry(t: TestContext, values: DictInit = {}) {
  const cachedir = folder(t);
  const syndicDir = join(cachedir, 'syndics');
  makeDirectory(syndicDir, 0o755);
  const opts = new Options(masterOptions, dict({ cachedir, syndic_dir: syndicDir, ...values }));
  const jobs = new SqliteJobStore({ directory: join(cachedir, 'job_cache') });
  t.after(() => jobs.close());
  const { log, lines } = keptLog();
  const events: string[] = [];
  const keys = new Map([
    ['s', 'key-of-s'],
    ['here', 'key-of-here'],
  ]);
  const parts = {
    opts,
    jobs,
    jids: new JidSource(systemClock),
    fireEvent: (tag: string) => events.push(tag),
    targets: new JobTargets({ jobs, log }),
    unasked: new UnaskedReturns({ opts, clock: systemClock, log }),
    days: { holds: (day: string) => !/^(?:9999|0001|undated)/.test(day) },
    clock: systemClock,
    log,
  };
  const make = (): SyndicRegistry =>
    new SyndicRegistry({
      ...parts,
      takeReturn: (id, load) => takeReturn(parts, id, load, { once: true }),
      keyMark: (id) => keys.get(id),
    });
  const marks = (): string[] => readdirSync(syndicDir);
  return { make, jobs, events, lines, marks, keys, cachedir };
}

const entry = (returns: Dict, more: DictInit = {}): Dict =>
  dict({ id: 's', jid: JID, fun: 'test.ping', load: dict(), return: returns, ...more });

test('syndics - returns of the present and of the old form are kept once, however often they come', async (t) => {
  const { make, jobs, events, marks } = registry(t);
  const syndics = make();
  const load = dict({ fun: 'test.ping', tgt: '*', Minions: ['a', 'b'] });
  const present = dict({ a: dict({ return: true, retcode: 0, success: true, out: 'txt' }), b: false });
  const list = dict({ cmd: '_syndic_return', load: [entry(present, { load })] });
  for (let again = 0; again < 3; again++) await syndics.takeReturns('s', list);
  await syndics.takeReturns('s', entry(dict({ c: 'old' })).set('cmd', '_syndic_return'));
  const kept = (await jobs.returns(JID)).map(({ id, return: value, out }) => [id, value, out]);
  assert.deepEqual(kept, [
    ['a', true, 'txt'],
    ['b', false, undefined],
    ['c', 'old', undefined],
  ]);
  assert.deepEqual(
    events,
    ['a', 'b', 'c'].map((id) => `salt/job/${JID}/ret/${id}`),
  );
  assert.deepEqual((await jobs.job(JID))?.get('Minions'), ['a', 'b']);
  assert.deepEqual(marks(), ['s']);
});

test('syndics - names from outside are neither paths nor fields of the master (CVE-2024-22231)', async (t) => {
  const { make, jobs, cachedir } = registry(t);
  const syndics = make();
  const bad = dict({ '../x': dict({ return: 1 }), 'a/b': dict({ return: 1 }), '': dict({ return: 1 }) });
  await syndics.takeReturns(
    's',
    dict({ load: [entry(bad, { id: '../../evil' }), entry(bad, { jid: '../x' })] }),
  );
  await syndics.takeReturns('s', dict({ load: [entry(dict({ a: dict({ return: 1 }) }), { jid: 'req' })] }));
  const forged = dict({ a: dict({ return: 1, id: 'other', jid: '1', cmd: 'x' }) });
  await syndics.takeReturns('s', dict({ load: [entry(forged)] }));
  assert.deepEqual(
    (await jobs.returns(JID)).map(({ id }) => id),
    ['a'],
  );
  assert.ok(!existsSync(join(cachedir, '..', 'evil')));
  syndics.note('../evil', {});
  assert.ok(!existsSync(join(cachedir, 'evil')));
  assert.deepEqual(
    syndics.known().map(({ id }) => id),
    ['s'],
  );
});

test('syndics - only whom allowed_syndics names may speak for others', async (t) => {
  const { make, jobs, lines, marks } = registry(t, { allowed_syndics: ['syn*'] });
  const syndics = make();
  await syndics.takeReturns('s', dict({ load: [entry(dict({ a: dict({ return: 1 }) }))] }));
  assert.deepEqual(await jobs.returns(JID), []);
  assert.equal(syndics.isSyndic('s', 'syndic/s'), false);
  assert.equal(syndics.isSyndic('syn1', 'syndic/syn1'), true);
  assert.equal(syndics.isSyndic('syn2', 'syndic/syn1'), false, 'a name that is not its own');
  assert.deepEqual(marks(), ['syn1']);
  assert.match(
    lines.join('\n'),
    /minion s sent returns of other minions, but allowed_syndics does not name it/,
  );
});

test('syndics - who has acted as a minion becomes none, and none speaks for a minion that is accepted here', async (t) => {
  const { make, jobs, lines, keys } = registry(t);
  const syndics = make();
  const returns = (minion: string): Dict => dict({ load: [entry(dict({ [minion]: dict({ return: 1 }) }))] });
  const kept = async (): Promise<string[]> => (await jobs.returns(JID)).map(({ id }) => id);
  syndics.actedAsMinion('here');
  assert.equal(make().started('here', 'syndic', dict()), false);
  assert.equal(make().isSyndic('here', 'syndic/here'), false);
  await make().takeReturns('here', returns('a'));
  assert.deepEqual(await kept(), []);
  assert.match(
    lines.join('\n'),
    /minion here sent returns of other minions, but it has acted as a minion before/,
  );
  await syndics.takeReturns('s', returns('here'));
  await syndics.takeReport('s', dict({ jid: JID, minions: ['here', 'a'], lost: dict({ here: 'x' }) }));
  await syndics.takeReturns('s', returns('a'));
  await syndics.takeReturns('s', returns('s'));
  assert.deepEqual(await kept(), ['a', 's']);
  assert.deepEqual(await jobs.ledger(JID), []);
  keys.set('here', 'a new key');
  assert.equal(make().started('here', 'syndic', dict()), true, 'under a new key it may be another');
  keys.set('here', 'a third key');
  make().actedAsMinion('here');
  assert.equal(make().started('here', 'syndic', dict()), false, 'the new key is that of a minion');
});

test('syndics - allowed_syndics can name the minions of each', async (t) => {
  const allowed = [dict({ s: ['a-*'] }), 'other'];
  const { make, jobs } = registry(t, { allowed_syndics: allowed });
  const syndics = make();
  const both = dict({ 'a-1': dict({ return: 1 }), 'b-1': dict({ return: 1 }) });
  await syndics.takeReturns('s', dict({ load: [entry(both)] }));
  assert.deepEqual(
    (await jobs.returns(JID)).map(({ id }) => id),
    ['a-1'],
  );
  assert.equal(syndics.speaksFor('other', 'b-1'), true);
});

test('syndics - what is known outlives the master, and ends with the key', (t) => {
  const { make } = registry(t);
  const first = make();
  first.started('s', 'syndic', dict({ reports: true }));
  first.started('gone', 'syndic', dict());
  first.started('s', 'minion', dict());
  first.started('plain', 'minion', dict());
  assert.deepEqual(make().known(), [{ id: 's', reports: true, isMinion: true }]);
  first.started('s', 'syndic', dict());
  assert.deepEqual(make().known(), [{ id: 's', reports: false, isMinion: true }]);
});

test('syndics - a report adds to the expected, and tells who is away', async (t) => {
  const { make, jobs } = registry(t);
  await jobs.saveJob(JID, dict({ fun: 'test.ping' }), ['direct']);
  const data = dict({ jid: JID, minions: ['a', 7, '../b'], lost: dict({ a: '2026-11-21T00:00:00' }) });
  await make().takeReport('s', data);
  await make().takeReport('s', dict({ jid: '../x', minions: ['c'] }));
  assert.deepEqual((await jobs.job(JID))?.get('Minions'), ['a', 'direct']);
  assert.deepEqual(await jobs.ledger(JID), [{ id: 'a', absentSince: '2026-11-21T00:00:00' }]);
});

test('permissions - a target without minions here is decided by the masters below (CVE-2022-22941)', () => {
  const ask = (isDecidedBelow: boolean, minions: string[] = []): boolean =>
    isAllowed([dict({ 'web*': ['test.ping'] })], {
      funs: ['test.ping'],
      args: [[]],
      minions,
      minionsOf: () => new Set(['web1']),
      isDecidedBelow,
    });
  assert.deepEqual([ask(true), ask(false)], [true, false]);
  assert.deepEqual([ask(true, ['web1']), ask(true, ['db1'])], [true, false]);
});

/** A master below, asked by its syndic or by somebody of its host. */
function publishing(rights: Rights, values: DictInit = {}, lost: Readonly<Record<string, string>> = {}) {
  const sent: Dict[] = [];
  let newcomers: unknown;
  const opts = new Options(masterOptions, dict({ user: 'root', ...values }));
  const publish = publishHandler({
    opts,
    access: accessFor(opts, { check: () => rights } as unknown as UserAuth),
    notPublished: () => undefined,
    fleet: { ids: ['db1', 'web1'], data: () => undefined },
    jobs: { saveJob: async () => true, note: async () => undefined } as unknown as JobReader & JobWriter,
    mirror: { save: () => undefined } as unknown as LoadMirror,
    jids: new JidSource(systemClock),
    fireEvent: () => undefined,
    send: async ({ load }) => (
      sent.push(load),
      { lost: new Map(Object.entries(lost)), strange: ['db1', 'web1'] }
    ),
    keyState: () => 'accepted',
    hasAuthenticated: (id) => id === 'db1',
    clock: systemClock,
    log: keptLog().log,
  });
  const ask = async (tgt: string, kwargs: DictInit): Promise<string> => {
    const load = dict({ tgt, tgt_type: 'glob', fun: 'test.ping', arg: [], ret: '', kwargs: dict(kwargs) });
    const reply = (await publish(load, 'here')) as { error?: { name: string }; load?: { jid: unknown } };
    newcomers = (reply as { load?: { newcomers?: unknown } }).load?.newcomers;
    return reply.error?.name ?? (reply.load?.jid === null ? 'nobody' : 'published');
  };
  return { ask, sent, newcomers: () => newcomers };
}

test('publish - the list that comes from above is enforced, and handed on (CVE-2022-22941)', async () => {
  const list = [dict({ 'web*': ['test.*'] })];
  const { ask, sent } = publishing({ kind: 'full' });
  assert.equal(await ask('web*', { auth_list: list, user: 'anna' }), 'published');
  assert.equal(sent[0]?.get('user'), 'anna');
  assert.ok(!sent[0]?.has('auth_list'));
  assert.equal(await ask('*', { auth_list: list }), 'AuthorizationError');
  assert.equal(await ask('none', { auth_list: list }), 'nobody');
  assert.equal(await ask('*', { auth_list: [] }), 'published');
  const middle = publishing({ kind: 'full' }, { order_masters: true });
  assert.equal(await middle.ask('below*', { auth_list: list }), 'published');
  assert.deepEqual(middle.sent[0]?.get('auth_list'), list);
});

test('publish - a user with limited rights cannot bring a list of his own', async () => {
  const perms = [dict({ 'web*': ['test.ping'] })];
  const { ask, sent } = publishing(
    { kind: 'limited', rules: given(perms, 'a test') },
    { order_masters: true },
  );
  assert.equal(await ask('*', { auth_list: [], user: 'root' }), 'AuthorizationError');
  assert.equal(await ask('web1', { auth_list: ['.*'], user: 'root' }), 'published');
  assert.deepEqual(sent[0]?.get('auth_list'), perms);
  assert.ok(!sent[0]?.has('user'));
});

test('publish - tells which minions have not authenticated since their keys were accepted', async () => {
  const { ask, newcomers } = publishing({ kind: 'full' });
  assert.equal(await ask('*', {}), 'published');
  assert.deepEqual(newcomers(), ['web1']);
  // one whose connection ended before its key was accepted is new, too; a syndic is not looked up
  const stamp = '2026-11-28T21:13:32';
  const away = publishing({ kind: 'full' }, {}, { web2: stamp, [syndicName('below')]: stamp });
  assert.equal(await away.ask('*', {}), 'published');
  assert.deepEqual(away.newcomers(), ['web1', 'web2']);
});

test('syndics - a job of a day that nobody keeps is not made by what a syndic sends, nor one that has no such minion', async (t) => {
  const { make, jobs, events } = registry(t);
  const syndics = make();
  const load = dict({ fun: 'test.ping', tgt: '*', tgt_type: 'glob', Minions: ['a'] });
  const far = (jid: string): Dict => entry(dict({ a: true }), { jid, load });
  for (const jid of ['99991231235959999999', '00010101000000000000', 'made_up'])
    await syndics.takeReturns('s', far(jid).set('cmd', '_syndic_return'));
  assert.deepEqual(await jobs.jobs({}), []);
  const named = dict({ fun: 'test.ping', tgt: 'web*', tgt_type: 'glob' });
  const returns = dict({ web1: true, db1: 'not asked' });
  await syndics.takeReturns('s', entry(returns, { load: named }).set('cmd', '_syndic_return'));
  assert.deepEqual(
    (await jobs.returns(JID)).map(({ id }) => id),
    ['web1'],
  );
  assert.deepEqual(events.filter((tag) => tag.includes(JID)).sort(), [
    `salt/job/${JID}/apart/db1`,
    `salt/job/${JID}/ret/web1`,
  ]);
});
