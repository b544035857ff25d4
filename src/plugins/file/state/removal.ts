/** `file.absent`, `exists`, `missing`, `pruned`. Follows 3006.16 salt/states/file.py. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { statFacts, walk } from '../../../host/file-operations.ts';
import { isAbs, isDir, isFile, isLink, joinPath, pathExists } from '../../../python/paths.ts';
import { isOsError } from '../../../python/os-errors.ts';
import { param } from '../../../runtime/loader/params.ts';
import { opt } from '../../shared/file-params.ts';
import { ageLimit } from '../module/places.ts';
import { lessThan, sortedBy } from '../../../python/values/order.ts';
import { dict, isDict, truthy, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { FileOutcome } from './outcome.ts';
import { S } from './params.ts';

/** A state that looks whether a path is there, and fails when it is not as wished. */
function looks(doc: string, fun: string, outcomeOf: (name: string) => readonly [boolean, string]) {
  return defineState({
    doc,
    params: { name: S.name },
    kwargs: 'kwargs',
    run: (_ctx, args) => {
      const { name } = args;
      const outcome = new FileOutcome(name);
      if (name === '') return outcome.fail(`Must provide name to file.${fun}`);
      return outcome.end(...outcomeOf(name));
    },
  });
}

async function remove(ctx: StateContext, name: string, outcome: FileOutcome): Promise<void> {
  const isFileOrLink = isFile(name) || isLink(name);
  const what = isFileOrLink ? 'file' : 'directory';
  outcome.changes.set('removed', name);
  if (ctx.state.test) {
    outcome.end(null, `${isFileOrLink ? 'File' : 'Directory'} ${name} is set for removal`);
    return;
  }
  try {
    await ctx.functions.call('file.remove', [name], { force: true });
    outcome.comment = `Removed ${what} ${name}`;
  } catch (error) {
    outcome.changes.clear();
    if (isFileOrLink && error instanceof CommandExecutionError) outcome.fail(error.message);
    else if (!isFileOrLink && (isOsError(error) || error instanceof CommandExecutionError))
      outcome.fail(`Failed to remove directory ${name}`);
    else throw error;
  }
}

const PRUNED_PARAMS = {
  name: S.name,
  recurse: opt(param.flag({ doc: 'Empty folders below are removed, too.' }), false),
  ignore_errors: opt(param.flag({ doc: 'What cannot be removed is left; recurse is implied.' }), false),
  older_than: opt(
    param.value({ type: 'int', doc: 'Only folders that have not changed for so many days.' }),
    null,
  ),
} as const;

/** Whether nothing of a folder, itself included, is old enough to be removed. */
function isYoung(
  ctx: StateContext,
  name: string,
  { recurse, olderThan }: { readonly recurse: boolean; readonly olderThan: Value },
): boolean {
  const limit = ageLimit(ctx, olderThan);
  if (limit === undefined) return false;
  const below = recurse
    ? [...walk(name)].flatMap(({ path, folders }) => folders.map((one) => joinPath(path, one)))
    : [];
  return [name, ...below].every((folder) => statFacts(folder).mtime >= limit);
}

async function prune(
  ctx: StateContext,
  name: string,
  { recurse, ignoreErrors, olderThan }: { recurse: boolean; ignoreErrors: boolean; olderThan: Value },
) {
  const outcome = new FileOutcome(name, { order: 'moved' });
  if (!isDir(name)) return outcome.end(true, `Directory ${name} is not present`);
  if (ctx.state.test) {
    // Salt compat: Salt's test mode does not look at their age
    if (isYoung(ctx, name, { recurse, olderThan }))
      return outcome.end(true, `Directory ${name} has no old folders to be removed`);
    outcome.changes.set('deleted', name);
    return outcome.end(null, `Directory ${name} is set for removal`);
  }
  const answer = await ctx.functions.call('file.rmdir', [name], {
    recurse,
    verbose: true,
    older_than: olderThan,
  });
  const done = isDict(answer) ? answer : dict({ result: false });
  const isRemoved = truthy(done.get('result'));
  const deleted = done.get('deleted') ?? null;
  const names = Array.isArray(deleted) ? sortedBy(deleted, lessThan) : [];
  if (isRemoved && !recurse) {
    outcome.changes.set('deleted', name);
    outcome.comment = `Removed directory ${name}`;
  } else if (names.length > 0 && (isRemoved || ignoreErrors)) {
    outcome.changes.set('deleted', names);
    outcome.comment = `Recursively removed empty directories under ${name}`;
  } else if (!isRemoved) {
    done.delete('result');
    outcome.changes = done;
    outcome.fail(`Failed to remove directory ${name}`);
  }
  return outcome.ret;
}

/** States about what is there and what is not. */
export const removalStates = {
  absent: defineState({
    doc: 'Makes sure that nothing is at a path: removes a file or link, or a folder with all that is in it.',
    params: { name: S.name },
    kwargs: 'kwargs',
    run: async (ctx, args) => {
      const { name } = args;
      const outcome = new FileOutcome(name);
      if (name === '') return outcome.fail('Must provide name to file.absent');
      if (!isAbs(name)) return outcome.fail(`Specified file ${name} is not an absolute path`);
      if (name === '/') return outcome.fail('Refusing to make "/" absent');
      if (isFile(name) || isLink(name) || isDir(name)) await remove(ctx, name, outcome);
      else outcome.comment = `File ${name} is not present`;
      return outcome.ret;
    },
  }),
  exists: looks('Fails when nothing is at a path; changes nothing.', 'exists', (name) =>
    pathExists(name) ? [true, `Path ${name} exists`] : [false, `Specified path ${name} does not exist`],
  ),
  missing: looks('Fails when something is at a path; changes nothing.', 'missing', (name) =>
    pathExists(name) ? [false, `Specified path ${name} exists`] : [true, `Path ${name} is missing`],
  ),
  pruned: defineState({
    doc: 'Makes sure that there is no folder at a path, as long as it is empty.',
    params: PRUNED_PARAMS,
    run: (ctx, args) =>
      prune(ctx, args.name, {
        recurse: args.recurse || args.ignore_errors,
        ignoreErrors: args.ignore_errors,
        olderThan: args.older_than,
      }),
  }),
};
