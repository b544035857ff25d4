/**
 * Custom modules in a minion: their code never runs in the minion's own process. What they are is found out in a
 * process for that, and their functions run in worker processes, also when a function inside the minion calls them.
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import { describeInstalled, describeModules, ownGrains } from '../../runtime/extensions/describe.ts';
import { InstalledModules } from '../../runtime/extensions/installed-modules.ts';
import { findingsVersion, knownModules, type Findings } from '../../runtime/extensions/here.ts';
import type { GrainsSource } from '../../plugins/grains/core/collect.ts';
import { isPython } from '../../runtime/extensions/folder.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import { executionModules } from '../../plugins/registry/module/on-demand.ts';
import type { Logger } from '../../host/log.ts';
import type { FunctionSpec, LoadFunctions, ModuleContext } from '../../runtime/loader/module.ts';
import { ModuleRegistry, type CustomModule } from '../../runtime/loader/registry.ts';
import { toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { readJob } from './job.ts';
import type { BoundCall } from '../../network/ipc/contracts/job-worker.ts';
import { errorNamed } from './bound-call.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Kinds of modules whose functions run in worker processes. */
type OwnKind = BoundCall['kind'];

/** Faults that are remembered as told. */
const FAULTS_MAX = 1000;

/** Finds out what custom modules offer and calls their functions in worker processes. */
export class OwnModules {
  readonly #clock: Clock;
  readonly #log: Logger;
  #workers: WorkerPool | undefined;
  readonly #reported = new BoundedMap<string, true>(FAULTS_MAX);
  readonly #findings = new Map<OwnKind, Findings>();
  readonly #installed: InstalledModules;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
    this.#installed = new InstalledModules((of, file, within) =>
      describeInstalled({ ...within, clock }, of, file, (fun) => this.#runner(fun, of)),
    );
  }

  /** The workers that functions run in, once there are some. */
  runIn(workers: WorkerPool): void {
    this.#workers = workers;
  }

  /** Execution modules, states or returners, for the loader: all, or those of the file of a name. */
  async custom(
    context: { readonly opts: Dict; readonly grains: Dict },
    kind: OwnKind,
    file?: string,
  ): Promise<readonly CustomModule[]> {
    const parts = { ...context, clock: this.#clock, report: (fault: string) => this.#report(fault) };
    const which = { kind, file };
    const version = findingsVersion(context.opts, kind);
    const tried = await describeModules(parts, (fun) => this.#runner(fun, kind), which);
    if (file === undefined) this.#findings.set(kind, { known: knownModules(tried), version });
    return tried.map((one): CustomModule => {
      if ('broken' in one) return { ...one, name: one.name ?? one.file };
      if ('unavailable' in one) return one;
      const { file, path, module } = one;
      return { file, name: module.name, load: () => Promise.resolve(module), isPython: isPython(path) };
    });
  }

  /** Modules of an installed Salt: described by a process for each question, run in worker processes. */
  installed(
    name: string,
    context: { readonly opts: Dict; readonly grains: Dict },
    kind: OwnKind,
  ): Promise<readonly CustomModule[]> {
    return this.#installed.named(name, context, kind);
  }

  /** Throws UnservedOptionError when `salt_python` is set and no Salt can be imported. */
  refuseWithoutSalt(opts: Dict): Promise<void> {
    return this.#installed.refuse(opts);
  }

  /** What workers need to know in order to load the modules themselves, by kind. */
  get findings(): ReadonlyMap<OwnKind, Findings> {
    return this.#findings;
  }

  /** What was found out so far need not hold any longer: modules are to be loaded anew, or grains are others. */
  forget(): void {
    this.#findings.clear();
  }

  /** Each fault is told once, until the file is another. */
  #report(fault: string): void {
    if (this.#reported.get(fault) !== undefined) return;
    this.#reported.set(fault, true);
    this.#log.error(fault);
  }

  #runner(fun: string, kind: OwnKind): FunctionSpec['run'] {
    return (ctx, args, rest, kwargs) => {
      const state = ctx.state === undefined ? {} : { state: ctx.state };
      const bound = { kind, fun, args: new Map(Object.entries(args)), rest, kwargs, ...state };
      return this.#run(bound, ctx);
    };
  }

  async #run(bound: BoundCall, ctx: ModuleContext): Promise<Value> {
    const { fun } = bound;
    const pub: Dict = new Map<Value, Value>([
      ...ctx.job.pub,
      ['jid', ctx.job.jid],
      ['fun', fun],
      ['arg', []],
      ['tgt', ctx.id],
    ]);
    const job = readJob(pub);
    if (this.#workers === undefined || job === undefined)
      throw new CommandExecutionError(`${fun} cannot run yet: the minion is starting.`);
    const result = await this.#workers.run(job, {
      started: (_pid, signal) =>
        ctx.signal.addEventListener('abort', () => signal(Number(ctx.signal.reason) || 15), { once: true }),
      isAborted: () => ctx.signal.aborted,
      call: bound,
    });
    if (result.success === false) throw errorNamed(result.out ?? '', String(result.return));
    ctx.setRetcode(toNumber(result.retcode) ?? 0);
    return result.return;
  }
}

/** The custom grains, for a collection. */
export function ownGrainsSource(opts: Dict, clock: Clock, log: Logger): GrainsSource {
  const report = (fault: string): void => log.error(fault);
  return {
    name: '_grains',
    run: (grains) => {
      const functions = functionsForGrains({ opts, grains, clock, log });
      return ownGrains({ opts, grains, clock, report, functions }, grains);
    },
  };
}

/**
 * What files of grains reach by `salt.modules`, as Salt's own modules import without a loader: the functions of this
 * program.
 */
function functionsForGrains(deps: {
  readonly opts: Dict;
  readonly grains: Dict;
  readonly clock: Clock;
  readonly log: Logger;
}): LoadFunctions {
  let opened: Promise<LoadFunctions> | undefined;
  const open = async (): Promise<LoadFunctions> => {
    const { opts, grains, clock, log } = deps;
    const table = await executionModules();
    const parts = { clock, random: systemRandom, log };
    return new ModuleRegistry({ opts, grains, table, parts }).functionsWithoutJob();
  };
  return {
    find: async (fun) => (await (opened ??= open())).find(fun),
    call: async (fun, args, kwargs) => {
      const { call } = await (opened ??= open());
      if (call === undefined) throw new CommandExecutionError(`${fun} cannot be called here.`);
      return call(fun, args, kwargs);
    },
  };
}
