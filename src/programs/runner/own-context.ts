/**
 * What custom functions of the master see: other functions of the master where those of a minion see execution
 * functions.
 */
import { BrineError } from '../../errors/errors.ts';
import { checkedCall } from '../../runtime/loader/built-in-calls.ts';
import type { FunctionCaller, FunctionSpec, ModuleContext, ModuleSpec } from '../../runtime/loader/module.ts';
import { RunnerRefusal, type RunnerContext, type RunnerModule } from '../../plugins/shared/runner/runner.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

/** A runner's context in the form that custom functions know. @param full name of the function that runs */
export function asModuleContext(full: string, ctx: RunnerContext): ModuleContext {
  return {
    id: ctx.id,
    opts: ctx.settings,
    grains: new Map(),
    pillar: new Map(),
    job: { jid: ctx.jid, fun: full, pub: new Map() },
    signal: ctx.signal,
    functions: runnersOf(ctx),
    services: {
      fireLocal: (tag, data) => ctx.fire(tag, data),
      fireMaster: async (tag, data) => isDict(data) && ctx.fire(tag, data),
      runningJobs: nothing,
      signalJob: nothing,
      refresh: nothing,
      request: nothing,
    },
    clock: ctx.clock,
    random: ctx.random,
    log: ctx.log,
    get retcode() {
      return ctx.retcode();
    },
    fireJobEvent: async (suffix, data) => {
      if (suffix === 'progress') return ctx.progress(data);
      await ctx.fire(`salt/run/${ctx.jid}/${suffix}`, data);
    },
    setRetcode: (code) => ctx.setRetcode(code),
  };
}

function nothing(): Promise<never> {
  return Promise.reject(new BrineError('There is no minion here: this is a function of the master.'));
}

/** The runners. Modules are read when a function is asked about. */
function runnersOf(ctx: RunnerContext): FunctionCaller {
  const named = async (name: string): Promise<ModuleSpec | undefined> => {
    const module = (await ctx.modules()).get(name);
    return module === undefined ? undefined : asModule(module, ctx);
  };
  return {
    call: checkedCall((fun, args, kwargs) => callRunner(ctx, fun, args, kwargs)),
    callExactly: (fun, args, kwargs) => callRunner(ctx, fun, args, kwargs),
    async has(fun) {
      return (await this.find(fun)).spec !== undefined;
    },
    find: async (fun) => {
      const [name = '', short = ''] = fun.split('.');
      const module = await named(name);
      const spec = Object.hasOwn(module?.functions ?? {}, short) ? module?.functions[short] : undefined;
      return module === undefined || spec === undefined
        ? { missing: `'${fun}' is not available.` }
        : { module, spec };
    },
    module: named,
    modules: async () =>
      new Map([...(await ctx.modules())].map(([name, module]) => [name, asModule(module, ctx)])),
    notLoaded: () => Promise.resolve([]),
    catalog: () => Promise.resolve(new Map()),
    states: nothing,
    within() {
      return this;
    },
  };
}

/** Of a function that is not there, `salt.cmd` gives the sentence that says so (salt/runners/salt.py, 3006.16). */
async function callRunner(
  ctx: RunnerContext,
  fun: string,
  args?: readonly Value[],
  kwargs?: Dict,
): Promise<Value> {
  try {
    return await ctx.call(fun, args, kwargs);
  } catch (error) {
    if (fun === 'salt.cmd' && error instanceof RunnerRefusal) return error.message;
    throw error;
  }
}

function asModule(module: RunnerModule, ctx: RunnerContext): ModuleSpec {
  const functions = Object.entries(module.functions).map(([short, spec]): [string, FunctionSpec] => [
    short,
    { ...spec, run: (_, args, rest, kwargs) => spec.run(ctx, args, rest, kwargs) },
  ]);
  return { ...module, file: module.name, functions: Object.fromEntries(functions) };
}
