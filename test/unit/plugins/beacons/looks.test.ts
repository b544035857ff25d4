/** What beacons tell, on records, answers and programs made here. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { CommandExecutionError } from '../../../../src/errors/errors.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { parseJson } from '../../../../src/formats/json/parse.ts';
import type { BeaconContext, BeaconSpec } from '../../../../src/plugins/shared/beacon/beacon.ts';
import { haproxyBeacon } from '../../../../src/plugins/haproxy/beacon.ts';
import { journaldBeacon } from '../../../../src/plugins/journald/beacon.ts';
import { journalEntry } from '../../../../src/plugins/journald/beacon/journal-entry.ts';
import { btmpBeacon, wtmpBeacon } from '../../../../src/plugins/login-records/beacon.ts';
import { networkSettingsBeacon } from '../../../../src/plugins/network/settings.beacon.ts';
import { pkgBeacon } from '../../../../src/plugins/pkg/beacon.ts';
import { saltMonitorBeacon } from '../../../../src/plugins/salt-monitor/beacon.ts';
import { startedProgram } from '../../../../src/plugins/sh/beacon.ts';
import { watchdogBeacon } from '../../../../src/plugins/watchdog/beacon.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeClock } from '../../../support/module-context.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const recorded = parseJson(readFileSync(join(ROOT, 'test/fixtures/beacons/looks.json'), 'utf8')) as Dict;

type Answer = (args: readonly Value[], kwargs: Dict) => Value;

function context(answers: Readonly<Record<string, Answer>> = {}): BeaconContext {
  return {
    clock: fakeClock(),
    log: silentLogger,
    call: (fun, args = [], kwargs = new Map()) => {
      const answer = Object.hasOwn(answers, fun) ? answers[fun] : undefined;
      return answer === undefined
        ? Promise.reject(new CommandExecutionError(`'${fun}' is not available.`))
        : Promise.resolve(answer(args, kwargs));
    },
  };
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'brine-beacon-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const looking = (
  spec: BeaconSpec,
  config: readonly Value[],
  ctx = context(),
): (() => Promise<readonly Dict[]>) => {
  const running = spec.start(ctx);
  return async () => running.look(config);
};

/** Looks until something is told. */
async function untilTold(look: () => Promise<readonly Dict[]>): Promise<readonly Dict[]> {
  for (;;) {
    const events = await look();
    if (events.length > 0) return events;
    await setImmediate();
  }
}

test("beacons - wtmp tells what Salt's tells, of records that come after the first look", async (t) => {
  const path = join(folder(t), 'wtmp');
  const records = (recorded.get('records') as string[]).map((hex) => Buffer.from(hex, 'hex'));
  const groups = {
    'group.info': ([name]: readonly Value[]): Value =>
      name === 'bad' ? dict({ members: ['mallory'] }) : dict(),
  };
  for (const [config, events] of recorded.get('wtmp') as [Value[], Value[]][]) {
    writeFileSync(path, records[0] as Buffer);
    const look = looking(wtmpBeacon(path), config, context(groups));
    assert.deepEqual(await look(), []);
    appendFileSync(path, Buffer.concat([...records, Buffer.from('half')]));
    assert.deepEqual(await look(), events, JSON.stringify(config));
    assert.deepEqual(await look(), []);
  }
  const look = looking(btmpBeacon(path), []);
  await look();
  writeFileSync(path, records[3] as Buffer);
  const [failed] = await look();
  assert.deepEqual(
    [failed?.get('user'), failed?.has('action')],
    ['mallory', false],
    'a file that was begun anew',
  );
  const strange = looking(wtmpBeacon(path), [dict({ defaults: { time_range: { start: 'x', end: 'y' } } })]);
  await strange();
  appendFileSync(path, records[0] as Buffer);
  await assert.rejects(strange, /time_range: x is no time of day/);
});

test('beacons - pkg tells of what is installed, removed or has an upgrade', async () => {
  const states: [installed: string, latest: string][] = [
    ['1.0', ''],
    ['1.0', '1.1'],
    ['1.1', ''],
    ['', ''],
  ];
  let at = -1;
  const asked: Value[] = [];
  const ctx = context({
    'pkg.version': (_args, kwargs) => (asked.push(kwargs), states[at]?.[0] ?? ''),
    'pkg.latest_version': (_args, kwargs) => (asked.push(kwargs), states[at]?.[1] ?? ''),
  });
  const look = looking(pkgBeacon, [dict({ pkgs: ['zsh'] }), dict({ refresh: true })], ctx);
  const told: Value[] = [];
  for (at = 0; at < states.length; at++) told.push([...(await look())]);
  assert.deepEqual(told, [
    [],
    [dict({ pkg: 'zsh', version: '1.1', status: 'upgrade' })],
    [dict({ pkg: 'zsh', version: '1.1', status: 'installed' })],
    [dict({ pkg: 'zsh', version: null, status: 'not-installed' })],
  ]);
  assert.deepEqual(asked.slice(0, 2), [dict({ use_context: false }), dict({ refresh: true })]);
});

test("beacons - haproxy asks HAProxy's socket", async (t) => {
  const socket = join(folder(t), 'haproxy.sock');
  const server = createServer((connection) =>
    connection.once('data', () =>
      connection.end(
        '# pxname,svname,qcur,qmax,scur,smax\nwww,web1,0,0,46,9\nwww,web2,0,0,3,9\nwww2,web1,0,0,99,9\n\n',
      ),
    ),
  ).listen(socket);
  t.after(() => server.close());
  const config = [dict({ backends: { www: { threshold: 45, servers: ['web1', 'web2', 'gone'] } } })];
  assert.deepEqual(await looking(haproxyBeacon(socket), config)(), [
    dict({ server: 'web1', scur: '46', threshold: 45 }),
  ]);
  await assert.rejects(
    looking(haproxyBeacon(`${socket}.none`), config),
    /socket .*none cannot be asked: .*ENOENT/,
  );
});

test('beacons - salt_monitor calls functions and tells what is not empty', async () => {
  const ctx = context({
    'test.ping': () => true,
    'test.false': () => false,
    'test.arg': (args, kwargs) => [[...args], kwargs],
  });
  assert.deepEqual(await looking(saltMonitorBeacon, [dict({ salt_fun: 'test.false' })], ctx)(), [
    dict({ salt_fun: 'test.false', ret: false }),
  ]);
  const call = dict({ 'test.arg': { args: [1], kwargs: [dict({ a: 2 })] } });
  assert.deepEqual(
    await looking(saltMonitorBeacon, [dict({ salt_fun: ['test.ping', 'test.false', call] })], ctx)(),
    [
      dict({ salt_fun: 'test.ping', ret: true }),
      dict({ salt_fun: 'test.arg', ret: [[1], dict({ a: 2 })], args: [1], kwargs: { a: 2 } }),
    ],
  );
  await assert.rejects(
    looking(saltMonitorBeacon, [dict({ salt_fun: 'x.y' })], ctx),
    /'x.y' is not available/,
  );
});

test("beacons - journald: an entry has the fields and values of Salt's", { skip: zone() !== 'UTC' }, () => {
  const [raw, entry] = recorded.get('journal') as [Dict, Dict];
  assert.deepEqual(journalEntry(raw), entry);
});

function zone(): string {
  return new Date(0).getTimezoneOffset() === 0 ? 'UTC' : 'another';
}

test('beacons - journald tells of entries whose fields are as said', async (t) => {
  const file = join(folder(t), 'entries');
  const entries = [
    { MESSAGE: 'in', SYSLOG_IDENTIFIER: 'sshd', PRIORITY: '6' },
    { MESSAGE: 'no', SYSLOG_IDENTIFIER: 'sshd', PRIORITY: '5' },
    { MESSAGE: [104, 105, 255], SYSLOG_IDENTIFIER: 'x', _PID: ['1', '2'] },
  ];
  writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  const services = { sshd: { SYSLOG_IDENTIFIER: 'sshd', PRIORITY: 6 }, x: { SYSLOG_IDENTIFIER: 'x' } };
  const look = looking(journaldBeacon(['cat', file]), [dict({ services })]);
  const told: Dict[] = [];
  while (told.length < 2) told.push(...(await untilTold(look)));
  assert.deepEqual(told.slice(0, 2), [
    dict({ MESSAGE: 'in', SYSLOG_IDENTIFIER: 'sshd', PRIORITY: 6, tag: 'sshd' }),
    dict({ MESSAGE: "b'hi\\xff'", SYSLOG_IDENTIFIER: 'x', _PID: ['1', '2'].map(Number), tag: 'x' }),
  ]);
  await assert.rejects(looking(journaldBeacon(['/nonexistent/journalctl']), []), /journalctl/);
});

test('beacons - network_settings tells what has changed, where wanted only to one value', async () => {
  let now = new Map<string, Map<string, Value>>();
  const set = (name: string, values: Record<string, Value>): void =>
    void now.set(name, new Map(Object.entries(values)));
  const read = (): Promise<Map<string, Map<string, Value>>> => Promise.resolve(new Map(now));
  const interfaces = dict({ eth0: { mtu: null, promiscuity: { onvalue: 1 } }, 'veth.*': { mtu: null } });
  const look = looking(networkSettingsBeacon(read), [dict({ interfaces })]);
  const all = looking(networkSettingsBeacon(read), [dict({ interfaces }), dict({ coalesce: true })]);
  set('eth0', { mtu: 1500, promiscuity: 0 });
  set('veth7', { mtu: 1400 });
  assert.deepEqual([await look(), await all()], [[], []]);
  now = new Map();
  set('eth0', { mtu: 1500, promiscuity: 1 });
  set('veth7', { mtu: 1300 });
  set('veth8', { mtu: 1 });
  assert.deepEqual(await look(), [
    dict({ tag: 'eth0', interface: 'eth0', change: { promiscuity: 1 } }),
    dict({ tag: 'veth7', interface: 'veth7', change: { mtu: 1300 } }),
  ]);
  assert.deepEqual(await all(), [
    dict({ tag: 'result', changes: { eth0: { promiscuity: 1 }, veth7: { mtu: 1300 } } }),
  ]);
  set('eth0', { mtu: 1500, promiscuity: 0 });
  assert.deepEqual(await look(), []);
});

test('beacons - watchdog tells what is created, modified, deleted and moved', async (t) => {
  const path = folder(t);
  writeFileSync(join(path, 'old'), 'x');
  const running = watchdogBeacon.start(context());
  t.after(() => running.close?.());
  const look = async (): Promise<string[]> =>
    (await running.look([dict({ directories: { [path]: {} } })])).map(
      (event) => `${String(event.get('path')).slice(path.length)} ${String(event.get('change'))}`,
    );
  const told = async (last: string): Promise<string[]> => {
    const out: string[] = [];
    while (!out.includes(last)) {
      out.push(...(await look()));
      await setImmediate();
    }
    return out;
  };
  assert.deepEqual(await look(), []);
  mkdirSync(join(path, 'sub'));
  assert.deepEqual(await told('/sub created'), ['/sub created', ' modified']);
  renameSync(join(path, 'old'), join(path, 'new'));
  assert.deepEqual(await told('/old moved'), ['/old moved', ' modified']);
  appendFileSync(join(path, 'new'), 'more');
  assert.ok((await told('/new modified')).includes('/new modified'));
  rmSync(join(path, 'new'));
  assert.ok((await told('/new deleted')).includes('/new deleted'));
  const missing = watchdogBeacon.start(context());
  assert.throws(
    () => void missing.look([dict({ directories: { '/nonexistent': {} } })]),
    /The folder \/nonexistent cannot be watched/,
  );
});

test('beacons - sh: what strace says of a program', () => {
  assert.deepEqual(startedProgram('[pid 7] execve("/bin/ls", ["ls", "-l"], 0x7 /* 3 vars */) = 0'), {
    cmd: '/bin/ls',
    args: ['ls', '-l'],
  });
  assert.equal(startedProgram('strace: Process 7 attached'), undefined);
});
