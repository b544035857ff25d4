/**
 * Custom runners (`_runners`, `runner_dirs`) and wheel functions (`_wheel`): tried in another process first, then those
 * that are used are loaded in this one.
 */
import { hasExtensions } from '../../runtime/extensions/folder.ts';
import { systemClock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { FunctionSpec, ModuleSpec } from '../../runtime/loader/module.ts';
import type { MasterFunctionKind, RunnerModule, RunnerSpec } from '../../plugins/shared/runner/runner.ts';
import { dict, type Dict } from '../../python/values/value.ts';
import { asModuleContext } from './own-context.ts';

/** Custom functions of a kind, and those that cannot be used. */
export interface FoundFunctions {
  /** By name. */
  readonly modules: ReadonlyMap<string, RunnerModule>;
  /** Name to the reason. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Those that say themselves that they are not for this machine: name to the reason. */
  readonly unavailable: ReadonlyMap<string, string>;
}

/** Gives the custom functions of a kind. */
export type OwnFunctions = (kind: MasterFunctionKind) => Promise<FoundFunctions>;

/** The folders that they come from. */
const FOLDERS = { runner: 'runners', wheel: 'wheel' } as const;

const KERNELS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: 'Linux',
  darwin: 'Darwin',
  win32: 'Windows',
};

/**
 * Finds them once, when they are first asked for; nothing is read or started where there are none.
 * @param options `prints`: what functions in Python print goes to the standard output of this program, which somebody
 *   looks at
 */
export function ownFunctions(
  opts: Dict,
  log: Logger,
  options: { readonly prints?: boolean } = {},
): OwnFunctions {
  const found = new Map<MasterFunctionKind, Promise<FoundFunctions>>();
  return (kind) => {
    const known = found.get(kind) ?? load(kind, { opts, log, ...options });
    found.set(kind, known);
    return known;
  };
}

async function load(
  kind: MasterFunctionKind,
  { opts, log, prints = false }: { readonly opts: Dict; readonly log: Logger; readonly prints?: boolean },
): Promise<FoundFunctions> {
  const folder = FOLDERS[kind];
  if (!hasExtensions(opts, folder)) return { modules: new Map(), leftOut: new Map(), unavailable: new Map() };
  const [{ ExtensionsHere, knownModules }, { describeModules }] = await Promise.all([
    import('../../runtime/extensions/here.ts'),
    import('../../runtime/extensions/describe.ts'),
  ]);
  const context = { opts, grains: dict({ kernel: KERNELS[process.platform] ?? process.platform }) };
  const report = (fault: string): void => log.error(fault);
  const refuse = (fun: string) => (): never => {
    throw new Error(`${fun} is only described here`);
  };
  const here = new ExtensionsHere({ prints });
  const tried = await describeModules(
    { ...context, clock: systemClock, report, python: here.python },
    refuse,
    { kind: folder },
  );
  const modules = new Map<string, RunnerModule>();
  const leftOut = new Map<string, string>();
  const unavailable = new Map<string, string>();
  for (const custom of here.modules(knownModules(tried), context, folder)) {
    if ('unavailable' in custom) unavailable.set(custom.name, custom.unavailable);
    else if ('load' in custom) modules.set(custom.name, toRunners(kind, await custom.load()));
    else leftOut.set(custom.name, custom.broken);
  }
  return { modules, leftOut, unavailable };
}

function toRunners(kind: MasterFunctionKind, { name, doc, functions }: ModuleSpec): RunnerModule {
  const specs = Object.entries(functions).map(
    ([fun, spec]) => [fun, toRunner(kind, `${name}.${fun}`, spec)] as const,
  );
  return { name, doc, functions: Object.fromEntries(specs) };
}

function toRunner(kind: MasterFunctionKind, full: string, spec: FunctionSpec): RunnerSpec {
  const { doc, docstring, pythonName, params, varargs, kwargs, returns, examples } = spec;
  return {
    doc,
    returns,
    examples: examples ?? (kind === 'runner' ? [`salt-run ${full}`] : []),
    ...(docstring === undefined ? {} : { docstring }),
    ...(pythonName === undefined ? {} : { pythonName }),
    ...(params === undefined ? {} : { params }),
    ...(varargs === undefined ? {} : { varargs }),
    ...(kwargs === undefined ? {} : { kwargs }),
    run: (ctx, args, rest, keywords) => spec.run(asModuleContext(full, ctx), args, rest, keywords),
  };
}
