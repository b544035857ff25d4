import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { AuthClient } from '../../../../src/network/channel/client/authenticate.ts';
import { minionOptions, type MinionOptions } from '../../../../src/config/minion-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { UnreachableError } from '../../../../src/errors/errors.ts';
import type { NameService, ServiceRecord } from '../../../../src/host/dns.ts';
import type { Random } from '../../../../src/host/random.ts';
import { Admission } from '../../../../src/programs/minion/admission.ts';
import { addressName, parseMasterAddress } from '../../../../src/programs/minion/master-address.ts';
import { inServiceOrder, MasterDiscovery } from '../../../../src/programs/minion/masters/discover.ts';
import { crc32, inPlannedOrder, planMasters } from '../../../../src/programs/minion/masters/plan.ts';
import { sourceOf } from '../../../../src/programs/minion/source-address.ts';
import type { Requester } from '../../../../src/network/transport/zmtp/requester.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { decode, encode } from '../../../../src/formats/wire/msgpack.ts';
import { keptLog } from '../../../support/attacker.ts';
import { JumpingClock } from '../../runtime/client/fake-master.ts';

const least: Random = { bytes: (count) => Buffer.alloc(count), int: (min) => min, fraction: () => 0 };
const most: Random = {
  bytes: (count) => Buffer.alloc(count),
  int: (_min, max) => max,
  fraction: () => 0.999_999,
};

function options(values: DictInit): MinionOptions {
  return new Options(minionOptions, dict({ id: 'm1', ...values }));
}

async function plan(
  values: DictInit,
  call: (fun: string) => Promise<Value> = () => Promise.reject(new Error('none')),
) {
  const { log, lines } = keptLog();
  return { plan: await planMasters(options(values), log, call), lines };
}

test('master plan - a text or list is served at once, failover and distributed one after the other', async () => {
  const modes = async (values: DictInit): Promise<string> => (await plan(values)).plan.mode;
  assert.equal(await modes({ master: 'a' }), 'all');
  assert.equal(await modes({ master: ['a', 'b'] }), 'all');
  assert.equal(await modes({ master: ['a', 'b'], master_type: 'failover' }), 'one');
  assert.equal(await modes({ master: 'a', master_type: 'failover' }), 'one');
  assert.equal(await modes({ master: ['a', 'b'], master_type: 'distributed' }), 'one');
  assert.equal(await modes({ master: ['a', 'b'], master_type: 'disable' }), 'none');
  await assert.rejects(
    plan({ master: 'a', master_type: 'x' }),
    /Invalid keyword 'x' for variable 'master_type'/,
  );
});

test('master plan - a function gives one master, or several that are tried in turn', async () => {
  const asked = (value: Value) =>
    plan({ master: 'net.master', master_type: 'func' }, () => Promise.resolve(value));
  assert.deepEqual((await asked('a')).plan.entries, ['a']);
  assert.equal((await asked(['a', 'b'])).plan.mode, 'one');
  await assert.rejects(asked(null), /None returned from net\.master is not a string/);
  await assert.rejects(
    plan({ master: 'net.master', master_type: 'func' }),
    /Failed to load module net\.master/,
  );
});

test('master plan - order: as written, by lot, the first fixed with fail-back, by the name of the minion', async () => {
  const abc = ['a', 'b', 'c'];
  const order = async (values: DictInit, random: Random): Promise<string[]> =>
    inPlannedOrder((await plan({ master: abc, ...values })).plan, abc, random);
  assert.deepEqual(await order({}, most), abc);
  assert.deepEqual(await order({ random_master: true }, least), ['b', 'c', 'a']);
  assert.deepEqual(await order({ random_master: true }, most), abc);
  const failback = { random_master: true, master_type: 'failover', master_failback: true };
  assert.deepEqual(await order(failback, least), ['a', 'c', 'b']);
  const shuffled = await plan({ master: abc, master_shuffle: true });
  assert.match(shuffled.lines.join(), /'master_shuffle' is deprecated in favor of 'random_master'/);
  assert.deepEqual(inPlannedOrder(shuffled.plan, abc, least), ['b', 'c', 'a']);
  assert.equal(crc32(Buffer.from('123456789')), 0xcbf43926);
  const at = crc32(Buffer.from('m1')) % 3;
  const [first, ...others] = await order({ master_type: 'distributed' }, least);
  assert.deepEqual([first, others], [abc[at], abc.filter((_, index) => index !== at)]);
});

test('master addresses - hosts, ports, IPv6', () => {
  const name = (text: string): string => addressName(parseMasterAddress(text, 4506));
  assert.equal(name('salt'), 'salt:4506');
  assert.equal(name('salt:17'), 'salt:17');
  assert.equal(name('[::1]:17'), '[::1]:17');
  assert.equal(name('fe80::1'), '[fe80::1]:4506');
  for (const bad of ['', 'salt:0', 'salt:x', 'salt:70000'])
    assert.throws(() => parseMasterAddress(bad, 4506), /The option 'master'/);
});

function discovery(
  t: TestContext,
  service: NameService['service'] = () => Promise.reject(new Error('ENOTFOUND')),
) {
  const folder = mkdtempSync(join(tmpdir(), 'bm-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { log, lines } = keptLog();
  const names: NameService = { check: () => Promise.resolve(), service };
  const found = new MasterDiscovery({
    opts: options({}),
    names,
    random: least,
    clock: new JumpingClock(),
    log,
  });
  const ask = async (...entries: Value[]): Promise<string[]> =>
    (await found.addresses(entries)).map(addressName);
  return { folder, lines, ask };
}

test('master discovery - a file is read anew each time; one that is gone or bad counts as it was', async (t) => {
  const { folder, lines, ask } = discovery(t);
  const path = join(folder, 'masters');
  assert.deepEqual(await ask(path), []);
  assert.match(lines.at(-1) ?? '', /list of masters .* cannot be read/);
  writeFileSync(path, '# ours\n\na\nb:17 # another\n');
  assert.deepEqual(await ask(path, 'c', 'a'), ['a:4506', 'b:17', 'c:4506']);
  writeFileSync(path, 'd\n');
  assert.deepEqual(await ask(`file://${path}`), ['d:4506']);
  assert.deepEqual(await ask(path), ['d:4506']);
  for (const bad of ['e\nf:x\n', '']) {
    writeFileSync(path, bad);
    assert.deepEqual(await ask(path), ['d:4506']);
  }
  assert.match(lines.join('\n'), /line 2 is no address: "f:x"/);
  assert.match(lines.at(-1) ?? '', /is empty/);
});

test('master discovery - a DNS service gives hosts and ports by priority and weight; a lost one counts as it was', async (t) => {
  let records: ServiceRecord[] | undefined = [
    { host: 'late.', port: 3, priority: 20, weight: 0 },
    { host: 'heavy', port: 1, priority: 10, weight: 90 },
    { host: 'light', port: 2, priority: 10, weight: 10 },
  ];
  const asked: string[] = [];
  const { lines, ask } = discovery(t, (name) => {
    asked.push(name);
    return records === undefined ? Promise.reject(new Error('ESERVFAIL')) : Promise.resolve(records);
  });
  const name = '_salt-master._tcp.example.org';
  assert.deepEqual(await ask(name), ['light:2', 'heavy:1', 'late:3']);
  records = undefined;
  assert.deepEqual(await ask(name), ['light:2', 'heavy:1', 'late:3']);
  assert.match(lines.at(-1) ?? '', /_salt-master\._tcp\.example\.org cannot be read: ESERVFAIL/);
  records = [];
  assert.deepEqual(await ask(name, 'own'), ['light:2', 'heavy:1', 'late:3', 'own:4506']);
  assert.deepEqual(asked, [name, name, name]);
});

test('master discovery - weights decide by lot', () => {
  const records = [1, 2, 3].map((n) => ({ host: `h${n}`, port: n, priority: 0, weight: n * 10 }));
  const first = (fraction: number): string | undefined =>
    inServiceOrder(records, { ...least, fraction: () => fraction })[0]?.host;
  assert.deepEqual([0, 0.1, 0.2, 0.4, 0.6, 0.99].map(first), ['h1', 'h1', 'h2', 'h2', 'h3', 'h3']);
  const light = records.map((record) => ({ ...record, weight: 0 }));
  assert.equal(inServiceOrder(light, most).length, 3);
});

test('source address - the port and address options, an interface that is there, and one that is not', () => {
  const { log, lines } = keptLog();
  const from = (values: DictInit) => sourceOf(options(values), 'source_ret_port', log);
  assert.deepEqual(from({}), {});
  assert.deepEqual(from({ source_address: '127.0.0.1', source_ret_port: 17 }), {
    localAddress: '127.0.0.1',
    localPort: 17,
  });
  assert.deepEqual(from({ source_interface_name: 'lo', source_address: '10.0.0.1' }), {
    localAddress: '127.0.0.1',
  });
  assert.deepEqual(from({ source_interface_name: 'none0' }), {});
  assert.match(lines.join(), /none0 is not a valid interface/);
});

test('admission - a name that cannot be resolved is looked up again at random times, for ever; it is told as Salt does', async () => {
  const { log, lines } = keptLog();
  const clock = new JumpingClock();
  const stop = new AbortController();
  const lookedUpMs: number[] = [];
  const names: NameService = {
    check: () => {
      lookedUpMs.push(clock.nowMs());
      if (lookedUpMs.length === 8) stop.abort();
      return Promise.reject(new Error('ENOTFOUND'));
    },
    service: () => Promise.resolve([]),
  };
  const attempts: boolean[] = [];
  const admission = new Admission({
    address: { host: 'nowhere', port: 4506 },
    opts: options({ retry_dns: 30, retry_dns_count: 3 }),
    client: undefined as never,
    requester: undefined as never,
    names,
    clock,
    random: most,
    log,
    isOnly: () => true,
    stop: stop.signal,
    attempted: (isAccepted) => attempts.push(isAccepted),
  });
  await assert.rejects(admission.untilAccepted(), /stopping/);
  const waits = lookedUpMs
    .slice(1)
    .map((atMs, index) => Math.round((atMs - (lookedUpMs[index] as number)) / 1000));
  assert.deepEqual(waits, [30, 30, 30, 300, 300, 300, 300]);
  const told = lines.map((line) => line.replace(/^.*?(Master)/, '$1'));
  assert.equal(
    told.filter((line) => line.startsWith("Master hostname: 'nowhere' not found")).length,
    1,
    'one a minute',
  );
  assert.equal(
    told.filter((line) => line.startsWith("Master address: 'nowhere' could not be resolved")).length,
    1,
  );
  assert.ok(attempts.every((isAccepted) => !isAccepted));
  await assert.rejects(admission.once(), /The name nowhere cannot be resolved: ENOTFOUND/);
});

/** The admission of a minion whose key the master does not know yet. @param isWanted ends the attempts */
function newMinion(
  request: (body: Buffer) => Promise<Buffer>,
  isWanted: () => boolean,
  settings: DictInit = {},
): { readonly admission: Admission; readonly clock: JumpingClock; readonly lines: readonly string[] } {
  const clock = new JumpingClock();
  const { log, lines } = keptLog();
  const admission = new Admission({
    address: { host: '127.0.0.1', port: 4506 },
    opts: options(settings),
    client: {
      id: 'm1',
      key: { publicKey: { pem: '' } } as unknown as AuthClient['key'],
      keyring: { pinned: () => undefined } as unknown as AuthClient['keyring'],
      encAlgo: '',
      sigAlgo: '',
      autosignGrains: new Map(),
      random: most,
    },
    requester: { request } as unknown as Requester,
    names: { check: () => Promise.resolve(), service: () => Promise.resolve([]) },
    clock,
    random: most,
    log,
    isOnly: () => true,
    isWanted,
    stop: new AbortController().signal,
  });
  return { admission, clock, lines };
}

test('admission - attempts end when the master is left', async () => {
  let requests = 0;
  const request = (): Promise<Buffer> => {
    requests++;
    return Promise.reject(new UnreachableError('away'));
  };
  const { admission } = newMinion(request, () => requests < 3);
  await assert.rejects(admission.untilAccepted(), /The minion has left the master 127\.0\.0\.1/);
  assert.equal(requests, 3);
});

test('admission - a minion whose key waits asks soon at first, then every acceptance_wait_time', async () => {
  const askedAtMs: number[] = [];
  const request = (body: Buffer): Promise<Buffer> => {
    askedAtMs.push(clock.nowMs());
    const nonce = ((decode(body, 'network') as Dict).get('load') as Dict).get('nonce') ?? null;
    const load = encode({ ret: true, nonce }, 'network');
    return Promise.resolve(encode({ load, sig: Buffer.alloc(1) }, 'network'));
  };
  const isWanted = (): boolean => askedAtMs.length < 7;
  const { admission, clock, lines } = newMinion(request, isWanted, { acceptance_wait_time: 5 });
  await assert.rejects(admission.untilAccepted(), /has left the master/);
  const waits = askedAtMs.slice(1).map((atMs, at) => Math.round((atMs - (askedAtMs[at] as number)) / 1000));
  assert.deepEqual(waits, [2, 3, 4, 5, 5, 5]);
  // with several masters the line has to say which of them waits
  for (const line of lines)
    assert.match(line, /Accept the key on the master 127\.0\.0\.1:4506 with: salt-key -a m1/);
  assert.equal(lines.length, 1, 'one a minute');
});

test('admission - a master that is away for long is spoken of once a minute, with a count', async () => {
  let requests = 0;
  const away = (): Promise<Buffer> => {
    requests++;
    return Promise.reject(new UnreachableError('No reply from 127.0.0.1:4506 within 5 s'));
  };
  const startedAtMs = 0;
  const { admission, clock, lines } = newMinion(away, () => clock.nowMs() - startedAtMs < 600_000, {
    random_reauth_delay: 10,
  });
  await assert.rejects(admission.untilAccepted(), /has left the master/);
  const minutes = clock.nowMs() / 60_000;
  assert.ok(requests > 3 * minutes);
  assert.ok(lines.length >= 2 && lines.length <= minutes + 1, `${lines.length} lines in ${minutes} minutes`);
  assert.match(lines[1] ?? '', /did not answer the authentication: No reply.* \(\d+ times so far\)/);
});
