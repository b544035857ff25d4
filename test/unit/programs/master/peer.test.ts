import assert from 'node:assert/strict';
import { test } from 'node:test';
import { masterOptions } from '../../../../src/config/master-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { JidSource } from '../../../../src/storage/jobs/jid.ts';
import type { StoredReturn } from '../../../../src/storage/jobs/stored-return.ts';
import type { LoadMirror } from '../../../../src/storage/jobs/load-mirror.ts';
import { PeerCommands, type PeerCommand } from '../../../../src/programs/master/commands/peer.ts';
import type { PublishDeps } from '../../../../src/programs/master/commands/publish-deps.ts';
import type { Access } from '../../../../src/programs/master/auth/access.ts';
import type { PublisherClient } from '../../../../src/network/ipc/contracts/publisher.ts';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';

interface Master {
  ask(id: string, cmd: PeerCommand, load: DictInit): Promise<Value>;
  readonly sent: Parameters<PublisherClient['publish']>[0][];
  readonly run: [string, readonly Value[]][];
  readonly kept: Map<string, Dict>;
  readonly returns: Map<string, StoredReturn[]>;
  /** Those that listen. */
  readonly heard: Set<(jid: string, id: string, load: Dict) => void>;
  readonly warnings: string[];
}

/** A master with web1, web2 and db1, whose pillars hold a secret. */
function master(settings: DictInit): Master {
  const sent: Parameters<PublisherClient['publish']>[0][] = [];
  const run: Master['run'] = [];
  const kept = new Map<string, Dict>();
  const returns: Master['returns'] = new Map();
  const heard: Master['heard'] = new Set();
  const warnings: string[] = [];
  const jobs = {
    saveJob: async (jid: string, load: Dict) => (kept.set(jid, load), true),
    job: async (jid: string) => kept.get(jid),
    returns: async (jid: string) => returns.get(jid) ?? [],
    note: async () => undefined,
    addMinions: async () => undefined,
  };
  const publishing: PublishDeps = {
    opts: new Options(masterOptions, dict({ user: 'root', ...settings })),
    access: undefined as unknown as Access,
    notPublished: () => undefined,
    fleet: {
      ids: ['db1', 'web1', 'web2'],
      data: (id) => ({ grains: dict({ role: id.slice(0, -1) }), pillar: dict({ secret: `${id}s` }) }),
    },
    jobs: jobs,
    mirror: { save: () => undefined } as unknown as LoadMirror,
    jids: new JidSource(systemClock),
    fireEvent: () => undefined,
    send: async (order) => (sent.push(order), { lost: new Map() }),
    keyState: () => 'accepted',
    hasAuthenticated: () => true,
    clock: systemClock,
    log: silentLogger,
  };
  const commands = new PeerCommands({
    publishing,
    run: async (fun, arg) => (run.push([fun, arg]), 'ran'),
    hear: async (tell) => {
      heard.add(tell);
      return { close: () => void heard.delete(tell) };
    },
    warn: (text) => warnings.push(text),
  });
  const ask = (id: string, cmd: PeerCommand, load: DictInit): Promise<Value> =>
    commands.serve(cmd, { id, cmd, load: dict(load), version: 3, nonce: '', encAlgo: '', sigAlgo: '' });
  return { ask, sent, run, kept, returns, heard, warnings };
}

const pub = (fun: string, more: DictInit = {}): DictInit => ({ fun, arg: [], tgt: '*', ret: '', ...more });
const minionsOf = (value: Value): Value => (isDict(value) ? (value.get('minions') ?? null) : null);
const NOTHING = dict();

test('peer - nothing is allowed but what the option says, by minion and function', async () => {
  assert.deepEqual(await master({}).ask('web1', 'minion_pub', pub('test.ping')), NOTHING);
  const some = master({ peer: dict({ 'web.*': ['test.*', 'status.uptime$'] }) });
  assert.deepEqual(minionsOf(await some.ask('web1', 'minion_pub', pub('test.ping'))), [
    'db1',
    'web1',
    'web2',
  ]);
  for (const [id, fun] of [
    ['db1', 'test.ping'],
    ['xweb1', 'test.ping'],
    ['web1', 'cmd.run'],
    ['web1', 'atest.ping'],
    ['web1', 'status.uptimes'],
  ] as const)
    assert.deepEqual(await some.ask(id, 'minion_pub', pub(fun)), NOTHING, `${id} ${fun}`);
  assert.equal(some.sent.length, 1);
  const load = some.sent[0]?.load as Dict;
  assert.deepEqual([load.get('id'), load.get('user')], ['web1', 'root']);
  assert.match(some.warnings[0] ?? '', /The minion db1 may not publish test.ping/);
});

test('peer - of several functions each has to be allowed, and none may publish further', async () => {
  const { ask, sent } = master({ peer: dict({ '.*': ['test.*', 'publish.*'] }) });
  for (const fun of [
    'publish.publish',
    'test.ping,publish.publish',
    'test.ping,cmd.run',
    'test.ping,',
    ',publish.publish',
  ])
    assert.deepEqual(await ask('web1', 'minion_pub', pub(fun, { arg: ['', ''] })), NOTHING, fun);
  const list = pub('test.echo,test.ping', { arg: ['a  b', ''] });
  assert.notEqual(minionsOf(await ask('web1', 'minion_pub', list)), null);
  assert.deepEqual((sent[0]?.load as Dict).get('fun'), ['test.echo', 'test.ping']);
  assert.deepEqual((sent[0]?.load as Dict).get('arg'), [['a', 'b'], []]);
});

test('peer - patterns do not tell of the pillars of others', async () => {
  const { ask } = master({ peer: dict({ '.*': ['test.ping'] }) });
  const reach = async (tgt: string, tgt_type: string): Promise<Value> =>
    minionsOf(await ask('web1', 'minion_pub', pub('test.ping', { tgt, tgt_type })));
  assert.deepEqual(await reach('secret:db1s', 'pillar'), ['db1']);
  assert.equal(await reach('secret:d*', 'pillar'), null);
  assert.equal(await reach('secret:d.*', 'pillar_pcre'), null);
  assert.equal(await reach('I@secret:d*', 'compound'), null);
  assert.deepEqual(await reach('I@secret:db1s', 'compound'), ['db1']);
  assert.equal(await reach('N@nothing or', 'compound'), null);
});

test('peer - rules for targets and arguments; blacklists hold; arguments are read as on a command line', async () => {
  const { ask, sent } = master({
    peer: dict({ '.*': [dict({ 'web*': ['test.*', dict({ 'cmd.run': dict({ args: ['uptime$'] }) })] })] }),
    publisher_acl_blacklist: dict({ modules: ['test.arg'] }),
  });
  assert.equal(minionsOf(await ask('db1', 'minion_pub', pub('test.ping'))), null);
  assert.notEqual(minionsOf(await ask('db1', 'minion_pub', pub('test.ping', { tgt: 'web1' }))), null);
  const run = (arg: Value[]): Promise<Value> =>
    ask('db1', 'minion_pub', pub('cmd.run', { tgt: 'web*', arg })).then(minionsOf);
  assert.equal(await run(['reboot']), null);
  assert.notEqual(await run(['uptime']), null);
  assert.equal(minionsOf(await ask('db1', 'minion_pub', pub('test.arg', { tgt: 'web1' }))), null);
  const echo = pub('test.echo', { tgt: 'web1', arg: ['5', 'a=[1]', 'b=2'], no_parse: ['b'] });
  await ask('db1', 'minion_pub', echo);
  assert.deepEqual((sent.at(-1)?.load as Dict).get('arg'), [5, dict({ __kwarg__: true, a: [1], b: '2' })]);
});

test('peer - nodegroups are those of the master; shapes that are wrong publish nothing', async () => {
  const { ask, sent } = master({
    peer: dict({ '.*': ['.*'] }),
    nodegroups: dict({ front: 'L@web1,web2' }),
  });
  const group = await ask('db1', 'minion_pub', pub('test.ping', { tgt: 'front', tgt_type: 'nodegroup' }));
  assert.deepEqual(minionsOf(group), ['web1', 'web2']);
  assert.deepEqual((sent[0]?.load as Dict).get('tgt_type'), 'compound');
  for (const more of [
    { tgt: 'none', tgt_type: 'nodegroup' },
    { tgt: 5 },
    { arg: 'x' },
    { tgt_type: 'nonsense' },
    { tgt: 'nobody' },
    { ret: null },
  ])
    assert.deepEqual(await ask('db1', 'minion_pub', pub('test.ping', more)), NOTHING, JSON.stringify(more));
});

test('peer - only who published a job gets its returns, and a jid is never a path', async () => {
  const { ask, kept, returns } = master({ peer: dict({ '.*': ['.*'] }) });
  const job = (await ask('web1', 'minion_pub', pub('test.ping'))) as Dict;
  const jid = String(job.get('jid'));
  returns.set(jid, [
    { jid, id: 'db1', fun: 'test.ping', return: true, retcode: 0, success: true, out: 'txt' },
  ]);
  assert.deepEqual(await ask('web1', 'pub_ret', { jid }), dict({ db1: { ret: true, out: 'txt' } }));
  kept.set('20200101000000000000', dict({ fun: 'cmd.run' }));
  for (const [id, asked] of [
    ['web2', jid],
    ['web1', '20200101000000000000'],
    ['web1', '../../../dev/stdin'],
    ['web1', ''],
    ['web1', 7],
  ] as [string, Value][])
    assert.deepEqual(await ask(id, 'pub_ret', { jid: asked }), NOTHING, String(asked));
});

test('peer - minion_publish answers when the last return is heard, bounded', async () => {
  const { ask, returns, heard, kept } = master({ peer: dict({ '.*': ['.*'] }) });
  const tell = (jid: string, id: string, load: DictInit): void =>
    heard.forEach((each) => each(jid, id, dict(load)));
  const asking = ask('web1', 'minion_publish', pub('test.ping', { tmo: 60, tgt: 'web*', form: 'full' }));
  while (kept.size === 0) await new Promise(setImmediate);
  const [jid = ''] = kept.keys();
  tell(jid, 'db1', { return: 'not asked' });
  tell('20261121000000000001', 'web1', { return: 'another job' });
  const ret = { fun: 'test.ping', return: 1, retcode: 0, success: true };
  tell(jid, 'web1', ret);
  tell(jid, 'web2', { ...ret, return: 2, out: 'raw' });
  const whole = { jid, fun: 'test.ping', retcode: 0, success: true };
  assert.deepEqual(
    await asking,
    dict({
      web1: dict({ id: 'web1', ...whole, ret: 1 }),
      web2: dict({ id: 'web2', ...whole, ret: 2, out: 'raw' }),
      __jid__: jid,
    }),
  );
  assert.equal(heard.size, 0);
  const keep = kept.set.bind(kept);
  kept.set = (each, job) => {
    returns.set(each, [{ jid: each, id: 'db1', ...ret }]);
    return keep(each, job);
  };
  const unheard = await ask('web1', 'minion_publish', pub('test.ping', { tmo: 0, tgt: 'db1' }));
  assert.deepEqual(unheard, dict({ db1: 1 }), 'what the job cache has');
  kept.set = keep;
  assert.deepEqual(await ask('web1', 'minion_publish', pub('test.ping', { tmo: 'soon' })), NOTHING);
  assert.deepEqual(
    await ask('web1', 'minion_publish', pub('test.ping', { tmo: 0, form: 'full' })).then((value) => [
      ...(value as Dict).keys(),
    ]),
    ['__jid__'],
  );
});

test('peer_run - runners by minion and function; names that are no functions are refused', async () => {
  const { ask, run } = master({ peer_run: dict({ web1$: ['manage\\.', '.*'], db: ['jobs.list_jobs'] }) });
  assert.equal(await ask('web1', 'minion_runner', { fun: 'manage.up', arg: ['x=1', '2'] }), 'ran');
  assert.deepEqual(run, [['manage.up', [2, dict({ __kwarg__: true, x: 1 })]]]);
  for (const [id, fun] of [
    ['web2', 'manage.up'],
    ['db1', 'manage.up'],
    ['web1', '--config-dir=/tmp'],
    ['web1', 'manage.up --doc'],
    ['web1', 'manage'],
  ] as const)
    assert.deepEqual(await ask(id, 'minion_runner', { fun, arg: [] }), NOTHING, fun);
  assert.deepEqual(
    await master({ peer: dict({ '.*': ['.*'] }) }).ask('web1', 'minion_runner', {
      fun: 'manage.up',
      arg: [],
    }),
    NOTHING,
  );
});

test('peer - what a minion may do goes down with its job, for the masters below to hold it against', async () => {
  const rules = [dict({ 'web*': ['cmd.run'] })];
  const tree = master({ peer: dict({ web1: rules }), order_masters: true });
  await tree.ask('web1', 'minion_pub', pub('cmd.run', { tgt: 'web*' }));
  assert.deepEqual(tree.sent[0]?.load.get('auth_list'), rules);
});

test('peer - a rule for arguments holds for what is published', async () => {
  const rules = [dict({ '*': [dict({ 'cmd.run': dict({ args: ['uptime'] }) })] })];
  const strict = master({ peer: dict({ web1: rules }) });
  await strict.ask('web1', 'minion_pub', pub('cmd.run', { arg: ['uptime=1', 'rm -rf /'] }));
  assert.deepEqual(strict.sent, []);
  await strict.ask('web1', 'minion_pub', pub('cmd.run', { arg: ['uptime', 'cwd=/'] }));
  assert.equal(strict.sent.length, 1);
});

test('peer - a rule for some minions, as a list or as a mapping, holds for those', async () => {
  for (const rules of [
    [dict({ 'db*': ['test.ping'] })],
    dict({ 'db*': ['test.ping'] }),
    dict({ 'db*': 'test.ping' }),
  ]) {
    const { ask, sent } = master({ peer: dict({ web1: rules }) });
    const to = (tgt: string, fun = 'test.ping'): Promise<Value> =>
      ask('web1', 'minion_pub', { fun, arg: [], tgt, ret: '', tgt_type: 'glob' });
    assert.ok((await to('db1')) instanceof Map && sent.length === 1);
    for (const refused of [await to('web2'), await to('*'), await to('db1', 'cmd.run')])
      assert.deepEqual(refused, new Map());
    assert.equal(sent.length, 1);
  }
});

test('peer - a minion that asks why is told, and not which rules there are; a real one gets an empty mapping', async () => {
  const { ask } = master({
    peer: dict({ web1: ['test.secret_rule'] }),
    peer_run: dict({ web1: ['jobs.*'] }),
  });
  const load = { fun: 'cmd.run', arg: ['id'], tgt: 'db1', ret: '', tgt_type: 'glob' };
  for (const cmd of ['minion_pub', 'minion_publish', 'minion_runner'] as const) {
    assert.deepEqual(await ask('web1', cmd, load), new Map(), cmd);
    const reply = await ask('web1', cmd, { ...load, asks_reason: true });
    const reason = isDict(reply) ? String(reply.get('__refused__')) : '';
    assert.match(
      reason,
      /^The minion web1 may not (publish|run) cmd\.run; the option peer(_run)? would have to allow it/,
    );
    assert.doesNotMatch(reason, /secret_rule/);
  }
  const nobody = await ask('web1', 'minion_pub', {
    ...load,
    fun: 'test.secret_rule',
    tgt: 'no*',
    asks_reason: true,
  });
  assert.match(
    isDict(nobody) ? String(nobody.get('__refused__')) : '',
    /no minion of this master fits the target/,
  );
});
