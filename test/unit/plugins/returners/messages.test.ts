import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { parseJson } from '../../../../src/formats/json/text.ts';
import { dict, type Dict, type DictInit } from '../../../../src/python/values/value.ts';
import { freePort } from '../../../support/fleet.ts';
import { startHttpStandIn } from '../../../support/http-stand-in.ts';
import {
  callReturner,
  RECORDED_RETURNS,
  returnerContext,
  sentBySalt,
} from '../../../support/returner-vectors.ts';

const RET = RECORDED_RETURNS.get('text') as Dict;

function context(opts: DictInit): ReturnType<typeof returnerContext> {
  return returnerContext(dict(opts), systemClock);
}

test("slack_webhook - what is sent is what Salt's returner sends", async (t) => {
  const server = await startHttpStandIn(t, () => ({ body: 'ok' }));
  for (const { config, sent } of sentBySalt('slack_webhook'))
    for (const [name, ret] of RECORDED_RETURNS) {
      const ctx = returnerContext(
        new Map([...config, ['slack_webhook.webhook', `${server.url}/services/T0/B0/xyz`]]),
        systemClock,
      );
      await callReturner(ctx, 'slack_webhook.returner', ret);
      const payload = new URLSearchParams(server.taken.at(-1)?.body).get('payload');
      assert.deepEqual(parseJson(payload ?? ''), sent.get(name)?.get('payload'), name);
    }
  assert.equal(server.taken[0]?.path, '/services/T0/B0/xyz');
});

test('slack_webhook - events that are returns are posted, others not', async (t) => {
  const server = await startHttpStandIn(t, () => ({ body: 'ok' }));
  const ctx = context({ 'slack_webhook.webhook': server.url });
  await callReturner(ctx, 'slack_webhook.event_return', [
    dict({ tag: 'salt/job/1/ret/m9', data: new Map([...RET, ['id', 'm9']]) }),
    dict({ tag: 'salt/job/1/ret/m9', data: new Map([...RET, ['fun', 'saltutil.find_job']]) }),
    dict({ tag: 'salt/auth', data: { id: 'm9', act: 'accept' } }),
  ]);
  assert.equal(server.taken.length, 1);
  assert.match(decodeURIComponent(server.taken[0]?.body ?? ''), /"author_name":\+"m9"/);
});

test('slack_webhook - the webhook is a secret: no message and no log tells it', async (t) => {
  const server = await startHttpStandIn(t, () => ({ status: 404, body: 'no_service' }));
  const secret = 'T0/B0/a-secret';
  const failing = callReturner(
    context({ 'slack_webhook.webhook': `${server.url}/${secret}` }),
    'slack_webhook.returner',
    RET,
  );
  await assert.rejects(failing, {
    message: `127.0.0.1:${server.port} did not take the message of slack_webhook: it answered 404 (no_service).`,
  });
  const port = await freePort();
  const unreachable = callReturner(
    context({ 'slack_webhook.webhook': `http://127.0.0.1:${port}/${secret}` }),
    'slack_webhook.returner',
    RET,
  );
  await assert.rejects(unreachable, {
    message: `127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`,
  });
  const wrong = callReturner(
    context({ 'slack_webhook.webhook': 'ftp://a-secret' }),
    'slack_webhook.returner',
    RET,
  );
  await assert.rejects(wrong, {
    message: 'slack_webhook.webhook must be set to a URL that begins with http:// or https://.',
  });
  const ctx = context({});
  await callReturner(ctx, 'slack_webhook.returner', RET);
  assert.equal(ctx.logged[0]?.message, 'slack_webhook.webhook not defined in salt config');
});

const SLACK = { channel: '#ops', username: 'salt', as_user: true, api_key: 'k' };

test("slack - what is sent is what Salt's returner sends", async (t) => {
  const server = await startHttpStandIn(t, () => ({ body: '{"ok": true, "channel": "C0"}' }));
  for (const { config, sent } of sentBySalt('slack'))
    for (const [name, ret] of RECORDED_RETURNS) {
      const ctx = returnerContext(
        new Map([...config, ['slack', dict({ ...SLACK, api_url: `${server.url}/api/` })]]),
        systemClock,
      );
      await callReturner(ctx, 'slack.returner', ret);
      const form = new URLSearchParams(server.taken.at(-1)?.body);
      assert.deepEqual(new Map(form), sent.get(name), name);
    }
  assert.equal(server.taken[0]?.path, '/api/chat.postMessage');
  assert.equal(server.taken[0]?.headers.get('authorization'), 'Bearer k');
});

test('slack - shows failed or changed states only; refuses what contradicts itself; tells what Slack says', async (t) => {
  let body = '{"ok": true}';
  const server = await startHttpStandIn(t, () => ({ body }));
  const base = { ...SLACK, api_url: `${server.url}/api/` };
  const states = RECORDED_RETURNS.get('states') as Dict;
  const shown = async (more: DictInit): Promise<string[]> => {
    await callReturner(context({ slack: { ...base, ...more } }), 'slack.returner', states);
    const text = new URLSearchParams(server.taken.at(-1)?.body).get('text') ?? '';
    return ['file_|-', 'pkg_|-', 'test_|-'].filter((key) => text.includes(key));
  };
  assert.deepEqual(await shown({ changes: true }), ['file_|-', 'pkg_|-', 'test_|-']);
  assert.deepEqual(await shown({ only_show_failed: true }), ['pkg_|-', 'test_|-']);
  const both = context({ slack: { ...base, changes: true, only_show_failed: true } });
  await callReturner(both, 'slack.returner', states);
  assert.equal(
    both.logged[0]?.message,
    'cannot define both slack.changes and slack.only_show_failed in salt config',
  );
  const keyless = context({ slack: { ...base, api_key: '' } });
  await callReturner(keyless, 'slack.returner', states);
  assert.equal(keyless.logged[0]?.message, 'slack.api_key not defined in salt config');
  body = '{"ok": false, "error": "channel_not_found"}';
  await assert.rejects(callReturner(context({ slack: base }), 'slack.returner', states), {
    message: 'Slack did not take the message: channel_not_found.',
  });
});

test('http - posts a return, and events as one list, with headers of the configuration', async (t) => {
  const server = await startHttpStandIn(t, () => ({ status: 202 }));
  const ctx = context({
    http: { url: `${server.url}/hook?key=1`, headers: { Authorization: 'Bearer abc' } },
  });
  await callReturner(ctx, 'http.returner', new Map([...RET, ['return', NaN]]));
  const events = [dict({ tag: 'a', data: { b: 1 } }), dict({ tag: 'c', data: { d: null } })];
  await callReturner(ctx, 'http.event_return', events);
  const [first, second] = server.taken;
  assert.equal(first?.method, 'POST');
  assert.equal(first?.path, '/hook?key=1');
  assert.equal(first?.headers.get('authorization'), 'Bearer abc');
  assert.equal(first?.headers.get('content-type'), 'application/json');
  assert.equal(JSON.parse(first?.body ?? '').return, 'NaN');
  assert.deepEqual(JSON.parse(second?.body ?? ''), [
    { tag: 'a', data: { b: 1 } },
    { tag: 'c', data: { d: null } },
  ]);
});

test('http - a refusal, silence, a redirect and a flood are errors that name the host and keep the rest to themselves', async (t) => {
  const server = await startHttpStandIn(t, ({ path }) => {
    if (path.startsWith('/hang')) return { hang: true };
    if (path.startsWith('/away')) return { status: 307, headers: { location: 'http://127.0.0.1:1/' } };
    if (path.startsWith('/flood')) return { body: 'x'.repeat(2_000_000) };
    return { status: 503, body: 'try\n later' };
  });
  const post = (path: string, more: DictInit = {}): Promise<unknown> =>
    callReturner(context({ http: { url: `${server.url}/${path}?secret`, ...more } }), 'http.returner', RET);
  const host = `127.0.0.1:${server.port}`;
  await assert.rejects(post('busy'), {
    message: `${host} did not take what http.url is sent: it answered 503 (try later).`,
  });
  await assert.rejects(post('hang', { timeout: 0.2 }), {
    message: `${host} cannot be reached: no whole answer within 0.2 s`,
  });
  await assert.rejects(post('away'), {
    message: `${host} did not take what http.url is sent: it answered 307.`,
  });
  await assert.rejects(post('flood'), {
    message: `${host} cannot be reached: the answer is larger than 1048576 bytes`,
  });
  await assert.rejects(post('x', { headers: { 'X-A': 'b\r\nX-B: c' } }), /http\.headers: the header "X-A"/);
  await assert.rejects(post('x', { timeout: 'soon' }), /http\.timeout must be a number of seconds/);
  await assert.rejects(callReturner(context({}), 'http.returner', RET), /http\.url must be set to a URL/);
});

test('http, slack - secrets of the configuration do not go where --return_kwargs points', async (t) => {
  const server = await startHttpStandIn(t, () => ({}));
  const elsewhere = (kwargs: DictInit): Dict => new Map([...RET, ['ret_kwargs', dict(kwargs)] as const]);
  const http = { url: 'http://127.0.0.1:1/', headers: { Authorization: 'Bearer abc' } };
  await callReturner(context({ http }), 'http.returner', elsewhere({ url: server.url }));
  assert.ok(!server.taken[0]?.headers.has('authorization'));
  await assert.rejects(
    callReturner(context({ slack: SLACK }), 'slack.returner', elsewhere({ api_url: server.url })),
    { message: 'slack.api_url can only be set in the configuration, not with --return_kwargs.' },
  );
  assert.equal(server.taken.length, 1);
});
