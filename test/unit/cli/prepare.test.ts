import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readDaemonLine } from '../../../src/cli/daemons/read-line.ts';
import {
  saltApiProgram,
  saltMasterProgram,
  saltMinionProgram,
  saltSyndicProgram,
} from '../../../src/cli/options/daemons.ts';
import { saltCallProgram } from '../../../src/cli/options/salt-call.ts';
import { saltKeyProgram } from '../../../src/cli/options/salt-key.ts';
import { saltRunProgram } from '../../../src/cli/options/salt-run.ts';
import { saltProgram } from '../../../src/cli/options/salt.ts';
import type { CliProgram, ParsedOptions } from '../../../src/cli/command-line/optparse.ts';
import { prepareCommandLine } from '../../../src/cli/program/prepare.ts';
import { applySaltfile } from '../../../src/cli/command-line/saltfile.ts';
import { OutputFileError } from '../../../src/cli/terminal/display.ts';
import { readLine } from '../../../src/cli/terminal/stdin.ts';
import { recordedIo } from '../../support/command-io.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'brine-cli-')));
after(() => rmSync(root, { recursive: true, force: true }));
const etc = join(root, 'etc');
before(() => mkdirSync(etc));

interface Prepared {
  result: ParsedOptions | number;
  stdout: string;
  stderr: string;
}

async function prepare(
  program: CliProgram,
  argv: string[],
  { stdin, env }: { stdin?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Prepared> {
  const io = recordedIo(stdin ?? '', { SALT_CONFIG_DIR: etc, HOME: root, ...env });
  const result = await prepareCommandLine(program, argv, io);
  return { result, ...io.written };
}

async function parsed(
  program: CliProgram,
  argv: string[],
  more: { stdin?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<ParsedOptions> {
  const { result, stderr } = await prepare(program, argv, more);
  assert.notEqual(typeof result, 'number', stderr);
  return result as ParsedOptions;
}

async function refused(program: CliProgram, argv: string[]): Promise<string> {
  const { result, stderr } = await prepare(program, argv);
  assert.equal(result, 64);
  return stderr.split('\n').slice(2).join('\n').trimEnd();
}

test('command line - help and version end it well', async () => {
  const help = await prepare(saltProgram, ['--help']);
  assert.equal(help.result, 0);
  assert.match(help.stdout, /^Usage: salt /);
  const version = await prepare(saltProgram, ['--version', '--nonsense']);
  assert.equal(version.result, 0);
  assert.match(version.stdout, /^salt 3006\.16 /);
  const report = await prepare(saltProgram, ['-V']);
  assert.equal(report.result, 0);
  assert.match(report.stdout, /^Salt Version:\n( +Brine: .*\n)? +Salt: 3006\.16\n \n/);
});

test('command line - options that exclude each other are refused with the names of the table', async () => {
  assert.equal(
    await refused(saltProgram, ['-L', '-E', 'a', 'test.ping']),
    'salt: error: The options --pcre/--list are mutually exclusive. Please only choose one of them',
  );
});

test('command line - values that cannot be are refused in the words of Salt', async () => {
  assert.equal(
    await refused(saltKeyProgram, ['-l', 'x']),
    "salt-key: error: 'x' is not a valid argument to '--list'",
  );
  assert.equal(
    await refused(saltKeyProgram, ['--keysize=1']),
    'salt-key: error: The minimum value for keysize is 2048',
  );
  assert.equal(await refused(saltRunProgram, ['--jid=x', 'a.b']), "salt-run: error: 'x' is not a valid JID");
  assert.equal(await refused(saltProgram, ['--saltfile=/nope']), "salt: error: '/nope' file does not exist.");
});

test('command line - values are converted as Salt converts them', async () => {
  const salt = await parsed(saltProgram, [
    '--no-parse',
    'a, b',
    '--state-verbose=False',
    '--log-file=x.log',
    '*',
    'f',
  ]);
  assert.deepEqual(salt.get('no_parse'), ['a', 'b']);
  assert.equal(salt.get('state_verbose'), false);
  assert.equal(salt.get('log_file'), './x.log');
  assert.deepEqual((await parsed(saltProgram, [])).get('no_parse'), []);
  const key = await parsed(saltKeyProgram, ['--rotate-aes-key=FALSE', '--preserve-minions', 'true']);
  assert.equal(key.get('rotate_aes_key'), false);
  assert.equal(key.get('preserve_minions'), true);
});

test('command line - a missing configuration folder is a warning', async () => {
  const { result, stderr } = await prepare(saltProgram, ['-c', '~/none']);
  assert.equal(stderr, `WARNING: CONFIG '${root}/none' directory does not exist.\n`);
  assert.equal((result as ParsedOptions).get('config_dir'), join(root, 'none'));
});

test('command line - daemons print the versions, and start nothing', async () => {
  for (const program of [saltMasterProgram, saltMinionProgram, saltSyndicProgram, saltApiProgram]) {
    for (const option of ['-V', '--versions-report']) {
      const io = recordedIo('', { SALT_CONFIG_DIR: etc, HOME: root });
      assert.equal(await readDaemonLine(program, [option], io), 0, program.name);
      assert.match(io.written.stdout, /^Salt Version:\n/);
    }
  }
});

test('command line - a word behind a daemon starts nothing', async () => {
  for (const program of [saltMasterProgram, saltMinionProgram, saltApiProgram, saltSyndicProgram]) {
    const io = recordedIo('', { SALT_CONFIG_DIR: etc, HOME: root });
    assert.equal(await readDaemonLine(program, ['stop'], io), 64, program.name);
    assert.match(
      io.written.stderr,
      new RegExp(`'stop' belongs to no option: ${program.name} starts when it is called`),
    );
  }
});

test('command line - a file in the place of the configuration folder is refused, with the folder', async () => {
  writeFileSync(join(etc, 'master'), '');
  const { result, stderr } = await prepare(saltProgram, ['-c', join(etc, 'master'), '*', 'test.ping']);
  rmSync(join(etc, 'master'));
  assert.equal(result, 64);
  assert.match(
    stderr,
    new RegExp(`${etc}/master is a file, and -c takes the folder that it is in: -c ${etc}\n$`),
  );
});

test('command line - daemons refuse a file in the place of the folder with 64, and warn of a missing one', async () => {
  const file = join(etc, 'minion');
  writeFileSync(file, '');
  for (const program of [saltMasterProgram, saltMinionProgram, saltSyndicProgram, saltApiProgram]) {
    const { name } = program;
    for (const [typed, text] of [
      [file, `${file} is a file, and -c takes the folder that it is in: -c ${etc}`],
      [
        join(file, 'x', 'y'),
        `${file} is a file, so that there is no ${file}/x/y, and -c takes the folder that it is in: -c ${etc}`,
      ],
    ] as const) {
      const io = recordedIo('', { HOME: root });
      assert.equal(await readDaemonLine(program, ['-c', typed], io), 64, name);
      assert.ok(io.written.stderr.endsWith(`\n${name}: error: ${text}\n`), io.written.stderr);
    }
    const io = recordedIo('', { HOME: root });
    const options = await readDaemonLine(program, ['-c', '~/none'], io);
    assert.ok(typeof options !== 'number');
    assert.equal(options.text('config_dir'), join(root, 'none'));
    assert.equal(io.written.stderr, `WARNING: CONFIG '${root}/none' directory does not exist.\n`);
  }
  rmSync(file);
  const { result, stderr } = await prepare(saltProgram, ['-c', join(root, 'home'), '*', 'test.ping']);
  assert.ok(typeof result !== 'number' && stderr.startsWith('WARNING: CONFIG'));
});

test('command line - standard input gives further options and words', async () => {
  const options = await parsed(saltProgram, ['-t7', '--args-stdin', '*', 'test.echo'], {
    stdin: '-v\nhello world\n--out\njson\r\n',
  });
  assert.deepEqual(options.args, ['*', 'test.echo', 'hello world']);
  assert.equal(options.get('verbose'), true);
  assert.equal(options.get('output'), 'json');
  assert.equal(options.get('timeout'), 7);
});

test('command line - the output file is emptied, unless it is to grow', async () => {
  const file = join(root, 'out.txt');
  writeFileSync(file, 'old');
  await parsed(saltProgram, [`--out-file=${file}`, '--out-file-append']);
  assert.equal(readFileSync(file, 'utf8'), 'old');
  await parsed(saltProgram, [`--out-file=${file}`]);
  assert.equal(readFileSync(file, 'utf8'), '');
});

test('command line - an output file that is a folder is refused before anything is run', async () => {
  await assert.rejects(parsed(saltProgram, [`--out-file=${root}`, '*', 'test.ping']), OutputFileError);
});

test('Saltfile - gives defaults, the command line wins', async () => {
  const file = join(root, 'Saltfile');
  writeFileSync(
    file,
    `salt-call:\n  config_dir: ${etc}\n  local: true\n  output: json\n  auth_timeout: 9\n  something: else\nsalt:\n  timeout: 1\n`,
  );
  for (const options of [
    await parsed(saltCallProgram, ['--out', 'yaml', `--saltfile=${file}`, 'test.ping']),
    await parsed(saltCallProgram, ['--out', 'yaml', 'test.ping'], { env: { SALT_SALTFILE: file } }),
  ]) {
    assert.equal(options.get('local'), true);
    assert.equal(options.isExplicit('local'), true);
    assert.equal(options.get('output'), 'yaml');
    assert.equal(options.get('auth_timeout'), 9);
    assert.equal(options.get('config_dir'), etc);
    assert.equal(options.get('something'), 'else');
    assert.equal(options.get('saltfile'), file);
  }
});

test('Saltfile - is found in the working folder, then in ~/.salt', async () => {
  const cwd = join(root, 'work');
  const home = join(root, 'home');
  mkdirSync(cwd);
  mkdirSync(join(home, '.salt'), { recursive: true });
  writeFileSync(join(cwd, 'Saltfile'), 'salt: {timeout: 11}\n', { mode: 0o644 });
  writeFileSync(join(home, '.salt/Saltfile'), 'salt: {timeout: 12}\n');
  const warnings: string[] = [];
  const timeout = async (): Promise<unknown> => {
    const { result } = await prepare(saltProgram, ['--saltfile', join(root, 'empty')]).catch(() => ({
      result: 0,
    }));
    assert.equal(result, 64);
    const { scan } = await import('../../../src/cli/command-line/optparse.ts');
    const read = scan(saltProgram, []);
    assert.equal(read.kind, 'options');
    const options = (read as { parsed: ParsedOptions }).parsed;
    await applySaltfile(options, { env: { HOME: home }, cwd, warn: (message) => warnings.push(message) });
    return options.get('timeout');
  };
  assert.equal(await timeout(), 11);
  chmodSync(join(cwd, 'Saltfile'), 0o666);
  assert.equal(await timeout(), 12);
  assert.match(warnings.join(), /work\/Saltfile is left out: others than you and root can write to it/);
  rmSync(join(cwd, 'Saltfile'));
  assert.equal(await timeout(), 12);
});

test('Saltfile - a broken one is named', async () => {
  const file = join(root, 'broken');
  writeFileSync(file, 'salt: [\n');
  assert.match(
    await refused(saltProgram, [`--saltfile=${file}`]),
    /^salt: error: Error parsing configuration file: .*broken - /,
  );
});

test('standard input - one line is read from pieces, and the end is told from an empty line', async () => {
  const io = recordedIo();
  const line = readLine(io.stdin);
  io.input.write('ab');
  io.input.write('c\r\nrest');
  assert.equal(await line, 'abc');
  assert.equal(await readLine(recordedIo('').stdin), undefined);
  assert.equal(await readLine(recordedIo('\n').stdin), '');
  assert.equal(await readLine(recordedIo('last').stdin), 'last');
  const { stdin } = recordedIo('name\npassword\n');
  assert.equal(await readLine(stdin), 'name');
  assert.equal(await readLine(stdin), 'password', 'what follows a line is there for the next question');
  assert.equal(await readLine(stdin), undefined);
  assert.equal(
    await readLine(stdin),
    undefined,
    'an end that was reached before ends the next question, too',
  );
});
