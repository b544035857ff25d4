/** What the machine itself can do at most: the column `limit` of the table. */
import { messageOf } from '../../src/errors/errors.ts';
import { LoadClient } from '../load/client.ts';
import { bareStarts } from '../bare-start.ts';
import { sampled, single, type Figure } from '../figure.ts';
import { pause, pssBytes, type ProcessGroups } from '../processes.ts';
import { median } from '../statistics.ts';
import { hashAll } from './hashing.ts';
import { rsaRates } from './rsa.ts';
import { sqliteRate } from './sqlite.ts';
import { relaySeconds } from './relay.ts';

/** What limits are measured with. */
export interface LimitContext {
  readonly groups: ProcessGroups;
  readonly folder: string;
  /** The program that runs a load process. */
  readonly program: string;
}

const STARTS = 11;
const ECHO_ROUNDS = 5;
/** What a return of test.ping takes on the wire. */
const PING_BYTES = 700;
const BIG_BYTES = 100_000;
const SETTLE_MS = 500;
/** Processes of a master, and of a minion, as the scenario `memory` counts them. */
const MASTER_PROCESSES = 10;

/** Measures the limits of these scenarios. */
export async function measureLimits(
  context: LimitContext,
  scenarios: ReadonlySet<string>,
  step: (text: string) => void,
  failed: (fault: string) => void,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [names, title, measure] of LIMITS) {
    if (!names.some((name) => scenarios.has(name))) continue;
    step(title);
    try {
      figures.push(...(await measure(context)));
    } catch (error) {
      failed(`The limit "${title}" was not measured: ${messageOf(error)}`);
    }
  }
  return figures.filter(({ scenario }) => scenarios.has(scenario));
}

type Limit = readonly [
  scenarios: readonly string[],
  title: string,
  measure: (context: LimitContext) => Promise<Figure[]>,
];

/** A process that does nothing but start is what each of these begins with. */
const STARTED = [
  ['cli-round-trip', 'time'],
  ['call-local', 'time'],
  ['chained', 'time'],
  ['highstate', 'time'],
] as const;

const LIMITS: readonly Limit[] = [
  [
    [...STARTED.map(([scenario]) => scenario), 'ping-all', 'big-fleet', 'file-managed', 'big-returns'],
    'starts of Node, and a bare ROUTER',
    startsAndEcho,
  ],
  [['auth'], 'RSA operations alone', async () => rsaFigures()],
  [
    ['return-storm'],
    'inserts into SQLite alone',
    async ({ folder }) => [
      sampled({ scenario: 'return-storm', name: 'rate', unit: '/s', better: 'higher' }, sqliteRate(folder)),
    ],
  ],
  [['memory'], 'a Node that does nothing', bareMemory],
  [
    ['events'],
    'bytes over bare sockets',
    async ({ folder }) => [
      single(
        { scenario: 'events', name: 'seven readers have all', unit: 's', better: 'lower' },
        await relaySeconds(folder),
      ),
    ],
  ],
];

async function startsAndEcho({ groups, program, folder }: LimitContext): Promise<Figure[]> {
  const starts = await bareStarts(groups, STARTS);
  const start = median(starts);
  const plus = (scenario: string, name: string, more: readonly number[]): Figure =>
    sampled(
      { scenario, name, unit: 's', better: 'lower' },
      more.map((seconds) => start + seconds),
    );
  const server = new LoadClient(program);
  const client = new LoadClient(program);
  try {
    const { port = 0 } = await server.order({ type: 'echo-server' });
    const echo = async (connections: number, requestBytes: number): Promise<number[]> => {
      const seconds: number[] = [];
      for (let round = 0; round <= ECHO_ROUNDS; round++) {
        const order = { type: 'echo', port, connections, requestBytes } as const;
        const { timesMs = [] } = await client.order(order);
        if (round > 0) seconds.push(Math.max(...timesMs) / 1000);
      }
      return seconds;
    };
    const big = (await echo(1000, BIG_BYTES)).map((seconds) => (1000 * BIG_BYTES) / 1e6 / seconds);
    const hashing = hashAll(folder);
    return [
      ...STARTED.map(([scenario, name]) =>
        sampled({ scenario, name, unit: 's', better: 'lower' } as const, starts),
      ),
      plus('ping-all', 'time', await echo(1000, PING_BYTES)),
      plus('big-fleet', 'ping time', await echo(10_000, PING_BYTES)),
      plus('file-managed', 'first', hashing),
      plus('file-managed', 'again', hashing),
      sampled({ scenario: 'big-returns', name: 'rate', unit: 'MB/s', better: 'higher' }, big),
    ];
  } finally {
    server.close();
    client.close();
  }
}

async function rsaFigures(): Promise<Figure[]> {
  const { first, again } = await rsaRates();
  const row = { scenario: 'auth', unit: '/s', better: 'higher' } as const;
  return [
    single({ ...row, name: 'again, with token' }, again),
    single({ ...row, name: 'first, no token' }, first),
  ];
}

/** As many idle processes of Node as a master has, and as many as a minion. */
async function bareMemory({ groups, folder }: LimitContext): Promise<Figure[]> {
  const idle = [process.execPath, '-e', 'setInterval(() => undefined, 1e6)'];
  const daemons = Array.from({ length: MASTER_PROCESSES }, () => groups.start(idle, `${folder}/idle.out`));
  try {
    await pause(SETTLE_MS);
    const sizes = daemons.map((daemon) => (pssBytes(daemon) ?? NaN) / 1e6);
    const all = sizes.reduce((sum, size) => sum + size, 0);
    const row = { scenario: 'memory', unit: 'MB', better: 'lower' } as const;
    return [
      single({ ...row, name: 'master idle' }, all),
      single({ ...row, name: 'master after load' }, all),
      single({ ...row, name: 'minion idle' }, sizes[0] ?? NaN),
    ];
  } finally {
    await Promise.all(daemons.map((daemon) => groups.stop(daemon)));
  }
}
