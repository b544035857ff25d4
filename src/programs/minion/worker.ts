/** A minion's worker process: runs the jobs it is handed, one at a time, until its minion lets it go. */
import { Socket } from 'node:net';
import { minionOptions } from '../../config/minion-options.ts';
import { Options } from '../../config/option.ts';
import { dropAllocatorSettings } from '../../host/allocator.ts';
import { handleDebugSignals } from '../daemon/debug-signals.ts';
import { daemonLogging } from '../daemon/logging.ts';
import { ExtensionsHere } from '../../runtime/extensions/here.ts';
import { systemClock } from '../../host/clock.ts';
import { releaseMemoryAtRest } from '../../host/idle-memory.ts';
import { systemRandom } from '../../host/random.ts';
import { handlersOf, type Handlers } from '../../network/ipc/contract.ts';
import { jobWorker, type BoundCall } from '../../network/ipc/contracts/job-worker.ts';
import { RpcPeer } from '../../network/ipc/rpc.ts';
import type { FunctionSource, ModuleContext } from '../../runtime/loader/module.ts';
import { runCall } from './bound-call.ts';
import { readJob, type JobResult } from './job.ts';
import { runFunctions } from './job-runner.ts';
import { failedJob } from './job-failures.ts';
import { remoteServices } from './remote-services.ts';
import { MinionState } from './state.ts';
import { workerModules } from './worker-modules.ts';

/** The minion is at the other end of this descriptor. */
const LINK_FD = 3;

/** Runs this process as a worker. */
export function runMinionWorker(): void {
  dropAllocatorSettings(process.env);
  process.title = (process.argv[2] ?? 'salt-minion worker').trim();
  handleDebugSignals({ clock: systemClock, log: () => undefined });
  const extensions = new ExtensionsHere();
  const rpc: RpcPeer = new RpcPeer(new Socket({ fd: LINK_FD, readable: true, writable: true }), {
    ...handlersOf(jobWorker, { run: (order) => runAtRest(() => runOrder(order, rpc, extensions)) }),
    closed: () => process.exit(0),
  });
}

/**
 * A job that waits for long, as for a package manager, gives back what it needed before. Between jobs a worker ends
 * soon.
 */
async function runAtRest(run: () => Promise<JobResult>): Promise<JobResult> {
  const releasing = releaseMemoryAtRest(systemClock);
  try {
    return await run();
  } finally {
    releasing.cancel();
  }
}

type Order = Parameters<Handlers<typeof jobWorker>['run']>[0];

async function runOrder(
  { opts, grains, pillar, pub, own, call }: Order,
  rpc: RpcPeer,
  extensions: ExtensionsHere,
): Promise<JobResult> {
  const options = new Options(minionOptions, opts);
  const logging = daemonLogging(options, {
    name: 'salt.minion',
    daemon: false,
    fileOption: 'log_file',
    isPart: true,
  });
  const state = new MinionState(
    {
      opts: options,
      clock: systemClock,
      random: systemRandom,
      log: logging.logger,
      custom: workerModules(extensions, own, { clock: systemClock, log: logging.logger }),
      python: () => extensions.python,
      installed: (name, context, kind) => extensions.installed(name, context, kind),
    },
    grains,
  );
  state.pillar = pillar;
  const job = readJob(pub);
  if (job === undefined) throw new Error('not a job');
  const context = state.context(
    { jid: job.jid, fun: job.funs[0] as string, pub },
    remoteServices(rpc),
    new AbortController().signal,
  );
  const result = call === undefined ? await runFunctions(job, context) : await runBound(call, state, context);
  logging.close();
  return result;
}

async function runBound(call: BoundCall, state: MinionState, context: ModuleContext): Promise<JobResult> {
  const { spec, missing } = await (await modulesOf(call, state)).find(call.fun);
  if (spec === undefined) return failedJob(missing);
  if (call.state === undefined) return runCall(spec, call, context);
  const { stateContext } = await import('../../runtime/state/state-context.ts');
  const states = await context.functions.states();
  return runCall(spec, call, stateContext(context, states, call.state));
}

function modulesOf({ kind }: BoundCall, state: MinionState): FunctionSource | Promise<FunctionSource> {
  if (kind === 'returners') return state.returners();
  return kind === 'states' ? state.registry.states() : state.registry;
}
