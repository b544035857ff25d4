/** The server's half of SCRAM-SHA-256 (RFC 7677), as MongoDB speaks it: `saslStart` and `saslContinue`. */
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { Binary, type Document } from 'bson';

const ITERATIONS = 4096;
const SALT = Buffer.from('stand-in of mongo').toString('base64');
const NONCE = 'ofTheServer';

/** Answers the two commands by which somebody logs in with one name and one password; anybody else is refused. */
export function scramAnswers(user: string, password: string): Map<string, (command: Document) => Document> {
  let [first, begun] = ['', ''];
  const answers = new Map<string, (command: Document) => Document>();
  answers.set('saslStart', ({ payload }) => {
    first = textOf(payload).replace(/^n,,/, '');
    const nonce = /\br=(.*)/.exec(first)?.[1] ?? '';
    begun = `r=${nonce}${NONCE},s=${SALT},i=${ITERATIONS}`;
    return step(begun, false);
  });
  answers.set('saslContinue', ({ payload }) => {
    const [, bare = '', proof = ''] = /^(.*),p=(.*)$/.exec(textOf(payload)) ?? [];
    const salted = pbkdf2Sync(password, Buffer.from(SALT, 'base64'), ITERATIONS, 32, 'sha256');
    const signed = `${first},${begun},${bare}`;
    const clientKey = hmac(salted, 'Client Key');
    const stored = createHash('sha256').update(clientKey).digest();
    const signature = hmac(stored, signed);
    const expected = Buffer.from(clientKey.map((byte, i) => byte ^ (signature[i] ?? 0))).toString('base64');
    if (!first.startsWith(`n=${user},`) || proof !== expected)
      return { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' };
    return step(`v=${hmac(hmac(salted, 'Server Key'), signed).toString('base64')}`, true);
  });
  return answers;
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const textOf = (payload: unknown): string =>
  payload instanceof Binary
    ? Buffer.from(payload.buffer).subarray(0, payload.position).toString('latin1')
    : '';
const step = (payload: string, done: boolean): Document => ({
  ...{ conversationId: 1, done, payload: new Binary(Buffer.from(payload)) },
});
