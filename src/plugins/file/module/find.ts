/** Finding files by many criteria. Follows 3006.16 salt/utils/find.py. */
import { rmSync, unlinkSync } from 'node:fs';
import { expandUser } from '../../../host/expand-user.ts';
import { baseName, isDir, isFile, isLink, joinPath, splitPath } from '../../../python/paths.ts';
import { globPaths } from '../../../host/glob.ts';
import { statFacts, walk, type StatFacts } from '../../../host/file-operations.ts';
import { runProcess } from '../../../host/process.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { findGroup, findUser } from '../../../host/users.ts';
import { messageOf } from '../../../errors/errors.ts';
import { pyInt } from '../../../python/conversions.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { compilePattern, PatternError, type PyPattern } from '../../../python/regex/pattern.ts';
import { fnmatch } from '../../../python/text/fnmatch.ts';
import { lessThan } from '../../../python/values/order.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { hashFile } from '../../shared/hash-kinds.ts';
import { P } from '../../shared/file-params.ts';
import { readText } from '../../shared/file-text.ts';

/** A file that is being looked at; facts are read when first asked for. */
class Candidate {
  readonly path: string;
  readonly name: string;
  #facts: StatFacts | undefined;

  constructor(path: string, name: string) {
    this.path = path;
    this.name = name;
  }

  get facts(): StatFacts {
    if (this.#facts === undefined) {
      try {
        this.#facts = statFacts(this.path);
      } catch {
        this.#facts = statFacts(this.path, false);
      }
    }
    return this.#facts;
  }
}

type Criterion = (file: Candidate) => boolean | Promise<boolean>;
type Action = (file: Candidate) => Value | undefined | Promise<Value | undefined>;

/** A wrong option; `file.find` returns it as text. */
class FindError extends Error {
  override readonly name = 'FindError';
}

const TYPES: ReadonlyMap<string, StatFacts['kind']> = new Map([
  ['b', 'block'],
  ['c', 'char'],
  ['d', 'dir'],
  ['f', 'file'],
  ['l', 'link'],
  ['p', 'pipe'],
  ['s', 'socket'],
]);
const LETTER_OF = new Map([...TYPES].map(([letter, kind]) => [kind, letter]));

function expression(value: string, ignoreCase = false): PyPattern {
  try {
    return compilePattern(value, { ignoreCase });
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new FindError(`invalid regular expression: "${value}"`);
  }
}

/** Salt's own reading of a glob: `*` and `?` only, matched from the start to the end. */
function globExpression(value: string): string {
  return `${value.replaceAll('.', '\\.').replaceAll('?', '.?').replaceAll('*', '.*')}$`;
}

function typeCriterion(value: string): Criterion {
  const kinds = new Set(
    [...value.replace(/[\s,]/g, '')].map((letter) => {
      const kind = TYPES.get(letter);
      if (kind === undefined) throw new FindError(`invalid file type "${letter}"`);
      return kind;
    }),
  );
  return ({ facts }) => kinds.has(facts.kind);
}

async function ownerIds(value: string, what: 'user' | 'group'): Promise<Set<number>> {
  const ids = new Set<number>();
  for (const name of value.replaceAll(',', ' ').split(/\s+/)) {
    if (name === '') continue;
    if (/^\d+$/.test(name)) {
      ids.add(Number(name));
      continue;
    }
    const id = what === 'user' ? (await findUser(name))?.uid : (await findGroup(name))?.gid;
    if (id === undefined) throw new FindError(`no such ${what} "${name}"`);
    ids.add(id);
  }
  return ids;
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['b', 1],
  ['k', 2 ** 10],
  ['m', 2 ** 20],
  ['g', 2 ** 30],
  ['t', 2 ** 40],
]);

/** Smallest and greatest size that `10k`, `+1m`, `-5` take. */
function sizeRange(value: string): [number, number] {
  const bare = value.trim();
  const style = /^[-+]/.exec(bare)?.[0] ?? '=';
  const scalar = bare.slice(style === '=' ? 0 : 1);
  const unit = UNITS.get(scalar.slice(-1).toLowerCase());
  const digits = unit === undefined ? scalar : scalar.slice(0, -1).trim();
  if (!/^[-+]?(\d+\.?\d*|\.\d+)$/.test(digits)) throw new FindError(`invalid size: "${value}"`);
  const size = Math.trunc(Number(digits) * (unit ?? 1));
  if (style === '-') return [0, size];
  if (style === '+') return [size, Number.MAX_SAFE_INTEGER];
  return [size, size + (unit ?? 1) - 1];
}

const INTERVAL =
  /^\s*([+-]?)(?:(\d+(?:\.\d*)?)\s*[wW])?\s*(?:(\d+(?:\.\d*)?)\s*[dD])?\s*(?:(\d+(?:\.\d*)?)\s*[hH])?\s*(?:(\d+(?:\.\d*)?)\s*[mM])?\s*(?:(\d+(?:\.\d*)?)\s*[sS])?\s*$/;
const SECONDS = [7 * 86_400, 86_400, 3_600, 60, 1];

/** Files that were changed before (or with `-` since) so long ago. */
function mtimeCriterion(ctx: ModuleContext, value: string): Criterion {
  const match = INTERVAL.exec(value);
  if (match === null) throw new FindError(`invalid time interval: '${value}'`);
  const [, modifier, ...amounts] = match;
  let [total, resolution] = [0, 0];
  amounts.forEach((amount, i) => {
    if (amount === undefined) return;
    total += Number(amount) * (SECONDS[i] as number);
    resolution = SECONDS[i] as number; // the smallest unit that is given
  });
  if (resolution === 0) throw new FindError("unsupported operand type(s) for /: 'int' and 'NoneType'");
  const limit = ctx.clock.nowMs() / 1000 - Math.trunc(total / resolution) * resolution;
  return ({ facts }) =>
    modifier === '-' ? Math.trunc(facts.mtime) >= limit : Math.trunc(facts.mtime) <= limit;
}

function grepCriterion(value: string): Criterion {
  const pattern = expression(value);
  return ({ path, facts }) => facts.kind === 'file' && pattern.test(readText(path), 'anywhere');
}

/** One column of `print`. */
async function column(file: Candidate, what: string): Promise<Value | undefined> {
  switch (what) {
    case 'path':
      return file.path;
    case 'name':
      return baseName(file.path);
    case 'size':
      return file.facts.size;
    case 'type':
      return LETTER_OF.get(file.facts.kind) ?? '?';
    case 'mode':
      return file.facts.mode & 0o777;
    case 'mtime':
      return Math.trunc(file.facts.mtime);
    case 'user':
      return (await findUser(file.facts.uid))?.name ?? file.facts.uid;
    case 'group':
      return (await findGroup(file.facts.gid))?.name ?? file.facts.gid;
    case 'md5':
      return file.facts.kind === 'file' ? hashFile(file.path, 'md5') : '';
    default:
      return undefined;
  }
}

function printAction(value: string): Action {
  const columns = value
    .replaceAll(',', ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
  if (columns.length === 0) columns.push('path');
  return async (file) => {
    const found: Value[] = [];
    for (const what of columns) {
      const cell = await column(file, what);
      if (cell !== undefined) found.push(cell);
    }
    return found.length === 1 ? found[0] : found;
  };
}

function deleteAction(isTest: boolean): Action {
  return ({ path }) => {
    if (isTest) return path;
    try {
      if (isFile(path) || isLink(path)) unlinkSync(path);
      else if (isDir(path)) rmSync(path, { recursive: true });
      return path;
    } catch {
      return undefined;
    }
  };
}

function execAction(ctx: ModuleContext, template: string): Action {
  return async ({ path }) => {
    const command = template.replaceAll('{}', path);
    try {
      const { stdout, stderr } = await runProcess(splitWords(command), {
        signal: ctx.signal,
        clock: ctx.clock,
      });
      if (stderr.length > 0) ctx.log.error(`Error running command: ${command}\n\n${stderr.toString()}`);
      return `${command}:\n${stdout.toString('utf8')}\n`;
    } catch (error) {
      ctx.log.error(`Exception while executing command "${command}":\n\n${messageOf(error)}`);
      return `${path}: Failed`;
    }
  };
}

/** A search made ready. */
interface Search {
  readonly criteria: readonly Criterion[];
  readonly actions: readonly Action[];
  readonly minDepth: number;
  readonly maxDepth: number;
}

/** Cheap criteria are tried first. */
const CHEAP = ['name', 'iname', 'regex', 'iregex'];
const COSTLY = ['grep'];

async function prepare(ctx: ModuleContext, options: Dict): Promise<Search> {
  const isTest = truthy(options.get('test'));
  const criteria: [rank: number, criterion: Criterion][] = [];
  const actions: Action[] = [];
  for (const [key, given] of options) {
    const name = pyStr(key);
    if (name.startsWith('_') || ['mindepth', 'maxdepth', 'test'].includes(name)) continue;
    if (!truthy(given)) throw new FindError(`missing value for "${name}" option`);
    // Salt compat: Salt fails with a traceback where `size=10` or `name=1` came as a number
    const value = pyStr(given);
    const rank = CHEAP.includes(name) ? 0 : COSTLY.includes(name) ? 2 : 1;
    const criterion = await criterionOf(ctx, name, value);
    if (criterion !== undefined) criteria.push([rank, criterion]);
    const action = actionOf(ctx, name, value, isTest);
    if (action !== undefined) actions.push(action);
    if (criterion === undefined && action === undefined) throw new FindError(`invalid option "${name}"`);
  }
  const maxDepth = options.get('maxdepth') ?? null;
  return {
    criteria: criteria.sort(([a], [b]) => a - b).map(([, criterion]) => criterion),
    actions: actions.length > 0 ? actions : [printAction('')],
    minDepth: depthOf(options.get('mindepth') ?? 0),
    maxDepth: maxDepth === null ? Infinity : depthOf(maxDepth),
  };
}

async function criterionOf(ctx: ModuleContext, name: string, value: string): Promise<Criterion | undefined> {
  const matching =
    (pattern: PyPattern): Criterion =>
    (file) =>
      pattern.test(file.name);
  switch (name) {
    case 'name':
      return matching(expression(globExpression(value)));
    case 'iname':
      return matching(expression(globExpression(value), true));
    case 'regex':
      return matching(expression(value));
    case 'iregex':
      return matching(expression(value, true));
    case 'type':
      return typeCriterion(value);
    case 'delete':
      return typeCriterion(value.includes('a') ? 'bcdpfls' : value);
    case 'user':
    case 'owner': {
      const ids = await ownerIds(value, 'user');
      return ({ facts }) => ids.has(facts.uid);
    }
    case 'group': {
      const ids = await ownerIds(value, 'group');
      return ({ facts }) => ids.has(facts.gid);
    }
    case 'size': {
      const [min, max] = sizeRange(value);
      return ({ facts }) => facts.size >= min && facts.size <= max;
    }
    case 'mtime':
      return mtimeCriterion(ctx, value);
    case 'grep':
      return grepCriterion(value);
    default:
      return undefined;
  }
}

function actionOf(ctx: ModuleContext, name: string, value: string, isTest: boolean): Action | undefined {
  if (name === 'print') return printAction(value);
  if (name === 'delete') return deleteAction(isTest);
  return name === 'exec' ? execAction(ctx, value) : undefined;
}

async function searchBelow(top: string, search: Search): Promise<Value[]> {
  const found: Value[] = [];
  const look = async (path: string, name: string): Promise<void> => {
    const file = new Candidate(path, name);
    for (const criterion of search.criteria) if (!(await criterion(file))) return;
    for (const action of search.actions) {
      const result = await action(file);
      if (result !== undefined) found.push(result);
    }
  };
  if (search.minDepth < 1) await look(top, splitPath(top)[1]);
  for (const { path, folders, files } of walk(top)) {
    const depth = depthBelow(top, path) + 1;
    if (depth >= search.minDepth && search.maxDepth >= depth)
      for (const name of [...folders, ...files]) await look(joinPath(path, name), name);
    if (depth > search.maxDepth) folders.length = 0;
  }
  return found;
}

function depthOf(value: Value): number {
  return Number(pyInt(value));
}

function depthBelow(top: string, path: string): number {
  return path
    .slice(top.length)
    .split('/')
    .filter((part) => part !== '').length;
}

async function find(
  ctx: ModuleContext,
  path: string,
  words: readonly Value[],
  keywords: Dict,
): Promise<Value> {
  const options: Dict = new Map(keywords);
  if (words.includes('delete')) options.set('delete', 'f');
  else if (words.includes('print')) options.set('print', 'path');
  let search: Search;
  try {
    search = await prepare(ctx, options);
  } catch (error) {
    if (error instanceof FindError) return `error: ${error.message}`;
    throw error;
  }
  const found: Value[] = [];
  for (const top of globPaths(expandUser(path), fnmatch)) found.push(...(await searchBelow(top, search)));
  return found.sort((a, b) => (lessThan(a, b) ? -1 : lessThan(b, a) ? 1 : 0));
}

/** The function `find`. */
export const findFunctions = {
  find: defineFunction({
    doc:
      'Finds files below a path (which may be a glob). Criteria: name, iname (globs), regex, iregex, type (letters of ' +
      'bcdflps), user, group, size (`+10k`, `-1m`), mtime (`1w`, `-2d`: changed since), grep, mindepth, maxdepth. Actions: print ' +
      '(columns of group md5 mode mtime name path size type user), exec (a command, `{}` stands for the path), delete (letters of ' +
      'types).',
    params: { path: P.plainPath },
    varargs: 'args',
    kwargs: 'kwargs',
    returns:
      'sorted list of what the actions give, paths as a rule; a text that begins with `error:` for wrong options',
    examples: [
      "salt '*' file.find / type=f name='*.bak' size=+10m",
      "salt '*' file.find /var mtime=+30d size=+10m print=path,size,mtime",
      "salt '*' file.find /var/log name='*.[0-9]' mtime=+30d size=+10m delete",
    ],
    isolation: 'process',
    run: (ctx, { path }, rest, kwargs) => find(ctx, path, rest, kwargs),
  }),
};
