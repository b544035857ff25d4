// Runs the commands, a master with a minion, and a worker once, so that their next start finds the code compiled
// (bin/launch.cjs): at the end of a build, and where a package is installed. V8 takes no caches of another version, so
// they are in no package.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/** The programs that people start and wait for, and runs of each that compile what most of its runs need. */
export const COMMANDS = new Map([
  ['salt', [['x', 'test.ping']]],
  [
    'salt-call',
    [
      ['--local', 'test.ping'],
      ['--local', 'state.single', 'test.nop', 'name=x'],
    ],
  ],
  ['salt-cp', [['x', '/dev/null', '/tmp/x']]],
  ['salt-key', [['-L']]],
  ['salt-run', [['jobs.list_jobs'], ['state.orchestrate', 'x']]],
  ['sls', [['schema']]],
]);
const RUN_MAX_MS = 60_000;
/** What a master and a minion are asked while they run for their caches. */
const JOBS = [
  ['test.ping'],
  ['cmd.run', 'echo x'],
  ['grains.items'],
  ['state.single', 'file.managed', 'name={site}/made', 'source=salt://one'],
  ['state.apply', 'one'],
];
const DAEMON_MAX_MS = 20_000;

/**
 * A master consists of processes that begin alike, and a minion's job begins with the start of its process. The other
 * daemons start seldom and go without.
 * @param folder that has `bin` and `dist`
 * @param train the words behind `node` that have a worker do what usual jobs do; its program follows
 */
export async function writeCodeCaches(folder, train) {
  const site = mkdtempSync(join(tmpdir(), 'brine-build-'));
  const places = ['cachedir: cache', 'pki_dir: pki', 'sock_dir: run', 'log_file: log', 'key_logfile: log'];
  for (const role of ['master', 'minion'])
    writeFileSync(join(site, role), [`root_dir: ${site}`, 'id: build', ...places, ''].join('\n'));
  const settings = {
    cwd: folder,
    env: { ...process.env, BRINE_WRITE_CODE_CACHE: '1' },
    timeout: RUN_MAX_MS,
  };
  for (const [name, calls] of COMMANDS)
    for (const args of existsSync(join(folder, `dist/${name}.cjs`)) ? calls : [])
      spawnSync(process.execPath, [join(folder, 'bin', name), '-c', site, ...args], {
        ...settings,
        stdio: 'ignore',
      });
  await trainDaemons(folder, join(site, 'fleet'), settings);
  rmSync(site, { recursive: true, force: true });
  spawnSync(process.execPath, [...train, join(folder, 'bin/worker.cjs')], {
    ...settings,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/**
 * Has a master and a minion of it do what they usually do. Where they cannot run, as without a network, they have no
 * caches, and only start a little later.
 */
async function trainDaemons(folder, site, settings) {
  const [publishPort, retPort] = await freePorts();
  const roots = join(site, 'srv');
  mkdirSync(roots, { recursive: true });
  writeFileSync(join(roots, 'one'), 'one\n');
  writeFileSync(join(roots, 'one.sls'), `{{ grains.id }}:\n  test.nop: []\n`);
  const places = ['cachedir: cache', 'pki_dir: pki', 'sock_dir: run', 'log_file: log', 'pidfile: pid'];
  const usual = (role) => [`root_dir: ${join(site, role)}`, `user: ${userInfo().username}`, ...places];
  const lines = {
    master: [
      ...['interface: 127.0.0.1', `publish_port: ${publishPort}`, `ret_port: ${retPort}`],
      ...['auto_accept: True', 'worker_threads: 1', `file_roots: {base: ['${roots}']}`],
    ],
    minion: ['master: 127.0.0.1', `master_port: ${retPort}`, 'id: build', 'enable_fqdns_grains: False'],
  };
  for (const [role, own] of Object.entries(lines)) {
    mkdirSync(join(site, role));
    writeFileSync(join(site, role, role), `${[...usual(role), ...own].join('\n')}\n`);
  }
  const begin = (role, text) =>
    daemon(join(folder, `bin/salt-${role}`), ['-c', join(site, role), '-l', 'info'], text, settings);
  const master = begin('master', 'Worker 0 is ready');
  const minion = (await master.isReady) ? begin('minion', 'Minion is ready to receive') : undefined;
  if ((await minion?.isReady) === true)
    for (const job of JOBS) {
      const words = ['-c', join(site, 'master'), 'build', ...job.map((word) => word.replace('{site}', site))];
      spawnSync(process.execPath, [join(folder, 'bin/salt'), ...words], {
        stdio: 'ignore',
        timeout: DAEMON_MAX_MS,
      });
    }
  await minion?.stop();
  await master.stop();
}

/** Starts a program that goes on. `isReady` tells whether it has said this before its time was over. */
function daemon(program, args, text, settings) {
  const child = spawn(process.execPath, [program, ...args], {
    ...settings,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: RUN_MAX_MS,
    killSignal: 'SIGKILL',
  });
  const ended = once(child, 'close').catch(() => undefined);
  const isReady = new Promise((resolve) => {
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => (said += data).includes(text) && resolve(true));
    void ended.then(() => resolve(false));
    setTimeout(() => resolve(false), DAEMON_MAX_MS).unref();
  });
  return {
    isReady,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Two ports that nobody listens on. */
async function freePorts() {
  const servers = [createServer(), createServer()];
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');
  const ports = servers.map((server) => server.address().port);
  for (const server of servers) server.close();
  return ports;
}

// in a package this lies in `bin`, beside the bundled scripts/train-worker.ts
const trainer = join(import.meta.dirname, 'train-worker.mjs');
if (existsSync(trainer)) await writeCodeCaches(dirname(import.meta.dirname), [trainer]);
