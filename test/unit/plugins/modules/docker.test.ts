/** The module `docker` on a stand-in of the daemon, which speaks the Engine API over a socket. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { warnWithoutEffect } from '../../../../src/plugins/docker/module/choice-params.ts';
import { startDockerDaemon } from '../../../support/docker-daemon.ts';
import { fakeContext } from '../../../support/module-context.ts';

type Call = (fun: string, args?: readonly Value[], kwargs?: Dict) => Promise<Value>;

/** Functions of a minion that asks a stand-in, and a folder that is removed afterwards. */
async function withDaemon(t: TestContext): Promise<{ call: Call; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'brine-docker-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const socket = join(folder, 'docker.sock');
  const daemon = await startDockerDaemon(socket);
  t.after(() => daemon.stop());
  const ctx = fakeContext({ opts: dict({ id: 'minion', 'docker.url': `unix://${socket}` }) });
  return { call: (fun, args = [], kwargs = dict()) => ctx.functions.call(fun, args, kwargs), folder };
}

const field = (value: Value, ...path: readonly string[]): Value =>
  path.reduce<Value>((found, key) => (isDict(found) ? (found.get(key) ?? null) : null), value);

test('docker - versions, images, volumes and networks are those of the daemon', async (t) => {
  const { call } = await withDaemon(t);
  assert.deepEqual(field(await call('docker.version'), 'VersionInfo'), [24, 0, 7]);
  assert.deepEqual(await call('docker.list_tags'), ['busybox:latest', 'nginx:1.25', 'nginx:latest']);
  assert.equal(await call('docker.resolve_tag', ['nginx']), 'nginx:1.25');
  assert.equal(await call('docker.resolve_image_id', ['nosuch']), false);
  assert.equal(field(await call('docker.inspect', ['busybox']), 'Size_Human'), '3.8 MiB');
  assert.equal(field(await call('docker.create_volume', ['v']), 'Driver'), 'local');
  assert.equal(field(await call('docker.inspect', ['v']), 'Name'), 'v');
  await call('docker.create_network', ['n'], dict({ subnet: '10.9.0.0/16', driver_opts: ['mtu=1400'] }));
  assert.deepEqual(field(await call('docker.inspect', ['n']), 'Options'), dict({ mtu: '1400' }));
  assert.deepEqual(await call('docker.connected', ['n']), []);
  assert.equal(await call('docker.remove_network', ['n']), true);
  assert.equal(await call('docker.remove_volume', ['v']), true);
});

test('docker - images are fetched, tagged, built and removed', async (t) => {
  const { call, folder } = await withDaemon(t);
  const pulled = await call('docker.pull', ['registry.example.com:5000/a/b:v1']);
  assert.deepEqual(field(pulled, 'Layers', 'Pulled'), ['aaaaaaaaaaaa', 'bbbbbbbbbbbb']);
  assert.equal(await call('docker.tag', ['busybox', 'mine', 'v2']), true);
  assert.deepEqual(field(await call('docker.pull', ['broken/image']), 'Errors'), ['unexpected EOF']);
  mkdirSync(join(folder, 'image'));
  writeFileSync(join(folder, 'image/Dockerfile'), 'FROM scratch\n');
  const built = await call('docker.build', [join(folder, 'image'), 'own', 'latest']);
  assert.deepEqual(field(built, 'Image'), ['own:latest']);
  const removed = await call('docker.rmi', ['own'], dict({ force: true }));
  assert.deepEqual(field(removed, 'Tags'), ['own:latest']);
  await assert.rejects(call('docker.build', [join(folder, 'nosuch')]), /is no folder of this machine/);
});

test('docker - what the daemon refuses, and a daemon that is away, are told', async (t) => {
  const { call, folder } = await withDaemon(t);
  await assert.rejects(
    call('docker.inspect_container', ['../images/json?x']),
    /Error 404: No such container/,
  );
  await assert.rejects(call('docker.pull', ['nosuch']), /Error 404: pull access denied for nosuch/);
  await assert.rejects(
    call('docker.create_network', ['n'], dict({ subnet: 'nowhere' })),
    /Failed to translate input\. Additional info follows:\n\ninvalid:\n.*\n {4}subnet:\n {8}'nowhere' is not a valid subnet/s,
  );
  const away = fakeContext({ opts: dict({ id: 'minion', 'docker.url': `unix://${folder}/nosuch.sock` }) });
  await assert.rejects(
    away.functions.call('docker.info'),
    /daemon at .*nosuch\.sock cannot be reached: .*Is it running/,
  );
  for (const fun of ['docker.resolve_tag', 'docker.resolve_image_id'])
    await assert.rejects(away.functions.call(fun, ['busybox']), /cannot be reached/);
  const strange = fakeContext({ opts: dict({ id: 'minion', 'docker.url': 'ftp://x' }) });
  await assert.rejects(strange.functions.call('docker.info'), /must be unix:\/\/\/path, tcp:\/\/host:port/);
});

test('docker - containers are made of what the command line of Docker takes, run and removed', async (t) => {
  const { call } = await withDaemon(t);
  const keywords = dict({
    name: 'web',
    command: 'sleep 10',
    env: [dict({ A: 'b' }), dict({ C: 5 })],
    publish: ['8080:80', '127.0.0.1:5353:53/udp', '9000-9001'],
    binds: '/srv:/srv:ro',
    memory: '512m',
    restart: 'on-failure:3',
    ulimit: 'nofile=1:2',
  });
  await call('docker.create', ['busybox'], keywords);
  const facts = await call('docker.inspect_container', ['web']);
  assert.deepEqual(field(facts, 'Config', 'Env'), ['A=b', 'C=5', 'PATH=/bin']);
  assert.deepEqual(field(facts, 'Config', 'Cmd'), ['sleep', '10']);
  assert.deepEqual(field(facts, 'HostConfig', 'Memory'), 512 * 1024 * 1024);
  assert.deepEqual(field(facts, 'HostConfig', 'PortBindings', '53/udp'), [
    dict({ HostIp: '127.0.0.1', HostPort: '5353' }),
  ]);
  assert.deepEqual(
    [...(field(facts, 'Config', 'ExposedPorts') as Dict).keys()],
    ['80/tcp', '53/udp', '9000/tcp', '9001/tcp'],
  );
  assert.deepEqual(field(facts, 'HostConfig', 'Ulimits'), [dict({ Name: 'nofile', Soft: 1, Hard: 2 })]);
  assert.equal(field(await call('docker.start', ['web']), 'result'), true);
  assert.match(String(field(await call('docker.start', ['web']), 'comment')), /already running/);
  assert.equal(field(await call('docker.pause', ['web']), 'state', 'new'), 'paused');
  assert.match(
    String(field(await call('docker.stop', ['web']), 'comment')),
    /is paused, run with unpause=True/,
  );
  assert.equal(field(await call('docker.unpause', ['web']), 'state', 'new'), 'running');
  await assert.rejects(call('docker.rm', ['web']), /is running, use force=True/);
  assert.equal(await call('docker.rename', ['web', 'other']), true);
  assert.deepEqual(await call('docker.list_containers'), ['other']);
  assert.deepEqual(
    await call('docker.port', ['other', '80']),
    dict({ '80/tcp': [dict({ HostIp: '', HostPort: '8080' })] }),
  );
  assert.equal(((await call('docker.rm', ['other'], dict({ stop: true }))) as Value[]).length, 1);
  const ran = await call('docker.run_container', ['busybox'], dict({ command: 'echo hello' }));
  assert.equal(field(ran, 'Logs'), 'hello\n');
  assert.equal(field(ran, 'ExitCode'), 0);
  await assert.rejects(
    call('docker.create', ['busybox'], dict({ publish: '9-1', publish_all: true })),
    /Start of port range \(9\) cannot be greater than end of port range \(1\)/,
  );
});

test("docker - what means something to Python's client only is warned about", () => {
  const warned = (given: Parameters<typeof warnWithoutEffect>[1]): string[] => {
    const ctx = fakeContext();
    warnWithoutEffect(ctx, given);
    return ctx.logged.map(({ message }) => message);
  };
  assert.deepEqual(warned({ client_timeout: 60, insecure_registry: false }), []);
  const [timeout = '', registry = '', ...others] = warned({ client_timeout: 300, insecure_registry: true });
  assert.match(timeout, /^docker: client_timeout 300 has no effect here/);
  assert.match(
    registry,
    /^docker: insecure_registry has no effect: name the registry under insecure-registries/,
  );
  assert.deepEqual(others, []);
});
