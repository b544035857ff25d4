/** A mail server for tests: takes mails over plain SMTP and keeps them. */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** A mail as it came. */
export interface TakenMail {
  readonly from: string;
  readonly to: string[];
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The server while it runs. */
export interface SmtpStandIn {
  readonly port: number;
  readonly mails: TakenMail[];
  /** Name and password of the logins. */
  readonly logins: string[];
}

/** Starts it. @param refusal what it says to every recipient */
export async function startSmtp(t: TestContext, refusal?: string): Promise<SmtpStandIn> {
  const [mails, logins]: [TakenMail[], string[]] = [[], []];
  const server = createServer((socket) => serve(socket, mails, logins, refusal));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, mails, logins };
}

function serve(socket: Socket, mails: TakenMail[], logins: string[], refusal: string | undefined): void {
  let [pending, from, to, inData]: [string, string, string[], boolean] = ['', '', [], false];
  const say = (text: string): void => void socket.write(`${text}\r\n`);
  const command = (line: string): void => {
    const [word = ''] = line.toUpperCase().split(' ');
    const inBrackets = /<(.*?)>/.exec(line)?.[1] ?? '';
    if (word === 'EHLO') return say('250-stand-in\r\n250-8BITMIME\r\n250 AUTH PLAIN');
    if (word === 'STARTTLS') return say('502 no STARTTLS here');
    if (word === 'AUTH') {
      logins.push(
        Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .replaceAll('\0', ' ')
          .trim(),
      );
      return say(logins.at(-1) === 'salt sesame' ? '235 yes' : '535 no');
    }
    if (word === 'MAIL') from = inBrackets;
    if (word === 'RCPT') {
      if (refusal !== undefined) return say(refusal);
      to.push(inBrackets);
    }
    if (word === 'DATA') {
      inData = true;
      return say('354 go on');
    }
    say(word === 'QUIT' ? '221 bye' : '250 ok');
  };
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    for (;;) {
      const end = pending.indexOf(inData ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const text = pending.slice(0, end);
      pending = pending.slice(end + (inData ? 5 : 2));
      if (inData) {
        mails.push(readMail(from, to, text));
        [from, to, inData] = ['', [], false];
        say('250 taken');
      } else command(text);
    }
  });
  say('220 stand-in');
}

function readMail(from: string, to: string[], text: string): TakenMail {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const headers = new Map(
    head
      .replace(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        words(line.slice(line.indexOf(':') + 2)),
      ]),
  );
  const raw = rest.join('\r\n\r\n').replace(/(^|\r\n)\.\./g, '$1.');
  const encoding = headers.get('content-transfer-encoding');
  const bytes =
    encoding === 'base64'
      ? Buffer.from(raw, 'base64')
      : encoding === 'quoted-printable'
        ? quoted(raw)
        : Buffer.from(raw, 'latin1');
  return { from, to, headers, body: bytes.toString('utf8') };
}

/** Encoded words (`=?UTF-8?Q?…?=`) as text. */
function words(text: string): string {
  return text
    .replace(/\?= +=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?(.*?)\?=/gi, (_, how: string, content: string) =>
      (how.toUpperCase() === 'B'
        ? Buffer.from(content, 'base64')
        : quoted(content.replaceAll('_', ' '))
      ).toString('utf8'),
    );
}

function quoted(text: string): Buffer {
  const joined = text.replace(/=\r\n/g, '');
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
}
