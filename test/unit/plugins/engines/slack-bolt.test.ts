/** The engine `slack_bolt` against a stand-in of Slack: its web API, and the WebSocket of socket mode. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { WebSocketServer, type WebSocket } from 'ws';
import type { MasterForEngines } from '../../../../src/plugins/shared/engine/engine.ts';
import { slackBoltEngine } from '../../../../src/plugins/slack/bolt.engine.ts';
import { commandIn, readGroups } from '../../../../src/plugins/slack/engine/commands.ts';
import { boundOptions } from '../../../../src/programs/engines/run-engine.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { engineStage } from '../../../support/engines.ts';

const APP = 'xapp-canary-app';
const BOT = 'xoxb-canary-bot';

/** What stands in for Slack. */
interface SlackStandIn {
  readonly url: string;
  /** What was written: channel and text. */
  readonly posted: [string, string][];
  readonly answered: string[];
  /** Calls of the API with their tokens. */
  readonly asked: string[];
  /** Sends an event to whoever is connected, and says so once more when `again`. */
  send(event: object, id: string): Promise<void>;
  /** Ends the connection as Slack does it before it restarts. */
  disconnect(): Promise<void>;
  connections(): number;
  postedSome(count: number): Promise<void>;
}

async function slackStandIn(t: TestContext): Promise<SlackStandIn> {
  const posted: [string, string][] = [];
  const answered: string[] = [];
  const asked: string[] = [];
  let wake: () => void = () => undefined;
  let socket: WebSocket | undefined;
  let connections = 0;
  const changed = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  const server = createServer((request, reply) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const method = (request.url ?? '').split('/').at(-1) ?? '';
      const words = new URLSearchParams(body);
      asked.push(`${method} ${request.headers.authorization ?? ''}`);
      const { port } = server.address() as AddressInfo;
      const answers: Record<string, object> = {
        'apps.connections.open': { ok: true, url: `ws://127.0.0.1:${port}/link?ticket=canary-ticket` },
        'users.list': words.has('cursor')
          ? { ok: true, members: [{ id: 'U2', name: 'bob', is_bot: false }] }
          : {
              ok: true,
              members: [
                { id: 'U1', name: 'alice', is_bot: false },
                { id: 'B1', name: 'robot', is_bot: true },
              ],
              response_metadata: { next_cursor: 'more' },
            },
        'conversations.list': { ok: true, channels: [{ id: 'C1', name: 'ops' }] },
        'chat.postMessage': { ok: true },
      };
      if (method === 'chat.postMessage') posted.push([words.get('channel') ?? '', words.get('text') ?? '']);
      reply.end(JSON.stringify(answers[method] ?? { ok: false, error: 'unknown_method' }));
      wake();
    });
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (opened) => {
    socket = opened;
    connections++;
    opened.on('message', (data: Buffer) => {
      answered.push((JSON.parse(data.toString()) as { envelope_id: string }).envelope_id);
      wake();
    });
    opened.send(JSON.stringify({ type: 'hello' }));
    wake();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api`,
    posted,
    answered,
    asked,
    send: async (event, id) => {
      while (socket === undefined || socket.readyState !== socket.OPEN) await changed();
      const before = answered.length;
      socket.send(
        JSON.stringify({
          envelope_id: `${id}-${before}`,
          type: 'events_api',
          payload: { event_id: id, event },
        }),
      );
      while (answered.length === before) await changed();
    },
    disconnect: async () => {
      const before = connections;
      socket?.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
      while (connections === before) await changed();
    },
    connections: () => connections,
    postedSome: async (count) => {
      while (posted.length < count) await changed();
    },
  };
}

const GROUPS = dict({
  default: dict({
    users: ['*'],
    commands: ['test.ping'],
    aliases: dict({ jobs: dict({ cmd: 'jobs.list_jobs search=x' }) }),
    default_target: dict({ target: 'web*', tgt_type: 'glob' }),
  }),
  gods: dict({ users: ['alice'], commands: ['*'], targets: dict({ 'cmd.run': dict({ target: 'db1' }) }) }),
});

test('slack_bolt - messages become events and commands, for whom the groups let', async (t) => {
  const slack = await slackStandIn(t);
  const calls: unknown[] = [];
  const noKeywords = (kwarg: Dict | undefined): unknown => Object.fromEntries(kwarg ?? []);
  const master = {
    nextJid: () => `2026010100000000000${calls.length}`,
    hasRunner: (fun: string) => Promise.resolve(fun.startsWith('jobs.')),
    job: (tgt: string, fun: string, arg: Value[], { tgtType, kwarg, jid }: Record<string, never>) => {
      calls.push([tgt, tgtType, fun, arg, noKeywords(kwarg), jid]);
      return Promise.resolve(new Map([['web1', true]]));
    },
    runnerJob: (fun: string, arg: Value[], kwarg: Dict, jid: string) => {
      calls.push([fun, arg, noKeywords(kwarg), jid]);
      return Promise.resolve(dict({ a: 'x'.repeat(5000) }));
    },
  } as unknown as MasterForEngines;
  const stage = engineStage({ master });
  const options = dict({
    app_token: APP,
    bot_token: BOT,
    control: true,
    fire_all: true,
    groups: GROUPS,
    api_url: slack.url,
  });
  const ended = slackBoltEngine.start(stage.ctx, boundOptions(slackBoltEngine, options, 'master'));
  t.after(async () => {
    stage.stop();
    await ended;
  });
  const message = (text: string, user = 'U2') => ({ type: 'message', text, user, channel: 'C1' });

  await slack.send(message('just words'), 'E1');
  await stage.firedSome(1);
  assert.equal(stage.fired[0]?.tag, 'salt/engines/slack/message');
  const data = stage.fired[0]?.data;
  assert.deepEqual([...data.keys()], ['message_data', 'user_id', 'user_name', 'channel_name']);
  assert.deepEqual([data.get('user_name'), data.get('channel_name')], ['bob', 'ops']);

  await slack.send(message('!test.ping'), 'E2');
  await slack.postedSome(3);
  assert.deepEqual(calls.splice(0), [['web*', 'glob', 'test.ping', [], {}, '20260101000000000000']]);
  assert.deepEqual(
    slack.posted.splice(0).map(([, text]) => text),
    [
      "@bob's job is submitted as salt jid 20260101000000000000",
      "@bob's job `['test.ping']` (id: 20260101000000000000) (target: {'target': 'web*', 'tgt_type': 'glob'}) returned",
      '```web1: true\n```',
    ],
  );
  const asked = stage.fired[1]?.data as Dict;
  assert.deepEqual([...asked.keys()], ['message_data', 'channel', 'user', 'user_name', 'cmdline', 'target']);

  // Slack sends an event again when an answer was lost
  await slack.send(message('!test.ping'), 'E2');
  await slack.send(message('!cmd.run id'), 'E3');
  await slack.postedSome(1);
  assert.deepEqual(slack.posted.splice(0), [['C1', 'bob is not allowed to use command cmd.run.']]);
  await slack.send(message('!test.ping', 'B1'), 'E4');
  await slack.postedSome(1);
  assert.match(slack.posted.splice(0)[0]?.[1] ?? '', /^The user B1 can not be looked up via slack/);
  assert.deepEqual(calls, []);

  await slack.disconnect();
  await slack.send(message('!jobs extra'), 'E5');
  await slack.postedSome(3);
  assert.deepEqual(calls.splice(0), [['jobs.list_jobs', ['extra'], { search: 'x' }, '20260101000000000000']]);
  assert.match(
    slack.posted.splice(0)[2]?.[1] ?? '',
    /… all of it: salt-run jobs.lookup_jid 20260101000000000000```$/,
  );
  assert.equal(slack.connections(), 2);
  assert.deepEqual(slack.answered.length, 6);
  assert.ok(slack.asked.includes(`apps.connections.open Bearer ${APP}`));
  assert.ok(slack.asked.includes(`chat.postMessage Bearer ${BOT}`));
  const shown = stage.lines.join('\n') + JSON.stringify(stage.fired.map(({ data: fired }) => [...fired]));
  assert.ok(!shown.includes('canary'), shown);
});

test('slack_bolt - what a message asks for, and of whom', () => {
  const { groups, faults } = readGroups([
    null,
    GROUPS,
    dict({ broken: ['x'], default: dict({ users: ['eve'] }) }),
  ]);
  assert.deepEqual(faults, ['The group broken of slack_bolt is no mapping; it is left out.']);
  const words = (text: string, user: string): unknown => commandIn(text, user, groups);
  assert.deepEqual(words('cmd.run "uname -a"', 'alice'), {
    cmdline: ['cmd.run', 'uname -a'],
    target: 'db1',
    tgtType: 'glob',
  });
  assert.deepEqual(words('test.ping target=<http://a.example|a.example> tgt_type=list', 'bob'), {
    cmdline: ['test.ping'],
    target: 'a.example',
    tgtType: 'list',
  });
  assert.equal(words('cmd.run id', 'bob'), undefined);
  assert.equal(words('', 'alice'), undefined);
  assert.equal(commandIn('test.ping', 'alice', []), undefined);
  assert.throws(() => words('cmd.run "x', 'alice'), /No closing quotation/);
});

test('slack_bolt - it does not start as it cannot work', async () => {
  const start = (more: Record<string, Value>, stage = engineStage({ role: 'minion' })) =>
    slackBoltEngine.start(
      stage.ctx,
      boundOptions(slackBoltEngine, dict({ app_token: APP, bot_token: BOT, ...more }), 'minion'),
    );
  await assert.rejects(start({ bot_token: 'token' }), /bot_token is no token of a bot/);
  await assert.rejects(start({ control: true }), /control: True needs a master/);
  await assert.rejects(start({ trigger: '' }), /trigger is empty/);
  await assert.rejects(start({ api_url: 'ftp://x' }), /api_url must be set to a URL/);
});
