/** Knowing custom modules without running their code in this process. */
import type { Clock } from '../../host/clock.ts';
import type { FunctionSpec, LoadContext, ModuleSpec } from '../loader/module.ts';
import type { InstalledFile, InstalledKind } from '../python-host/installed-salt.ts';
import { PythonModules } from '../python-host/python-modules.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { updateDict } from '../../formats/data/dict-merge.ts';
import type { HostClient } from '../../network/ipc/contracts/extension-host.ts';
import type { PythonKind } from '../../network/ipc/contracts/python-host.ts';
import { triedOf, type Tried } from './description.ts';
import {
  extensionFiles,
  isPythonServed,
  pythonFiles,
  pythonReason,
  type PythonFile,
  type ExtensionFile,
  type ExtensionKind,
} from './folder.ts';
import { ExtensionHost } from './host-process.ts';
import { loadInstalled } from './installed-modules.ts';

/** What describing needs. */
export interface DescribeDeps extends LoadContext {
  readonly clock: Clock;
  /** Told what is wrong with a file, each time. */
  readonly report: (fault: string) => void;
  /** Runs what is in Python; default: a process for the questions alone. */
  readonly python?: PythonModules | undefined;
  /** The program of the process, when it is not beside this one. */
  readonly hostScript?: string | undefined;
}

/**
 * Loads the execution modules, or others with functions, in a process of their own and brings back what they are.
 * @param run calls a function of theirs, by its full name, where that harms nobody
 * @param which the kind; `file` names the only one to look at
 */
export async function describeModules(
  deps: DescribeDeps,
  run: (fun: string) => FunctionSpec['run'],
  {
    kind = 'modules',
    file: only,
  }: { readonly kind?: ExtensionKind; readonly file?: string | undefined } = {},
): Promise<Tried[]> {
  const files = extensionFiles(deps.opts, kind).filter(({ name }) => only === undefined || name === only);
  const inPython = pythonFiles(deps.opts, kind).filter(({ file }) => only === undefined || file === only);
  const tried: Tried[] = [];
  await eachFile(
    deps,
    files,
    (host, file) => host.tryModule(file),
    (described) => {
      const one = triedOf(described, run);
      tried.push(one);
      if ('broken' in one) deps.report(one.broken);
    },
  );
  await withPython(deps, inPython, async (python, { file, name, path }) => {
    if (!isPythonKind(kind)) return void tried.push({ file, name, broken: pythonReason(path) });
    const found = await python.tryFile(kind, { file, path }, deps);
    if ('module' in found)
      for (const known of [found.module.name, ...found.aliases])
        tried.push({ file, path, module: runElsewhere({ ...found.module, name: known }, run) });
    else if ('unavailable' in found) tried.push({ file, ...found });
    else {
      tried.push({ file, name, broken: found.broken });
      deps.report(found.broken);
    }
  });
  return tried;
}

/**
 * A file of an installed Salt, loaded in a process for that.
 * @param run calls a function of it. Throws what is wrong with it.
 */
export async function describeInstalled(
  { clock, ...context }: LoadContext & { readonly clock: Clock },
  kind: InstalledKind,
  file: InstalledFile,
  run: (fun: string) => FunctionSpec['run'],
): Promise<ModuleSpec> {
  const python = new PythonModules({ clock, files: pythonFiles });
  try {
    return runElsewhere(await loadInstalled(python, kind, file, context), run);
  } finally {
    python.close();
  }
}

/** Kinds of files in Python that have functions. */
function isPythonKind(kind: ExtensionKind): kind is PythonKind {
  return isPythonServed(kind) && kind !== 'grains' && kind !== 'utils';
}

function runElsewhere(module: ModuleSpec, run: (fun: string) => FunctionSpec['run']): ModuleSpec {
  const functions = Object.entries(module.functions).map(([fun, spec]): [string, FunctionSpec] => [
    fun,
    { ...spec, run: run(`${module.name}.${fun}`) },
  ]);
  return { ...module, functions: Object.fromEntries(functions) };
}

/** Asks about each file in Python; the process is the one handed in, or one for these questions. */
async function withPython(
  { python, clock }: DescribeDeps,
  files: readonly PythonFile[],
  ask: (python: PythonModules, file: PythonFile) => Promise<void>,
): Promise<void> {
  if (files.length === 0) return;
  const process = python ?? new PythonModules({ clock, files: pythonFiles });
  try {
    for (const file of files) await ask(process, file);
  } finally {
    if (python === undefined) process.close();
  }
}

/**
 * The custom grains, in the order of the files; `disable_grains` names files that are left out (salt/loader/lazy.py
 * `disabled`, 3006.16).
 * @param known what has been collected so far
 */
export async function ownGrains(deps: DescribeDeps, known: Dict): Promise<Dict> {
  const found: Dict = new Map();
  const isDeep = deps.opts.get('grains_deep_merge') === true;
  const disabled = deps.opts.get('disable_grains');
  const names: readonly Value[] = Array.isArray(disabled) ? disabled : [disabled ?? null];
  const files = extensionFiles(deps.opts, 'grains').filter(({ name }) => !names.includes(name));
  await eachFile(
    { ...deps, grains: known },
    files,
    (host, file) => host.grains(file),
    ({ grains, faults }) => {
      updateDict(found, grains, { recursive: isDeep });
      for (const fault of faults) deps.report(fault);
    },
  );
  const inPython = pythonFiles(deps.opts, 'grains').filter(({ file }) => !names.includes(file));
  await withPython(deps, inPython, async (python, file) => {
    const { grains, faults } = await python.grains(file, { ...deps, grains: known });
    updateDict(found, grains, { recursive: isDeep });
    for (const fault of faults) deps.report(fault);
  });
  return found;
}

/** What is asked about a file; with the grains when it was found to want them. */
export type FileQuestion = Parameters<HostClient['tryModule']>[0];

/**
 * Asks about each file; one that ends the process or does not come back is reported, and the others follow in a new
 * one.
 */
export async function eachFile<A extends { readonly kind: string }>(
  { opts, grains, clock, report, hostScript }: DescribeDeps,
  files: readonly ExtensionFile[],
  ask: (host: HostClient, file: FileQuestion) => Promise<A>,
  take: (answer: Exclude<A, NeedsGrains>) => void,
): Promise<void> {
  if (files.length === 0) return;
  const host = new ExtensionHost(clock, { script: hostScript });
  try {
    for (const { name, path } of files) {
      try {
        let answer = await ask(host.asks, { name, path, opts });
        // grains that are collected at the first look are collected now
        if (answer.kind === 'needs grains')
          answer = await ask(host.asks, { name, path, opts, grains: new Map(grains) });
        if (answer.kind !== 'needs grains') take(answer as Exclude<A, NeedsGrains>);
      } catch (error) {
        report(`${path} cannot be used: ${(error as Error).message}`);
      }
    }
  } finally {
    host.close();
  }
}

interface NeedsGrains {
  readonly kind: 'needs grains';
}
