import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  listToDict,
  VALID,
  type BeaconContext,
  type BeaconSpec,
} from '../../../../src/plugins/shared/beacon/beacon.ts';
import { Beacons, type BeaconEvent } from '../../../../src/plugins/registry/beacon/beacons.ts';
import { inotifyBeacon } from '../../../../src/plugins/inotify/beacon.ts';
import { loadBeacon } from '../../../../src/plugins/load/beacon.ts';
import { logBeacon } from '../../../../src/plugins/log/beacon.ts';
import { memoryPercent, swapPercent } from '../../../../src/plugins/memory/beacon/memory.ts';
import { readCounters } from '../../../../src/plugins/network/info.beacon.ts';
import { orderBeacons } from '../../../../src/plugins/registry/beacon/orders.ts';
import { psBeacon } from '../../../../src/plugins/ps/beacon.ts';
import { serviceBeacon } from '../../../../src/plugins/service/beacon.ts';
import { BEACON_TABLE } from '../../../../src/plugins/registry/beacon/table.generated.ts';
import { CommandExecutionError } from '../../../../src/errors/errors.ts';
import { createLogger, LOG_LEVELS } from '../../../../src/host/log.ts';
import { pyRepr } from '../../../../src/python/values/repr.ts';
import { parseJson } from '../../../../src/formats/json/parse.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeClock } from '../../../support/module-context.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const verdicts = parseJson(readFileSync(join(ROOT, 'test/fixtures/beacons/verdicts.json'), 'utf8')) as [
  string,
  Value,
  [boolean, string],
][];

interface World extends BeaconContext {
  nowMs: number;
  readonly errors: string[];
  answers: Map<string, Value>;
}

function world(): World {
  const errors: string[] = [];
  const out: World = {
    nowMs: 1_000_000,
    errors,
    answers: new Map(),
    clock: { ...fakeClock(), nowMs: () => out.nowMs, monotonicMs: () => out.nowMs },
    log: createLogger('test', [
      { level: LOG_LEVELS.error, write: (record) => void errors.push(record.message) },
    ]),
    call: (fun) => {
      const answer = out.answers.get(fun);
      return answer === undefined
        ? Promise.reject(new CommandExecutionError(`'${fun}' is not available.`))
        : Promise.resolve(answer);
    },
  };
  return out;
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'brine-beacon-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

for (const [name, config, verdict] of verdicts) {
  test(`beacons - ${name}: the configuration ${JSON.stringify(verdict[1]).slice(0, 90)}`, async () => {
    const spec = await BEACON_TABLE.get(name)?.();
    assert.deepEqual(spec?.validate(config), verdict);
  });
}

test('beacons - configurations of many forms are taken, and refused, as by Salt 3006.16', async () => {
  const forms = parseJson(readFileSync(join(ROOT, 'test/fixtures/beacons/verdicts-forms.json'), 'utf8'));
  for (const [name, config, verdict] of forms as [string, Value, [boolean, string]][]) {
    const spec = await BEACON_TABLE.get(name)?.();
    assert.deepEqual(await spec?.validate(config), verdict, `${name} ${pyRepr(config)}`);
  }
});

test('beacons - load tells when an average is outside its limits, with onchangeonly when it crosses them', async () => {
  let now = [0.5, 0.5, 0.5];
  const spec = loadBeacon(() => now);
  const averages = dict({ averages: { '1m': [0.1, 1], '5m': [0, 9], '15m': [0, 9] } });
  const always = spec.start(world());
  assert.equal((await always.look([averages])).length, 0);
  now = [2, 0.5, 0.5];
  assert.equal((await always.look([averages])).length, 1);
  assert.equal((await always.look([averages])).length, 1);
  const onChange = spec.start(world());
  const config = [averages, dict({ onchangeonly: true, emitatstartup: false })];
  const counts: number[] = [];
  for (const load of [0.5, 2, 2, 0.05]) {
    now = [load, 0.5, 0.5];
    counts.push((await onChange.look(config)).length);
  }
  assert.deepEqual(counts, [0, 1, 0, 1]);
});

test('beacons - memory and swap are counted as psutil counts them', () => {
  const meminfo =
    'MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 250 kB\nSwapTotal: 400 kB\nSwapFree: 300 kB\n';
  assert.equal(memoryPercent(meminfo), 75);
  assert.equal(swapPercent(meminfo), 25);
  assert.equal(swapPercent('SwapTotal: 0 kB\n'), 0);
});

test('beacons - network counters come from their columns', () => {
  const text = 'head\nhead\n  eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n';
  assert.deepEqual(
    [...(readCounters(text).get('eth0') ?? [])],
    [
      ['bytes_sent', 9],
      ['bytes_recv', 1],
      ['packets_sent', 10],
      ['packets_recv', 2],
      ['errin', 3],
      ['errout', 11],
      ['dropin', 4],
      ['dropout', 12],
    ],
  );
});

test('beacons - ps tells of processes that run, or do not', async () => {
  const beacon = psBeacon(() => new Set(['sshd'])).start(world());
  const processes = dict({
    sshd: 'running',
    cron: 'running',
    apache: 'stopped',
    other: 'whatever',
    'ss-hd': 'stopped',
  });
  const events = await beacon.look([dict({ processes })]);
  assert.deepEqual(
    events.flatMap((event) => [...event]),
    [
      ['sshd', 'Running'],
      ['apache', 'Stopped'],
      ['other', false],
      ['ss-hd', 'Stopped'],
    ],
  );
});

test('beacons - service tells of each look, or of changes that last', async () => {
  const ctx = world();
  ctx.answers.set('service.status', true);
  const config = [dict({ services: { nginx: { onchangeonly: true, delay: 5, emitatstartup: false } } })];
  const beacon = serviceBeacon.start(ctx);
  const counts: number[] = [];
  for (const [running, seconds] of [
    [true, 0],
    [false, 1],
    [false, 3],
    [false, 9],
    [false, 10],
  ] as const) {
    ctx.answers.set('service.status', running);
    ctx.nowMs = 1_000_000 + seconds * 1000;
    counts.push((await beacon.look(config)).length);
  }
  assert.deepEqual(counts, [0, 0, 0, 1, 0]);
  const always = serviceBeacon.start(ctx);
  const [event] = await always.look([dict({ services: { nginx: { uncleanshutdown: '/nonexistent.pid' } } })]);
  assert.deepEqual(event?.get('nginx'), dict({ running: false, uncleanshutdown: false }));
  assert.equal(event?.get('tag'), 'nginx');
});

test('beacons - log tells of new lines that match, also after the file was rotated', async (t) => {
  const path = join(folder(t), 'log');
  writeFileSync(path, 'old error\n');
  const config = [dict({ file: path, tags: { bad: { regex: '.*error.*' }, broken: { regex: '(' } } })];
  const beacon = logBeacon.start(world());
  const raw = async (): Promise<Value[]> =>
    (await beacon.look(config))
      .filter((event) => event.get('match') === 'yes')
      .map((event) => event.get('raw') ?? null);
  assert.deepEqual(await raw(), []);
  appendFileSync(path, 'fine\nan error 1\n');
  assert.deepEqual(await raw(), ['an error 1']);
  renameSync(path, `${path}.1`);
  writeFileSync(path, 'error 2\n');
  assert.deepEqual(await raw(), ['error 2']);
});

test(
  'beacons - inotify tells what was made, changed and removed, and keeps to its mask',
  { timeout: 30_000 },
  async (t) => {
    const path = folder(t);
    const config = [
      dict({
        files: { [path]: { mask: ['create', 'modify', 'delete'], exclude: ['*.swp'], auto_add: true } },
      }),
    ];
    const ctx = world();
    const beacon = inotifyBeacon.start(ctx);
    t.after(() => beacon.close?.());
    const seen: string[] = [];
    let wake = (): void => undefined;
    const listen = (place: string): void => {
      const watcher = watch(place, () => wake());
      t.after(() => watcher.close());
    };
    const until = async (wanted: string): Promise<void> => {
      while (!seen.includes(wanted)) {
        const changed = new Promise<void>((resolve) => (wake = resolve));
        for (const event of await beacon.look(config))
          seen.push(`${String(event.get('change'))} ${String(event.get('path')).slice(path.length)}`);
        if (seen.includes(wanted)) return;
        await changed;
        await new Promise((resolve) => setImmediate(resolve)); // the beacon may hear it after this test
      }
    };
    listen(path);
    await beacon.look(config);
    writeFileSync(join(path, 'a.swp'), 'x');
    writeFileSync(join(path, 'a'), '');
    await until('IN_CREATE /a');
    writeFileSync(join(path, 'a'), 'longer');
    await until('IN_MODIFY /a');
    mkdirSync(join(path, 'sub'));
    listen(join(path, 'sub'));
    await until('IN_CREATE|IN_ISDIR /sub');
    writeFileSync(join(path, 'sub', 'b'), '');
    await until('IN_CREATE /sub/b');
    rmSync(join(path, 'a'));
    await until('IN_DELETE /a');
    assert.ok(!seen.some((each) => each.includes('swp')));
  },
);

function beacons(
  ctx: World,
  configured: Dict,
  more: { pillar?: Dict; stateRuns?: () => boolean; own?: readonly BeaconSpec[] } = {},
): Beacons {
  const own = new Map((more.own ?? []).map((spec) => [spec.name, spec]));
  return new Beacons({
    id: 'm1',
    context: ctx,
    configured,
    pillar: () => more.pillar,
    isStateRunning: more.stateRuns ?? (() => false),
    own: () => Promise.resolve(own),
  });
}

const running = (name: string): Dict => dict({ processes: { [name]: 'stopped' } });
const tags = (events: readonly BeaconEvent[]): string[] => events.map(({ tag }) => tag);

test('beacons - the interval is armed by the first look, and kept', async () => {
  const ctx = world();
  const all = beacons(ctx, dict({ ps: [running('nosuchprogram'), dict({ interval: 5 })] }));
  const fired: number[] = [];
  for (let second = 0; second <= 16; second++) {
    ctx.nowMs = 1_000_000 + second * 1000;
    if ((await all.process()).length > 0) fired.push(second);
  }
  assert.deepEqual(fired, [5, 10, 15]);
});

test('beacons - aliases, disabled ones, once, during states, from the pillar', async () => {
  const ctx = world();
  let hasState = true;
  const configured = dict({
    mine: [running('nosuchprogram'), dict({ beacon_module: 'ps' })],
    off: [running('nosuchprogram'), dict({ beacon_module: 'ps', enabled: false })],
    quiet: [running('nosuchprogram'), dict({ beacon_module: 'ps', disable_during_state_run: true })],
    single: [running('nosuchprogram'), dict({ beacon_module: 'ps', run_once: true })],
    bad: [dict({ beacon_module: 'ps' })],
    unknown: [dict({ a: 1 })],
  });
  const pillar = dict({ ps: [running('nosuchprogram')] });
  const all = beacons(ctx, configured, { pillar, stateRuns: () => hasState });
  const base = (name: string): string => `salt/beacon/m1/${name}/`;
  assert.deepEqual(tags(await all.process()), ['ps', 'mine', 'single'].map(base));
  hasState = false;
  assert.deepEqual(tags(await all.process()), ['ps', 'mine', 'quiet'].map(base));
  assert.deepEqual(ctx.errors, [
    'Beacon bad configuration invalid, not running.\nConfiguration for ps beacon requires processes.',
    'Unable to process beacon unknown: there is no beacon unknown. Correct the name, or bring the beacon with saltutil.sync_beacons.',
  ]);
  const refused = await orderBeacons(all, dict({ func: 'delete', name: 'ps' }), ctx.log);
  assert.equal(refused?.data.get('comment'), 'Cannot delete beacon item ps, it is configured in pillar.');
  await orderBeacons(all, dict({ func: 'disable' }), ctx.log);
  assert.deepEqual(await all.process(), []);
});

test('beacons - one that is deleted, disabled or replaced gives back what it holds open (salt issue 66449)', async () => {
  const ctx = world();
  const held: string[] = [];
  const spec: BeaconSpec = {
    name: 'held',
    doc: '',
    validate: () => VALID,
    start: (_ctx, name = '') => ({
      look: () => (held.includes(name) || held.push(name), []),
      close: () => void held.splice(0, held.length, ...held.filter((each) => each !== name)),
    }),
  };
  const one = (more: Parameters<typeof dict>[0] = {}): Value => [dict({ beacon_module: 'held', ...more })];
  const configured = dict({ a: one(), b: one({ enabled: true }), c: one(), once: one({ run_once: true }) });
  const all = beacons(ctx, configured, { own: [spec], pillar: dict({ p: one() }) });
  await all.process();
  assert.deepEqual(held.sort(), ['a', 'b', 'c', 'once', 'p']);
  for (const [fields, left] of [
    [{ func: 'delete', name: 'a' }, ['b', 'c', 'p']],
    [{ func: 'disable_beacon', name: 'b' }, ['c', 'p']],
    [{ func: 'modify', name: 'c', beacon_data: one({ kind: 2 }) }, ['c', 'p']],
    [{ func: 'enable_beacon', name: 'b' }, ['b', 'c', 'p']],
    [{ func: 'disable' }, []],
    [{ func: 'enable' }, ['b', 'c', 'p']],
    [{ func: 'reset' }, ['p']],
  ] as const) {
    await orderBeacons(all, dict(fields), ctx.log);
    await all.process();
    assert.deepEqual(held.sort(), left, JSON.stringify(fields));
  }
  all.close();
  assert.deepEqual(held, []);
});

test('beacons - one that fails is an event with the error, logged once', async () => {
  const ctx = world();
  const all = beacons(ctx, dict({ service: [dict({ services: { x: {} } })] }));
  const [event] = [...(await all.process()), ...(await all.process())];
  assert.equal(event?.error, "'service.status' is not available.");
  assert.deepEqual(ctx.errors, ["The beacon service failed: 'service.status' is not available."]);
  const deaf: BeaconSpec = {
    ...{ name: 'deaf', doc: '', validate: () => VALID },
    start: () => {
      throw new Error('no socket');
    },
  };
  const unable = world();
  await beacons(unable, dict({ deaf: [] }), { own: [deaf] }).process();
  assert.deepEqual(unable.errors, ['The beacon deaf could not be started: no socket']);
});

test('beacons - a list of mappings is one mapping', () => {
  assert.deepEqual(listToDict([dict({ a: 1 }), 'text', dict({ a: 2, b: 3 })]), dict({ a: 2, b: 3 }));
});
