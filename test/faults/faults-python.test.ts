/** A site's own Python at its worst: killed, stopped, without memory, and modules that do what no module should. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EventBusReader } from '../../src/network/events/bus-client.ts';
import { pyStr } from '../../src/python/values/repr.ts';
import { Fleet, ours, runProgram, until } from '../support/fleet.ts';

const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3';

/** Its functions are named in {@link OUTCOMES}, with the line in which each goes wrong behind `# here`. */
const MODULE = `
import ctypes
import multiprocessing
import os
import subprocess
import sys
import threading
import time


def wait(note, gate):
    with open(note, "a") as handle:
        handle.write("{}\\n".format(os.getpid()))
    while not os.path.exists(gate):
        time.sleep(0.02)
    return "went on"


def wait_and_eat(note, gate):
    wait(note, gate)
    return eat()


def fine():
    return "fine"


def leave():
    os._exit(3)  # here


def exit_():
    sys.exit(4)  # here


def crash():
    ctypes.string_at(0)  # here


def kill():
    os.kill(os.getpid(), 9)


def closes():
    os.closerange(3, 1024)


def recurse():
    return recurse()  # here


def recurse_through():
    return __salt__["hard.recurse_through"]()  # here


def recurse_around():
    return __salt__["slsutil.renderer"](string="{{ salt['hard.recurse_around']() }}")  # here


def eat():
    return [bytearray(1 << 26) for _ in range(64)]  # here


def itself():  # here
    value = []
    value.append(value)
    return value


def no_data():  # here
    return {"a": object()}


def huge():  # here
    return "x" * (150 << 20)


class Odd(Exception):
    def __str__(self):
        raise ValueError


def odd():
    raise Odd()  # here


def fork_both():
    return ["child" if os.fork() == 0 else "parent"]


def fork_daemon(note):
    if os.fork() == 0:
        subprocess.Popen(["sleep", "60"], start_new_session=True, close_fds=False)
        with open(note, "w") as handle:
            handle.write("up")
        os._exit(0)
    while not os.path.exists(note):
        time.sleep(0.02)
    os.kill(os.getpid(), 9)


def fork_calls():
    read, write = os.pipe()
    if os.fork() == 0:
        print("from the child")
        try:
            __salt__["test.echo"]("x")
        except OSError as error:
            os.write(write, str(error).encode())
        os._exit(0)
    return os.read(read, 1000).decode()


def _work(given):
    return given * 2


def pool():
    with multiprocessing.Pool(2) as workers:
        return workers.map(_work, [1, 2])


def floods():
    for _ in range(30000):
        print("x" * 100)
    sys.stdout.write("y" * 10000000)
    os.write(1, b"z" * 10000000)
    subprocess.check_call(["echo", "from a program"])
    subprocess.check_call(["echo", "from a program"], stdout=sys.stdout)
    return "flooded"


def threads():
    def late():
        time.sleep(0.3)
        __salt__["test.echo"]("x")

    threading.Thread(target=late).start()
    return "left one behind"


def changes(given):
    given.append(3)
    __opts__["id"] = "evil"
    __grains__["id"] = "evil"
    return given


def unchanged():
    return [__opts__["id"], __grains__["id"]]


def keys():
    return {(1, 2): 1, frozenset([3]): 2, None: 3}


def program_memory():
    return subprocess.check_output([sys.executable, "-c", "print(len(bytearray(1 << 30)))"]).decode().strip()
`;

/** What a function comes to. `LINE` is the line of its code. */
const OUTCOMES: readonly (readonly [call: readonly string[], outcome: RegExp])[] = [
  [['leave'], /hard\.py: leave: it ended its Python process with exit code 3 \(line LINE\)/],
  [
    ['exit_'],
    /hard\.py", line LINE, in exit_[^]*it called sys\.exit\(4\)|line LINE, in exit_[^]*SystemExit: 4/,
  ],
  [['crash'], /hard\.py: crash: it made Python crash with SIGSEGV \(line LINE\)/],
  [['kill'], /hard\.py: kill: its Python process was killed \(SIGKILL\), by somebody or by the kernel/],
  [['closes'], /hard\.py: closes: it closed the descriptor by which its Python process is reached/],
  [['recurse'], /line LINE, in recurse\b[^]*\[Previous line repeated \d+ more times\][^]*RecursionError/],
  [['recurse_through'], /line LINE, in recurse_through[^]*RecursionError: maximum recursion depth exceeded/],
  [['recurse_around'], /line LINE, in recurse_around[^]*100 functions in Python wait/],
  [['eat'], /line LINE, in [^]*MemoryError: there is no memory left for it; python_memory_bytes_max says/],
  [
    ['itself'],
    /ERROR: what hard\.itself gives cannot be returned: it contains itself, or .* \(\S+hard\.py, line LINE\)/,
  ],
  [
    ['no_data'],
    /what hard\.no_data gives is no data: a value of the type object cannot .*hard\.py, line LINE\)/,
  ],
  [['huge'], /what hard\.huge gives cannot be returned: it is larger than 128 MiB .*hard\.py, line LINE\)/],
  [['odd'], /line LINE, in odd[^]*Odd: <exception str\(\) failed>/],
  [['fork_both'], /- parent/],
  [['fork_daemon', 'NOTE'], /fork_daemon: its Python process was killed \(SIGKILL\)/],
  [['fork_calls'], /a process that a module has forked cannot use its functions/],
  [['pool'], /- 2\n +- 4/],
  [['floods'], /flooded/],
  [['threads'], /left one behind/],
  [['changes', '[1, 2]'], /- 1\n +- 2\n +- 3/],
  [['unchanged'], /- one\n +- one/],
  [['keys'], /\(1, 2\):\n +1[^]*frozenset\(\{3\}\):\n +2/],
  [['program_memory'], /1073741824/],
];

/** The line of the function's fault in {@link MODULE}. */
function lineOf(fun: string): number {
  const lines = MODULE.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`def ${fun}(`));
  return lines.findIndex((line, at) => at >= start && line.endsWith('# here')) + 1;
}

/**
 * Jobs in Python, and how many of them are at it when harm is done: a minion has up to 32 workers, and the others wait.
 */
const FIFTY = 50;
const AT_ONCE = 24;

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

test('faults - Python that is killed, stopped and without memory', { skip }, async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMaster(['auto_accept: True', `file_roots: {base: [${fleet.path('srv')}]}`]);
  fleet.write(fleet.path('srv', '_modules'), 'hard.py', MODULE.split('\n'));
  await fleet.startMaster();
  const minion = await fleet.joinMinion('one', ['python_memory_bytes_max: 800000000', 'log_level: info']);
  await fleet.json(['one', 'saltutil.sync_modules']);
  const ask = async (...words: string[]) => (await fleet.json(['one', ...words]))['one'];

  /** A job that waits in Python: its outcome, and the process in which it does. */
  const waiting = async (name: string) => {
    const note = fleet.path(`${name}.note`);
    const gate = fleet.path(`${name}.gate`);
    const outcome = fleet.salt(['-t', '60', 'one', 'hard.wait', note, gate]);
    await until(`${name} waits`, () => existsSync(note) && readFileSync(note, 'utf8').endsWith('\n'));
    const pids = (): number[] => readFileSync(note, 'utf8').trim().split('\n').map(Number);
    return { outcome, pids, pid: pids()[0] as number, open: () => writeFileSync(gate, '') };
  };

  await t.test('a process that is killed costs its own job, once; the others go on', async () => {
    const jobs = await Promise.all(['a', 'b', 'c'].map(waiting));
    const [killed, ...others] = jobs;
    process.kill(killed?.pid ?? 0, 'SIGKILL');
    assert.match(String((await killed?.outcome)?.stdout), /wait: its Python process was killed \(SIGKILL\)/);
    for (const other of others) other.open();
    for (const other of others) assert.match((await other.outcome).stdout, /went on/);
    assert.deepEqual(
      jobs.map(({ pids }) => pids().length),
      [1, 1, 1],
    );
    assert.equal(await ask('hard.fine'), 'fine');
  });

  await t.test('one that is stopped holds up nobody, and its job can be ended', async () => {
    const stopped = await waiting('stopped');
    process.kill(stopped.pid, 'SIGSTOP');
    assert.equal(await ask('hard.fine'), 'fine');
    const [job] = (await ask('saltutil.running')) as { jid: string; fun: string }[];
    assert.equal(job?.fun, 'hard.wait');
    assert.match(String(await ask('saltutil.term_job', job.jid)), /Signal 15 sent to job/);
    assert.match((await stopped.outcome).stdout, /was ended by signal 15/);
    await until('the process is gone', () => !isAlive(stopped.pid));
    assert.deepEqual(stopped.pids(), [stopped.pid]);
  });

  await t.test(
    '50 jobs, some killed, stopped and without memory: each has one outcome, and ran once',
    async () => {
      const gate = fleet.path('fifty.gate');
      const noteOf = (at: number): string => fleet.path(`fifty.${at}`);
      const started = async (at: number): Promise<string> => {
        const fun = at % 5 === 2 ? 'hard.wait_and_eat' : 'hard.wait';
        const { stdout } = await fleet.salt(['--async', 'one', fun, noteOf(at), gate]);
        return /job ID: (\d+)/.exec(stdout)?.[1] ?? '';
      };
      const returned = new Map<string, string[]>();
      const bus = await EventBusReader.connect(
        fleet.path('m', 'run', 'master_event_pub.ipc'),
        (tag) => tag.endsWith('/ret/one'),
        ({ tag, data }) => {
          const jid = tag.split('/')[2] ?? '';
          returned.set(jid, [...(returned.get(jid) ?? []), pyStr(data.get('return') ?? null)]);
        },
      );
      t.after(() => bus.close());
      const jids: string[] = [];
      for (let at = 0; at < FIFTY; at += 10)
        jids.push(...(await Promise.all(Array.from({ length: 10 }, (_, step) => started(at + step)))));
      assert.equal(new Set(jids).size, FIFTY);
      const pidsOf = (at: number): number[] =>
        existsSync(noteOf(at)) ? readFileSync(noteOf(at), 'utf8').trim().split('\n').map(Number) : [];
      const all = [...jids.keys()];
      const running = (): number[] => all.filter((at) => pidsOf(at).length > 0);
      await until('enough of them wait', () => running().length >= AT_ONCE);
      const expected = new Map(all.map((at) => [at, at % 5 === 2 ? /MemoryError/ : /went on/]));
      const harmed = running();
      for (const at of harmed.filter((one) => one % 5 === 0)) {
        process.kill(pidsOf(at)[0] ?? 0, 'SIGKILL');
        expected.set(at, /was killed \(SIGKILL\)/);
      }
      const stopped = harmed.filter((one) => one % 5 === 1);
      for (const at of stopped) {
        process.kill(pidsOf(at)[0] ?? 0, 'SIGSTOP');
        expected.set(at, /was ended by signal 9/);
      }
      writeFileSync(gate, '');
      for (const at of stopped) await ask('saltutil.kill_job', jids[at] ?? '');
      await until('the outcomes', () => jids.every((jid) => returned.has(jid)));
      for (const at of all) {
        const texts = returned.get(jids[at] ?? '') ?? [];
        assert.equal(texts.length, 1, `${at}: ${texts.join(' | ')}`);
        assert.match(texts[0] ?? '', expected.get(at) ?? /^$/);
      }
      assert.deepEqual(
        all.map((at) => pidsOf(at).length),
        all.map(() => 1),
      );
      assert.equal(await ask('hard.fine'), 'fine');
    },
  );

  await t.test('what modules should not do is one sentence, and the next call works', async () => {
    for (const [[fun = '', ...args], outcome] of OUTCOMES) {
      const words = args.map((word) => (word === 'NOTE' ? fleet.path('forked') : word));
      const { stdout, stderr } = await fleet.salt(['-t', '60', 'one', `hard.${fun}`, ...words]);
      const wanted = new RegExp(outcome.source.replaceAll('LINE', String(lineOf(fun))));
      assert.match(stdout, wanted, `${fun}: ${stdout}${stderr}`);
      assert.doesNotMatch(stdout, /brine_guest/, fun);
    }
    assert.equal(await ask('hard.fine'), 'fine');
  });

  await t.test('what is printed is in the log, but no flood of it', () => {
    const printed = minion.log.split('\n').filter((line) => line.includes('printed: '));
    assert.ok(printed.length > 900 && printed.length < 1100, `${printed.length} lines`);
    assert.ok(printed.every((line) => line.length < 5000));
    assert.match(printed.at(-1) ?? '', /printed: 29\d\d\d more lines, which are left out/);
  });
});

test('faults - no Python, one that is too old, and files that cannot be loaded', { skip }, async (t) => {
  const fleet = await Fleet.create(t);
  const site = fleet.path('site');
  const files: Record<string, string[]> = {
    fine: ['def f():', '    return 1'],
    slip: ['def f():', '    return 1', 'def g(:', '    pass'],
    needs: ['import os', '', 'import no_such_package.part', '', 'def f():', '    return 1'],
    old: ['def f():', '    print "x"'],
    raises: ['def f():', '    return 1', '', 'X = {}["gone"]'],
    leaves: ['import os', '', 'os._exit(0)'],
  };
  for (const [name, lines] of Object.entries(files)) fleet.write(join(site, 'modules'), `${name}.py`, lines);
  const hanging = fleet.path('hanging');
  fleet.write(join(hanging, 'modules'), 'hangs.py', ['import time', '', 'time.sleep(3600)']);
  const standIn = (name: string, lines: readonly string[]): string => {
    mkdirSync(fleet.path('bin'), { recursive: true });
    writeFileSync(fleet.path('bin', name), ['#!/bin/sh', ...lines, ''].join('\n'));
    chmodSync(fleet.path('bin', name), 0o755);
    return fleet.path('bin', name);
  };
  // a Python that says it is an old one, one that cannot read our program, and what is none at all
  const python36 = standIn('python3.6', [
    `exec python3 -c 'import sys; sys.version_info = (3, 6, 8); sys.argv.pop(0); exec(open(sys.argv[0]).read(), {"__name__": "__main__", "__file__": sys.argv[0]})' "$2" "$3"`,
  ]);
  const broken = standIn('broken', ['echo "SyntaxError: invalid syntax" >&2', 'exit 1']);
  const call = async (fun: string, python?: string, folder = site) => {
    const etc = fleet.path(`etc-${fun}-${(python ?? '').replaceAll('/', '-')}`);
    fleet.write(etc, 'minion', [
      ...['id: here', 'file_client: local', `root_dir: ${fleet.path('r')}`, `module_dirs: [${folder}]`],
      ...(python === undefined ? [] : [`python_executable: ${python}`]),
    ]);
    const { code, stdout, stderr } = await runProgram(join(ours.folder, 'salt-call'), [
      ...['-c', etc, '--local', fun],
    ]);
    assert.notEqual(code, 0, fun);
    return stdout + stderr;
  };
  const said = await Promise.all([
    call('fine.f', fleet.path('bin', 'nowhere')),
    call('fine.f', python36),
    call('fine.f', broken),
    call('slip.f'),
    call('needs.f'),
    call('old.f'),
    call('raises.f'),
    call('leaves.f'),
    call('hangs.f', undefined, hanging),
  ]);
  const sentences = [
    /fine\.py cannot be used: Python 3\.8 or newer is needed, and \S+nowhere cannot be started \(spawn \S+ ENOENT\): install it/,
    /fine\.py cannot be used: Python 3\.8 or newer is needed, and \S+python3\.6 is older: name another with python_executable/,
    /fine\.py cannot be used: Python 3\.8 or newer is needed, and \S+broken ended with exit code 1 before it did anything/,
    /slip\.py cannot be loaded: SyntaxError: .* \(line 3\)/,
    /needs\.py cannot be loaded: ModuleNotFoundError: No module named 'no_such_package'; install it for \S+, or .*\(line 3\)/,
    /old\.py cannot be loaded: SyntaxError: .* \(line 2\)/,
    /raises\.py cannot be loaded: KeyError: 'gone' \(line 4\)/,
    /leaves\.py cannot be used: it ended its Python process with exit code 0 \(line 3\)/,
    /hangs\.py cannot be used: it does not come back within 15 seconds \(line 3\)/,
  ];
  sentences.forEach((sentence, at) => assert.match(said[at] ?? '', sentence));
});
