/** `file.tidied`: old and large files of a folder are removed. Follows 3006.16 salt/states/file.py `tidied`. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { statFacts, walk, type StatFacts } from '../../../host/file-operations.ts';
import { isAbs, isDir, isLink, joinPath } from '../../../python/paths.ts';
import { hasErrorCode } from '../../../python/os-errors.ts';
import { param } from '../../../runtime/loader/params.ts';
import { opt } from '../../shared/file-params.ts';
import { textPattern } from '../../shared/regex.ts';
import type { PyPattern } from '../../../python/regex/pattern.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { FileOutcome } from './outcome.ts';
import { S, type ArgsOf } from './params.ts';

const TIDIED_PARAMS = {
  name: S.name,
  age: opt(param.by(numberOrZero, { type: 'int', doc: 'Only what is so many days old.' }), 0),
  matches: opt(
    param.by(patternsIfGiven, {
      type: 'list',
      doc: 'Only names that one of these expressions matches at their start.',
    }),
    null,
  ),
  rmdirs: opt(param.flag({ doc: 'Folders, too.' }), false),
  size: opt(
    param.by(sizeInBytes, {
      type: 'int or str',
      doc: 'Only files of this size and larger: bytes, or `10MB`, `1GiB`.',
    }),
    0,
  ),
  exclude: opt(
    param.by(patterns, {
      type: 'list',
      doc: 'No names that one of these expressions matches at their start.',
    }),
    null,
  ),
  full_path_match: opt(param.flag({ doc: 'The expressions are about the whole path.' }), false),
  followlinks: opt(param.flag({ doc: 'Go where links to folders lead.' }), false),
  time_comparison: opt(param.text({ doc: 'Which time makes the age: atime, mtime or ctime.' }), 'atime'),
  age_size_logical_operator: opt(param.text({ doc: 'AND or OR: old and large, or one of them.' }), 'OR'),
  age_size_only: opt(param.textIfGiven({ doc: 'Only one of them counts: age or size.' }), null),
  rmlinks: opt(param.flag({ doc: 'Links, too.' }), true),
} as const;

const UNITS = 'bkmgtpezy';

function numberOrZero(value: Value): number {
  return toNumber(value) ?? 0;
}

function sizeInBytes(value: Value): number {
  return typeof value === 'string' ? bytesOf(value) : numberOrZero(value);
}

/** Bytes of a text such as `10MB` or `1GiB`; 0 when it is none. */
function bytesOf(text: string): number {
  const [, digits = '', given = ''] = /^([0-9.]*)\s*(.*)$/s.exec(text.trim()) ?? [];
  const unit = (given === '' ? 'b' : given).toLowerCase();
  const value = digits === '' ? NaN : Number(digits);
  const isDecimal = /^[kmgtpezy]b$/.test(unit);
  if (Number.isNaN(value) || (!isDecimal && !/^(b|[kmgtpezy](ib)?)$/.test(unit))) return 0;
  const power = UNITS.indexOf(unit.charAt(0));
  return Math.trunc(value * (isDecimal ? 1000 : 1024) ** power);
}

/** Whether age and size make something due for removal. */
function isDue(
  ctx: StateContext,
  args: ArgsOf<typeof TIDIED_PARAMS>,
): (facts: { readonly days: number; readonly size: number }) => boolean {
  const { age, size: least } = args;
  const only = args.age_size_only?.toLowerCase() ?? '';
  if (only === 'age') return ({ days }) => days >= age;
  if (only === 'size') return ({ size }) => size >= least;
  if (only !== '')
    ctx.log.warning("age_size_only parameter must be 'age' or 'size' if set. Defaulting to 'None'...");
  const operator = args.age_size_logical_operator.toUpperCase();
  if (operator === 'AND') return ({ days, size }) => size >= least && days >= age;
  if (operator !== 'OR') ctx.log.warning("Logical operator must be 'AND' or 'OR'. Defaulting to 'OR'...");
  return ({ days, size }) => size >= least || days >= age;
}

function patternsIfGiven(list: Value): PyPattern[] | undefined {
  return list === null ? undefined : patterns(list);
}

function patterns(list: Value): PyPattern[] {
  return (Array.isArray(list) ? list : []).map((item) => textPattern(pyStr(item)));
}

/** The days between two times, counted in dates. */
function daysBetween(nowMs: number, thenSeconds: number): number {
  const day = (ms: number): number => {
    const local = new Date(ms);
    return Date.UTC(local.getFullYear(), local.getMonth(), local.getDate()) / 86_400_000;
  };
  return Math.abs(day(nowMs) - day(thenSeconds * 1000));
}

/** All below a folder, what is in a folder before the folder itself. */
function* bottomUp(top: string, followLinks: boolean): Generator<{ folder: string; names: string[] }> {
  const [first] = walk(top);
  if (first === undefined) return;
  for (const name of first.folders) {
    const path = joinPath(top, name);
    if (followLinks || !isLink(path)) yield* bottomUp(path, followLinks);
  }
  yield { folder: top, names: [...first.files, ...first.folders] };
}

function dueForRemoval(ctx: StateContext, name: string, args: ArgsOf<typeof TIDIED_PARAMS>): string[] {
  const time = args.time_comparison.toLowerCase();
  const which = time === 'ctime' || time === 'mtime' ? time : 'atime';
  const due = isDue(ctx, args);
  const { matches = [textPattern('.*')], exclude: excluded } = args;
  const fits = (text: string): boolean =>
    matches.some((pattern) => pattern.test(text, 'start')) &&
    !excluded.some((pattern) => pattern.test(text, 'start'));
  const found: string[] = [];
  for (const { folder, names } of bottomUp(name, args.followlinks)) {
    for (const entry of names) {
      const path = joinPath(folder, entry);
      const facts = factsOf(ctx, path);
      if (facts === undefined) continue;
      const { kind } = facts;
      const isRemovable = kind === 'link' ? args.rmlinks : kind !== 'dir' || args.rmdirs;
      const size = kind === 'link' || kind === 'dir' ? 0 : facts.size;
      const days = daysBetween(ctx.clock.nowMs(), facts[which]);
      if (isRemovable && due({ days, size }) && fits(args.full_path_match ? path : entry)) found.push(path);
    }
  }
  return found;
}

function factsOf(ctx: StateContext, path: string): StatFacts | undefined {
  try {
    return statFacts(path, !isLink(path));
  } catch (error) {
    if (hasErrorCode(error, 'EACCES', 'EPERM'))
      ctx.log.warning(`Unable to read ${path} due to permissions error.`);
    else if (!hasErrorCode(error, 'ENOENT')) throw error;
    return undefined;
  }
}

/** The state `tidied`. */
export const tidiedStates = {
  tidied: defineState({
    doc: 'Removes files of a folder, and below it, that are old or large, or whose names match.',
    params: TIDIED_PARAMS,
    kwargs: 'kwargs',
    run: async (ctx, args): Promise<Dict> => {
      const { name } = args;
      const outcome = new FileOutcome(name);
      if (!isAbs(name)) return outcome.fail(`Specified file ${name} is not an absolute path`);
      if (!isDir(name)) return outcome.fail(`${name} does not exist or is not a directory.`);
      const due = dueForRemoval(ctx, name, args);
      if (due.length === 0) return outcome.end(true, `Nothing to remove from directory ${name}`);
      if (ctx.state.test) {
        outcome.changes.set('removed', due);
        return outcome.end(null, `${name} is set for tidy`);
      }
      const removed: Value[] = [];
      outcome.changes.set('removed', removed);
      try {
        for (const path of due) {
          await ctx.functions.call('file.remove', [path]);
          removed.push(path);
        }
      } catch (error) {
        if (!(error instanceof CommandExecutionError)) throw error;
        return outcome.fail(error.message);
      }
      return outcome.end(true, `Removed ${due.length} files or directories from directory ${name}`);
    },
  }),
};
