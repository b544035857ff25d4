/**
 * Engines in Python (salt/engines/__init__.py, 3006.16): `start` runs in a process of its own beside that of the
 * engine, without a limit of time.
 */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';
import { pythonFiles, type PythonFile } from '../../runtime/extensions/folder.ts';
import type { FunctionSpec } from '../../runtime/loader/module.ts';
import { jobCaller, type PythonCaller } from '../../runtime/python-host/callers.ts';
import { PythonModules } from '../../runtime/python-host/python-modules.ts';
import { EngineRefusal, type EngineContext, type EngineSpec } from '../../plugins/shared/engine/engine.ts';

/** The engine of a file; it is loaded when it is started. */
export function pythonEngine(file: PythonFile): EngineSpec {
  return {
    name: file.name,
    doc: '',
    start: (ctx, options) => startPython(file, ctx, new Map(Object.entries(options))),
  };
}

async function startPython(
  file: PythonFile,
  ctx: EngineContext,
  options: ReadonlyMap<string, Value>,
): Promise<void> {
  const { opts, grains, clock, log, signal } = ctx;
  const python = new PythonModules({ clock, log, files: pythonFiles });
  const end = (): void => python.close();
  signal.addEventListener('abort', end, { once: true });
  try {
    const tried = await python.tryFile('engines', file, { opts, grains });
    if ('broken' in tried) throw new EngineRefusal(tried.broken);
    if ('unavailable' in tried) throw new EngineRefusal(tried.unavailable);
    const start = tried.module.functions['start'];
    if (start === undefined) throw new EngineRefusal(`${file.path} has no function start`);
    refuseOptions(start, [...options.keys()]);
    const call = {
      ...({ kind: 'engines', ...file, fun: 'start', args: [], kwargs: new Map(options) } as const),
      isUnlimited: true,
    };
    await python.call(call, ctx, await engineCaller(ctx));
  } catch (error) {
    if (!signal.aborted) throw error instanceof PythonError ? withTrace(error) : error;
  } finally {
    signal.removeEventListener('abort', end);
    python.close();
  }
}

/** @throws EngineRefusal naming an option that `start` does not take, or one that it wants */
function refuseOptions({ params = {}, kwargs }: FunctionSpec, given: readonly string[]): void {
  const known = Object.keys(params);
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined && kwargs === undefined)
    throw new EngineRefusal(`it has no option ${unknown}.${didYouMean(unknown, known)}`);
  const missing = known.find((name) => params[name]?.default === undefined && !given.includes(name));
  if (missing !== undefined) throw new EngineRefusal(`it needs the option ${missing}`);
}

function withTrace(error: PythonError): Error {
  return new Error(error.trace ?? `${error.type}: ${pyStr(error.message)}`, { cause: error });
}

/** What `__salt__` and `__runners__` of an engine are. */
async function engineCaller(ctx: EngineContext): Promise<PythonCaller> {
  const functions = jobCaller(await ctx.functions());
  const { master } = ctx;
  if (master === undefined) return functions;
  return {
    log: ctx.log,
    find: async (kind, fun) => (kind === 'runners' ? master.hasRunner(fun) : functions.find(kind, fun)),
    names: (kind) =>
      kind === 'runners'
        ? Promise.reject(new CommandExecutionError('an engine cannot list runners; name the one you need'))
        : functions.names(kind),
    call: (kind, fun, args, kwargs) =>
      kind === 'runners' ? master.runner(fun, args, kwargs) : functions.call(kind, fun, args, kwargs),
  };
}
