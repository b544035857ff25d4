/** Runs of functions of the master in this process, on a master's folder, without a master. */
import { loadMasterConfig } from '../../src/config/load.ts';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { systemRandom } from '../../src/host/random.ts';
import type { MasterCall } from '../../src/plugins/runners/runner.ts';
import { ownFunctions } from '../../src/programs/runner/own-functions.ts';
import { openRunnerContext } from '../../src/programs/runner/runner-context.ts';
import type { Dict, Value } from '../../src/python/values/value.ts';

/** What a run is, besides its function. */
export type CallWords = Partial<Pick<MasterCall, 'arg' | 'kwarg' | 'user'>>;

/** Runs a function as a job of its own. @param configDir the folder of the file `master`. @returns what its `ret` event says */
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
