/**
 * `reactor`: from an event on a minion to the command that a reaction runs there; a flow of events of which one in ten
 * is reacted to, beside returns of other jobs; a burst; and an orchestration of many steps.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/host/clock.ts';
import { EventBusReader, EventBusWriter } from '../../src/network/events/bus-client.ts';
import type { BusEvent } from '../../src/network/events/framing.ts';
import { preseedKeys, swarmKeys } from '../../src/programs/swarm/key-pairs.ts';
import { dict } from '../../src/python/values/value.ts';
import { sampled, single, type Figure } from '../figure.ts';
import { Fleet, REAL_MINION } from '../fleet.ts';
import { SHARED_KEYS } from '../load/process.ts';
import {
  repeat,
  SWARM_PREFIX,
  SWARM_SIZE,
  withSwarm,
  type Scenario,
  type ScenarioContext,
} from './scenario.ts';

const NAME = 'reactor';
const WAIT_MS = 20_000;
const FLOW_PER_SECOND = 5000;
const FLOW_SECONDS = 6;
const REACTS_TO_ONE_IN = 10;
const TICK_MS = 10;
/** A real Salt is given a tenth: ten times as many would take it longer than a benchmark may. */
const BURST = { brine: 10_000, salt: 1_000 };
const STEPS = 20;
const LOAD_IN_FLIGHT = 8;
const MINIONS = 20;

const REACTIONS = {
  'date.sls': "date:\n  local.cmd.run:\n    - tgt: one\n    - arg: ['date +%s.%N']\n",
  'count.sls': `count:\n  local.test.echo:\n    - tgt: sim-{{ '%04d' | format(data['number'] // 10 % ${MINIONS}) }}\n    - arg: [{{ data['number'] }}]\n`,
};

/** The reactor and orchestration. */
export const reactor: Scenario = {
  name: NAME,
  isLong: true,
  run: async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'brine-re-'));
    const files = join(folder, 'f');
    mkdirSync(files);
    for (const [name, text] of Object.entries(REACTIONS)) writeFileSync(join(files, name), text);
    const { kind, groups } = context.fleet;
    const fleet = await Fleet.start(kind, join(folder, 'm'), groups, [
      `reactor: [{my/date: ${files}/date.sls}, {count: ${files}/count.sls}]`,
    ]);
    try {
      mkdirSync(join(fleet.folder, 'srv'));
      writeFileSync(join(fleet.folder, 'srv', 'steps.sls'), orchestration());
      preseedKeys(fleet.pkiDir, SWARM_PREFIX, SWARM_SIZE, await swarmKeys(SHARED_KEYS, context.keysDir));
      const own = { ...context, fleet };
      const figures = await fromEventToCommand(own);
      await withSwarm(own, MINIONS, async () => {
        figures.push(...(await flow(own)), ...(await burst(own)), ...(await orchestrate(own)));
      });
      return figures;
    } finally {
      await fleet.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Events of a minion of which a reaction has that minion tell the time. */
async function fromEventToCommand(context: ScenarioContext): Promise<Figure[]> {
  const { fleet } = context;
  await fleet.minion();
  const sockets = join(fleet.folder, REAL_MINION, 's');
  const pull = readdirSync(sockets).find((name) => name.endsWith('_pull.ipc')) ?? '';
  const writer = busWriter(join(sockets, pull));
  let heard: (startedMs: number) => void = () => undefined;
  const reader = await EventBusReader.connect(
    join(fleet.sockDir, 'master_event_pub.ipc'),
    (tag) => tag.endsWith(`/ret/${REAL_MINION}`),
    ({ data }) => data.get('fun') === 'cmd.run' && heard(Number(data.get('return')) * 1000),
  );
  const times: number[] = [];
  try {
    await repeat(context, { brine: 30, salt: 10, budgetMs: 15_000 }, '', async (isWarmUp) => {
      const started = new Promise<number>((resolve, reject) => {
        heard = resolve;
        setTimeout(() => reject(new Error('no command ran for the event')), WAIT_MS).unref();
      });
      const sentMs = Date.now();
      writer.fire('fire_master', dict({ tag: 'my/date', data: new Map(), events: null, pretag: null }));
      const tookMs = (await started) - sentMs;
      if (!isWarmUp) times.push(tookMs);
    });
  } finally {
    reader.close();
    writer.close();
  }
  const row = { scenario: NAME, name: 'event to command', unit: 'ms', better: 'lower' } as const;
  return [sampled(row, times)];
}

/** Numbers of the jobs that reactions have published, in their order. */
async function published<T>(
  { sockDir }: Fleet,
  measure: (numbers: readonly number[], fire: EventBusWriter) => Promise<T>,
): Promise<T> {
  const numbers: number[] = [];
  const take = ({ data }: BusEvent): void => {
    const arg = data.get('arg');
    if (data.get('fun') === 'test.echo') numbers.push(Number(Array.isArray(arg) ? arg[0] : NaN));
  };
  const isNew = (tag: string): boolean => tag.endsWith('/new');
  const reader = await EventBusReader.connect(join(sockDir, 'master_event_pub.ipc'), isNew, take);
  const writer = busWriter(join(sockDir, 'master_event_pull.ipc'));
  try {
    return await measure(numbers, writer);
  } finally {
    reader.close();
    writer.close();
  }
}

async function flow(context: ScenarioContext): Promise<Figure[]> {
  context.step(`${FLOW_PER_SECOND} events/s`);
  return published(context.fleet, async (numbers, writer) => {
    const load = context.load.order({
      type: 'returns',
      durationMs: FLOW_SECONDS * 1000,
      inFlight: LOAD_IN_FLIGHT,
      baseMs: Date.now(),
    });
    const startedMs = performance.now();
    const wanted: number[] = [];
    let fired = 0;
    while (fired < FLOW_PER_SECOND * FLOW_SECONDS) {
      const due = Math.min(
        FLOW_PER_SECOND * FLOW_SECONDS,
        Math.floor(((performance.now() - startedMs) * FLOW_PER_SECOND) / 1000),
      );
      for (; fired < due; fired++) {
        const isWanted = fired % REACTS_TO_ONE_IN === 0;
        if (isWanted) wanted.push(fired);
        writer.fire(isWanted ? 'count' : 'other', dict({ number: fired }));
      }
      await systemClock.sleep(TICK_MS);
    }
    await writer.flush();
    const endMs = performance.now();
    await arrival(numbers, wanted.length);
    const lateMs = performance.now() - endMs;
    const { returns } = await load;
    const row = { scenario: NAME, better: 'lower' } as const;
    return [
      single(
        { ...row, name: 'flow: events/s', unit: '/s', better: 'higher' },
        (fired / (endMs - startedMs)) * 1000,
      ),
      single({ ...row, name: 'flow: last reaction after', unit: 'ms' }, lateMs),
      ...faults('flow', numbers, wanted),
      single(
        { ...row, name: 'flow: returns beside it', unit: '/s', better: 'higher' },
        ((returns?.done ?? 0) / (returns?.elapsedMs ?? 1)) * 1000,
      ),
    ];
  });
}

async function burst(context: ScenarioContext): Promise<Figure[]> {
  const count = BURST[context.fleet.kind.name];
  context.step(`a burst of ${count} events`);
  return published(context.fleet, async (numbers, writer) => {
    const wanted = Array.from({ length: count }, (_, number) => number);
    const startedMs = performance.now();
    for (const number of wanted) writer.fire('count', dict({ number }));
    await writer.flush();
    await arrival(numbers, count);
    const elapsedMs = performance.now() - startedMs;
    const row = { scenario: NAME, name: 'burst: reactions/s', unit: '/s', better: 'higher' } as const;
    return [single(row, (numbers.length / elapsedMs) * 1000), ...faults('burst', numbers, wanted)];
  });
}

/** Waits until so many have come, or until none comes any more. */
async function arrival(numbers: readonly number[], count: number): Promise<void> {
  for (let before = -1, sinceMs = performance.now(); numbers.length < count;) {
    if (numbers.length !== before) [before, sinceMs] = [numbers.length, performance.now()];
    if (performance.now() - sinceMs > WAIT_MS) return;
    await systemClock.sleep(TICK_MS);
  }
}

function faults(name: string, numbers: readonly number[], wanted: readonly number[]): Figure[] {
  const once = new Set(numbers);
  const row = { scenario: NAME, unit: 'count', better: 'lower' } as const;
  const last = new Map<number, number>();
  const disorder = numbers.filter((number) => {
    const minion = Math.floor(number / REACTS_TO_ONE_IN) % MINIONS;
    const isLate = number < (last.get(minion) ?? -1);
    last.set(minion, number);
    return isLate;
  }).length;
  return [
    single({ ...row, name: `${name}: lost` }, wanted.filter((number) => !once.has(number)).length),
    single({ ...row, name: `${name}: twice` }, numbers.length - once.size),
    single({ ...row, name: `${name}: out of order` }, disorder),
  ];
}

function orchestration(): string {
  return Array.from(
    { length: STEPS },
    (_, n) =>
      `step ${n}:\n  salt.function:\n    - name: test.ping\n    - tgt: 'sim-0000,sim-0001,sim-0002'\n    - tgt_type: list\n`,
  ).join('');
}

async function orchestrate(context: ScenarioContext): Promise<Figure[]> {
  const { fleet } = context;
  const program = join(dirname(fleet.kind.salt[0] ?? ''), 'salt-run');
  const time = async (...argv: string[]): Promise<number> => {
    const { code, elapsedMs, stdout, stderr } = await fleet.groups.run(
      [program, '-c', fleet.folder, ...argv],
      120_000,
    );
    if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stdout.slice(-500)}${stderr}`);
    return elapsedMs;
  };
  const times: number[] = [];
  await repeat(context, { brine: 3, salt: 1, budgetMs: 30_000 }, 'orchestration, ', async (isWarmUp) => {
    const tookMs = (await time('state.orchestrate', 'steps')) - (await time('test.arg'));
    if (!isWarmUp) times.push(tookMs / STEPS);
  });
  return [sampled({ scenario: NAME, name: 'orchestration step', unit: 'ms', better: 'lower' }, times)];
}

function busWriter(path: string): EventBusWriter {
  return new EventBusWriter({
    path,
    clock: systemClock,
    eventBytesMax: 1_000_000,
    queueBytesMax: 256 * 1024 * 1024,
  });
}
