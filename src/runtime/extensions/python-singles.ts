/** A site's outputters and authentication systems in Python: what there is, and calling their functions. */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { PythonKind } from '../../network/ipc/contracts/python-host.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { LoadContext, ModuleSpec } from '../loader/module.ts';
import { callsNothing, templateCaller, type PythonTemplateFunctions } from '../python-host/callers.ts';
import { PythonModules } from '../python-host/python-modules.ts';
import { pythonFiles, type PythonFile } from './folder.ts';

const NO_PILLAR: Dict = new Map();

/** One of them. */
export interface PythonSingle {
  readonly module: ModuleSpec;
  /**
   * Calls a function with those of the values that it has parameters for.
   * @param opts what it sees as `__opts__`, instead of the options it was loaded with
   * @throws what the function raises; CommandExecutionError when it does not come back in time
   */
  call(fun: string, args: readonly Value[], named: Dict, opts?: Dict): Promise<Value>;
}

/** Those of a kind, with the process that they run in. */
export interface PythonSingles {
  readonly found: ReadonlyMap<string, PythonSingle>;
  close(): void;
}

/** What they work with. */
export interface PythonSinglesDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Behind `__salt__`; without them nothing can be called. */
  readonly functions?: PythonTemplateFunctions;
}

/**
 * Loads those of a kind, by the names they go by; what is wrong with a file is logged. Starts nothing when there is
 * none.
 */
export async function openPythonSingles(
  kind: PythonKind,
  context: Pick<LoadContext, 'opts' | 'grains'>,
  { clock, log, functions }: PythonSinglesDeps,
): Promise<PythonSingles> {
  const python = new PythonModules({ clock, log, files: pythonFiles });
  const found = new Map<string, PythonSingle>();
  const caller = functions === undefined ? callsNothing(log) : templateCaller(functions, log);
  const single = ({ file, path }: PythonFile, module: ModuleSpec): PythonSingle => ({
    module,
    call: (fun, args, named, opts = context.opts) => {
      const { params = {}, kwargs: others } = module.functions[fun] ?? {};
      const isWanted = (name: Value): boolean => others !== undefined || Object.hasOwn(params, String(name));
      const kwargs: Dict = new Map([...named].filter(([name]) => isWanted(name)));
      const around = { opts, grains: context.grains, pillar: NO_PILLAR };
      return python.call({ kind, file, path, fun, args, kwargs }, around, caller);
    },
  });
  for (const one of pythonFiles(context.opts, kind)) {
    const tried = await python.tryFile(kind, one, context);
    if ('module' in tried) found.set(tried.module.name, single(one, tried.module));
    else if ('broken' in tried) log.error(tried.broken);
  }
  return { found, close: () => python.close() };
}
