/**
 * Secrets and argument lists: every user of a machine reads the arguments of every program. Each function that is given
 * a secret runs here on programs that write down what they were told, and how; no argument, of theirs or of what they
 * start, may have it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { modifyZypperRepository } from '../../../../src/plugins/pkg/zypper/module/zypper-repositories.ts';
import { dict, isDict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext, type FakeContext } from '../../../support/module-context.ts';

const SECRET = 'geheim7531';

/** A folder whose programs write down their arguments, input and environment, and files that arguments name. */
interface Machine {
  readonly folder: string;
  readonly ctx: FakeContext;
  call(fun: string, args: readonly Value[], keywords?: DictInit): Promise<Value>;
  /** All that programs were told, in one text for each kind. */
  told(kind: 'argv' | 'stdin' | 'env' | 'files'): string;
}

function machineOf(t: TestContext, programs: Readonly<Record<string, string>>, real: string[] = []): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'brine-secrets-'));
  const [bin, said] = [join(folder, 'bin'), join(folder, 'said')];
  for (const path of [bin, said]) mkdirSync(path);
  const note = `#!/bin/sh
printf '%s\\n' "$0" "$@" >> ${said}/argv
[ -t 0 ] || cat >> ${said}/stdin
tr '\\0' '\\n' < /proc/$$/environ >> ${said}/env
for word; do word="\${word##*=}"; [ -f "$word" ] && cat "$word" >> ${said}/files; done
for path in $GEMRC $(echo "$HGRCPATH" | tr : ' '); do case "$path" in ${tmpdir()}/*) cat "$path" >> ${said}/files;; esac; done
`;
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(bin, name), `${note}${script}\n`, { mode: 0o755 });
  // what a true program starts is noted as well
  for (const name of real)
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\nprintf '%s\\n' "$0" "$@" >> ${said}/argv\nexec ${realPath(name)} "$@"\n`,
      {
        mode: 0o755,
      },
    );
  const path = process.env['PATH'] ?? '';
  process.env['PATH'] = `${bin}:${path}`;
  t.after(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true, force: true });
  });
  const opts = dict({ id: 'web1', cachedir: folder, file_client: 'local', local: true });
  const ctx = fakeContext({
    opts,
    grains: dict({ os_family: 'Debian' }),
    clock: systemClock,
    random: systemRandom,
  });
  return {
    folder,
    ctx,
    call: (fun, args, keywords = {}) => ctx.functions.call(fun, [...args], dict(keywords)),
    told: (kind) => (readdirSync(said).includes(kind) ? readFileSync(join(said, kind), 'utf8') : ''),
  };
}

function realPath(name: string): string {
  return spawnSync('sh', ['-c', `command -v ${name}`])
    .stdout.toString()
    .trim();
}

/** The secret reached a program, and not as an argument. */
function assertHidden(machine: Machine, way: 'stdin' | 'env' | 'files', told = SECRET): void {
  assert.doesNotMatch(machine.told('argv'), new RegExp(SECRET));
  assert.match(machine.told(way), new RegExp(told));
  assert.equal(
    machine.ctx.logged.some(({ message }) => message.includes(SECRET)),
    false,
  );
}

test('secrets in arguments - shadow.set_password with use_usermod hands the hash to chpasswd', async (t) => {
  const machine = machineOf(t, { id: 'exit 0', chpasswd: '', usermod: '' });
  await machine.call('shadow.set_password', ['ann', `$6$salt$${SECRET}`], { use_usermod: true });
  assertHidden(machine, 'stdin');
  assert.match(machine.told('stdin'), /^ann:\$6\$salt\$geheim7531$/m);
  await assert.rejects(
    machine.call('shadow.set_password', ['ann', 'x:y'], { use_usermod: true }),
    /neither colons nor line ends/,
  );
});

test('secrets in arguments - RabbitMQ reads passwords and addresses with them', async (t) => {
  const machine = machineOf(t, { rabbitmqctl: '' });
  await machine.call('rabbitmq.add_user', ['ann', SECRET]);
  await machine.call('rabbitmq.change_password', ['ann', SECRET]);
  await machine.call('rabbitmq.check_password', ['ann', SECRET]);
  await machine.call('rabbitmq.set_upstream', ['up', `amqp://ann:${SECRET}@other`]);
  assertHidden(machine, 'stdin');
  assert.match(machine.told('argv'), /import_definitions/);
});

test('secrets in arguments - a RabbitMQ that reads no passwords gets none', async (t) => {
  const machine = machineOf(t, { rabbitmqctl: '[ "$1" = version ] && echo 3.7.8' });
  for (const fun of ['add_user', 'change_password', 'check_password'])
    await assert.rejects(
      machine.call(`rabbitmq.${fun}`, ['ann', SECRET]),
      /Update RabbitMQ to 3\.8 or newer/,
    );
  assert.doesNotMatch(machine.told('argv'), new RegExp(SECRET));
});

test('secrets in arguments - mount hands passwords of cifs and secrets of ceph over by another way', async (t) => {
  const machine = machineOf(t, { mount: '' });
  const cifs = { fstype: 'cifs', opts: `username=ann,password=${SECRET},rw` };
  assert.equal(await machine.call('mount.mount', ['/mnt/a', '//server/share'], cifs), true);
  assertHidden(machine, 'env');
  assert.match(machine.told('env'), new RegExp(`^PASSWD=${SECRET}$`, 'm'));
  assert.match(machine.told('argv'), /^username=ann,rw$/m);
  const ceph = { fstype: 'ceph', opts: ['name=ann', `secret=${SECRET}`] };
  assert.equal(await machine.call('mount.mount', ['/mnt/b', 'mon1:/'], ceph), true);
  assertHidden(machine, 'files');
});

test('secrets in arguments - hg, gem, npm, pip and helm get addresses without passwords', async (t) => {
  const address = `https://ann:${SECRET}@code.example.com/r`;
  const machine = machineOf(t, { hg: '', gem: '', npm: 'echo {}', pip: 'echo pip 22.0', helm: '' });
  await machine.call('hg.clone', [join(machine.folder, 'clone'), address]);
  assertHidden(machine, 'files');
  await machine.call('gem.install', ['rake'], { source: address, proxy: `http://ann:${SECRET}@proxy` });
  await machine.call('gem.sources_add', [address]);
  await machine.call('npm.install', [`git+${address}.git`], { registry: address });
  await machine.call('pip.install', [[`git+${address}.git#egg=x`]], {
    index_url: address,
    bin_env: join(machine.folder, 'bin', 'pip'),
  });
  await machine.call('helm.repo_add', ['own', 'https://charts.example.com'], {
    kvflags: dict({ username: 'ann', password: SECRET, 'kube-token': SECRET }),
  });
  assertHidden(machine, 'env');
  assert.match(machine.told('stdin'), new RegExp(SECRET));
  assert.match(machine.told('env'), new RegExp(`^HELM_KUBETOKEN=${SECRET}$`, 'm'));
  assert.match(machine.told('env'), /^npm_config_registry=https/m);
});

test('secrets in arguments - unzip reads a copy that is open already, of whatever form the archive is', async (t) => {
  const machine = machineOf(t, {}, ['unzip']);
  const { folder } = machine;
  writeFileSync(join(folder, 'a.txt'), 'first\n'.repeat(2000));
  writeFileSync(join(folder, 'b.txt'), 'x');
  const zip = join(folder, 'c.zip');
  spawnSync('zip', ['-q', '-j', '-P', SECRET, zip, join(folder, 'a.txt'), join(folder, 'b.txt')]);
  // one that was written to a pipe has sizes behind its contents
  const piped = spawnSync('zip', ['-q', '-j', '-P', SECRET, '-', join(folder, 'a.txt')]);
  writeFileSync(join(folder, 'd.zip'), piped.stdout);
  const dest = join(folder, 'out');
  const said = await machine.call('archive.cmd_unzip', [zip, dest], {
    password: SECRET,
    trim_output: true,
  });
  assert.ok(Array.isArray(said));
  assert.equal(said[0], `Archive:  ${zip}`);
  assert.equal(readFileSync(join(dest, 'a.txt'), 'utf8'), 'first\n'.repeat(2000));
  assert.equal(readFileSync(join(dest, 'b.txt'), 'utf8'), 'x');
  await machine.call('archive.cmd_unzip', [join(folder, 'd.zip'), join(folder, 'out2')], {
    password: SECRET,
  });
  assert.equal(readFileSync(join(folder, 'out2', 'a.txt'), 'utf8'), 'first\n'.repeat(2000));
  // the name without its ending, as unzip finds it
  const short = [join(folder, 'c'), join(folder, 'out3')];
  await machine.call('archive.cmd_unzip', short, { password: SECRET, options: '-j' });
  assert.equal(readFileSync(join(folder, 'out3', 'b.txt'), 'utf8'), 'x');
  await assert.rejects(
    machine.call('archive.cmd_unzip', [zip, join(folder, 'out4')], { password: 'wrong' }),
    /incorrect password/,
  );
  assert.doesNotMatch(machine.told('argv'), new RegExp(`${SECRET}|wrong`));
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith('__salt.tmp.') && name.includes('c.zip')),
    [],
  );
});

test('secrets in arguments - pip and npm get addresses of archives without passwords', async (t) => {
  const address = `https://ann:${SECRET}@code.example.com/x-1.tar.gz`;
  const machine = machineOf(t, { npm: 'echo {}', pip: 'echo pip 22.0' });
  await machine.call('npm.install', [address]);
  assertHidden(machine, 'env', Buffer.from(`ann:${SECRET}`).toString('base64'));
  assert.match(machine.told('argv'), /^https:\/\/code\.example\.com\/x-1\.tar\.gz$/m);
  const bin_env = join(machine.folder, 'bin', 'pip');
  await machine.call('pip.install', [['rake', address, `x @ ${address}`]], { bin_env });
  assertHidden(machine, 'files');
  assert.equal(machine.told('files'), `${address}\nx @ ${address}\n`);
  assert.match(machine.told('argv'), /^rake$/m);
});

test('secrets in arguments - helm reads the texts of set from files, and what else is set stays as it is', async (t) => {
  const machine = machineOf(t, { helm: '' });
  const set = [`db.password=${SECRET}\\,x,replicas=3,empty=`, 'on=TRUE,list={a,b}'];
  await machine.call('helm.install', ['web', './chart'], { set });
  assertHidden(machine, 'files');
  assert.equal(machine.told('files'), `${SECRET},x`);
  assert.match(machine.told('argv'), /^--set\nreplicas=3\n--set\nempty=\n--set\non=TRUE,list=\{a,b\}$/m);
  assert.match(machine.told('argv'), /^--set-file\ndb\.password=\//m);
});

test('secrets in arguments - helm is told what is set twice in the order in which it was given', async (t) => {
  const machine = machineOf(t, { helm: '' });
  await machine.call('helm.install', ['web', './chart'], { set: ['a=x', 'a=5'] });
  assert.match(machine.told('argv'), /^--set\na=x\n--set\na=5$/m);
});

test('secrets in arguments - openstack-config and zypper read secrets and addresses with passwords', async (t) => {
  const machine = machineOf(t, {
    'openstack-config': '',
    zypper: 'echo "<stream><message>x</message></stream>"',
  });
  await machine.call('openstack_config.set', ['/srv/x', 'keystone', 'admin_password', SECRET]);
  await machine.call('openstack_config.set', ['/srv/x', 'db', 'connection', `mysql://ann:${SECRET}@db/x`]);
  assertHidden(machine, 'stdin');
  assert.match(machine.told('argv'), /^--merge\n\/srv\/x\ndb$/m);
  await machine.call('openstack_config.set', ['/srv/x', 'db', 'workers', '3']);
  assert.match(machine.told('argv'), /^--set\n\/srv\/x\ndb\nworkers\n3$/m);
  const url = `https://ann:${SECRET}@code.example.com/repo`;
  await assert.rejects(
    modifyZypperRepository(machine.ctx, 'own', dict({ baseurl: url, root: machine.folder })),
    /Failed add new repository/,
  );
  assertHidden(machine, 'files');
  assert.match(machine.told('files'), /^\[own\]\nname=own\nenabled=1\nautorefresh=0\nbaseurl=https:/);
});

test('secrets in arguments - variables that a container is to keep are handed over by name', async (t) => {
  const machine = machineOf(t, {
    'lxc-attach': '',
    'lxc-info': 'echo State: RUNNING',
    'lxc-ls': 'echo web',
    'lxc-start': '',
    docker: '',
  });
  process.env['BRINE_KEPT'] = SECRET;
  t.after(() => delete process.env['BRINE_KEPT']);
  await machine.call('lxc.run', ['web', 'true'], { keep_env: 'BRINE_KEPT,NOSUCH' });
  assert.match(machine.told('argv'), /^--keep-var\nBRINE_KEPT$/m);
  await machine.call('docker.run', ['web', 'echo a'], {
    keep_env: ['BRINE_KEPT'],
    exec_driver: 'docker-exec',
  });
  assertHidden(machine, 'env');
  assert.match(
    machine.told('argv'),
    /^-e\nBRINE_KEPT\nweb\nsh\n-c\nexec env -i PATH=\S+ BRINE_KEPT="\$BRINE_KEPT" "\$@"$/m,
  );
});

/** A server that gives a repository of git to whoever knows the password. */
async function gitServer(t: TestContext, folder: string): Promise<{ port: number; tried: string[] }> {
  const tried: string[] = [];
  const server: Server = createServer((request, answer) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) tried.push(Buffer.from(authorization.slice(6), 'base64').toString());
    if (authorization === undefined) {
      answer.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
      return;
    }
    try {
      answer.end(readFileSync(join(folder, (request.url ?? '').split('?')[0] ?? '')));
    } catch {
      answer.writeHead(404).end();
    }
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  const at = server.address();
  assert.ok(at !== null && typeof at === 'object');
  return { port: at.port, tried };
}

test('secrets in arguments - git logs in by its credential protocol and keeps the whole address', async (t) => {
  const machine = machineOf(t, {}, ['git']);
  const { folder } = machine;
  const git = (...words: string[]) => {
    const { status, stderr, stdout } = spawnSync(
      realPath('git').replace(join(folder, 'bin'), '/usr/bin'),
      words,
      {
        encoding: 'utf8',
      },
    );
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  git('init', '-q', join(folder, 'up'));
  git('-C', join(folder, 'up'), ...identity, 'commit', '-q', '--allow-empty', '-m', 'one');
  git('clone', '-q', '--bare', join(folder, 'up'), join(folder, 'served.git'));
  git('-C', join(folder, 'served.git'), 'update-server-info');
  const { port, tried } = await gitServer(t, folder);
  // git notes what it starts itself, which is not in any PATH
  const trace = join(folder, 'trace');
  process.env['GIT_TRACE'] = trace;
  t.after(() => delete process.env['GIT_TRACE']);
  // over http git does the same as over https, and needs no certificate
  const address = `http://ann:${SECRET}%40x@127.0.0.1:${port}/served.git`;
  const clone = join(folder, 'clone');
  assert.equal(await machine.call('git.clone', [clone, address]), true);
  const remotes = await machine.call('git.remotes', [clone], { redact_auth: false });
  assert.ok(isDict(remotes));
  assert.deepEqual(remotes.get('origin'), dict({ fetch: address, push: address }));
  await machine.call('git.fetch', [clone]);
  const refs = await machine.call('git.ls_remote', [clone]);
  assert.ok(isDict(refs) && refs.has('HEAD'));
  await machine.call('git.ls_remote', [], { remote: address });
  await machine.call('git.remote_set', [clone, address], { remote: 'second' });
  const set = await machine.call('git.remote_get', [clone, 'second'], { redact_auth: false });
  assert.ok(isDict(set));
  assert.equal(set.get('fetch'), address);
  const header = `Authorization: Basic "${SECRET}" #;\\`;
  const kept = await machine.call('git.config_set', ['http.extraHeader', header], { cwd: clone });
  assert.deepEqual(kept, [header]);
  assert.ok(tried.length >= 4 && tried.every((one) => one === `ann:${SECRET}@x`));
  assert.match(readFileSync(trace, 'utf8'), /remote-http/);
  assert.doesNotMatch(readFileSync(trace, 'utf8'), new RegExp(SECRET));
  assert.doesNotMatch(machine.told('argv'), new RegExp(SECRET));
});
