/** What code in Python may ask of the program while it runs: the functions behind `__salt__` and its like. */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import type { CalledKind } from '../../network/ipc/contracts/python-host.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { FunctionSpec, ModuleContext } from '../loader/module.ts';

/** On whose behalf something runs in Python. */
export interface Caller {
  readonly log: Logger;
  /** The function; true where it is there and not described. */
  find(kind: CalledKind, fun: string): Promise<FunctionSpec | boolean>;
  /** The full names of all functions. */
  names(kind: CalledKind): Promise<string[]>;
  /** @throws what the function throws; CommandExecutionError for a kind that cannot be called */
  call(kind: CalledKind, fun: string, args: readonly Value[], kwargs: Dict): Promise<Value>;
  /** Fires an event of the job, whose tag ends in the suffix; absent where there is none. */
  event?(suffix: string, data: Dict): Promise<void>;
}

/** The functions that a template may call. */
export interface TemplateFunctions {
  has(name: string): boolean | Promise<boolean>;
  /** The function itself, which code in Python calls with the very values where it is in Python, too. */
  find?(name: string): Promise<object | undefined>;
  names?(): Promise<string[]>;
  call(name: string, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): Promise<Value> | Value;
}

/** A function of a job: it calls those of its context. */
export function jobCaller(ctx: ModuleContext): Caller {
  const source = async (
    kind: CalledKind,
  ): Promise<Pick<ModuleContext['functions'], 'find' | 'module' | 'modules'> | undefined> => {
    if (kind === 'modules') return ctx.functions;
    return kind === 'states' ? ctx.functions.states() : undefined;
  };
  return {
    log: ctx.log,
    find: async (kind, fun) => {
      const functions = await source(kind);
      // a name that ends in a dot is that of a module
      if (fun.endsWith('.')) return (await functions?.module(fun.slice(0, -1))) !== undefined;
      return (await functions?.find(fun))?.spec ?? false;
    },
    names: async (kind) => {
      const modules = (await (await source(kind))?.modules()) ?? new Map<string, never>();
      return [...modules.values()].flatMap(({ name, functions }) =>
        Object.keys(functions).map((fun) => `${name}.${fun}`),
      );
    },
    call: async (kind, fun, args, kwargs) => {
      if (kind === 'modules') return ctx.functions.call(fun, args, kwargs);
      if (kind === 'states' && ctx.state !== undefined) return ctx.state.call(fun, kwargs, args);
      throw notFromHere(fun);
    },
    event: async (suffix, data) => {
      if (ctx.fireJobEvent !== undefined) return ctx.fireJobEvent(suffix, data);
      await ctx.services.fireMaster(`salt/job/${ctx.job.jid}/${suffix}`, data);
    },
  };
}

/** A file that is rendered: it calls execution functions. */
export function templateCaller(functions: TemplateFunctions, log: Logger): Caller {
  const find = async (fun: string): Promise<FunctionSpec | boolean> =>
    functions.find === undefined
      ? functions.has(fun)
      : (((await functions.find(fun)) as FunctionSpec | undefined) ?? false);
  return {
    log,
    find: async (kind, fun) => kind === 'modules' && (fun.endsWith('.') || find(fun)),
    names: async () => {
      if (functions.names !== undefined) return functions.names();
      throw new CommandExecutionError('functions cannot be listed from here; name the one you need');
    },
    call: async (kind, fun, args, kwargs) => {
      if (kind !== 'modules') throw notFromHere(fun);
      return functions.call(fun, args, new Map([...kwargs].map(([name, value]) => [String(name), value])));
    },
  };
}

/** Something that has no `__salt__`. */
export function callsNothing(log: Logger): Caller {
  return {
    log,
    find: () => Promise.resolve(false),
    names: () => Promise.resolve([]),
    call: (_, fun) => Promise.reject(notFromHere(fun)),
  };
}

function notFromHere(fun: string): CommandExecutionError {
  return new CommandExecutionError(`${fun} cannot be called from here.`);
}
