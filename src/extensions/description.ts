/** Modules as data, so that one process can know the modules that another has loaded. */
import type { FunctionSpec, ModuleSpec, Params } from '../loader/module.ts';
import { dict, isDict, type Dict, type Value } from '../values/value.ts';

/** What is answered about a file that wants to know the grains, which may have to be collected for it. */
export const NEEDS_GRAINS = 'needs grains';

/** A file after it was tried. */
export type Tried =
  | { readonly file: string; readonly path: string; readonly module: ModuleSpec }
  /** It can be used, but not here. */
  | { readonly file: string; readonly name: string; readonly unavailable: string }
  /** It cannot be loaded. */
  | { readonly file: string; readonly broken: string };

/** Packs what was found out about a file; functions lose their bodies. */
export function packTried(tried: Tried): Value {
  if ('broken' in tried) return dict({ file: tried.file, broken: tried.broken });
  if ('unavailable' in tried)
    return dict({ file: tried.file, name: tried.name, unavailable: tried.unavailable });
  const { name, doc, functions } = tried.module;
  const packed: Dict = new Map(Object.entries(functions).map(([fun, spec]) => [fun, packFunction(spec)]));
  return dict({ file: tried.file, path: tried.path, name, doc, functions: packed });
}

function packFunction(spec: FunctionSpec): Dict {
  const { doc, returns, varargs, kwargs, outputter } = spec;
  const params: Dict = new Map(
    Object.entries(spec.params ?? {}).map(([name, param]) => [name, dict({ ...param })]),
  );
  const examples = spec.examples === undefined ? undefined : [...spec.examples];
  return dict({ doc, returns, varargs, kwargs, outputter, params, examples });
}

/**
 * Reads what {@link packTried} has packed.
 * @param run calls a function where it is loaded
 */
export function readTried(value: Value, run: (fun: string) => FunctionSpec['run']): Tried | undefined {
  if (!isDict(value)) return undefined;
  const file = textOf(value, 'file');
  const name = textOf(value, 'name');
  const broken = value.get('broken');
  const unavailable = value.get('unavailable');
  if (typeof broken === 'string') return { file, broken };
  if (typeof unavailable === 'string') return { file, name, unavailable };
  const packed = value.get('functions');
  const functions: Record<string, FunctionSpec> = {};
  for (const [fun, spec] of isDict(packed) ? packed : [])
    if (isDict(spec)) functions[String(fun)] = readFunction(spec, run(`${name}.${String(fun)}`));
  return { file, path: textOf(value, 'path'), module: { name, file, doc: textOf(value, 'doc'), functions } };
}

function readFunction(spec: Dict, run: FunctionSpec['run']): FunctionSpec {
  const packed = spec.get('params');
  const params: Params = Object.fromEntries(
    isDict(packed)
      ? [...packed].map(([name, param]) => [String(name), isDict(param) ? Object.fromEntries(param) : {}])
      : [],
  );
  const optional = Object.fromEntries(
    ['varargs', 'kwargs', 'outputter'].flatMap((key) => {
      const value = spec.get(key);
      return typeof value === 'string' ? [[key, value]] : [];
    }),
  );
  const examples = spec.get('examples');
  return {
    doc: textOf(spec, 'doc'),
    returns: textOf(spec, 'returns'),
    params,
    isolation: 'process',
    ...optional,
    ...(Array.isArray(examples) ? { examples: examples.map(String) } : {}),
    run,
  };
}

function textOf(value: Dict, key: string): string {
  const text = value.get(key);
  return typeof text === 'string' ? text : '';
}
