/** What code in Python may ask of the program while it runs: the functions behind `__salt__` and its like. */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import type { CalledKind } from '../../network/ipc/contracts/python-host.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { FunctionSpec, ModuleContext } from '../loader/module.ts';

/** On whose behalf something runs in Python. */
export interface PythonCaller {
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
export interface PythonTemplateFunctions {
  has(name: string): boolean | Promise<boolean>;
  /** The function itself, which code in Python calls with the very values where it is in Python, too. */
  find?(name: string): Promise<object | undefined>;
  names?(): Promise<string[]>;
  states?(): Promise<StateModules>;
  call(name: string, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): Promise<Value> | Value;
}

/** The state modules that a file which makes states may name. */
interface StateModules {
  find(fun: string): Promise<{ readonly spec?: object | undefined }>;
  module(name: string): Promise<object | undefined>;
  modules(): Promise<ReadonlyMap<string, { readonly name: string; readonly functions: object }>>;
}

/** The run of the state compiler that a file is rendered in. */
interface StateCompilation {
  readonly name: string;
  include(
    saltenv: string,
    sls: string,
  ): Promise<{ readonly sls: string; readonly errors: readonly string[] }>;
}

/** A function of a job: it calls those of its context. */
export function jobCaller(ctx: ModuleContext): PythonCaller {
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
    names: async (kind) => namesIn((await (await source(kind))?.modules()) ?? new Map<string, never>()),
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

/**
 * A file that is rendered: it calls execution functions, and may name states.
 * @param compilation of a file of states
 */
export function templateCaller(
  functions: PythonTemplateFunctions,
  log: Logger,
  compilation?: StateCompilation,
): PythonCaller {
  const find = async (fun: string): Promise<FunctionSpec | boolean> =>
    functions.find === undefined
      ? functions.has(fun)
      : (((await functions.find(fun)) as FunctionSpec | undefined) ?? false);
  return {
    log,
    find: async (kind, fun) => {
      if (kind === 'states') return hasState(await functions.states?.(), fun);
      return kind === 'modules' && (fun.endsWith('.') || find(fun));
    },
    names: async (kind) => {
      if (kind === 'states')
        return namesIn((await (await functions.states?.())?.modules()) ?? new Map<string, never>());
      if (functions.names !== undefined) return functions.names();
      throw new CommandExecutionError('functions cannot be listed from here; name the one you need');
    },
    call: async (kind, fun, args, kwargs) => {
      if (kind === 'compiler') return askCompiler(compilation, fun, args);
      if (kind !== 'modules') throw notFromHere(fun);
      return functions.call(fun, args, new Map([...kwargs].map(([name, value]) => [String(name), value])));
    },
  };
}

function namesIn(modules: Awaited<ReturnType<StateModules['modules']>>): string[] {
  return [...modules.values()].flatMap(({ name, functions }) =>
    Object.keys(functions).map((fun) => `${name}.${fun}`),
  );
}

async function hasState(states: StateModules | undefined, fun: string): Promise<boolean> {
  if (states === undefined) return false;
  if (fun.endsWith('.')) return (await states.module(fun.slice(0, -1))) !== undefined;
  return (await states.find(fun)).spec !== undefined;
}

/** What a renderer asks of the state compiler: which run of it this is, and to have another SLS rendered. */
async function askCompiler(
  compilation: StateCompilation | undefined,
  fun: string,
  [saltenv = null, sls = null]: readonly Value[],
): Promise<Value> {
  if (fun === 'name') return compilation?.name ?? null;
  if (compilation === undefined || fun !== 'include') throw notFromHere(fun);
  const included = await compilation.include(pyStr(saltenv), pyStr(sls));
  return [included.sls, [...included.errors]];
}

/** Something that has no `__salt__`. */
export function callsNothing(log: Logger): PythonCaller {
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
