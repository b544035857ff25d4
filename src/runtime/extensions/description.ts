/** Modules as data, so that one process can know the modules that another has loaded. */
import type { TriedFile } from '../../network/ipc/contracts/extension-host.ts';
import type { FunctionSpec, ModuleSpec } from '../loader/module.ts';
import { dict } from '../../python/values/value.ts';

/** A file after it was tried. */
export type Tried =
  | { readonly file: string; readonly path: string; readonly module: ModuleSpec }
  /** It can be used, but not here. */
  | { readonly file: string; readonly name: string; readonly unavailable: string }
  /** It cannot be loaded; the name is that of the file where it is not known. */
  | { readonly file: string; readonly name?: string; readonly broken: string };

type Described = Exclude<TriedFile, { readonly kind: 'needs grains' }>;
type DescribedFunction =
  Extract<TriedFile, { readonly kind: 'module' }>['functions'] extends ReadonlyMap<string, infer F>
    ? F
    : never;

/** What was found out about a file, for another process; functions lose their bodies. */
export function describeTried(tried: Tried): Described {
  const { file } = tried;
  if ('broken' in tried) return { kind: 'broken', file, reason: tried.broken };
  if ('unavailable' in tried)
    return { kind: 'unavailable', file, name: tried.name, reason: tried.unavailable };
  const { name, doc, functions } = tried.module;
  const described = Object.entries(functions).map(([fun, spec]) => [fun, describeFunction(spec)] as const);
  return { kind: 'module', file, path: tried.path, name, doc, functions: new Map(described) };
}

function describeFunction({
  doc,
  returns,
  varargs,
  kwargs,
  outputter,
  params,
  examples,
}: FunctionSpec): DescribedFunction {
  const said = Object.entries(params ?? {}).map(
    ([name, { read: _, ...param }]) => [name, dict(param)] as const,
  );
  return {
    doc,
    returns,
    params: new Map(said),
    ...(varargs === undefined ? {} : { varargs }),
    ...(kwargs === undefined ? {} : { kwargs }),
    ...(outputter === undefined ? {} : { outputter }),
    ...(examples === undefined ? {} : { examples }),
  };
}

/**
 * What {@link describeTried} has described.
 * @param run calls a function where it is loaded
 */
export function triedOf(described: Described, run: (fun: string) => FunctionSpec['run']): Tried {
  const { file } = described;
  if (described.kind === 'broken') return { file, broken: described.reason };
  if (described.kind === 'unavailable') return { file, name: described.name, unavailable: described.reason };
  const { name, path, doc } = described;
  const functions = [...described.functions].map(([fun, { params, ...said }]): [string, FunctionSpec] => [
    fun,
    {
      ...said,
      params: Object.fromEntries([...params].map(([param, about]) => [param, Object.fromEntries(about)])),
      isolation: 'process',
      run: run(`${name}.${fun}`),
    },
  ]);
  return { file, path, module: { name, file, doc, functions: Object.fromEntries(functions) } };
}
