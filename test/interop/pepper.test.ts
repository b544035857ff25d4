/**
 * Pepper's commands on our salt-api and, where one is found, on a real one: the same output and the same exit code.
 * `BRINE_PEPPER` names a checkout of Pepper, `BRINE_PEPPER_PYTHONPATH` folders in which its Python finds a Salt.
 * Without a Salt, Pepper hands the text of the answer to what looks for return codes, so that its options `--fail-…`
 * find none, whoever answers.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApiServers } from '../support/api/servers.ts';
import { ours, realSalt, runProgram, type Finished, type Programs } from '../support/fleet.ts';

const checkout = process.env['BRINE_PEPPER'] ?? '';
const withSalt = process.env['BRINE_PEPPER_PYTHONPATH'] ?? '';
const program = join(checkout, 'scripts/pepper');
const skip = existsSync(program) ? false : 'did not run: BRINE_PEPPER names no checkout of Pepper';
const TEST_MS = 20 * 60_000;
const AT_A_TIME = 4;

/** Words of a command; `HOME` stands for a folder of its own. */
const COMMANDS: readonly (readonly string[])[] = [
  // targets
  ['*', 'test.ping'],
  ['-L', 'min1,min2', 'test.ping'],
  ['-E', 'min[12]', 'test.ping'],
  ['-G', 'kernel:Linux', 'test.ping'],
  ['-P', 'kernel:Lin.*', 'test.ping'],
  ['-I', 'none:such', 'test.ping'],
  ['-J', 'none:such', 'test.ping'],
  ['-C', 'min* and not min2', 'test.ping'],
  ['-S', '203.0.113.0/24', 'test.ping'],
  ['-N', 'none', 'test.ping'],
  ['nobody', 'test.ping'],
  // arguments
  ['min1', 'test.echo', 'foo'],
  ['min1', 'test.arg', 'one', '2', 'three=3', "four={'a': [1, 2]}"],
  ['min1', 'test.outputter', 'ü'],
  ['min1', 'state.single', 'test.nop', 'name=x', 'test=true'],
  ['min1', 'test.nope'],
  ['min1', 'test.exception', 'oops'],
  ['min1', 'test.arg', 'hello=', ''],
  // clients
  ['--client=local_batch', 'min1', 'test.ping', '--batch=1'],
  ['--client=local_subset', '*', 'test.echo', 'x', '--timeout=20'],
  ['--client=local_async', '*', 'test.ping'],
  ['--client=runner', 'test.arg', 'one', 'two=3'],
  ['--client=runner', 'manage.up'],
  ['--client=runner', 'test.nope'],
  ['--client=runner_async', 'manage.up'],
  ['--client=wheel', 'key.list_all'],
  ['--client=wheel', 'key.name_match', 'match=min1'],
  ['--client=wheel', 'key.nope'],
  ['--client=wheel_async', 'key.list_all'],
  ['--client=nope', '*', 'test.ping'],
  // log-ins
  ['-r', '--run-uri', 'min1', 'test.ping'],
  ['-T', '-x', 'HOME/token', 'min1', 'test.ping'],
  ['-T', '-x', 'HOME/token2', '--run-uri', 'min1', 'test.ping'],
  ['--username=nobody', '--password=x', '-a', 'file', '--non-interactive', '*', 'test.ping'],
  ['--username=bob', '--password=pw', '-a', 'file', '--non-interactive', '*', 'test.ping'],
  ['--username=bob', '--password=pw', '-a', 'file', '--non-interactive', '*', 'test.echo', 'x'],
  ['--token-expire=600', 'min1', 'test.ping'],
  // whole documents
  ['--json=[{"client":"local","tgt":"min1","fun":"test.ping"}]'],
  ['--json=[{"client":"local","tgt":"min1","fun":"test.ping"},{"client":"wheel","fun":"key.list_all"}]'],
  ['--json=nonsense'],
  ['--json-file=HOME/low.json'],
  ['--json-file=HOME/none.json'],
  // waiting, and exit codes
  ['--fail-if-incomplete', '--timeout=30', 'min1', 'test.ping'],
  ['--fail-any', 'min1', 'cmd.run', 'exit 0', 'python_shell=True'],
  ['--fail-any', 'min1', 'cmd.run', 'exit 3', 'python_shell=True'],
  ['--fail-any', '*', 'cmd.retcode', 'exit 1', 'python_shell=True'],
  ['--fail-any', 'min1', 'test.false'],
  ['--fail-any-none', 'min1', 'cmd.run', 'exit 3', 'python_shell=True'],
  ['--fail-any-none', '--client=runner', 'test.arg'],
  ['--fail-all', '*', 'test.ping'],
  ['--fail-all', '*', 'cmd.run', 'exit 3', 'python_shell=True'],
  ['--fail-all-none', 'min1', 'test.nope'],
  ['--fail-any', '--fail-all', 'min1', 'test.ping'],
  // output
  ['-o', 'json', 'min1', 'test.ping'],
  ['--output-file=HOME/out', 'min1', 'test.ping'],
];

/** What an answer has of its moment. */
const OF_ITS_MOMENT: readonly (readonly [RegExp, string])[] = [
  [/\b\d{20}\b/g, 'JID'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+/g, 'STAMP'],
  [/\d\d:\d\d:\d\d\.\d+/g, 'TIME'],
  [/("?duration"?:\s+)[\d.]+/g, '$1DURATION'],
  [/Run time:.*|Total run time:.*/g, 'RUN TIME'],
  [/(Duration:\s+)[\d.]+ ms/g, '$1DURATION'],
  // ours has no files and lines of Python's
  [/\\n {2}File (?:\\"|[^"])*?(?=\\n[A-Za-z])/g, ''],
  [/\n( +)File "[^"\n]+", line \d+, in .*(?:\n\1 {2}.*)*/g, ''],
  [/127\.0\.0\.1:\d+/g, 'ADDRESS'],
  [/^(ERROR|WARNING) \d{4}-.*$/gm, '$1'],
];

interface Ran {
  readonly code: number | null;
  readonly text: string;
}

async function runAll(servers: ApiServers, isWithSalt: boolean): Promise<Ran[]> {
  const home = servers.fleet.path(isWithSalt ? 'home-salt' : 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'low.json'), '[{"client":"local","tgt":"min2","fun":"test.echo","arg":["file"]}]');
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    LANG: 'C.UTF-8',
    PYTHONPATH: isWithSalt ? `${checkout}:${withSalt}` : checkout,
    PYTHONDONTWRITEBYTECODE: '1',
    SALTAPI_URL: `http://127.0.0.1:${servers.ports.get('plain')}`,
    SALTAPI_USER: 'alice',
    SALTAPI_PASS: 'pw',
    SALTAPI_EAUTH: 'file',
  };
  const out: Ran[] = [];
  const left = COMMANDS.map((words, index) => ({ words, index }));
  const work = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      const words = one.words.map((word) => word.replace('HOME', home));
      const ended = await runProgram('/usr/bin/python3', ['-W', 'ignore', program, ...words], { env });
      out[one.index] = { code: ended.code, text: shown(ended, home) };
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return out;
}

function shown({ stdout, stderr }: Finished, home: string): string {
  let text = `${stdout}${stderr}`.replaceAll(home, 'HOME');
  for (const [what, name] of OF_ITS_MOMENT) text = text.replace(what, name);
  return text.trim();
}

/** Why ours differs from a real salt-api, by command. */
const REASONS: ReadonlyMap<string, string> = new Map([
  [
    '-N none test.ping',
    'a node group that is not configured is the mistake of whoever asks: 400, where Salt has 500',
  ],
  ['--client=runner test.nope', 'so is a runner function that does not exist'],
  ['--client=wheel key.nope', 'the reason stands there without the lines of a traceback that says no more'],
]);

async function compare(own: ApiServers, real: ApiServers, isWithSalt: boolean): Promise<string[]> {
  const [given, expected] = [await runAll(own, isWithSalt), await runAll(real, isWithSalt)];
  return COMMANDS.flatMap((words, index) => {
    const [one, other] = [given[index], expected[index]];
    const name = `pepper ${words.join(' ')}`;
    const isSame = one?.code === other?.code && one?.text === other?.text;
    if (REASONS.has(words.join(' '))) return isSame ? [`${name}: no longer differs`] : [];
    return isSame
      ? []
      : [`${name}\n  Salt  ${other?.code} ${other?.text}\n  Brine ${one?.code} ${one?.text}`];
  });
}

function salt(): Programs | undefined {
  return realSalt('3006');
}

test('interop - every command of Pepper', { skip, timeout: TEST_MS }, async (t) => {
  const own = await ApiServers.start(t, ours, ours, ['plain']);
  const programs = salt();
  if (programs === undefined) {
    t.diagnostic('no real Salt is found to compare with; only that each command ends is looked at');
    for (const { code } of await runAll(own, withSalt !== '')) assert.equal(typeof code, 'number');
    return;
  }
  const real = await ApiServers.start(t, programs, programs, ['plain']);
  for (const isWithSalt of withSalt === '' ? [false] : [false, true])
    await t.test(isWithSalt ? 'with a Salt beside it' : 'by itself', async (inner) => {
      const differences = await compare(own, real, isWithSalt);
      inner.diagnostic(`${COMMANDS.length - differences.length} of ${COMMANDS.length} the same`);
      assert.equal(differences.join('\n\n'), '');
    });
});
