/** `file.touch`. Follows 3006.16 salt/states/file.py `touch`. */
import { dirName, isAbs, isDir, pathExists } from '../../../python/paths.ts';
import { opt } from '../../shared/file-params.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { FileOutcome } from './outcome.ts';
import { S, type ArgsOf } from './params.ts';
import { param } from '../../../runtime/loader/params.ts';
import { fileStats } from '../../shared/file-answers.ts';

/** The parameters of `file.touch`. */
export const TOUCH_PARAMS = {
  name: S.file_name,
  atime: opt(param.value({ type: 'int', doc: 'Time of access, seconds since 1970; default: now.' }), null),
  mtime: opt(
    param.value({ type: 'int', doc: 'Time of modification, seconds since 1970; default: now.' }),
    null,
  ),
  makedirs: opt(S.makedirs, false),
} as const;

/** Touches a file, for the state and for append and prepend. */
export async function touchFile(ctx: StateContext, args: ArgsOf<typeof TOUCH_PARAMS>): Promise<Dict> {
  const { name } = args;
  const outcome = new FileOutcome(name);
  if (name === '') return outcome.fail('Must provide name to file.touch');
  if (!isAbs(name)) return outcome.fail(`Specified file ${name} is not an absolute path`);
  if (ctx.state.test) return foretell(ctx, name, args, outcome);
  if (args.makedirs) await ctx.functions.call('file.makedirs', [name]);
  if (!isDir(dirName(name))) return outcome.fail(`Directory not present to touch file ${name}`);
  const wasThere = pathExists(name);
  const result = truthy(await ctx.functions.call('file.touch', [name, args.atime, args.mtime]));
  outcome.changes.set(wasThere ? 'touched' : 'new', name);
  return outcome.end(
    result,
    wasThere
      ? `Updated times on ${isDir(name) ? 'directory' : 'file'} ${name}`
      : `Created empty file ${name}`,
  );
}

async function foretell(
  ctx: StateContext,
  name: string,
  { atime, mtime }: ArgsOf<typeof TOUCH_PARAMS>,
  outcome: FileOutcome,
): Promise<Dict> {
  outcome.changes.set('new', name); // Salt compat: also of a file that is there and keeps its times
  if (!pathExists(name)) return outcome.end(null, `File ${name} is set to be created`);
  const facts = await fileStats(ctx, [name], { follow_symlinks: false });
  const differs = (key: string, wanted: Value): boolean =>
    wanted !== null && pyStr(wanted) !== pyStr(facts?.get(key) ?? null);
  if (!differs('atime', atime) && !differs('mtime', mtime))
    return outcome.end(true, `File ${name} exists and has the correct times`);
  outcome.changes = dict({ touched: name });
  return outcome.end(null, `Times set to be updated on file ${name}`);
}

/** Why a value is no time: neither a number nor a text of one. */
function timeRefusal(key: string, given: Value): string | undefined {
  const isTime = !truthy(given) || typeof given === 'boolean' || toNumber(given) !== undefined;
  return isTime || /^\s*[+-]?\d+\s*$/.test(pyStr(given))
    ? undefined
    : `${key} must be a number of seconds since 1970, not ${pyRepr(given)}`;
}

/** The state `touch`. */
export const touchStates = {
  touch: defineState({
    doc: 'Makes sure that a file exists, and sets its times.',
    params: TOUCH_PARAMS,
    refuses: ({ atime, mtime }) => timeRefusal('atime', atime) ?? timeRefusal('mtime', mtime),
    run: (ctx, args) => touchFile(ctx, args),
  }),
};
