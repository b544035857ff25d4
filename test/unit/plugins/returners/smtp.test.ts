import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { dict, type Dict, type DictInit } from '../../../../src/python/values/value.ts';
import { freePort } from '../../../support/fleet.ts';
import {
  callReturner,
  RECORDED_RETURNS,
  returnerContext,
  sentBySalt,
} from '../../../support/returner-vectors.ts';
import { startSmtp, type SmtpStandIn } from '../../../support/smtp-stand-in.ts';

const RET = RECORDED_RETURNS.get('text') as Dict;

function send(server: Pick<SmtpStandIn, 'port'>, more: DictInit, ret: Dict = RET): Promise<unknown> {
  const smtp = {
    from: 'me@example.net',
    to: 'you@example.com',
    host: '127.0.0.1',
    port: server.port,
    ...more,
  };
  return callReturner(returnerContext(dict({ smtp }), systemClock), 'smtp.returner', ret);
}

test("smtp - the mail is that of Salt's returner", async (t) => {
  const server = await startSmtp(t);
  for (const { config, sent } of sentBySalt('smtp'))
    for (const [name, ret] of RECORDED_RETURNS) {
      const opts = new Map(config);
      for (const [option, value] of [
        ['from', 'me@example.net'],
        ['to', 'you@example.com,other@example.com'],
        ['host', '127.0.0.1'],
        ['port', server.port],
      ] as const)
        opts.set(`smtp.${option}`, value);
      await callReturner(returnerContext(opts, systemClock), 'smtp.returner', ret);
      const mail = server.mails.at(-1);
      const salts = sent.get(name);
      assert.deepEqual([mail?.from, mail?.to], [salts?.get('from'), salts?.get('to')]);
      assert.equal(mail?.headers.get('subject'), salts?.get('subject'), name);
      assert.equal(mail?.body.trimEnd(), String(salts?.get('body')).trimEnd(), name);
    }
});

test('smtp - what a return says is neither a header nor a template', async (t) => {
  const server = await startSmtp(t);
  const evil = 'x\r\nBcc: them@example.com\r\n\r\n{{ 1 + 1 }}';
  const ret = new Map([...RET, ['fun', evil] as const]);
  await send(server, { subject: 'of {{ fun }}', fields: 'fun, id' }, ret);
  const [mail] = server.mails;
  assert.equal(
    mail?.headers.get('subject'),
    'of x Bcc: them@example.com {{ 1 + 1 }} x Bcc: them@example.com {{ 1 + 1 }} m1',
  );
  assert.deepEqual(mail?.to, ['you@example.com']);
  assert.ok(!mail?.headers.has('bcc'));
  await assert.rejects(send(server, { to: 'you@example.com\r\nBcc: a@b' }), /smtp\.to has a line break/);
});

test('smtp - who publishes names no templates: neither a file nor a subject', async (t) => {
  const server = await startSmtp(t);
  const withKwargs = (kwargs: DictInit): Dict => new Map([...RET, ['ret_kwargs', dict(kwargs)] as const]);
  await send(server, {}, withKwargs({ subject: "{{ pillar }} {{ salt['cmd.run']('id') }}" }));
  assert.equal(server.mails[0]?.headers.get('subject'), "{{ pillar }} {{ salt['cmd.run']('id') }}");
  for (const name of ['template', 'renderer'])
    await assert.rejects(send(server, {}, withKwargs({ [name]: '/etc/shadow' })), {
      message: `smtp.${name} can only be set in the configuration, not with --return_kwargs.`,
    });
  await assert.rejects(send(server, { subject: "{{ salt['cmd.run']('id') }}" }));
  assert.equal(server.mails.length, 1);
});

test('smtp - templates, renderers, events and logins', async (t) => {
  const server = await startSmtp(t);
  const folder = mkdtempSync(join(tmpdir(), 'br-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const template = join(folder, 'mail.j2');
  writeFileSync(template, 'act: {{ act }}\nid: {{ id }} on {{ grains.os }}\n');
  const login = { username: 'salt', password: 'sesame' };
  const smtp = {
    from: 'me@example.net',
    to: 'you@example.com',
    host: '127.0.0.1',
    port: server.port,
    template,
    ...login,
  };
  const ctx = returnerContext(dict({ smtp }), systemClock);
  await callReturner(ctx, 'smtp.event_return', [
    dict({ tag: 'salt/key', data: { act: 'accept', id: 'm7' } }),
    dict({ tag: 'salt/none', data: {} }),
  ]);
  assert.equal(server.mails.length, 1);
  assert.equal(server.mails[0]?.body.trimEnd(), 'act: accept\nid: m7 on Debian'.replace('\n', '\r\n'));
  assert.deepEqual(server.logins, ['salt sesame']);
  await assert.rejects(send(server, { renderer: 'jinja|yaml' }), /must end with text/);
  await assert.rejects(
    send(server, { template: '/none/such' }),
    /smtp\.template: \/none\/such cannot be read/,
  );
});

test('smtp - what does not go says why, and tells no password', async (t) => {
  const server = await startSmtp(t, '550 nobody here');
  await assert.rejects(
    send(server, {}),
    /The mail server 127\.0\.0\.1:\d+ did not take the mail: .*550 nobody here/,
  );
  const wrong = send(server, { username: 'salt', password: 'wrong-one' });
  await assert.rejects(
    wrong,
    (error: Error) => /535/.test(error.message) && !/wrong-one/.test(error.message),
  );
  await assert.rejects(send({ port: await freePort() }, {}), /ECONNREFUSED/);
  await assert.rejects(send(server, { tls: true }), /STARTTLS/i);
  await assert.rejects(send(server, { gpgowner: 'root' }), /smtp\.gpgowner is not supported/);
  await assert.rejects(send(server, { from: '' }), /smtp\.from is not set/);
});
