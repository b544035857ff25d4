// Runs the tests: `node scripts/test.mjs [unit|e2e|databases|faults|interop|console] [part of a file's name…] [--only
// PATTERN] [--times]`; without a word, the first three. PATTERN is a regular expression for the names of tests. With
// `--times` it tells which of them take the most processor time.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleModules, filesBelow, root } from './bundle.mjs';
import { DATABASE_SERVERS, installCommand, missingServers } from './database-programs.mjs';

/** What `su -` sets for root. */
const ROOTS_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const { values: picked, positionals } = parseArgs({
  options: { only: { type: 'string', default: '' }, times: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [suite, ...parts] = positionals;
let status = 0;
const suites = suite ? [suite] : ['unit', 'e2e', 'databases'];

/**
 * Runs the tests of one suite.
 * @param collect gets what they print; without it they print it themselves
 * @returns the exit code
 */
async function run(name, collect) {
  const found = filesBelow(join(root, 'test', name), '.test.ts').filter(
    (path) => parts.length === 0 || parts.some((part) => path.includes(part)),
  );
  if (found.length === 0) {
    console.log(`No test of ${name} has a path with ${parts.join(' or ')} in it.`);
    return 1;
  }
  const sources = name === 'databases' ? withServers(found) : found;
  if (sources.length === 0) return 0;
  const outdir = join(root, 'build', `${name}-${process.pid}`);
  try {
    await bundleModules(sources, outdir);
    // programs in Python are beside what starts them
    symlinkSync(join(root, 'src/runtime/python-host/guest'), join(outdir, 'python'));
    const built = sources.map((path) => join(outdir, relative(root, path)).replace(/\.ts$/, '.mjs'));
    // recordings were made by a user of bash, and that is the shell of `cmd.shell`
    const env = {
      ...process.env,
      BRINE_ROOT: root,
      SHELL: '/bin/bash',
      PYTHONPYCACHEPREFIX: join(root, 'build', 'pycache'),
    };
    delete env.NODE_EXTRA_CA_CERTS;
    // it would have every start of Python, and hg is one, compile anew what it imports
    delete env.PYTHONDONTWRITEBYTECODE;
    env.PATH = quickPath(outdir);
    if (picked.times) {
      env.BRINE_TEST_TIMES = join(outdir, 'times');
      mkdirSync(env.BRINE_TEST_TIMES);
    }
    const code = await spawned(testArguments(name, built, outdir), env, collect);
    if (picked.times) console.log(timesTable(name, env.BRINE_TEST_TIMES));
    return code;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** Lines of the table of `--times`. */
const MOST_TIMES = 40;

/** What took the most processor time: files, or of the unit tests, which share processes, what their names begin with. */
function timesTable(suite, folder) {
  const sums = new Map();
  for (const path of filesBelow(folder, '.json'))
    for (const { file, name, own, programs, wall } of JSON.parse(readFileSync(path, 'utf8'))) {
      const key = suite === 'unit' ? name.split(' - ')[0] : file;
      const sum = sums.get(key) ?? [0, 0, 0];
      sums.set(
        key,
        [own, programs, wall].map((ms, i) => ms + sum[i]),
      );
    }
  const cell = (ms) => (ms / 1000).toFixed(1).padStart(9);
  const lines = [...sums]
    .sort(([, a], [, b]) => b[0] + b[1] - a[0] - a[1])
    .slice(0, MOST_TIMES)
    .map(
      ([key, [own, programs, wall]]) => `${[own + programs, own, programs, wall].map(cell).join('')}  ${key}`,
    );
  return ['Seconds:', 'processor  itself programs  elapsed', ...lines].join('\n');
}

function spawned(args, env, collect) {
  const stdio = collect === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'];
  const child = spawn(process.execPath, args, { stdio, cwd: root, env });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => collect(data));
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

/** Runs a suite whose output comes in one piece, when it is asked for. */
function runAside(name) {
  const output = [];
  const ended = run(name, (data) => output.push(data));
  // whoever asks for the end gets the error
  ended.catch(() => undefined);
  return async () => {
    const code = await ended;
    process.stdout.write(Buffer.concat(output));
    return code;
  };
}

/**
 * All suites: the tests with databases wait for their servers most of the time, so they run beside the unit tests,
 * which keep two cores busy without a pause. Those of whole programs, which have time limits, run by themselves.
 */
async function runAll() {
  const databases = runAside('databases');
  const codes = [await run('unit'), await databases(), await run('e2e')];
  return codes.find((code) => code !== 0) ?? 0;
}

/**
 * The PATH for tests, without what the account that runs them has in its profile: a version manager costs more than
 * most tests, which start Python and root's log-in shell hundreds of times. `python3` is the interpreter itself, and
 * `su - root -c` reads no profile.
 */
function quickPath(outdir) {
  const folder = join(outdir, 'quick');
  mkdirSync(folder, { recursive: true });
  const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable, end="")'], {
    encoding: 'utf8',
  });
  if (python.status === 0 && python.stdout !== '') symlinkSync(python.stdout, join(folder, 'python3'));
  const su = spawnSync('sh', ['-c', 'command -v su'], { encoding: 'utf8' }).stdout.trim();
  if (process.getuid?.() === 0 && su !== '') writeFileSync(join(folder, 'su'), quickSu(su), { mode: 0o755 });
  return `${folder}${delimiter}${process.env.PATH}`;
}

function quickSu(su) {
  const login = `env -i HOME=/root SHELL=/bin/bash USER=root LOGNAME=root PATH=${ROOTS_PATH} bash --noprofile -c "$4"`;
  return `#!/bin/sh\n[ "$1 $2 $3" = "- root -c" ] && cd / && exec ${login}\nexec ${su} "$@"\n`;
}

/**
 * Those tests whose server is installed; the first word of a file's name says which it needs. Tells which are left out.
 */
function withServers(sources) {
  const serverOf = (path) => Object.keys(DATABASE_SERVERS).find((name) => basename(path).startsWith(name));
  const missing = missingServers([...new Set(sources.map(serverOf))]);
  if (missing.length === 0) return sources;
  const isRequired = process.env.BRINE_REQUIRE_DATABASES === '1';
  console.log(
    `${isRequired ? 'Failed' : 'Left out'}: the tests with ${missing.join(', ')}, which are not installed (${installCommand(missing)}).`,
  );
  if (isRequired) status = 1;
  return sources.filter((path) => !missing.includes(serverOf(path)));
}

/**
 * Unit tests that run side by side; a few files get only one process, since starting it costs more than running them.
 */
const UNIT_PROCESSES = 2;
const FEW_FILES = 12;
/**
 * Parts that the other files are shared out to, so that what takes long does not leave the other process without work.
 * They are many, because the system copies the page tables of a process that starts a program: 0.4 ms with little in
 * memory, 9 ms with 300 MB.
 */
const UNIT_PARTS = 8;

/**
 * Files of other suites that are run at the same time: those of whole programs wait for each other a third of the time.
 */
const AT_ONCE = { e2e: 3, databases: 2 };

/**
 * What one file of tests may take before it is a failure with a name: many times of what it takes on a busy machine.
 * One that waits for ever would otherwise keep the whole run.
 */
const FILE_MAX_MS = { unit: 1_800_000, e2e: 300_000, databases: 300_000 };
const LONG_FILE_MAX_MS = 1_800_000;

/** The files that take longest, in this order: begun last, one of them would leave the other process without work. */
const LONGEST = ['states/twice.test', 'modules/machine.test', 'states/pairs.test'];

/** Files that import the unit tests, one for each process; the longest are the first, each alone. */
function unitEntries(built, outdir) {
  const longest = LONGEST.map((name) => built.filter((path) => path.includes(name)));
  const others = built.filter((path) => !longest.flat().includes(path));
  const parts =
    built.length <= FEW_FILES
      ? [built]
      : [
          ...longest,
          ...Array.from({ length: UNIT_PARTS }, (_, nth) => others.filter((_, i) => i % UNIT_PARTS === nth)),
        ];
  return parts
    .filter((part) => part.length > 0)
    .map((part, nth) => {
      // Node's runner begins them in the order of their names
      const entry = join(outdir, `unit-${String(nth + 1).padStart(2, '0')}.mjs`);
      writeFileSync(entry, part.map((path) => `import ${JSON.stringify(path)};`).join('\n'));
      return entry;
    });
}

/** Unit tests share processes, because starting one costs more than running them; the others get one each. */
function testArguments(name, built, outdir) {
  // for the tests themselves only: in the environment it would slow down every program that they start, and those have
  // no maps
  const forTests = ['--enable-source-maps', '--require', join(root, 'scripts/plain-promises.cjs')];
  if (picked.times) forTests.push('--require', join(root, 'scripts/test-times.cjs'));
  const reporter = `--test-reporter=${process.env.TEST_REPORTER ?? (process.stdout.isTTY && picked.only === '' ? 'spec' : 'dot')}`;
  const summary = [
    ...(picked.only === '' ? [] : [`--test-name-pattern=${picked.only}`]),
    '--test-reporter-destination=stdout',
    '--test-reporter=' + join(root, 'scripts/summary-reporter.mjs'),
    '--test-reporter-destination=stdout',
  ];
  const timeout = `--test-timeout=${FILE_MAX_MS[name] ?? LONG_FILE_MAX_MS}`;
  if (name !== 'unit')
    return [
      ...forTests,
      '--test',
      `--test-concurrency=${AT_ONCE[name] ?? 1}`,
      timeout,
      reporter,
      ...summary,
      ...built,
    ];
  const entries = unitEntries(built, outdir);
  const together = entries.length === 1 ? [] : ['--test', `--test-concurrency=${UNIT_PROCESSES}`, timeout];
  return [...forTests, ...together, reporter, ...summary, ...entries];
}

/**
 * With `BRINE_CLUSTER=1` every master of ours is a member of a cluster: this is the NATS server beneath all of them.
 */
async function startNats() {
  const folder = mkdtempSync(join(tmpdir(), 'brine-nats-'));
  const port = await new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address();
      server.close(() => resolve(free));
    });
  });
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.stderr.on('data', (data) => /Server is ready/.test(String(data)) && resolve());
  });
  process.env.BRINE_CLUSTER_NATS = `127.0.0.1:${port}`;
  return {
    stop: () => {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What `npm test` may take on two cores. */
const MOST_SECONDS = 300;
/** Processor time of all programs that have ended, in seconds; undefined where the system does not tell. */
function cpuSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /, '')
      .split(' ');
    const ticksPerSecond = 100;
    return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

/**
 * Says how long all suites took. It fails nothing: what a machine does for others in this time makes the same tests
 * take twice as long.
 */
function sayTotal() {
  const [seconds, cpu] = [process.uptime(), cpuSeconds()];
  const work = cpu === undefined ? '' : `, ${cpu.toFixed(0)} seconds of processor time`;
  console.log(`All suites: ${seconds.toFixed(0)} seconds${work}.`);
  if (seconds > MOST_SECONDS)
    console.log(
      `That is more than the ${MOST_SECONDS} seconds it may take on two cores that have nothing else to do. Make the slow tests named above cheaper, or move them to test/faults.`,
    );
}

const nats = process.env.BRINE_CLUSTER === '1' ? await startNats() : undefined;
if (suites.some((name) => name !== 'unit')) await import('./build.mjs');
const code = suite ? await run(suite) : await runAll();
status = code || status;
if (suites.length > 1) sayTotal();
nats?.stop();
process.exit(status);
