/** The module `smtp` with a mail server, and its state. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { smtpStates } from '../../../../src/plugins/smtp/state.ts';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { freePort } from '../../../support/fleet.ts';
import { fakeContext } from '../../../support/module-context.ts';
import { startSmtp } from '../../../support/smtp-stand-in.ts';

const MAIL = { recipient: 'you@example.com, other@example.com', message: 'Grüße', sender: 'me@example.net' };

const send = (given: DictInit, opts: Dict = dict({ id: 'm' })): Promise<Value> =>
  fakeContext({ opts }).functions.call('smtp.send_msg', [], dict({ ...MAIL, ...given }));

test('smtp - a mail has its sender, recipients, subject, text and attachments', async (t) => {
  const server = await startSmtp(t);
  const folder = mkdtempSync(join(tmpdir(), 'brine-smtp-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'a.txt'), 'attached');
  const place = { server: `127.0.0.1:${server.port}`, use_ssl: 'False' };
  assert.equal(await send({ ...place, subject: 'one' }), true);
  const [mail] = server.mails;
  assert.deepEqual([mail?.from, mail?.to], ['me@example.net', ['you@example.com', 'other@example.com']]);
  assert.equal(mail?.headers.get('subject'), 'one');
  assert.match(mail?.body ?? '', /Grüße/);
  assert.equal(await send({ ...place, attachments: [join(folder, 'a.txt')] }), true);
  assert.match(server.mails[1]?.headers.get('content-type') ?? '', /multipart/);
  assert.match(server.mails[1]?.body ?? '', /filename=a\.txt/);
});

test('smtp - a profile has the server and who logs in; a log-in or a recipient that is refused is false', async (t) => {
  const server = await startSmtp(t);
  const mails = {
    'smtp.server': `127.0.0.1:${server.port}`,
    'smtp.tls': 'False',
    'smtp.sender': 'b@example.com',
    'smtp.username': 'salt',
    'smtp.password': 'sesame',
  };
  assert.equal(await send({ profile: 'mails' }, dict({ id: 'm', mails })), true);
  assert.deepEqual(server.logins, ['salt sesame']);
  assert.equal(server.mails[0]?.from, 'b@example.com');
  const wrong = dict({ id: 'm', mails: { ...mails, 'smtp.password': 'other' } });
  assert.equal(await send({ profile: 'mails' }, wrong), false);
  const strict = await startSmtp(t, '550 no');
  assert.equal(await send({ server: `127.0.0.1:${strict.port}`, use_ssl: 'False' }), false);
});

test('smtp - a server that is away is told; without one, or with a line end in a header, nothing is sent', async () => {
  const port = await freePort();
  await assert.rejects(send({ server: `127.0.0.1:${port}`, use_ssl: 'False' }), /did not take the mail/);
  await assert.rejects(send({}), /needs a server/);
  await assert.rejects(send({ server: '127.0.0.1', subject: 'a\r\nBcc: x@example.com' }), /line end/);
  await assert.rejects(send({ profile: 'nosuch' }), /no profile nosuch/);
});

test('smtp - the state sends each time, and in test mode says that it would', async (t) => {
  const server = await startSmtp(t);
  const mails = {
    'smtp.server': `127.0.0.1:${server.port}`,
    'smtp.tls': 'False',
    'smtp.sender': 'b@example.com',
  };
  const run = async (isTest: boolean): Promise<Dict> => {
    const context = fakeContext({ opts: dict({ id: 'm', mails }) });
    const low = dict();
    const state = { test: isTest, low, lowstate: [low], running: dict(), memory: new Map<string, Value>() };
    const spec = smtpStates.functions['send_msg'];
    const args = {
      name: 'text',
      recipient: 'you@example.com',
      subject: 's',
      profile: 'mails',
      use_ssl: 'True',
    };
    const ctx = { ...context, state } as unknown as Parameters<NonNullable<typeof spec>['run']>[0];
    const found = await spec?.run(ctx, { ...args, sender: null, attachments: null }, [], dict());
    assert.ok(isDict(found));
    return found;
  };
  assert.equal((await run(true)).get('result'), null);
  assert.equal(server.mails.length, 0);
  for (const count of [1, 2]) {
    const done = await run(false);
    assert.deepEqual(
      [done.get('result'), done.get('comment')],
      [true, 'Sent message to you@example.com: text'],
    );
    assert.equal(server.mails.length, count);
  }
});
