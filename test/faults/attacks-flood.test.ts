import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import bcrypt from 'bcryptjs';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { decode, encode } from '../../src/formats/wire/msgpack.ts';
import { Attacker, rawRequester, returnOf } from '../support/attacker.ts';
import { cpuMs, emptyMaps, peakMiB } from '../support/bombs.ts';
import { Fleet, type Daemon } from '../support/fleet.ts';

const MiB = 1024 * 1024;
/** Messages of a flood whose cost is measured. */
const FLOOD_ROUNDS = 100;

/** An envelope in which a field holds maps without anything in them. */
function bomb(enc: string, cmd: string, count: number): Buffer {
  const words = (...values: Value[]): Buffer =>
    Buffer.concat(values.map((value) => encode(value, 'network')));
  if (enc === 'clear')
    return Buffer.concat([
      Buffer.from([0x83]),
      words('enc', enc, 'version', 3, 'load'),
      Buffer.from([0x82]),
      words('cmd', cmd, 'x'),
      emptyMaps(count),
    ]);
  return Buffer.concat([
    Buffer.from([0x84]),
    words('enc', enc, 'version', 3, 'id', 'good', 'load'),
    emptyMaps(count),
  ]);
}

function workersOf(master: Daemon): number[] {
  return [...master.children()].filter(([name]) => name.includes('MWorker-')).map(([, pid]) => pid);
}

/** How long `salt good test.ping` takes, each of so many times, ms. */
async function pingTimes(t: TestContext, fleet: Fleet, times: number, what: string): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < times; n++) {
    const startMs = systemClock.monotonicMs();
    assert.deepEqual(await fleet.json(['good', 'test.ping']), { good: true }, what);
    taken.push(Math.round(systemClock.monotonicMs() - startMs));
  }
  t.diagnostic(`salt ${what}: ${taken.join(', ')} ms`);
  return taken.sort((a, b) => a - b);
}

test(
  'attacks - a memory bomb without authentication costs no worker and no command',
  { timeout: 300_000 },
  async (t) => {
    const fleet = await Fleet.create(t, ['auto_accept: True']);
    const master = await fleet.startMaster();
    await fleet.joinMinion('good');
    const children = master.children();
    const workers = workersOf(master);
    const quiet = await pingTimes(t, fleet, 4, 'in peace');
    t.diagnostic(`workers in peace: ${Math.round(peakMiB(workers))} MiB`);
    const requester = rawRequester(t, fleet.retPort);
    const bombs = [
      ...[8 * MiB, 28 * MiB].flatMap((count) => [
        bomb('clear', 'ping', count),
        bomb('clear', '_auth', count),
        bomb('aes', '', count),
      ]),
      ...[60_000, 250_000].flatMap((count) => [bomb('clear', 'publish', count), bomb('aes', '', count)]),
      encode({ enc: 'aes', load: randomBytes(28 * MiB), version: 3, id: 'nobody' }, 'network'),
    ];
    for (const bytes of bombs) {
      const startMs = systemClock.monotonicMs();
      assert.equal(decode(await requester.request(bytes, 60_000), 'network'), 'bad load');
      assert.ok(systemClock.monotonicMs() - startMs < 5_000, `${bytes.length} bytes`);
    }
    const flood = [bomb('clear', 'ping', 250_000), bomb('clear', '_auth', 60_000)];
    const sendFlood = (): Promise<Buffer[]> =>
      Promise.all(flood.map((bytes) => requester.request(bytes, 60_000)));
    const cpu = (): number => [...children.values()].reduce((sum, pid) => sum + cpuMs(pid), 0);
    const cpuBefore = cpu();
    for (let n = 0; n < FLOOD_ROUNDS; n++) await sendFlood();
    const cpuEach = (cpu() - cpuBefore) / FLOOD_ROUNDS;
    t.diagnostic(`310 KB of maps cost the master ${cpuEach.toFixed(1)} ms of processor time`);
    assert.ok(cpuEach < 4, `${cpuEach} ms`);
    let isOver = false;
    const flooding = (async () => {
      let refused = 0;
      while (!isOver) {
        await Promise.all([sendFlood(), systemClock.sleep(55)]);
        refused += flood.length;
      }
      return refused;
    })();
    const busy = await pingTimes(t, fleet, 12, 'under 4.5 MB/s of maps');
    isOver = true;
    assert.ok((await flooding) > 20);
    const peak = peakMiB(workers);
    t.diagnostic(`workers after the flood, at their peak: ${Math.round(peak)} MiB`);
    assert.ok(peak < 100, `${Math.round(peak)} MiB`);
    assert.ok(
      (busy[3] as number) < 3 * (quiet[2] as number) + 500,
      `${busy.join(' ')} against ${quiet.join(' ')}`,
    );
    assert.deepEqual(master.childrenAmong(children), children, 'every part is the same process');
    assert.match(master.log, /was refused: \d+ bytes without a valid key.*over budget.*limits\.md/);
  },
);

test(
  'attacks - what real minions send passes the limits: large returns, grains and pillar',
  { timeout: 300_000 },
  async (t) => {
    const fleet = await Fleet.create(t, ['auto_accept: True']);
    const master = await fleet.startMaster();
    const minion = new Attacker(t, 'large', fleet.retPort);
    assert.equal((await minion.authenticate()).kind, 'accepted');
    const states: Dict = new Map();
    for (let n = 0; n < 5000; n++) {
      const changes = dict({ diff: '-a\n+b\n'.repeat(20), mode: '0644' });
      const state = { name: `/etc/app/${n}`, changes, result: true, comment: `File /etc/app/${n} updated` };
      states.set(
        `file_|-${n}_|-/etc/app/${n}_|-managed`,
        dict({ ...state, __run_num__: n, __id__: String(n), duration: 12.345 }),
      );
    }
    assert.equal(
      await minion.call({ ...returnOf('20261121000000000001', states), fun: 'state.highstate' }),
      null,
    );
    const grains: Dict = new Map();
    for (let n = 0; n < 100_000; n++)
      grains.set(`key_${n}`, ['a text as grains have them, a line long', n, dict({ a: String(n) })]);
    const sent = await minion.send(
      minion.request({ cmd: '_pillar', grains, saltenv: 'base', pillarenv: 'base', ver: '2' }),
      60_000,
    );
    assert.ok(sent instanceof Map, 'the pillar is answered');
    assert.ok(!master.log.includes('over budget'), master.log);
    assert.notEqual(
      await minion.send(
        minion.request({
          ...returnOf('20261121000000000002'),
          return: Array.from({ length: 600_000 }, () => new Map()),
        }),
      ),
      null,
    );
    assert.match(
      master.log,
      /over budget, a message of \d+ bytes has values that take more than \d+ MiB of memory/,
    );
  },
);

test(
  'attacks - a flood of log-ins whose hashes take long keeps nobody else waiting, and does not tell which names there are',
  { timeout: 300_000 },
  async (t) => {
    const fleet = await Fleet.create(t);
    const users = Array.from({ length: 40 }, (_, number) => `user${number}`);
    const hash = await bcrypt.hash('right', 12);
    fleet.write(
      fleet.folder,
      'users',
      users.map((name) => `${name}:${hash}`),
    );
    fleet.configureMaster([
      'auto_accept: True',
      'external_auth:',
      `  file: {^filename: ${fleet.path('users')}, ^filetype: htpasswd, 'user*': ['.*']}`,
    ]);
    await fleet.startMaster();
    await fleet.joinMinion('good');
    const quiet = await pingTimes(t, fleet, 4, 'in peace');
    const requester = rawRequester(t, fleet.retPort);
    let isOver = false;
    const logIn = async (username: string, password: string): Promise<Value> => {
      const load = dict({ cmd: 'mk_token', eauth: 'file', username, password });
      const body = encode({ enc: 'clear', load, version: 3 }, 'network');
      return decode(await requester.request(body, 120_000), 'network');
    };
    /** @returns how long each failure has taken, ms */
    const guess = async (name: (round: number) => string): Promise<number[]> => {
      const times: number[] = [];
      for (let round = 0; !isOver; round++) {
        const startMs = systemClock.monotonicMs();
        assert.equal(await logIn(name(round), 'wrong'), '', 'no token for a wrong password');
        times.push(systemClock.monotonicMs() - startMs);
      }
      return times;
    };
    const flood = users.flatMap((user, number) => [
      guess(() => user),
      guess((round) => `nobody${number}x${round % 2}`),
    ]);
    const flooded = await pingTimes(t, fleet, 6, 'in a flood of log-ins');
    isOver = true;
    const times = await Promise.all(flood);
    const mean = (lists: readonly number[][]): number => {
      const all = lists.flat();
      return all.reduce((sum, time) => sum + time, 0) / all.length;
    };
    const [known, unknown] = [0, 1].map((rest) => mean(times.filter((_, index) => index % 2 === rest)));
    t.diagnostic(
      `a failure takes ${Math.round(known ?? 0)} ms for users, ${Math.round(unknown ?? 0)} ms for nobody`,
    );
    assert.ok((known ?? 0) / (unknown ?? 1) < 1.35 && (unknown ?? 0) / (known ?? 1) < 1.35);
    assert.ok((flooded[3] ?? 0) < 4 * (quiet[2] ?? 0) + 500, 'commands go on');
    assert.equal(isDict(await logIn('user0', 'right')), true, 'and a right password is taken');
  },
);
