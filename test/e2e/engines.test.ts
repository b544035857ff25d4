/**
 * Engines and processes of one's own beside a master and a minion: events in and out, refusals, and what is killed is
 * back.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { EventBusReader, EventBusWriter } from '../../src/network/events/bus-client.ts';
import type { BusEvent } from '../../src/network/events/framing.ts';
import { dict } from '../../src/python/values/value.ts';
import { Fleet, freePort, until, type Daemon } from '../support/fleet.ts';

const noPython = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3';

const OWN_ENGINE = `
import { defineEngine } from 'brine';
export default defineEngine({
  doc: 'Answers events.',
  options: { word: { type: 'str' } },
  async start({ word }, ctx) {
    const asked = ctx.events('ask/*');
    ctx.log.warning('own engine starts');
    for await (const { tag, data } of asked)
      await ctx.fireEvent('own/answer', {
        tag,
        said: data.text,
        word,
        echo: await ctx.call('test.echo', ['here']),
        ...(ctx.role === 'master' ? { ran: await ctx.runner('test.arg', [1]) } : {}),
      });
  },
});
`;

const PYTHON_ENGINE = `
import logging

import salt.utils.event

log = logging.getLogger(__name__)


def start(word, tag="py/ask"):
    node = __opts__["__role"]
    with salt.utils.event.get_event(node, __opts__["sock_dir"], opts=__opts__) as bus:
        log.warning("engine in Python starts")
        for event in bus.iter_events(tag=tag, full=True, auto_reconnect=True):
            ran = __runners__["test.arg"](1)["args"] if node == "master" else __opts__["grains"]["id"]
            answer = {"tag": event["tag"], "said": event["data"]["text"], "word": word, "echo": __salt__["test.echo"]("x"), "ran": ran}
            __salt__["event.send"]("py/answer", answer) if node == "minion" else bus.fire_event(answer, "py/answer")
`;

const OWN_PROCESS = `
const { defineEngine } = require('brine');
module.exports = defineEngine({ start: async (_, ctx) => {
  ctx.log.warning('own process starts');
  while (!ctx.signal.aborted) await ctx.sleep(60);
} });
`;

test('engines - beside a master and a minion', async (t) => {
  const fleet = await Fleet.create(t);
  const [hookPort, minionHookPort] = [await freePort(), await freePort()];
  const ran = fleet.path('ran');
  const lines = fleet.path('lines');
  for (const folder of ['m', 'one']) {
    fleet.write(fleet.path(folder, 'cache', 'extmods', 'engines'), 'answers.ts', [OWN_ENGINE]);
    fleet.write(fleet.path(folder, 'cache', 'extmods', 'engines'), 'py_answers.py', [PYTHON_ENGINE]);
  }
  fleet.write(fleet.folder, 'process.cjs', [OWN_PROCESS]);
  fleet.configureMaster([
    'auto_accept: True',
    'engines:',
    `  - script: {cmd: 'sh -c "test ! -e ${lines} || cat ${lines}"', interval: 0.05, onchange: True}`,
    `  - webhook: {address: 127.0.0.1, port: ${hookPort}}`,
    '  - answers: {word: master}',
    '  - py_answers: {word: master}',
    '  - py_answers',
    '  - webhook: {portt: 1}',
    '  - slack_bolt: {app_token: x}',
    '  - scripted',
    '  - reactor: {worker_threads: 2}',
    'ext_processes:',
    `  - ${fleet.path('process.cjs')}`,
    `  - writer: {cmd: [sh, -c, 'echo ran >> ${ran}; exec sleep 1000']}`,
    '  - site.module.Class',
  ]);
  const events: BusEvent[] = [];
  const master = await fleet.startMaster();
  const bus = await EventBusReader.connect(
    fleet.path('m', 'run', 'master_event_pub.ipc'),
    () => true,
    (event) => void events.push(event),
  );
  t.after(() => bus.close());
  const heard = (tag: string): BusEvent[] => events.filter((event) => event.tag === tag);
  const minion = await fleet.joinMinion('one', [
    'engines:',
    `  - webhook: {address: 127.0.0.1, port: ${minionHookPort}}`,
    '  - answers: {word: minion}',
    '  - py_answers: {word: minion}',
    '  - reactor',
    'reactor:',
    `  - 'ask/*': ${fleet.path('reactor', 'ask.sls')}`,
  ]);
  fleet.write(fleet.folder, 'reacted', []);
  fleet.write(fleet.path('reactor'), 'ask.sls', [
    'write:',
    '  caller.file.append:',
    '    - args:',
    `      - ${fleet.path('reacted')}`,
    "      - \"{{ data['text'] }} {{ tag }} {{ grains['id'] }}\"",
    'publish:',
    '  local.test.ping:',
    "    - tgt: '*'",
    '    - args: {}',
  ]);

  await t.test('what cannot be done is told, each with its reason', async () => {
    await master.logged('Engine(webhook) 2 is not started: it has no option portt. Did you mean');
    await master.logged('Engine(slack_bolt) is not started: it needs the option bot_token');
    await master.logged(
      "Engine(scripted) is not started: there is no engine of this name. Did you mean 'script'?",
    );
    await master.logged(
      'The process site.module.Class of ext_processes is not started: it names a Python class',
    );
  });

  await t.test('lines of a script, once each when they do not change', async () => {
    fleet.write(fleet.folder, 'lines', ['{"tag": "my/script", "data": {"n": 1}}', 'nonsense']);
    await until('the event', () => heard('my/script').length > 0);
    await master.logged('The script engine cannot read a line as an event: nonsense', 2);
    assert.equal(heard('my/script').length, 1);
    assert.equal(heard('my/script')[0]?.data.get('n'), 1);
    assert.match(String(heard('my/script')[0]?.data.get('id')), /_master$/);
  });

  await t.test('requests become events, on the master and on the minion', async () => {
    const post = (port: number, method = 'POST') =>
      fetch(`http://127.0.0.1:${port}/a/b?c=d`, {
        method,
        headers: { 'X-my-HEADER': 'yes' },
        ...(method === 'POST' ? { body: '{"x": 1}' } : {}),
      });
    await master.logged('The webhook engine listens');
    assert.equal((await post(hookPort)).status, 200);
    assert.equal((await post(hookPort, 'GET')).status, 405);
    await until('the event', () => heard('salt/engines/hook/a/b').length === 1);
    const { data } = heard('salt/engines/hook/a/b')[0] as BusEvent;
    assert.equal(Buffer.from(data.get('body') as Uint8Array).toString(), '{"x": 1}');
    assert.equal((data.get('headers') as Map<string, string>).get('X-My-Header'), 'yes');
    await minion.logged('The webhook engine listens');
    assert.equal((await post(minionHookPort)).status, 200);
    await until('the event', () => heard('salt/engines/hook/a/b').length === 2);
    assert.equal(heard('salt/engines/hook/a/b')[1]?.data.get('id'), 'one');
  });

  await t.test('custom engines listen, call functions, and fire', async () => {
    await master.logged('own engine starts');
    const ask = eventsOn(t, fleet.path('m', 'run', 'master_event_pull.ipc'));
    // the engine says that it starts before the bus knows that it listens
    await until('its answer', () => {
      ask.fire('ask/me', dict({ text: 'hello' }));
      return heard('own/answer').length > 0;
    });
    const { data } = heard('own/answer')[0] as BusEvent;
    assert.equal(data.get('said'), 'hello');
    assert.equal(data.get('word'), 'master');
    assert.equal(data.get('echo'), 'here');
    assert.deepEqual(data.get('ran'), dict({ args: [1], kwargs: new Map() }));
  });

  await t.test(
    'engines in Python listen, call functions and runners, and fire',
    { skip: noPython },
    async () => {
      await master.logged('Engine(py_answers) 2 is not started: it needs the option word');
      await master.logged('engine in Python starts');
      await minion.logged('engine in Python starts');
      eventsOn(t, fleet.path('m', 'run', 'master_event_pull.ipc')).fire('py/ask/me', dict({ text: 'hello' }));
      await until('its answer', () => heard('py/answer').length === 1);
      const { data } = heard('py/answer')[0] as BusEvent;
      assert.deepEqual(
        ['tag', 'said', 'word', 'echo', 'ran'].map((key) => data.get(key)),
        ['py/ask/me', 'hello', 'master', 'x', [1]],
      );
      await fleet.salt(['one', 'event.fire', '{"text": "there"}', 'py/ask']);
      await until('the answer of the minion', () => heard('py/answer').length === 2);
      const answer = heard('py/answer')[1]?.data.get('data');
      assert.ok(answer instanceof Map);
      assert.deepEqual(
        ['said', 'word', 'ran'].map((key) => answer.get(key)),
        ['there', 'minion', 'one'],
      );
    },
  );

  await t.test('a minion has its own bus, engines and reactor', async () => {
    await minion.logged('The reactor is ready');
    await minion.logged('own engine starts');
    const answers = (): unknown[] =>
      heard('own/answer').flatMap(({ data }) => {
        const answer = data.get('data'); // of a minion, what was fired stands inside
        return answer instanceof Map ? [answer.get('word')] : [];
      });
    const { code, stdout } = await fleet.salt(['one', 'event.fire', '{"text": "hello"}', 'ask/minion']);
    assert.equal(code, 0, stdout);
    await until('the answer', () => answers().length === 1);
    assert.deepEqual(answers(), ['minion']);
    await minion.logged("Reactor 'publish' failed to execute local 'test.ping'");
    await until('the reaction', () => readFileSync(fleet.path('reacted'), 'utf8').includes('hello'));
    assert.equal(readFileSync(fleet.path('reacted'), 'utf8').trim(), 'hello ask/minion one');
  });

  await t.test('what is killed is back, and so are processes of a site', async () => {
    await until('the processes run', () => existsSync(ran));
    await master.logged('own process starts');
    kill(master, 'salt-master Engine(answers)');
    kill(master, 'salt-master ExtProcess(writer)');
    kill(minion, 'salt-minion Engine(answers)');
    await master.logged('own engine starts', 2);
    await minion.logged('own engine starts', 2);
    await until('the process is back', () => readFileSync(ran, 'utf8') === 'ran\nran\n');
  });

  await t.test('nothing is left when the daemons end', async () => {
    await minion.stop();
    await master.stop();
    for (const port of [hookPort, minionHookPort]) await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
  });
});

function kill(daemon: Daemon, title: string): void {
  process.kill(daemon.children().get(title) as number, 'SIGKILL');
}

function eventsOn(t: { after(run: () => void): void }, path: string): EventBusWriter {
  const writer = new EventBusWriter({
    path,
    clock: systemClock,
    eventBytesMax: 1_000_000,
    queueBytesMax: 1_000_000,
  });
  t.after(() => writer.close());
  return writer;
}
