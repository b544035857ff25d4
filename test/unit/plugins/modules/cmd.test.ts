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
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../../../src/errors/errors.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { createLogger, type LogRecord } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { bindCall } from '../../../../src/runtime/loader/bind.ts';
import type { ModuleContext } from '../../../../src/runtime/loader/module.ts';
import { cmdModule } from '../../../../src/plugins/cmd/module.ts';
import { pyRepr } from '../../../../src/python/values/repr.ts';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import {
  CMD_SCRIPTS,
  cmdVectors,
  writeCmdScripts,
  type CmdOutcome,
  type CmdVector,
} from '../../../support/cmd-vectors.ts';
import { fakeContext, type FakeContextOptions } from '../../../support/module-context.ts';

const FOLDER = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/modules');
const IS_ROOT = process.getuid?.() === 0;
const CANARY = 'canary-7f3a';

interface TestMinion {
  readonly ctx: ModuleContext;
  readonly logged: LogRecord[];
  call(fun: string, args?: Value[], kwargs?: DictInit): Promise<Value>;
}

function minion(options: FakeContextOptions = {}): TestMinion {
  const logged: LogRecord[] = [];
  const log = createLogger('test', [{ level: 0, write: (record) => logged.push(record) }]);
  const base = fakeContext({ clock: systemClock, random: systemRandom, ...options });
  const ctx = Object.create(base, { log: { value: log } }) as ModuleContext;
  return { ctx, logged, call: (fun, args = [], kwargs = {}) => callWith(ctx, fun, args, dict(kwargs)) };
}

async function callWith(
  ctx: ModuleContext,
  fun: string,
  args: readonly Value[],
  kwargs: Dict,
): Promise<Value> {
  const name = fun.replace('cmd.', '');
  const spec = cmdModule.functions[name];
  assert.ok(spec, fun);
  const bound = bindCall(name, spec, { positional: args, keywords: kwargs });
  return spec.run(ctx, bound.args, bound.rest, bound.kwargs);
}

function toValue(json: unknown): Value {
  if (Array.isArray(json)) return json.map(toValue);
  if (typeof json !== 'object' || json === null) return json as Value;
  return new Map(Object.entries(json).map(([key, value]) => [key, toValue(value)]));
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'brine-cmd-'));
  chmodSync(path, 0o755);
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    if (isTrue()) return;
    await pause(5);
  }
  assert.fail('it did not come true in ten seconds');
}

/** Salt says the reason last; what stands before it is its own settings and the environment. */
function comparable(text: string): string {
  const salts = /^Unable to run command '(.*)' with the context '.*', reason: (.*)$/s.exec(text);
  const said = /^(\[Errno \d+\] .*?): Unable to run command '(.*?)' in the folder '/s.exec(text);
  const [reason, command] = salts ? [salts[2], salts[1]] : [said?.[1], said?.[2]];
  return reason === undefined ? text : `${reason}: ${String(command)}`;
}

function withoutPid(value: Value): Value {
  if (!isDict(value) || !value.get('pid')) return value;
  return new Map([...value].map(([key, item]) => [key, key === 'pid' ? 'PID' : item]));
}

/** What a call gives on ours, in the form of the recordings. */
async function outcomeOf({ fun, args }: CmdVector, kwargs: Dict, dir: string): Promise<CmdOutcome> {
  const { ctx } = minion({ opts: dict({ id: 'minion', file_client: 'local', cachedir: join(dir, 'none') }) });
  try {
    const value = withoutPid(await callWith(ctx, fun, args.map(toValue), kwargs));
    return { return: pyRepr(value), exit: ctx.retcode & 255 };
  } catch (error) {
    return { error: comparable(messageOf(error)).replace(/__salt\.tmp\.[\w-]+/g, 'TEMP') };
  }
}

function expectedOf(outcome: CmdOutcome | undefined): CmdOutcome {
  if (outcome?.error !== undefined) return { error: comparable(outcome.error).replace('{home}', homedir()) };
  return { ...outcome, return: pyRepr(toValue(outcome?.return)).replaceAll('{home}', homedir()) };
}

/** Salt counts a command that ran out of time as a success. */
function late({ args, kwargs }: CmdVector, outcome: CmdOutcome): CmdOutcome {
  const seconds = Number(/sleep[ ,]([\d.]+)/.exec(String(args[0]))?.[1] ?? 0);
  const patience = Number(kwargs['timeout'] ?? 0);
  const isLate = patience > 0 && seconds > patience && kwargs['bg'] !== true && 'exit' in outcome;
  return isLate ? { ...outcome, exit: 1 } : outcome;
}

async function checkVector(vector: CmdVector, dir: string): Promise<void> {
  const label = `${vector.fun} ${JSON.stringify(vector.args)} ${JSON.stringify(vector.kwargs)}`;
  const kwargs = toValue(vector.kwargs) as Dict;
  const between = vector.ours?.between ?? vector.between;
  assert.deepEqual(
    await outcomeOf(vector, kwargs, dir),
    late(vector, expectedOf(between)),
    `between modules: ${label}`,
  );
  if (cmdModule.functions[vector.fun.replace('cmd.', '')]?.kwargs === undefined) return;
  // the recording's own default
  const shell: DictInit = /^cmd\.(run|shell|retcode|script)/.test(vector.fun) ? { shell: '/bin/sh' } : {};
  const job = new Map([...dict(shell), ...kwargs, ['__pub_jid', '20260401000000000000']]);
  const wanted = vector.ours?.job ?? vector.job ?? between;
  assert.deepEqual(
    await outcomeOf(vector, job, dir),
    late(vector, expectedOf(wanted)),
    `from a job: ${label}`,
  );
}

test('cmd - answers are those of Salt 3008, from a job and between modules', async (t) => {
  const dir = folder(t);
  writeCmdScripts(dir);
  if (!IS_ROOT) t.diagnostic('cases that only root can run were left out: other users, owners of scripts');
  const text = JSON.stringify(cmdVectors()).replaceAll('{dir}', dir);
  const forRoot = ({ root, fun }: CmdVector): boolean => root === true || fun.startsWith('cmd.script');
  const waiting = (JSON.parse(text) as CmdVector[]).filter((vector) => IS_ROOT || !forRoot(vector));
  // most of the time is other programs' own
  const checkSome = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await checkVector(next, dir);
  };
  await Promise.all(Array.from({ length: 8 }, checkSome));
  assert.deepEqual(readdirSync(dir).sort(), CMD_SCRIPTS);
});

test('cmd - functions and parameters are those of Salt 3008', () => {
  type ArgSpec = {
    args: string[] | null;
    defaults: unknown[] | null;
    varargs: boolean | null;
    kwargs: boolean | null;
  };
  const recorded = JSON.parse(readFileSync(join(FOLDER, 'cmd-argspec.json'), 'utf8')) as Record<
    string,
    ArgSpec
  >;
  assert.deepEqual(
    Object.keys(cmdModule.functions).sort(),
    Object.keys(recorded)
      .map((name) => name.replace('cmd.', ''))
      .sort(),
  );
  for (const [name, spec] of Object.entries(recorded)) {
    const ours = cmdModule.functions[name.replace('cmd.', '')];
    const params = Object.entries(ours?.params ?? {});
    assert.deepEqual(
      params.map(([param]) => param),
      spec.args ?? [],
      name,
    );
    const defaults = params.flatMap(([, { default: value }]) => (value === undefined ? [] : [value]));
    const shell = process.env['SHELL'] ?? '/bin/sh';
    const expected = (spec.defaults ?? []).map((value) => (value === '/bin/sh' ? shell : value));
    assert.deepEqual(defaults, expected, name);
    assert.equal(ours?.kwargs !== undefined, spec.kwargs === true, name);
  }
});

test('cmd - what looks like shell syntax is text for the program', async (t) => {
  const cwd = folder(t);
  const { call } = minion();
  const attacks = [
    ';touch x',
    '$(touch x)',
    '`touch x`',
    '|touch x',
    '&touch x',
    '>x',
    '\ntouch x',
    '*',
    '~',
  ];
  for (const attack of attacks) {
    assert.equal(await call('cmd.run', [['printf', '%s', attack]], { cwd, rstrip: false }), attack);
    await call('cmd.run', [`echo ${attack}`], { cwd });
    await call('cmd.run', ['cat'], { cwd, stdin: attack });
    await call('cmd.run', ['env'], { cwd, env: { A: attack }, prepend_path: attack });
    await call('cmd.exec_code', ['sh', 'echo "$1"'], { cwd, args: [attack] });
    await assert.rejects(call('cmd.run', ['true'], { cwd, runas: attack }));
    await assert.rejects(call('cmd.run', ['true'], { cwd, shell: attack }));
    await assert.rejects(call('cmd.run', ['true'], { cwd: attack }));
    await assert.rejects(call('cmd.run', ['true'], { cwd, umask: attack }));
  }
  assert.deepEqual(readdirSync(cwd), []);
});

test('cmd - the list of what is forbidden and the list of what is allowed', async () => {
  const pub = dict({ jid: '1' });
  const refused = { message: 'The shell command "rm -rf /x" is not permitted' };
  const job = { __pub_jid: '20240101000000000000' };
  for (const opts of [{ cmd_blacklist_glob: ['rm *'] }, { cmd_whitelist_glob: ['ls*', 'echo *'] }]) {
    const { call } = minion({ opts: dict(opts), pub });
    await assert.rejects(call('cmd.run', ['rm -rf /x'], job), refused);
    await assert.rejects(call('cmd.shell', ['rm -rf /x'], job), refused);
    await assert.rejects(call('cmd.run_chroot', ['/nosuch', 'rm -rf /x'], job), refused);
    await assert.rejects(
      call('cmd.run', [['rm', '-rf', '/x']], job),
      /"\['rm', '-rf', '\/x'\]" is not permitted/,
    );
    assert.equal(await call('cmd.run', ['echo ok'], job), 'ok');
    await assert.rejects(call('cmd.run', ['rm -rf /x y'], { ...job, cwd: '/nosuch' }), /not permitted/);
    await assert.rejects(call('cmd.run', ['rm -rf /x'], { cwd: '/nosuch' }), /Specified cwd/);
  }
});

test('cmd - a program that is not there: the reason first, what to do, and nothing of the environment', async () => {
  const { call } = minion();
  await assert.rejects(call('cmd.run', ['nosuchprog; echo 1'], { cwd: '/', env: { PATH: '/bin' } }), {
    message:
      "[Errno 2] No such file or directory: 'nosuchprog;': Unable to run command '['nosuchprog;', 'echo', '1']' in the " +
      "folder '/'. No shell took part; python_shell=True asks for one. Looked for in PATH '/bin'.",
  });
  await assert.rejects(call('cmd.run', [['/nosuch/prog', 'a|b']], { cwd: '/' }), {
    message:
      "[Errno 2] No such file or directory: '/nosuch/prog': Unable to run command '['/nosuch/prog', 'a|b']' in the folder '/'.",
  });
});

test('cmd - a script in the background runs to its end, and its file goes with it', async (t) => {
  const cwd = folder(t);
  const script = join(folder(t), 'slow.sh');
  writeFileSync(script, '#!/bin/sh\nsleep 0.3\necho "$1" > "$2.new"\nmv "$2.new" "$2"\n', { mode: 0o755 });
  const { call } = minion();
  const done = join(folder(t), 'done');
  const result = await call('cmd.script', [script, ['a b', done]], { cwd, bg: true });
  assert.ok(isDict(result) && result.get('retcode') === null);
  await until(() => existsSync(done) && readdirSync(cwd).length === 0);
  assert.equal(readFileSync(done, 'utf8'), 'a b\n');
});

test('cmd - cmd_safe: False makes the shell the default, an explicit python_shell wins', async () => {
  const { call } = minion({ opts: dict({ cmd_safe: false }) });
  assert.equal(await call('cmd.run', ['echo a | sed s/a/b/']), 'b');
  assert.equal(await call('cmd.run', ['echo a | sed s/a/b/'], { python_shell: false }), 'a | sed s/a/b/');
});

test('cmd - the log tells the first word only, and a failure as an error', async () => {
  const { call, logged } = minion();
  const lines = (): string[] =>
    logged.splice(0).flatMap(({ level, message }) => (level === 'debug' ? [] : [`${level}: ${message}`]));
  await call('cmd.run', ["sh -c 'echo out; exit 3' secret"], { cwd: '/' });
  assert.deepEqual(lines(), [
    "info: Executing command 'sh' in directory '/'",
    "error: Command 'sh' failed with return code: 3",
    'error: stdout: out',
    'error: retcode: 3',
    "error: Command 'sh' failed with return code: 3",
    'error: output: out',
  ]);
  await call('cmd.run_all', [['false', 'x']], { cwd: '/', env: { A: null } });
  assert.deepEqual(lines(), [
    "error: Environment variable 'A' passed without a value. Setting value to an empty string",
    "info: Executing command false in directory '/'",
    "error: Command 'false' failed with return code: 1",
    'error: retcode: 1',
  ]);
  await call('cmd.run', ['sleep 3'], { cwd: '/', timeout: 0.1 });
  assert.deepEqual(lines().slice(1), [
    "error: Command 'sleep' failed with return code: 1",
    "error: output: ['sleep', '3'] : Timed out after 0.1 seconds",
  ]);
  await call('cmd.run', ['false '], { ignore_retcode: true, cwd: '/' });
  assert.deepEqual(lines(), ["info: Executing command 'false' in directory '/'"]);
  await call('cmd.run', ['TOKEN=abc true'], { python_shell: true, cwd: '/' });
  assert.deepEqual(lines(), ["info: Executing command 'TOKEN=***' in directory '/'"]);
  await call('cmd.run', ['false '], { output_loglevel: 'quiet' });
  await call('cmd.run_all', ['printf "\\377"'], { output_loglevel: 'quiet' });
  assert.deepEqual(logged, []);
  await call('cmd.run', ['echo x'], {
    output_loglevel: 'bogus',
    shell: '/usr/bin/env',
    python_shell: false,
    cwd: '/',
  });
  assert.deepEqual(lines().slice(0, 2), [
    'warning: Attempt to run a shell command with what may be an invalid shell! Check to ensure that the shell ' +
      '</usr/bin/env> is valid for this user.',
    "error: Invalid output_loglevel 'bogus'. Valid levels are: warning, trace, quiet, profile, info, garbage, " +
      "error, debug, critical, all. Falling back to 'info'.",
  ]);
});

test('cmd - secrets reach neither the log nor an error', async (t) => {
  const { call, logged } = minion();
  const cwd = folder(t);
  const secrets = { stdin: CANARY, env: { TOKEN: CANARY }, password: CANARY, cwd };
  await call('cmd.run', [`true ${CANARY}`], secrets);
  await call('cmd.run', [`false ${CANARY}`], secrets);
  await call('cmd.run', [`true ${CANARY}`], { ...secrets, python_shell: true });
  await call('cmd.run', ['true'], { env: [dict({ TOKEN: CANARY, OTHER: CANARY })] });
  writeFileSync(join(cwd, 'plain'), 'no program');
  await assert.rejects(call('cmd.script', [join(cwd, 'plain')], { ...secrets, args: CANARY }), (error) => {
    return !messageOf(error).includes(CANARY);
  });
  await call('cmd.exec_code', ['sh', `: ${CANARY}`], secrets);
  await assert.rejects(call('cmd.run', ['nosuchprog'], secrets), (error) => {
    assert.match(messageOf(error), /^\[Errno 2\] No such file or directory: 'nosuchprog': /);
    return !messageOf(error).includes(CANARY);
  });
  assert.ok(logged.length > 10);
  for (const { message } of logged) assert.ok(!message.includes(CANARY), message);
});

test('cmd - the environment: given over own, cleaned, in front of PATH, without the service socket', async (t) => {
  const before = { ...process.env };
  t.after(() => {
    for (const name of ['BRINE_A', 'NOTIFY_SOCKET'])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    assert.deepEqual({ ...process.env }, before);
  });
  Object.assign(process.env, { BRINE_A: 'own', NOTIFY_SOCKET: '/run/socket' });
  const { call } = minion();
  const show = "sh -c 'echo ${BRINE_A-none} ${NOTIFY_SOCKET-none}'";
  assert.equal(await call('cmd.run', [show]), 'own none');
  assert.equal(
    await call('cmd.run', [show], { env: { BRINE_A: 'given', NOTIFY_SOCKET: 'mine' } }),
    'given mine',
  );
  assert.equal(
    await call('cmd.run', [show], { clean_env: true, env: { PATH: '/usr/bin:/bin' } }),
    'none none',
  );
  const path = `/opt/x:${process.env['PATH'] ?? ''}`;
  assert.equal(await call('cmd.run', ["sh -c 'echo $PATH'"], { prepend_path: '/opt/x' }), path);
  assert.equal(
    await call('cmd.run', ['/usr/bin/env'], {
      clean_env: true,
      prepend_path: '/a',
      reset_system_locale: false,
    }),
    'PATH=/a',
  );
});

test('cmd - the end of the job ends the command and its children', async (t) => {
  const ready = join(folder(t), 'ready');
  const abort = new AbortController();
  const { call } = minion({ signal: abort.signal });
  const running = call(
    'cmd.run_all',
    [`sleep 60 & echo $! > ${ready}.new; mv ${ready}.new ${ready}; sleep 60`],
    {
      python_shell: true,
    },
  );
  await until(() => existsSync(ready));
  const child = readFileSync(ready, 'utf8').trim();
  abort.abort(15);
  const result = await running;
  assert.ok(isDict(result) && result.get('retcode') === -15, pyRepr(result));
  await until(
    () => !existsSync(`/proc/${child}`) || /\) [ZX]/.test(readFileSync(`/proc/${child}/stat`, 'utf8')),
  );
  await assert.rejects(call('cmd.run', ['true']), /has been ended/);
});

test('cmd - in the background: a pid at once, no output, no failure', async (t) => {
  const path = join(folder(t), 'done');
  const { call, ctx, logged } = minion();
  const result = await call('cmd.run_bg', [`cat; touch ${path}; exit 7`], { python_shell: true, timeout: 1 });
  assert.ok(isDict(result) && [...result.keys()].join() === 'pid');
  await until(() => existsSync(path));
  assert.equal(
    pyRepr(withoutPid(await call('cmd.run_all', ['sh -c "exit 7"'], { bg: true, stdin: 'x' }))),
    "{'pid': 'PID', 'retcode': None, 'stdout': '', 'stderr': ''}",
  );
  assert.equal(await call('cmd.run', ['echo x'], { bg: true, raise_err: true }), '');
  assert.equal(ctx.retcode, 0);
  assert.ok(logged.every(({ level }) => level !== 'error'));
  assert.match(logged[0]?.message ?? '', /in the background, no output will be logged\.$/);
});

test('cmd - very long output is cut and says so', async () => {
  const { call, logged } = minion();
  const text = await call('cmd.run', ['head -c 67108874 /dev/zero'], { output_loglevel: 'garbage' });
  assert.ok(typeof text === 'string');
  assert.ok(text.endsWith('\0\n[output cut: 10 bytes were left out]'));
  assert.ok(
    logged.some(({ level, message }) => level === 'warning' && message.includes('10 bytes were left out')),
  );
});

test('cmd - errors that Salt only shows as a traceback are sentences', async () => {
  const { call } = minion();
  await assert.rejects(call('cmd.run', ['']), /No command was given/);
  await assert.rejects(call('cmd.run', [[]]), /No command was given/);
  await assert.rejects(call('cmd.run', ["echo 'a"]), /cannot be split into words: No closing quotation/);
  await assert.rejects(call('cmd.run', ['true'], { timeout: 'abc' }), {
    message: 'Error: timeout abc must be a number',
  });
  await assert.rejects(call('cmd.run', ['true'], { output_encoding: 'nosuch' }), /unknown encoding: nosuch/);
  await assert.rejects(call('cmd.run', ['true'], { success_retcodes: 'x' }), /must be a list of integers/);
  await assert.rejects(
    call('cmd.run', ['echo {{ x }}'], { template: 'jinja' }),
    /Failed to execute cmd with error: Jinja variable 'x' is undefined; line 1/,
  );
  await assert.rejects(call('cmd.powershell', ['x']), /work on Windows minions only/);
  await assert.rejects(call('cmd.run_chroot', ['/', 'id']), /cannot be \/ itself/);
  await assert.rejects(call('cmd.script', ['relative.sh']), {
    message: "Path 'relative.sh' is not absolute",
  });
});

test('cmd - a terminal is a device below /dev and nothing else', async (t) => {
  const victim = join(folder(t), 'victim');
  writeFileSync(victim, 'whole');
  const { call } = minion();
  const invalid = "{'Error': 'The specified device is not a valid TTY'}";
  for (const device of [`tty/../..${victim}`, `pts/../../..${victim}`, 'tty\0', '../tty', 'pts', '']) {
    assert.equal(pyRepr(await call('cmd.tty', [device, 'x'])), invalid, device);
  }
  const missing = "{'Error': 'Echoing to /dev/ttynosuch returned error'}";
  assert.equal(pyRepr(await call('cmd.tty', ['ttynosuch', 'x'])), missing);
  assert.equal(existsSync('/dev/ttynosuch'), false);
  assert.equal(readFileSync(victim, 'utf8'), 'whole');
});

test('cmd - the temporary file of a script is gone afterwards, whatever happens', async (t) => {
  const cwd = folder(t);
  const { call } = minion();
  await assert.rejects(call('cmd.script', ['/etc/passwd'], { cwd, timeout: 1 }), /Exec format error/);
  await assert.rejects(call('cmd.script', ['/bin/true'], { cwd: '/nosuch/folder' }), /Unable to create/);
  await assert.rejects(call('cmd.script', ['/bin/true'], { cwd, runas: 'nosuch' }), /User 'nosuch'/);
  await assert.rejects(call('cmd.exec_code', ['nosuch', 'x'], { cwd }), /Unable to run command/);
  assert.deepEqual(readdirSync(cwd), []);
});

test('cmd - finding programs and asking them for their version', async (t) => {
  const { call } = minion();
  const path = join(folder(t), 'prog');
  writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });
  assert.equal(await call('cmd.which', [path]), path);
  assert.match(String(await call('cmd.which', ['sh'])), /\/sh$/);
  assert.match(String(await call('cmd.which_bin', [['nosuch', 'sh']])), /\/sh$/);
  assert.ok(Array.isArray(await call('cmd.shells')));
  const info = await call('cmd.shell_info', ['bash']);
  assert.ok(isDict(info));
  if (info.get('installed') === true) assert.match(String(info.get('version')), /^\d+\.\d+/);
});

test('cmd - a command, its folder and its words are rendered when a template engine is named', async () => {
  const { call } = minion();
  assert.equal(await call('cmd.run', ['echo {{ 1 + 1 }}'], { template: 'jinja', cwd: "{{ '/t' }}mp" }), '2');
  assert.equal(await call('cmd.run', ['echo {{ 1 + 1 }}']), '{{ 1 + 1 }}');
});
