/** A custom module as the loader's: parameters checked, arguments and returns converted. */
import { PythonError } from '../../python/exceptions.ts';
import type { FunctionSpec, ModuleContext, ModuleSpec, Params } from '../loader/module.ts';
import { BrineError } from '../../errors/errors.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { Data, FunctionSpec as OwnFunction, ModuleSpec as OwnModule } from './brine.d.ts';
import { fromData, toRecord, toTyped, toData } from './convert.ts';
import { placeOf } from './faults.ts';
import { ownContext } from './own-context.ts';

/**
 * @param file name of the file, which is the module's unless it has another
 */
export function toModuleSpec(file: string, own: OwnModule): ModuleSpec {
  const name = own.name ?? file;
  const functions: Record<string, FunctionSpec> = {};
  for (const [fun, spec] of Object.entries(own.functions))
    if (!fun.startsWith('_')) functions[fun] = toFunctionSpec(`${name}.${fun}`, spec as OwnFunction);
  for (const [alias, fun] of Object.entries(own.aliases ?? {}))
    functions[alias] = toFunctionSpec(`${name}.${alias}`, own.functions[fun] as OwnFunction);
  return { name, file, doc: own.doc ?? `Functions of ${name}.`, functions };
}

function toFunctionSpec(full: string, own: OwnFunction): FunctionSpec {
  const params: Params = Object.fromEntries(
    Object.entries(own.params ?? {}).map(([name, param]) => [
      name,
      {
        ...(param.type === undefined ? {} : { type: param.type }),
        ...(param.doc === undefined ? {} : { doc: param.doc }),
        ...(param.default === undefined ? {} : { default: fromData(param.default) }),
      },
    ]),
  );
  const { varargs, kwargs } = own as { varargs?: string; kwargs?: string };
  return {
    doc: own.doc,
    params,
    returns: own.returns ?? 'what the function gives',
    isolation: 'process',
    ...(varargs === undefined ? {} : { varargs }),
    ...(kwargs === undefined ? {} : { kwargs }),
    ...(own.examples === undefined ? {} : { examples: own.examples }),
    ...(own.outputter === undefined ? {} : { outputter: own.outputter }),
    run: (ctx, args, rest, keywords) => runOwn(full, own, ctx, { args, rest, keywords }),
  };
}

interface Bound {
  readonly args: Readonly<Record<string, Value>>;
  readonly rest: readonly Value[];
  readonly keywords: Dict;
}

async function runOwn(full: string, own: OwnFunction, ctx: ModuleContext, bound: Bound): Promise<Value> {
  const given = Object.create(null) as Record<string, Data>;
  for (const [name, param] of Object.entries(own.params ?? {}))
    given[name] = toTyped(bound.args[name] ?? null, param.type, `${full}: ${name}`);
  const { varargs, kwargs } = own as { varargs?: string; kwargs?: string };
  if (varargs !== undefined) given[varargs] = bound.rest.map(toData);
  if (kwargs !== undefined) given[kwargs] = toRecord(withoutInternal(bound.keywords));
  const isTest = bound.keywords.get('test') === true || bound.args['test'] === true;
  try {
    return fromData(await own.run(given, ownContext(ctx, isTest)));
  } catch (error) {
    if (error instanceof BrineError || error instanceof PythonError) throw error;
    throw ownFault(full, ctx, error);
  }
}

function withoutInternal(keywords: Dict): Dict {
  return new Map([...keywords].filter(([name]) => typeof name !== 'string' || !name.startsWith('__pub_')));
}

/** The return names the error and its place in the user's file; the whole stack goes to the log. */
function ownFault(full: string, ctx: ModuleContext, error: unknown): Error {
  if (!(error instanceof Error)) return new PythonError('Error', String(error));
  ctx.log.error(`${full} failed: ${error.stack ?? error.message}`);
  return new PythonError(error.name, `${error.message}${placeOf(error)}`);
}
