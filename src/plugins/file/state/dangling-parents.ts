/**
 * Folders that would have to be made where a link leads nowhere: neither Salt nor the system can make them.
 * Salt compat: there, test mode promises the file, and the run ends with `File exists` (errno 17).
 */
import { lstatSync, readlinkSync } from 'node:fs';
import { dirName, isAbs, joinPath, normPath, pathExists } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Value } from '../../../python/values/value.ts';
import type { FunctionSpec, ModuleContext } from '../../../runtime/loader/module.ts';
import { failure } from '../../shared/outcome.ts';

/** States that make the folders above without being asked for it; the path itself is such a folder. */
const ALWAYS = new Set(['recurse']);

/** The states, of which those that make folders look first whether they can. */
export function withParentsChecked(
  states: Readonly<Record<string, FunctionSpec>>,
): Readonly<Record<string, FunctionSpec>> {
  return Object.fromEntries(
    Object.entries(states).map(([fun, spec]) =>
      ALWAYS.has(fun) || Object.hasOwn(spec.params ?? {}, 'makedirs')
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
    return inTheWay === undefined ? spec.run(ctx, args, rest, kwargs) : asResult(name, inTheWay);
  };
}

const asResult = (name: Value, comment: string): Value =>
  new Map<Value, Value>(Object.entries(failure(name, comment)) as [string, Value][]);

/** Why the folders above a path cannot be made; undefined when they can. */
function obstacle(ctx: ModuleContext, path: string, withItself: boolean): string | undefined {
  if (!isAbs(path)) return undefined;
  for (
    let folder = withItself ? normPath(path) : dirName(normPath(path));
    folder !== '/';
    folder = dirName(folder)
  ) {
    if (pathExists(folder)) return undefined;
    if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue;
    const target = readlinkSync(folder);
    if (isForeseen(ctx, normPath(joinPath(dirName(folder), target)))) return undefined;
    return `${folder} is a link to ${target}, which does not exist. Make that folder first, or remove the link`;
  }
  return undefined;
}

/** Whether an earlier state of a run in test mode would make a path, or something in it. */
function isForeseen({ state }: ModuleContext, path: string): boolean {
  if (state?.test !== true) return false;
  return [...state.running].some(([tag, result]) => {
    const [module = '', , name = ''] = pyStr(tag).split('_|-');
    if (module !== 'file' || !isDict(result) || result.get('result') !== null) return false;
    const changes = result.get('changes');
    const made = [name, ...(isDict(changes) ? [...changes.keys()].map(pyStr) : [])];
    return made.some((one) => one === path || one.startsWith(`${path}/`));
  });
}
