/** Runs of functions of the master in this process, on a master's folder, without a master. */
import { join } from 'node:path';
import { runSaltRun } from '../../src/cli/run/salt-run.ts';
import { toJson } from '../../src/formats/json/text.ts';
import { loadMasterConfig } from '../../src/config/load.ts';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { systemRandom } from '../../src/host/random.ts';
import type { MasterCall } from '../../src/plugins/shared/runner/runner.ts';
import { ownFunctions } from '../../src/programs/runner/own-functions.ts';
import { openRunnerContext } from '../../src/programs/runner/runner-context.ts';
import { dict, type Dict, type Value } from '../../src/python/values/value.ts';
import { recordedIo } from './command-io.ts';
import { filesAfter, type MasterFunctionCase, type MasterFunctionOutcome } from './master-function-cases.ts';

/** What a run is, besides its function. */
export type CallWords = Partial<Pick<MasterCall, 'arg' | 'kwarg' | 'user'>>;

/**
 * Runs a function as a job of its own.
 * @param configDir the folder of the file `master`.
 * @returns what its `ret` event says
 */
export async function runMasterFunctionOn(
  configDir: string,
  kind: MasterCall['kind'],
  fun: string,
  { arg = [], kwarg = new Map<Value, Value>(), user = 'UNKNOWN' }: CallWords = {},
): Promise<Dict> {
  const opts = loadMasterConfig({ configDir, env: {}, log: silentLogger });
  const context = openRunnerContext({
    opts,
    settings: opts.toDict(),
    jid: '20260101000000000000',
    user,
    env: {},
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    signal: new AbortController().signal,
    print: () => undefined,
    show: () => Promise.resolve(),
    own: ownFunctions(opts.toDict(), silentLogger),
  });
  try {
    return await context.run({ kind, fun, arg, kwarg });
  } finally {
    await context.close();
  }
}

/** What ours does in a recorded call, on the folder. */
export async function outcomeOfOurs(root: string, call: MasterFunctionCase): Promise<MasterFunctionOutcome> {
  const filled = JSON.parse(JSON.stringify(call).replaceAll('ROOT', root)) as MasterFunctionCase;
  if ('run' in filled) {
    const io = recordedIo('');
    const code = await runSaltRun(['-c', join(root, 'etc'), '--exit-codes=salt', ...filled.run], io);
    return { stdout: io.written.stdout, code };
  }
  const words = {
    arg: (filled.arg ?? []).map((item) => fromPlain(item)),
    kwarg: fromPlain(filled.kwarg ?? {}) as Dict,
  };
  const plain = (data: Dict): MasterFunctionOutcome => ({
    return: JSON.parse(toJson(data.get('return') ?? null)) as unknown,
    success: data.get('success') === true,
    files: filesAfter(root),
  });
  try {
    return plain(await runMasterFunctionOn(join(root, 'etc'), 'wheel', filled.wheel, words));
  } catch (error) {
    return plain(
      dict({ return: `raised ${(error as Error).name}: ${(error as Error).message}`, success: false }),
    );
  }
}

/** Plain data of a recording as values. */
export function fromPlain(value: unknown): Value {
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value !== 'object' || value === null) return value as Value;
  return new Map(Object.entries(value).map(([key, item]) => [key, fromPlain(item)]));
}
