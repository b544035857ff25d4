// `npm run demo [-- [--keep|--console] TARGET FUNCTION ARGUMENT...]`: a master and three minions on this machine answer
// one command. With `--console` they keep running beside a salt-api, whose console can be looked at in a browser.
// `--stop [FOLDER...]` ends those that were left running, and removes what they have written. Options of `salt` itself
// stand behind the function.
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from './bundle.mjs';

/** What a demo that keeps running leaves in its folder, so that it can be ended. */
const PROCESSES = 'processes.json';
/** Daemons end their work first; what is still there after so long is killed. */
const END_MS = 10_000;

const USAGE = `Usage: npm run demo [-- [--keep|--console] TARGET FUNCTION ARGUMENT... [options of salt]]
       npm run demo -- --stop [FOLDER...]

  npm run demo -- --keep '*' test.ping

`;
const words = process.argv.slice(2);
if (words[0] === '--help' || words[0] === '-h') {
  process.stdout.write(USAGE);
  process.exit(0);
}
refuseUnknown(words[0]);
if (words[0] === '--stop') {
  await stop(words.slice(1));
  process.exit(0);
}
const hasConsole = words[0] === '--console';
const keep = hasConsole || words[0] === '--keep';
if (keep) words.shift();
const command = words.length > 0 ? words : ['*', 'cmd.run', 'ls /'];
const minions = ['web1', 'web2', 'db1'];
const folder = mkdtempSync(join(tmpdir(), 'brine-'));
const program = (name) => join(root, 'bin', name);
const children = [];
let cleaned = false;

process.on('exit', killAtOnce);
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => void cleanUp().then(() => process.exit(130)));

const [publishPort, retPort] = [await freePort(), await freePort()];
/** Where the console is, and who may log in; the password is made for this demo. */
const login = { port: await freePort(), user: 'demo', password: randomBytes(9).toString('base64url') };
writeConfiguration();
say(`Folder: ${folder}`);
say(`Starting salt-master on 127.0.0.1:${publishPort} and ${retPort}`);
start('salt-master', join(folder, 'etc'), 'master.log');
await until(
  'the master is up',
  () =>
    existsSync(join(folder, 'run', 'master', 'publish_pull.ipc')) &&
    existsSync(join(folder, 'run', 'master', 'master_event_pub.ipc')),
);
for (const id of minions) {
  say(`Starting salt-minion ${id}`);
  start('salt-minion', join(folder, id), `${id}.log`);
}
await until('all keys have arrived', () =>
  minions.every((id) => existsSync(join(folder, 'pki', 'minions_pre', id))),
);
run('salt-key', ['-c', join(folder, 'etc'), '-A', '-y']);
await until('all minions are ready', () =>
  minions.every((id) => readLog(id).includes('Minion is ready to receive requests')),
);
if (hasConsole) {
  say(`Starting salt-api on 127.0.0.1:${login.port}`);
  start('salt-api', join(folder, 'etc'), 'api.log');
  await until('salt-api is ready', () => readLog('api').includes('Salt API is starting'));
}
const status = run('salt', ['-c', join(folder, 'etc'), ...command]);

if (keep) {
  cleaned = true;
  say('\nThe fleet keeps running. Talk to it with:');
  say(`  ${program('salt')} -c ${join(folder, 'etc')} '*' test.ping`);
  say(`  ${program('salt-key')} -c ${join(folder, 'etc')} -L`);
  say('End it with:');
  say(`  npm run demo -- --stop ${folder}`);
  writeFileSync(join(folder, PROCESSES), JSON.stringify(children.map((child) => child.pid)));
  if (hasConsole) {
    say('\nThe console:');
    say(`  http://127.0.0.1:${login.port}/`);
    say(`  user ${login.user}, password ${login.password}`);
  }
  for (const child of children) child.unref();
} else {
  await cleanUp();
  say('\nThat was a master and three minions, which are ended now and leave nothing behind. What next:');
  say("  npm run demo -- --keep '*' grains.item os   keeps the fleet running, and says how to talk to it");
  say('  npm run demo -- --console                   shows it in a browser');
  say(
    '  docs/guides/first-fleet.md                  sets up one of your own, docs/guides/coming-from-salt.md takes over one of Salt',
  );
}
process.exit(status);

/** Says at once that an option is misspelt, and not after a fleet was started for it. */
function refuseUnknown(word) {
  if (!word?.startsWith('-') || ['--keep', '--console', '--stop'].includes(word)) return;
  process.stderr.write(
    `${USAGE}The demo has no option ${word}; options of salt stand behind the function.\n`,
  );
  process.exit(64);
}

/** Ends demos that keep running: those whose folders are named, or all of this user. */
async function stop(named) {
  const folders = named.length > 0 ? named.map((path) => resolve(path)) : ownDemos();
  if (folders.length === 0) say('No demo is running.');
  for (const path of folders) {
    const list = join(path, PROCESSES);
    if (!existsSync(list)) {
      process.stderr.write(`${path} is not the folder of a demo that keeps running; nothing was ended.\n`);
      process.exit(64);
    }
    // a number that another process has got meanwhile is left alone
    const pids = JSON.parse(readFileSync(list, 'utf8')).filter((pid) => isOf(pid, path));
    await end(pids);
    rmSync(path, { recursive: true, force: true });
    say(`Ended the demo in ${path}, and removed the folder.`);
  }
}

function ownDemos() {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith('brine-') && existsSync(join(tmpdir(), name, PROCESSES)))
    .map((name) => join(tmpdir(), name))
    .filter((path) => statSync(path).uid === process.getuid());
}

/** Asked of the kernel: a small container has no `ps`. */
function isOf(pid, path) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(path);
  } catch {
    return false;
  }
}

async function end(pids) {
  const isThere = (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };
  for (const pid of [...pids].reverse()) if (isThere(pid)) process.kill(pid, 'SIGTERM');
  for (const begin = Date.now(); pids.some(isThere) && Date.now() - begin < END_MS;)
    await new Promise((resolve_) => setTimeout(resolve_, 50));
  for (const pid of pids) if (isThere(pid)) process.kill(pid, 'SIGKILL');
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function writeConfiguration() {
  const common = (name) => [
    `cachedir: ${join(folder, 'cache', name)}`,
    `sock_dir: ${join(folder, 'run', name)}`,
    `pidfile: ${join(folder, `${name}.pid`)}`,
    `log_file: ${join(folder, 'log', name)}`,
    `extension_modules: ${join(folder, 'cache', name, 'extmods')}`,
  ];
  const write = (directory, file, lines) => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, file), `${lines.join('\n')}\n`);
  };
  write(join(folder, 'etc'), 'master', [
    'interface: 127.0.0.1',
    `publish_port: ${publishPort}`,
    `ret_port: ${retPort}`,
    `pki_dir: ${join(folder, 'pki')}`,
    ...common('master'),
    ...(hasConsole ? consoleOptions() : []),
  ]);
  if (hasConsole) {
    writeFileSync(join(folder, 'users'), `${login.user}:${login.password}\n`, { mode: 0o600 });
    write(join(folder, 'srv'), 'hello.sls', [
      'a file of the demo:',
      '  file.managed:',
      `    - name: ${join(folder, 'hello-{{ grains.id }}')}`,
      '    - contents: Hello from {{ grains.id }}',
    ]);
  }
  for (const id of minions) {
    write(join(folder, id), 'minion', [
      'master: 127.0.0.1',
      `master_port: ${retPort}`,
      `id: ${id}`,
      `pki_dir: ${join(folder, 'pki-minion', id)}`,
      'acceptance_wait_time: 1',
      ...common(id),
    ]);
  }
}

/** What the master's configuration says of the API, of whoever may log in, and of an SLS to try. */
function consoleOptions() {
  return [
    `api_pidfile: ${join(folder, 'api.pid')}`,
    `api_logfile: ${join(folder, 'log', 'api')}`,
    'file_roots:',
    `  base: [${join(folder, 'srv')}]`,
    'presence_events: True',
    'external_auth:',
    '  file:',
    `    ^filename: ${join(folder, 'users')}`,
    '    ^hashtype: plaintext',
    `    ${login.user}: ['.*', '@runner', '@wheel', '@jobs']`,
    'netapi_enable_clients: [local, local_async, local_batch, local_subset, runner, runner_async, wheel, wheel_async]',
    'rest_cherrypy:',
    `  port: ${login.port}`,
    '  host: 127.0.0.1',
    '  disable_ssl: True',
  ];
}

/** Starts a daemon whose messages go to a file in the folder. */
function start(name, configuration, log) {
  const out = openSync(join(folder, log), 'a');
  const child = spawn(program(name), ['-c', configuration, '-l', 'info'], {
    stdio: ['ignore', out, out],
    detached: keep,
  });
  child.on('exit', (code) => {
    if (cleaned) return;
    say(`${name} ended unexpectedly with ${code}:\n${readFileSync(join(folder, log), 'utf8')}`);
    process.exit(1);
  });
  children.push(child);
}

function readLog(id) {
  return readFileSync(join(folder, `${id}.log`), 'utf8');
}

/** Runs a command of ours as an operator would see it. */
function run(name, args) {
  say(`\n$ ${name} ${args.map((word) => (/^[\w./:=-]+$/.test(word) ? word : `'${word}'`)).join(' ')}`);
  return spawnSync(program(name), args, { stdio: 'inherit' }).status ?? 1;
}

async function until(what, isTrue) {
  for (const begin = Date.now(); !isTrue();) {
    if (Date.now() - begin > 60_000) {
      say(`Gave up waiting until ${what}; the log files are:`);
      for (const log of ['master.log', ...minions.map((id) => `${id}.log`)]) {
        if (existsSync(join(folder, log))) say(`--- ${log}\n${readFileSync(join(folder, log), 'utf8')}`);
      }
      process.exit(1);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Ends the fleet, and removes its files when its processes have ended. */
async function cleanUp() {
  if (cleaned) return;
  cleaned = true;
  await end(children.map((child) => child.pid));
  rmSync(folder, { recursive: true, force: true });
}

/** When there is no time to wait: the demo has failed. */
function killAtOnce() {
  if (cleaned) return;
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
