/**
 * The grains of `salt-call`. With a master they are needed at once, because they go with the request for the pillar.
 * With `--local` they are collected when a function looks at them for the first time: ahead of the call where the
 * function is known to, else by a program of their own that the call waits for.
 */
import { spawnSync } from 'node:child_process';
import { cachedGrains } from '../../plugins/grains/core/cache.ts';
import { collectGrains } from '../../plugins/grains/core/collect.ts';
import { systemClock } from '../../host/clock.ts';
import { createLogger, silentLogger, type Logger } from '../../host/log.ts';
import { ownGrainsSource } from '../../programs/minion/own-modules.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { LateDict } from './late-dict.ts';

/** Modules whose functions look at grains as a rule. */
const READERS: ReadonlySet<string> = new Set([
  'config',
  'grains',
  'match',
  'pillar',
  'pkg',
  'service',
  'state',
]);
/** All grains, encoded. */
const GRAINS_BYTES_MAX = 64 * 1024 * 1024;

/** What the grains are collected with. */
export interface CallerGrainsDeps {
  readonly opts: Dict;
  readonly log: Logger;
  /** The program that collects grains apart, see {@link collectApart}. */
  readonly grainsScript: string;
}

/** The grains by the options (`grains_cache`, `--skip-grains`, `--refresh-grains-cache`). */
export function grainsNow({ opts, log }: Omit<CallerGrainsDeps, 'grainsScript'>): Promise<Dict> {
  const clock = systemClock;
  const custom = [ownGrainsSource(opts, clock, log)];
  return cachedGrains({ opts, clock, log }, () => collectGrains({ opts, log, clock, custom }));
}

/** The grains of a call without a master: collected now for a function that reads them, else at the first look. */
export function grainsWhenNeeded(deps: CallerGrainsDeps, fun: string): Promise<Dict> {
  const isReader = READERS.has(fun.split('.')[0] as string);
  return isReader ? grainsNow(deps) : Promise.resolve(new LateDict(() => collectApart(deps)));
}

/** Collects in another process, because only that can be waited for in the middle of a function. */
function collectApart({ opts, log, grainsScript }: CallerGrainsDeps): Dict {
  const { stdout, error, status } = spawnSync(process.execPath, [grainsScript], {
    input: encode(opts, 'local'),
    maxBuffer: GRAINS_BYTES_MAX,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (error === undefined && status === 0) {
    const grains = decode(stdout, 'local');
    if (isDict(grains)) return grains;
  }
  log.error('The grains could not be collected; the function sees none.', error);
  return new Map();
}

/** The program that {@link collectApart} runs: options on standard input, grains on standard output. */
export async function serveGrains(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  const opts = decode(Buffer.concat(chunks), 'local');
  if (!isDict(opts)) throw new Error('no options on standard input');
  const stderr = createLogger('salt.loaded.int.grains', [
    {
      level: 30,
      write: ({ level, message }) => process.stderr.write(`[${level.toUpperCase().padEnd(8)}] ${message}\n`),
    },
  ]);
  const log = opts.get('log_level') === 'quiet' ? silentLogger : stderr;
  const bytes = encode(await grainsNow({ opts, log }), 'local');
  await new Promise<void>((resolve) => output.write(bytes, () => resolve()));
}
