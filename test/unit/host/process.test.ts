import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { planLaunch } from '../../../src/host/credentials.ts';
import { ownEnvironment, runProcess, SpawnError, startProcess } from '../../../src/host/process.ts';

const AS_ROOT = { skip: process.getuid?.() === 0 ? false : 'only root may become another user' };
const NASTY = [
  ';touch PWNED',
  '$(touch PWNED)',
  '`touch PWNED`',
  '| touch PWNED',
  '&& touch PWNED',
  '> PWNED',
  '\n touch PWNED \n',
  "'; touch PWNED; '",
  '"; touch PWNED; "',
  '\\',
  '*',
  '~',
  '$HOME',
  '-e',
  '--',
  '\u00e9\u{1f600}',
];

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'brine-process-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function script(t: TestContext, text: string, mode = 0o755): string {
  const path = join(folder(t), 'script');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    if (isTrue()) return;
    await pause(5);
  }
  assert.fail('it did not come true in ten seconds');
}

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function shell(text: string, options: Parameters<typeof runProcess>[1] = {}) {
  const { stdout, stderr, ...rest } = await runProcess(['/bin/sh', '-c', text], options);
  return { ...rest, stdout: stdout.toString(), stderr: stderr.toString() };
}

test('process - streams apart, exit code and pid', async () => {
  const result = await shell('echo $$; echo err >&2; exit 3');
  assert.deepEqual([result.stdout, result.stderr, result.retcode], [`${result.pid}\n`, 'err\n', 3]);
  assert.equal(result.timedOut, false);
});

test('process - merged streams keep the order of writing', async () => {
  const { stdout, stderr } = await shell('for i in 1 2 3; do echo o$i; echo e$i >&2; done', {
    mergeStderr: true,
  });
  assert.deepEqual([stdout, stderr], ['o1\ne1\no2\ne2\no3\ne3\n', '']);
});

test('process - standard streams can be opened by name, as on a terminal', async () => {
  const { stdout, stderr } = await shell(
    'sleep 0.05; cat /dev/stdin; echo o >/dev/stdout; echo e >/dev/stderr',
    {
      stdin: 'in\n',
    },
  );
  assert.deepEqual([stdout, stderr], ['in\no\n', 'e\n']);
});

test('process - a program ended by a signal has a negative exit code', async () => {
  assert.equal((await shell('kill -15 $$')).retcode, -15);
});

test('process - without input there is none', async () => {
  assert.equal((await runProcess(['cat'])).stdout.length, 0);
});

test('process - large input arrives whole, and an unread one does no harm', async () => {
  const stdin = Buffer.alloc(3_000_000, 'abcdefg');
  const { stdout } = await runProcess(['cat'], { stdin });
  assert.ok(stdout.equals(stdin));
  assert.equal((await runProcess(['true'], { stdin })).retcode, 0);
});

test('process - arguments reach the program as they are and no shell', async (t) => {
  const cwd = folder(t);
  const { stdout } = await runProcess(['printf', '%s\\0', ...NASTY], { cwd });
  assert.deepEqual(stdout.toString().split('\0').slice(0, -1), NASTY);
  for (const name of NASTY) await assert.rejects(runProcess([name], { cwd }), SpawnError);
  assert.deepEqual(readdirSync(cwd), []);
});

test('process - the environment is what was given, and PATH in it finds the program', async (t) => {
  const path = script(t, '#!/bin/sh\necho found\n');
  const env = new Map([['PATH', join(path, '..')]]);
  assert.equal((await runProcess(['script'], { env })).stdout.toString(), 'found\n');
  const { stdout } = await runProcess(['/usr/bin/env'], {
    env: new Map([
      ['A', 'x y'],
      ['__proto__', '1'],
    ]),
  });
  assert.equal(stdout.toString(), 'A=x y\n__proto__=1\n');
});

test('process - reasons for not starting, in the words of Python', async (t) => {
  const cases: [string, string][] = [
    ['/nosuch', "[Errno 2] No such file or directory: '/nosuch'"],
    ["no such'", `[Errno 2] No such file or directory: "no such'"`],
    ['/etc/passwd', "[Errno 13] Permission denied: '/etc/passwd'"],
    ['/etc/passwd/x', "[Errno 20] Not a directory: '/etc/passwd/x'"],
    ['', "[Errno 2] No such file or directory: ''"],
  ];
  const plain = script(t, 'echo never\n');
  cases.push([plain, `[Errno 8] Exec format error: '${plain}'`]);
  for (const [program, reason] of cases) {
    await assert.rejects(
      runProcess([program]),
      (error) => error instanceof SpawnError && error.reason === reason,
    );
  }
  await assert.rejects(runProcess(['echo', 'a\0b']), /NUL byte/);
  await assert.rejects(
    runProcess(['echo'], { env: new Map([['A=B', 'c']]) }),
    /illegal environment variable name/,
  );
});

test('process - a time-out kills the whole tree', async (t) => {
  const pids = join(folder(t), 'pids');
  const text = `(trap '' TERM; sh -c 'echo $$ >> ${pids}; sleep 60; :'; :) & echo $! >> ${pids}; sleep 60`;
  const running = shell(text, { timeoutMs: 1000 });
  await until(() => existsSync(pids) && readFileSync(pids, 'utf8').trim().split('\n').length === 2);
  const result = await running;
  assert.deepEqual([result.timedOut, result.retcode], [true, -9]);
  for (const pid of readFileSync(pids, 'utf8').trim().split('\n')) await until(() => !isRunning(Number(pid)));
});

test('process - a time-out also ends what outlives the program and holds its output', async () => {
  const result = await shell('sleep 60 & echo $!', { timeoutMs: 200 });
  assert.deepEqual([result.timedOut, result.retcode], [true, 0]);
  await until(() => !isRunning(Number(result.stdout)));
});

test('process - an abort sends its reason as the signal, and the output so far comes back', async (t) => {
  const ready = join(folder(t), 'ready');
  for (const [reason, name, code] of [
    [15, 'TERM', 4],
    [10, 'USR1', 5],
    ['no number', 'TERM', 6],
  ] as const) {
    const abort = new AbortController();
    const text = `trap 'echo got; exit ${code}' ${name}; touch ${ready}; while :; do sleep 0.02; done`;
    const running = shell(text, { signal: abort.signal });
    await until(() => existsSync(ready));
    abort.abort(reason);
    const result = await running;
    assert.deepEqual([result.stdout, result.retcode, result.timedOut], ['got\n', code, false]);
    rmSync(ready);
  }
});

test('process - who ignores the signal is killed after the grace time', async (t) => {
  const ready = join(folder(t), 'ready');
  const abort = new AbortController();
  const text = `trap '' TERM; touch ${ready}; while :; do sleep 0.02; done`;
  const running = shell(text, { signal: abort.signal, graceMs: 50 });
  await until(() => existsSync(ready));
  abort.abort(15);
  assert.equal((await running).retcode, -9);
});

test('process - nothing starts for a job that has ended', async (t) => {
  const path = join(folder(t), 'made');
  await assert.rejects(
    runProcess(['touch', path], { signal: AbortSignal.abort(15) }),
    /touch was not started/,
  );
  assert.equal(existsSync(path), false);
});

test('process - output beyond the limit is read, dropped and counted', async () => {
  const { stdout, droppedBytes, retcode } = await runProcess(['head', '-c', '5000000', '/dev/zero'], {
    outputLimitBytes: 1000,
  });
  assert.deepEqual([stdout.length, droppedBytes, retcode], [1000, 4_999_000, 0]);
});

test('process - the program leads a process group of its own', async () => {
  const { stdout, pid } = await shell('cut -d" " -f5,6 /proc/$$/stat');
  assert.equal(stdout, `${pid} ${pid}\n`);
});

test('process - the file mode mask holds for the program and not for us', async () => {
  const before = process.umask();
  assert.equal((await shell('umask', { umask: 0o27 })).stdout, '0027\n');
  await assert.rejects(runProcess(['/nosuch'], { umask: 0o77 }));
  assert.equal(process.umask(), before);
});

test('process - in the background the program lives on by itself', async (t) => {
  const path = join(folder(t), 'done');
  const pid = await startProcess(['/bin/sh', '-c', `cat; echo x; touch ${path}; exec sleep 60`]);
  t.after(() => process.kill(-pid, 'SIGKILL'));
  await until(() => existsSync(path));
  assert.ok(isRunning(pid));
  await assert.rejects(startProcess(['/nosuch']), SpawnError);
});

test('process - nothing is left open or lying about', async (t) => {
  const own = folder(t);
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = own;
  t.after(() => (before === undefined ? delete process.env['TMPDIR'] : (process.env['TMPDIR'] = before)));
  await runProcess(['true']);
  const open = readdirSync('/proc/self/fd').length;
  for (let i = 0; i < 20; i++) {
    await runProcess(['cat'], { stdin: 'x' });
    await runProcess(['true'], { mergeStderr: true, stdin: Buffer.alloc(2_000_000) });
    await assert.rejects(runProcess(['/nosuch'], { stdin: 'x' }));
  }
  // a few pipes are kept for the next programs
  assert.ok(readdirSync('/proc/self/fd').length <= open + 16);
  assert.deepEqual(readdirSync(own), []);
});

test('process - without a folder for named pipes it works all the same', async (t) => {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = '/nosuch';
  t.after(() => (before === undefined ? delete process.env['TMPDIR'] : (process.env['TMPDIR'] = before)));
  const apart = await shell('cat; echo e >&2', { stdin: 'in' });
  assert.deepEqual([apart.stdout, apart.stderr], ['in', 'e\n']);
  const large = await runProcess(['wc', '-c'], { stdin: Buffer.alloc(2_000_000) });
  assert.equal(large.stdout.toString().trim(), '2000000');
  // more than were kept of pipes that could still be made
  const all = Array.from({ length: 10 }, () => shell('echo o; echo e >&2', { mergeStderr: true }));
  const [merged] = (await Promise.all(all)).slice(-1) as [Awaited<(typeof all)[0]>];
  assert.deepEqual([...merged.stdout.trim().split('\n').sort(), merged.stderr], ['e', 'o', '']);
});

test('process - another user comes with exactly its groups', AS_ROOT, async () => {
  const id = async (groups: number[], env = ownEnvironment()) => {
    const credentials = { uid: 65534, gid: 65534, groups };
    return (await shell('id -u; id -g; id -G', { credentials, env, cwd: '/' })).stdout.trim().split('\n');
  };
  assert.deepEqual(await id([]), ['65534', '65534', '65534']);
  assert.deepEqual(await id([65534]), ['65534', '65534', '65534']);
  assert.deepEqual(await id([65534, 4, 20]), ['65534', '65534', '65534 4 20']);
  const marked = new Map([...ownEnvironment(), ['MALLOC_ARENA_MAX', '1']]);
  assert.deepEqual(await id([4], marked), ['65534', '65534', '65534 4']);
});

test('process - another user: what cannot start is an error of ours, not output', AS_ROOT, async (t) => {
  const forbidden = script(t, '#!/bin/sh\n', 0o700);
  for (const groups of [[], [4]]) {
    const credentials = { uid: 65534, gid: 65534, groups };
    const failure = (program: string) =>
      runProcess([program], { credentials, cwd: '/', env: new Map([['PATH', '/usr/bin:/bin']]) });
    await assert.rejects(failure('nosuch'), /\[Errno 2\]/);
    await assert.rejects(failure(forbidden), /\[Errno 13\]/);
  }
});

test('process - a user has no hand in the loader of the helper that still is root', AS_ROOT, () => {
  const env = new Map([
    ['A', 'b'],
    ['LD_PRELOAD', '/evil.so'],
    ['GLIBC_TUNABLES', 'x'],
  ]);
  const find = (name: string): string => `/usr/bin/${name}`;
  const user = { uid: 5, gid: 60, groups: [60, 4] };
  const plan = planLaunch(['prog', 'arg'], env, user, find);
  assert.deepEqual([...plan.env], [['A', 'b']]);
  assert.deepEqual(plan.argv, [
    ...['/usr/bin/setpriv', '--reuid', '5', '--regid', '60', '--groups', '60,4', '--inh-caps=-all', '--'],
    ...['/usr/bin/env', '--', 'LD_PRELOAD=/evil.so', 'GLIBC_TUNABLES=x', 'prog', 'arg'],
  ]);
  assert.deepEqual(planLaunch(['a=b'], new Map(), user, find).argv.slice(9), [
    ...['/usr/bin/env', '--', '/usr/bin/nice', '-n', '0', '--', 'a=b'],
  ]);
  assert.throws(() => planLaunch(['prog'], env, user, () => undefined), /needs the programs setpriv/);
});
