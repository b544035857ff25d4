import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Clock } from '../../../src/host/clock.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { logForms, setupLogging, type LoggingOptions } from '../../../src/host/log-sinks.ts';
import { formatTime } from '../../../src/host/log-time.ts';
import { Secret } from '../../../src/host/secret.ts';

const noon = new Date(2024, 0, 2, 13, 4, 5, 67);
const clock: Clock = { ...systemClock, nowMs: () => noon.getTime() };

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'brine-log-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function setup(options: Partial<LoggingOptions> & { isTTY?: boolean }) {
  let text = '';
  const { isTTY = false, ...rest } = options;
  const console = { isTTY, write: (part: string) => void (text += part) };
  const logging = setupLogging({ level: 'warning', console, clock, pid: 42, ...rest });
  return { ...logging, text: () => text };
}

test('logging - the terminal shows level and message from its level up', () => {
  const { logger, text } = setup({});
  logger.info('no');
  logger.warning('yes');
  logger.child('salt.x').critical('also');
  assert.equal(text(), '[WARNING ] yes\n[CRITICAL] also\n');
  assert.equal(logger.enabled('info'), false);
});

test('logging - forms know padding, times, process and job', () => {
  const { logger, text } = setup({
    form: '%(asctime)s,%(msecs)03d|%(name)-8s|%(levelname)8s|%(process)d|%(jid)s|%(lineno)-4d|%%|%(nope)s| %(message)s',
    dateForm: '%Y-%m-%d %H:%M:%S',
    currentJid: () => '2024',
    name: 'salt',
  });
  logger.error('x');
  assert.equal(text().split('\n')[1], '2024-01-02 13:04:05,067|salt    |   ERROR|42|[JID: 2024]|0   |%|| x');
});

test('logging - lines of a minion name it in the form of log_fmt_minion_id; those of a master cannot, and say so', () => {
  const opts = new Map([
    ['__role', 'minion'],
    ['id', 'web1'],
    ['log_fmt_minion_id', '<%(minion_id)s>'],
    ['log_fmt_console', '%(minion_id)s %(message)s'],
  ]);
  const minion = setup(logForms((name) => opts.get(name)));
  minion.logger.error('x');
  assert.equal(minion.text(), '<web1> x\n');
  const master = setup(logForms((name) => (name === '__role' ? 'master' : opts.get(name))));
  master.logger.error('x');
  assert.equal(
    master.text(),
    ' log_fmt_console asks for %(minion_id)s, which only lines of a minion have; it stays empty.\n x\n',
  );
});

test('logging - what means nothing in a form is said at the start, with what may have been meant, and lines go on', (t) => {
  for (const [options, said, line] of [
    [
      { form: '[%(levlname)-8s] %(message)s' },
      /^\[ {8}\] log_fmt_console asks for %\(levlname\)s, which there is not; it stays empty\. Did you mean 'levelname'\?\n/,
      '[        ] x\n',
    ],
    [{ form: '%(funcName)s %(message)s' }, /%\(funcName\)s, which lines of Brine do not have/, ' x\n'],
    [{ form: '100% %(message)s' }, /log_fmt_console has '% ', which means nothing and stays/, '100% x\n'],
    [{ form: '%(message)s %(name' }, /has '%\(name', which means nothing/, 'x %(name\n'],
    // a line without its message would be of no use
    [{ form: '%(mesage)s' }, /Did you mean 'message'\?\n.*has no %\(message\)s.*is used/, '[ERROR   ] x\n'],
    [
      { form: '%(asctime)s %(message)s', dateForm: '%Q' },
      /log_datefmt has %Q, which stands for nothing/,
      '%Q x\n',
    ],
    [{ form: '%(asctime)s %(message)s', dateForm: '%H%' }, /log_datefmt has %, which/, '13% x\n'],
  ] as const) {
    const { logger, text } = setup(options);
    assert.match(text(), said);
    logger.error('x');
    assert.ok(text().endsWith(`\n${line}`), text());
  }
  const file = join(folder(t), 'log');
  const { text, close } = setup({ file, fileForm: '%(levlname)s %(message)s', fileDateForm: '%Q' });
  assert.match(text(), /log_fmt_logfile asks for %\(levlname\)s/);
  assert.match(text(), /log_datefmt_logfile has %Q/);
  close();
  // forms of a file that is not written, and those that are right
  assert.equal(setup({ fileForm: '%(levlname)s' }).text(), '');
  assert.equal(setup({ form: '%(colormsg)#5.3s %% %(created)f', dateForm: '%d.%m.%y %Z %r %V' }).text(), '');
});

test('logging - colours show on a terminal only', () => {
  const form = '%(colorlevel)s %(colorname)s %(colorprocess)s %(colormsg)s';
  const plain = setup({ form });
  plain.logger.warning('m');
  assert.equal(plain.text(), '[WARNING ] [salt             ] [   42] m\n');
  const coloured = setup({ form, isTTY: true });
  coloured.logger.warning('m');
  assert.equal(
    coloured.text(),
    '\x1b[1;33m[WARNING ]\x1b[0m \x1b[1;32m[salt             ]\x1b[0m \x1b[1;34m[   42]\x1b[0m \x1b[33mm\x1b[0m\n',
  );
});

test('logging - a stack shows only where debug messages show', () => {
  const error = new Error('inner');
  const quiet = setup({});
  quiet.logger.error('outer', error);
  assert.equal(quiet.text(), '[ERROR   ] outer\n');
  const loud = setup({ level: 'debug' });
  loud.logger.error('outer', error);
  assert.match(loud.text(), /\[ERROR {3}\] outer\n {4}Error: inner\n {8}at /);
});

test('logging - levels that show secrets are announced, secrets show as stars', () => {
  const { logger, text } = setup({ level: 'trace' });
  logger.trace(`key ${String(new Secret('hush'))}`);
  assert.equal(
    text(),
    '[WARNING ] Insecure logging configuration detected! Sensitive data may be logged.\n[TRACE   ] key ***\n',
  );
});

test('logging - an unknown level is reported and counts as error', () => {
  const { logger, text } = setup({ level: 'loud' });
  logger.warning('no');
  logger.error('yes');
  assert.equal(text(), '[ERROR   ] yes\n');
});

test('logging - quiet says nothing', () => {
  const { logger, text } = setup({ level: 'quiet' });
  logger.critical('no');
  assert.equal(text(), '');
});

test('logging - granular levels make parts quieter', () => {
  const granular = new Map([
    ['salt', 'error'],
    ['salt.loaded', 'info'],
  ]);
  const { logger, text } = setup({ level: 'info', granular });
  logger.child('salt.master').warning('held back');
  logger.child('salt.loaded.x').info('let through');
  logger.child('other').info('not named');
  assert.equal(text(), '[INFO    ] let through\n[INFO    ] not named\n');
});

test('logging - the file has its own level and form, and mode 0640', (t) => {
  const file = join(folder(t), 'deep/log');
  const { logger, close, text } = setup({ file, fileLevel: 'info' });
  logger.info('first');
  logger.debug('no');
  logger.warning('second');
  close();
  assert.equal(
    readFileSync(file, 'utf8'),
    '2024-01-02 13:04:05,067 [salt             :0   ][INFO    ][42] first\n' +
      '2024-01-02 13:04:05,067 [salt             :0   ][WARNING ][42] second\n',
  );
  assert.equal(statSync(file).mode & 0o777, 0o640);
  assert.equal(text(), '[WARNING ] second\n');
});

test('logging - warnings reach the file at once, others at the end of the turn', async (t) => {
  const file = join(folder(t), 'log');
  const { logger, close } = setup({ file, fileLevel: 'info', fileForm: '%(message)s' });
  logger.info('a');
  assert.equal(readFileSync(file, 'utf8'), '');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(readFileSync(file, 'utf8'), 'a\n');
  logger.info('b');
  logger.error('c');
  assert.equal(readFileSync(file, 'utf8'), 'a\nb\nc\n');
  close();
});

test('logging - a file that was moved away is opened anew', (t) => {
  const file = join(folder(t), 'log');
  const { logger, close } = setup({ file, fileForm: '%(message)s' });
  logger.error('a');
  renameSync(file, `${file}.1`);
  logger.error('b');
  close();
  assert.equal(readFileSync(`${file}.1`, 'utf8'), 'a\n');
  assert.equal(readFileSync(file, 'utf8'), 'b\n');
});

test('logging - a file that cannot be opened leaves the terminal', (t) => {
  const file = join(folder(t), 'taken');
  mkdirSync(file);
  const { logger, text } = setup({ file });
  logger.error('on');
  assert.equal(
    text(),
    `[WARNING ] Failed to open log file, do you have permission to write to ${file}?\n[ERROR   ] on\n`,
  );
});

test('logging - a part of a daemon does not repeat what is wrong with the options', (t) => {
  const file = join(folder(t), 'taken');
  mkdirSync(file);
  const { logger, text } = setup({ file, level: 'nosuch', isPart: true });
  logger.error('on');
  assert.equal(text(), '[ERROR   ] on\n');
});

test('logging - a system log is not supported and says so once', () => {
  const { text } = setup({ file: 'file:///nowhere/log/LOG_USER' });
  assert.match(
    text(),
    /^\[WARNING \] Failed to open the system log file:\/\/\/nowhere\/log\/LOG_USER: \/nowhere\/log is no socket/,
  );
});

test('logging - times follow strftime', () => {
  assert.equal(
    formatTime('%a %d %b %y %I:%M %p %j %T %F %% %Q', noon.getTime()),
    'Tue 02 Jan 24 01:04 PM 002 13:04:05 2024-01-02 % %Q',
  );
  assert.equal(
    formatTime('%h %C %P %k %l %u %w %U %W %V %G %g %r', noon.getTime()),
    'Jan 20 pm 13  1 2 2 00 01 01 2024 24 01:04:05 PM',
  );
  const newYear = new Date(2027, 0, 1).getTime();
  assert.equal(formatTime('%U %W %V %G', newYear), '00 00 53 2026');
});

test('logging - what others say forges no entry and steers no terminal, on the console and in the file', (t) => {
  const file = join(folder(t), 'log');
  const { logger, text, close } = setup({
    file,
    isTTY: true,
    currentJid: () => '1\r2',
    fileForm: '%(jid)s %(message)s',
  });
  logger.error('The minion x reports an error: oops\n[CRITICAL] forged\r\x1b[2K\u202e');
  logger.warning('Cannot reach redis://bob:s3cret@db/0');
  close();
  const entry = 'oops\n    [CRITICAL] forged\\x0d\\x1b[2K\\u202e\n';
  for (const log of [text(), readFileSync(file, 'utf8')]) {
    assert.ok(log.includes(entry), log);
    assert.ok(log.includes('redis://<redacted>@db/0'), log);
  }
  assert.match(readFileSync(file, 'utf8'), /^\[JID: 1\\x0d2\] The minion/);
});
