/** Simulated minions by hand: `npm run swarm -- --master HOST:PORT --count N` (docs/guides/benchmark.md). */
import { parseArgs } from 'node:util';
import { BrineError, messageOf } from '../src/errors/errors.ts';
import { systemClock } from '../src/host/clock.ts';
import { systemRandom } from '../src/host/random.ts';
import { parseMasterAddress } from '../src/programs/minion/master-address.ts';
import { simulatedAnswer } from '../src/programs/swarm/answers.ts';
import { preseedKeys, swarmKeys } from '../src/programs/swarm/key-pairs.ts';
import { swarmErrorText } from '../src/programs/swarm/simulated-minion.ts';
import { Swarm } from '../src/programs/swarm/swarm.ts';
import { Progress } from './progress.ts';

const HELP = `Usage: npm run swarm -- --master HOST[:PORT] [OPTION]...

Joins simulated minions to a master, and answers its jobs until Ctrl-C.

  --master HOST[:PORT]  the master's request port (default port: 4506)
  --count N             minions (default: 100)
  --prefix TEXT         before the number in each id (default: sim-)
  --payload BYTES       length of what functions other than test.ping and test.echo return (default: 300)
  --keys DIR            keep the shared key pairs here, so that the same ids may come back later
  --pki-dir DIR         put the keys into this pki_dir of a master on this host, which accepts them
  --filtering           subscribe as with zmq_filtering
  --transport NAME      zeromq, tcp or ws (default: zeromq)
  -h, --help            print this

Without --pki-dir the master needs auto_accept: True.
`;
const SHARED_KEYS = 4;
const REPORT_MS = 1000;

async function main(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv);
  if (options === undefined) {
    process.stdout.write(HELP);
    return 0;
  }
  const progress = new Progress();
  const keys = await swarmKeys(SHARED_KEYS, options.keysDir);
  if (options.pkiDir !== undefined) preseedKeys(options.pkiDir, options.prefix, options.count, keys);
  let errors = 0;
  const swarm = new Swarm({
    ...options,
    keys,
    onJoined: (joined) => {
      if (joined % 100 === 0 || joined === options.count)
        progress.step(`${joined} of ${options.count} have joined`);
    },
    onError: (id, error) => {
      if (++errors <= 10) process.stderr.write(`${swarmErrorText(id, error)}\n`);
    },
    clock: systemClock,
    random: systemRandom,
  });
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, resolve);
  });
  await Promise.race([swarm.join(), stopped]);
  const timer = setInterval(() => progress.step(describe(swarm)), REPORT_MS);
  await stopped;
  clearInterval(timer);
  swarm.close();
  progress.end();
  process.stdout.write(`${describe(swarm)}\n`);
  return 0;
}

function describe({ minions, counters }: Swarm): string {
  const { authentications, publications, returned, failed, refused, reconnects } = counters;
  return (
    `${minions.length} minions: ${authentications} authentications, ${publications} publications received, ` +
    `${returned} returns taken, ${failed} failed, ${refused} publications refused, ${reconnects} reconnects`
  );
}

function readOptions(argv: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      master: { type: 'string' },
      count: { type: 'string', default: '100' },
      prefix: { type: 'string', default: 'sim-' },
      payload: { type: 'string', default: '300' },
      keys: { type: 'string' },
      'pki-dir': { type: 'string' },
      filtering: { type: 'boolean', default: false },
      transport: { type: 'string', default: 'zeromq' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  if (values.master === undefined) throw new BrineError(`--master is missing.\n\n${HELP}`);
  return {
    master: parseMasterAddress(values.master, 4506),
    count: wholeNumber('--count', values.count),
    prefix: values.prefix,
    answer: simulatedAnswer(wholeNumber('--payload', values.payload)),
    keysDir: values.keys,
    pkiDir: values['pki-dir'],
    filtering: values.filtering,
    transport: values.transport,
  };
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new BrineError(`${name} takes a whole number from 1 on, not ${JSON.stringify(text)}.`);
  return value;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  },
);
