/**
 * `salt-minion --prove`: what a minion of this version needs works on this machine. It is asked before the version
 * takes the place of one that runs, beside that one, and changes nothing.
 */
import type { MinionOptions } from '../../config/minion-options.ts';
import { BrineError } from '../../errors/errors.ts';
import { systemClock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { systemRandom } from '../../host/random.ts';
import { collectGrains } from '../../plugins/grains/core/collect.ts';
import { requireConnectable } from '../../programs/minion/check-connection.ts';
import { authClient, loadMinionKey } from '../../programs/minion/keys.ts';
import { OwnModules, ownGrainsSource } from '../../programs/minion/own-modules.ts';
import { minionServices } from '../../programs/minion/services.ts';
import { MinionState } from '../../programs/minion/state.ts';
import { proveJobs } from '../../programs/minion/upgrade/prove-jobs.ts';
import { WorkerPool } from '../../programs/minion/worker-pool.ts';
import { RunningJobs } from '../../programs/minion/running-jobs.ts';
import type { MinionServices } from '../../runtime/loader/module.ts';
import { connectMaster } from '../call/master-link.ts';

/**
 * Asks a master to let this minion in, and runs a job in a process of its own.
 * @returns the exit code, 0
 * @throws BrineError that says what does not work
 */
export async function proveMinion(opts: MinionOptions, log: Logger, workerScript: string): Promise<number> {
  requireConnectable(opts);
  const [clock, random] = [systemClock, systemRandom];
  const own = new OwnModules(clock, log);
  const all = opts.toDict();
  const grains = await collectGrains({ opts: all, log, clock, custom: [ownGrainsSource(all, clock, log)] });
  const state = new MinionState(
    {
      ...{ opts, clock, log, random },
      custom: (context, kind, file) => own.custom(context, kind, file),
      installed: (name, context, kind) => own.installed(name, context, kind),
      onReload: () => own.forget(),
    },
    grains,
  );
  const services = noServices(state);
  const workers = new WorkerPool({ state, services, workerScript, own: () => own.findings });
  own.runIn(workers);
  try {
    if (opts.get('master_type') !== 'disable' && opts.raw('file_client') !== 'local')
      await askMaster(opts, state, log);
    const failure = await proveJobs(workers, { clock, random });
    if (failure !== undefined)
      throw new BrineError(`This minion cannot run jobs: ${failure}.`, { code: 'minion-not-proven' });
    return 0;
  } finally {
    workers.close();
  }
}

async function askMaster(opts: MinionOptions, state: MinionState, log: Logger): Promise<void> {
  const key = await loadMinionKey(opts);
  const context = { jid: '0', fun: 'test.ping', pub: new Map() };
  const link = await connectMaster({
    opts,
    call: (fun) =>
      state.context(context, noServices(state), new AbortController().signal).functions.call(fun),
    client: authClient(opts, key, state.grains, systemRandom),
    clock: systemClock,
    random: systemRandom,
    log,
    hasTimeout: true,
  });
  link.close();
}

/** A minion that serves nobody. */
function noServices(state: MinionState): MinionServices {
  return minionServices({
    state: () => state,
    running: () => new RunningJobs({ write: nothing, remove: nothing, read: nothing }, nothing),
    sides: () => [],
    fireLocal: undefined,
  });
}

function nothing(): undefined {
  return undefined;
}
