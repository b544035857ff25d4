/** `file.retention_schedule`: of the files of a folder only some stay. Follows 3006.16 salt/states/file.py. */
import { isDir, joinPath } from '../../../python/paths.ts';
import { pyInt } from '../../../python/conversions.ts';
import { param } from '../../../runtime/loader/params.ts';
import { opt } from '../../shared/file-params.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { strptime } from '../../../python/text/strftime.ts';
import { lessThan, sortedBy } from '../../../python/values/order.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { FileOutcome } from './outcome.ts';
import { S } from './params.ts';

/** A file by its time, in the parts that the rules group by. */
interface Dated {
  readonly name: string;
  /** Year, month, day, hour, time. */
  readonly parts: readonly number[];
  /** Year, week, weekday, time. */
  readonly weekParts: readonly number[];
}

/** How many parts of the time make a group, of which the first file stays. */
const DEPTHS: ReadonlyMap<Value, number> = new Map([
  ['first_of_year', 1],
  ['first_of_month', 2],
  ['first_of_day', 3],
  ['first_of_hour', 4],
  ['most_recent', 5],
]);

const DAY_MS = 86_400_000;

/** @param wallMs the time on the wall clock, as if it were UTC */
function dated(name: string, wallMs: number, time: number): Dated {
  const date = new Date(wallMs);
  const year = date.getUTCFullYear();
  const weekday = (date.getUTCDay() + 6) % 7;
  return {
    name,
    parts: [year, date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours(), time],
    weekParts: [year, isoWeek(wallMs), weekday, time],
  };
}

/** Python's `isocalendar()[1]`. */
function isoWeek(wallMs: number): number {
  const day = Math.floor(wallMs / DAY_MS);
  const weekday = (day + 3) % 7; // 1970 began on a Thursday
  const thursday = new Date((day - weekday + 3) * DAY_MS);
  const start = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return Math.floor((thursday.getTime() - start) / (7 * DAY_MS)) + 1;
}

async function datedFiles(
  ctx: StateContext,
  folder: string,
  format: string | undefined,
): Promise<{ readonly found: Dated[]; readonly ignored: string[] }> {
  const names = await ctx.functions.call('file.readdir', [folder]);
  const found: Dated[] = [];
  const ignored: string[] = [];
  for (const name of (Array.isArray(names) ? names : []).map(pyStr)) {
    const file = format === undefined ? await byChange(ctx, folder, name) : byName(name, format);
    if (file === undefined) ignored.push(name);
    else found.push(file);
  }
  return { found, ignored };
}

function byName(name: string, format: string): Dated | undefined {
  const wallMs = strptime(name, format);
  return wallMs === undefined ? undefined : dated(name, wallMs, wallMs / 1000);
}

async function byChange(ctx: StateContext, folder: string, name: string): Promise<Dated | undefined> {
  if (name === '.' || name === '..') return undefined;
  const facts = await ctx.functions.call('file.lstat', [joinPath(folder, name)]);
  const seconds = isDict(facts) ? toNumber(facts.get('st_mtime')) : undefined;
  if (seconds === undefined) return undefined;
  const date = new Date(seconds * 1000);
  return dated(name, date.getTime() - date.getTimezoneOffset() * 60_000, seconds);
}

/** Of the latest groups the first file each. Files of one time count as one, and the last one is it. */
function firstOfGroups(
  files: readonly Dated[],
  keyOf: (file: Dated) => readonly number[],
  depth: number,
  limit: number,
): Set<string> {
  const groups = new Map<string, Dated[]>();
  for (const file of files) {
    const key = keyOf(file).slice(0, depth).join(' ');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [file]);
    else group.push(file);
  }
  const before = (a: Dated, b: Dated): number => {
    const [x, y] = [keyOf(a), keyOf(b)];
    const at = x.findIndex((part, i) => part !== y[i]);
    return at < 0 ? 0 : (x[at] ?? 0) - (y[at] ?? 0);
  };
  const firsts = [...groups.values()].map((group) => {
    const earliest = [...group].sort(before)[0] as Dated;
    return group.findLast((file) => before(file, earliest) === 0) as Dated;
  });
  firsts.sort(before).reverse();
  return new Set(firsts.slice(0, Math.max(0, limit)).map(({ name }) => name));
}

function retainedFiles(files: readonly Dated[], rules: Dict): Set<string> {
  const kept = new Set<string>();
  for (const [rule, given] of rules) {
    const limit = given === 'all' ? Number.MAX_SAFE_INTEGER : Number(pyInt(given));
    const isWeekly = rule === 'first_of_week';
    const depth = isWeekly ? 2 : DEPTHS.get(rule);
    if (depth === undefined) throw new PythonError('KeyError', pyRepr(rule));
    const keyOf = (file: Dated): readonly number[] => (isWeekly ? file.weekParts : file.parts);
    // Salt compat: of weeks one more than asked for stays
    for (const name of firstOfGroups(files, keyOf, depth, isWeekly ? limit + 1 : limit)) kept.add(name);
  }
  return kept;
}

const descending = (names: Iterable<string>): string[] => sortedBy([...names], (a, b) => lessThan(b, a));

/** The state `retention_schedule`. */
export const retentionStates = {
  retention_schedule: defineState({
    doc: 'Removes files of a folder, such as backups, but for those that rules keep.',
    params: {
      name: { ...S.name, doc: 'The folder.' },
      retain: param.mapping({
        doc: 'How many stay: most_recent, first_of_hour, first_of_day, first_of_week, first_of_month, first_of_year; a number or `all`.',
      }),
      strptime_format: opt(
        param.textIfGiven({
          doc: 'How the names tell the time; without it the time of the last change counts.',
        }),
        null,
      ),
      timezone: opt(
        param.value({ type: 'str', doc: 'Without effect: times are those of this machine.' }),
        null,
      ),
    },
    run: async (ctx, args) => {
      const { name } = args;
      const outcome = new FileOutcome(name);
      if (name === '') return outcome.fail('Must provide name to file.retention_schedule');
      if (!isDir(name)) return outcome.fail('Name provided to file.retention must be a directory');
      const { found, ignored } = await datedFiles(ctx, name, args.strptime_format);
      const retained = retainedFiles(found, args.retain);
      const deleted = descending(found.map((file) => file.name).filter((file) => !retained.has(file)));
      if (deleted.length > 0)
        outcome.changes = dict({ retained: descending(retained), deleted, ignored: descending(ignored) });
      if (ctx.state.test) {
        const sentence = `${deleted.length} backups would have been removed from ${name}.\n`;
        return outcome.end(deleted.length > 0 ? null : true, sentence);
      }
      for (const file of deleted) await ctx.functions.call('file.remove', [joinPath(name, file)]);
      return outcome.end(true, `${deleted.length} backups were removed from ${name}.\n`);
    },
  }),
};
