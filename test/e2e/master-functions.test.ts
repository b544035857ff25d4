/**
 * Functions of the master, called over its request port and by reactions: what they return, fire and leave, and what
 * the refused leave.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import test from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { EventBusReader, EventBusWriter } from '../../src/network/events/bus-client.ts';
import type { BusEvent } from '../../src/network/events/framing.ts';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { decode } from '../../src/formats/wire/msgpack.ts';
import { clearBytes, rawRequester } from '../support/attacker.ts';
import { Fleet, until } from '../support/fleet.ts';

/** An account that every system has and nobody logs in to. */
const LIMITED = 'nobody';

test('functions of the master - over the request port, and from reactions', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.write(fleet.path('reactor'), 'wheel.sls', [
    'make a key:',
    '  wheel.key.gen_accept:',
    "    - id_: {{ data['name'] }}",
    'and another:',
    '  wheel.key.gen_accept:',
    "    - args: {id_: 'second_{{ data['name'] }}'}",
    'and none:',
    '  wheel.key.nope:',
    '    - args: {a: 1}',
  ]);
  fleet.configureMaster([
    ...(userInfo().uid === 0 ? [`publisher_acl: {${LIMITED}: ['.*']}`] : []),
    `reactor: [{my/wheel: [${fleet.path('reactor', 'wheel.sls')}]}]`,
  ]);
  const master = await fleet.startMaster();
  await master.logged('The reactor is ready');
  const events: BusEvent[] = [];
  const bus = await EventBusReader.connect(
    fleet.path('m', 'run', 'master_event_pub.ipc'),
    () => true,
    (event) => void events.push(event),
  );
  t.after(() => bus.close());
  const runs = (): BusEvent[] => events.filter(({ tag }) => /^salt\/(run|wheel)\//.test(tag));
  const event = async (tag: string): Promise<Dict> => {
    await until(`the event ${tag}`, () => events.some((each) => each.tag === tag));
    return events.find((each) => each.tag === tag)?.data ?? new Map();
  };
  const requester = rawRequester(t, fleet.retPort);
  const keyOf = (user: string): string => readFileSync(fleet.path('m', 'cache', `.${user}_key`), 'utf8');
  const key = keyOf(userInfo().username);
  const call = async (load: Record<string, Value>): Promise<Dict> => {
    const reply = decode(await requester.request(clearBytes(load), 20_000), 'network');
    assert.ok(isDict(reply));
    return reply;
  };
  const kept = async (jid: string): Promise<Record<string, unknown>> => {
    const words = ['--out', 'json', 'jobs.list_job', jid];
    return JSON.parse((await fleet.run('salt-run', words)).stdout) as Record<string, unknown>;
  };
  const listed = dict({
    minions: [],
    minions_pre: [],
    minions_rejected: [],
    minions_denied: [],
    local: ['master.pem', 'master.pub'],
  });

  await t.test('a wheel function has ended when the reply comes', async () => {
    const reply = await call({ cmd: 'wheel', fun: 'key.list_all', key });
    const data = reply.get('data') as Dict;
    assert.deepEqual(data.get('return'), listed);
    const tag = `salt/wheel/${String(data.get('jid'))}`;
    assert.equal(reply.get('tag'), tag);
    assert.deepEqual((await event(`${tag}/new`)).get('fun_args'), []);
    assert.deepEqual((await event(`${tag}/ret`)).get('return'), listed);
    assert.equal((await kept(String(data.get('jid'))))['Function'], 'wheel.key.list_all');
  });

  await t.test("Salt's client chooses the job id that it waits for", async () => {
    const jid = new Date().toISOString().replaceAll(/\D/g, '').padEnd(20, '0');
    const named = { __jid__: jid, __tag__: 'anything/else', __user__: 'UNKNOWN' };
    await call({ cmd: 'wheel', fun: 'key.finger', match: '*', key, user: 'root', ...named });
    const data = await event(`salt/wheel/${jid}/ret`);
    assert.deepEqual(data.get('fun_args'), ['*', dict({ hash_type: null })]);
    assert.ok(!JSON.stringify([...data]).includes(key));
    const again = await call({ cmd: 'wheel', fun: 'key.list_all', key, ...named });
    assert.match(String((again.get('error') as Dict).get('message')), /There is a job with this __jid__/);
  });

  await t.test('a runner goes on by itself', async () => {
    const low = dict({ arg: ['a', 1], kwarg: dict({ b: 2 }) });
    const reply = await call({ cmd: 'runner', fun: 'test.arg', kwarg: low, key, user: 'root' });
    const jid = String(reply.get('jid'));
    assert.equal(reply.get('tag'), `salt/run/${jid}`);
    const data = await event(`salt/run/${jid}/ret`);
    assert.deepEqual(data.get('return'), dict({ args: ['a', 1], kwargs: dict({ b: 2 }) }));
    assert.deepEqual(
      [data.get('fun'), data.get('user'), data.get('success')],
      ['runner.test.arg', 'root', true],
    );
    const old = await call({ cmd: 'runner', fun: 'config.get', kwarg: dict({ key: 'ret_port' }), key });
    assert.equal((await event(`${String(old.get('tag'))}/ret`)).get('return'), fleet.retPort);
  });

  await t.test('what is not there fails, and who waits hears it', async () => {
    const reply = await call({ cmd: 'runner', fun: 'no.such', kwarg: new Map(), key });
    const data = await event(`${String(reply.get('tag'))}/ret`);
    assert.match(
      String(data.get('return')),
      /^Exception occurred in runner no\.such: [^]*'no\.such' is not available/,
    );
    assert.deepEqual([data.get('success'), data.get('retcode')], [false, 1]);
    const wheel = (await call({ cmd: 'wheel', fun: 'key.nope', key })).get('data') as Dict;
    assert.match(String(wheel.get('return')), /^Exception occurred in wheel key\.nope: /);
    assert.equal(wheel.get('success'), false);
  });

  await t.test('whoever has not shown who he is gets nothing, and leaves nothing', async () => {
    const refused = (): number =>
      runs().filter(({ data }) => /gen_accept|test\.arg/.test(String(data.get('fun')))).length;
    const before = refused();
    const jid = '20260101000000000002';
    const credentials: [string, Record<string, Value>][] = [
      ['UserAuthenticationError', {}],
      ['UserAuthenticationError', { key: 'guessed' }],
      ['UserAuthenticationError', { key, user: 'sudo_' + LIMITED, token: '' }],
      ['TokenAuthenticationError', { key, token: 'x' }],
      ['EauthAuthenticationError', { key, eauth: 'pam', username: 'root', password: 'x' }],
    ];
    if (userInfo().uid === 0)
      credentials.push(
        ['UserAuthenticationError', { key: keyOf(LIMITED), user: LIMITED }],
        ['UserAuthenticationError', { key: keyOf(LIMITED), user: 'root' }],
      );
    for (const [name, shown] of credentials)
      for (const more of [
        { cmd: 'wheel', fun: 'key.gen_accept', id_: 'intruder', __jid__: jid },
        { cmd: 'runner', fun: 'test.arg', kwarg: new Map<Value, Value>() },
      ]) {
        const error = (await call({ ...more, ...shown })).get('error') as Dict;
        assert.equal(error.get('name'), shown['token'] === '' ? 'TokenAuthenticationError' : name);
      }
    // an event that follows shows that none is on its way
    const last = await call({ cmd: 'wheel', fun: 'key.list_all', key });
    await event(`${String(last.get('tag'))}/ret`);
    assert.equal(refused(), before);
    assert.ok(!existsSync(fleet.path('m', 'pki', 'minions', 'intruder')));
    assert.match(String((await kept(jid))['Error']), /no job with this jid/);
  });

  await t.test('reactions call wheel functions', async () => {
    const writer = new EventBusWriter({
      path: fleet.path('m', 'run', 'master_event_pull.ipc'),
      clock: systemClock,
      eventBytesMax: 1_000_000,
      queueBytesMax: 1_000_000,
    });
    t.after(() => writer.close());
    writer.fire('my/wheel', dict({ name: 'new' }));
    const made = (): BusEvent[] =>
      runs().filter(({ tag, data }) => tag.endsWith('/ret') && data.get('fun') === 'wheel.key.gen_accept');
    await until('both keys were made', () => made().length === 2);
    for (const id of ['new', 'second_new']) assert.ok(existsSync(fleet.path('m', 'pki', 'minions', id)), id);
    assert.deepEqual(
      made().map(({ data }) => data.get('user')),
      ['Reactor', 'Reactor'],
    );
    await master.logged("Reactor 'and none' failed to execute wheel 'key.nope'");
  });

  await t.test('salt-run --async', async () => {
    const { stdout, stderr, code } = await fleet.run('salt-run', ['--async', 'test.arg', 'x']);
    const jid = /salt\/run\/(\d{20})/.exec(stdout + stderr)?.[1] ?? '';
    assert.equal(code, 0);
    assert.deepEqual(
      (await event(`salt/run/${jid}/ret`)).get('return'),
      dict({ args: ['x'], kwargs: new Map() }),
    );
    assert.equal((await kept(jid))['Function'], 'runner.test.arg');
  });
});
