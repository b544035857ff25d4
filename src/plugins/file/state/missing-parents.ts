/**
 * Folders above a path that are not there: those that would have to be made where a link leads nowhere, or where a file
 * is, which neither Salt nor the system can make, and in test mode those that nothing in the run would make.
 * Salt compat: there, test mode promises the file, and the run fails.
 */
import { readlinkSync } from 'node:fs';
import { dirName, isAbs, isDir, isLink, joinPath, normPath, pathExists } from '../../../python/paths.ts';
import { isDict, truthy, type Value } from '../../../python/values/value.ts';
import type { FunctionSpec, ModuleContext } from '../../../runtime/loader/module.ts';
import { mayBeMade } from '../../shared/made-earlier.ts';
import { missingFolder } from '../../shared/missing-source.ts';
import { failure } from '../../shared/outcome.ts';

/** States that make the folders above without being asked for it; the path itself is such a folder. */
const ALWAYS = new Set(['recurse']);
/** States that cannot be told to make the folders above. */
const NEVER = new Set(['decode']);

/** The states, of which those that make folders look first whether they can. */
export function withParentsChecked(
  states: Readonly<Record<string, FunctionSpec>>,
): Readonly<Record<string, FunctionSpec>> {
  return Object.fromEntries(
    Object.entries(states).map(([fun, spec]) =>
      ALWAYS.has(fun) || NEVER.has(fun) || Object.hasOwn(spec.params ?? {}, 'makedirs')
        ? [fun, { ...spec, run: checked(spec, ALWAYS.has(fun)) }]
        : [fun, spec],
    ),
  );
}

function checked(spec: FunctionSpec, isAlways: boolean): FunctionSpec['run'] {
  return (ctx, args, rest, kwargs) => {
    const name = args['name'] ?? null;
    const isMaking = isAlways || truthy(args['makedirs'] ?? null);
    const inTheWay = isMaking && typeof name === 'string' ? obstacle(ctx, name, isAlways) : undefined;
    if (inTheWay !== undefined) return asResult(name, inTheWay);
    const result = spec.run(ctx, args, rest, kwargs);
    const isPromise = !isMaking && ctx.state?.test === true && typeof name === 'string';
    return isPromise ? kept(ctx, name, result) : result;
  };
}

const asResult = (name: Value, comment: string): Value =>
  new Map<Value, Value>(Object.entries(failure(name, comment)) as [string, Value][]);

/** What test mode promises, unless there is no folder for it and no earlier state would make one. */
async function kept(ctx: ModuleContext, path: string, promised: Value | Promise<Value>): Promise<Value> {
  const result = await promised;
  if (!isDict(result) || result.get('result') !== null || !isAbs(path)) return result;
  const missing = missingFolder(ctx, path);
  return missing === undefined ? result : asResult(path, `Parent directory not present: ${missing}`);
}

/** Why the folders above a path cannot be made; undefined when they can. */
function obstacle(ctx: ModuleContext, path: string, withItself: boolean): string | undefined {
  if (!isAbs(path)) return undefined;
  for (
    let folder = withItself ? normPath(path) : dirName(normPath(path));
    folder !== '/';
    folder = dirName(folder)
  ) {
    if (pathExists(folder)) {
      const isFolder = isDir(folder) || folder === normPath(path) || mayBeMade(ctx, folder);
      return isFolder ? undefined : `${folder} is no folder, so that nothing can be made below it`;
    }
    if (!isLink(folder)) continue;
    const target = readlinkSync(folder);
    if (mayBeMade(ctx, normPath(joinPath(dirName(folder), target)))) return undefined;
    return `${folder} is a link to ${target}, which does not exist. Make that folder first, or remove the link`;
  }
  return undefined;
}
