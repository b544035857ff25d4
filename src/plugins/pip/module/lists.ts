/** What pip says of packages. Follows 3006.16 salt/modules/pip.py. */
import { parseJson } from '../../../formats/json/parse.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, isDict, truthy, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import { comparePackageVersions, parsePackageVersion } from '../../../python/packages/version.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { CommandProblem } from '../../shared/command-problem.ts';
import { dictChanges } from '../../shared/packages.ts';
import type { Ended } from '../../shared/program.ts';
import { indexOption, type PipWords } from './addresses.ts';
import { isBefore, isSince, pip, pipEnvironment, pipVersion, type PipRun } from './run.ts';

/** A run with variables and keywords of `cmd.run_all`. */
export interface ListRun extends PipRun {
  readonly env_vars?: Value;
  readonly further?: Dict;
}

const infoOf = ({ pid, retcode, stdout, stderr }: Ended): Dict => dict({ pid, retcode, stdout, stderr });

/** @throws CommandProblem for a pip that failed */
function checked(ended: Ended): Ended {
  if (ended.retcode !== 0) throw new CommandProblem(ended.stderr, infoOf(ended));
  return ended;
}

function keywordsOf({ bin_env, env_vars = null, further = dict() }: ListRun): DictInit {
  const given = [...further].filter(([name]) => !pyStr(name).startsWith('__pub_'));
  return {
    ...Object.fromEntries(given.map(([name, value]) => [pyStr(name), value])),
    ...pipEnvironment(bin_env, env_vars),
  };
}

/** What pip lists in JSON. @throws CommandProblem for what is none */
function parsed(ended: Ended): Dict[] {
  let list: Value;
  try {
    list = parseJson(ended.stdout);
  } catch {
    throw new CommandProblem('Invalid JSON', infoOf(ended));
  }
  return Array.isArray(list) ? list.filter(isDict) : [];
}

/** Lists say what is there: a look for a newer pip waits for the network's timeout where there is none. */
const OFFLINE = '--disable-pip-version-check';

const fieldOf = (item: Dict, name: string): string => pyStr(item.get(name) ?? '');

const begins = (name: string, prefix: Value): boolean =>
  !truthy(prefix) || name.toLowerCase().startsWith(pyStr(prefix).toLowerCase());

/** The lines of `pip freeze`, with pip and what it needs where it can list them. */
export async function freeze(ctx: ModuleContext, run: ListRun): Promise<string[]> {
  const version = await pipVersion(ctx, { bin_env: run.bin_env, cwd: run.cwd ?? null });
  const words = ['freeze'];
  if (isBefore(version, '8.0.3'))
    ctx.log.warning(
      `The version of pip installed is ${version ?? ''}, which is older than 8.0.3. The packages pip, wheel, setuptools, and distribute will not be included in the output of pip.freeze`,
    );
  else words.push('--all');
  // an option that came with pip 6.0
  if (isSince(version, '6.0')) words.push(OFFLINE);
  return splitLines(checked(await pip(ctx, run, words, keywordsOf(run))).stdout);
}

/** One line of `pip freeze`: name and version; undefined for what names none. */
function frozen(ctx: ModuleContext, line: string): [name: string, version: string] | undefined {
  if (/^(?:-f|#|-e hg\+not trust)/.test(line)) return undefined;
  const isEditable = line.startsWith('-e');
  const text = isEditable ? (line.split('-e ')[1] ?? '') : line;
  if (isEditable && text.includes('#egg=')) {
    const [version = '', name = ''] = text.split('#egg=');
    return [name, version];
  }
  const [name, version] = text.split(text.includes('===') ? '===' : '==');
  if (name !== undefined && version !== undefined) return [name, version];
  if (!isEditable) ctx.log.error(`Can't parse line '${line}'`);
  return undefined;
}

/** Packages and versions as `pip freeze` has them. */
export async function frozenPackages(ctx: ModuleContext, prefix: Value, run: ListRun): Promise<Dict> {
  const packages = dict();
  if (prefix === null || 'pip'.startsWith(pyStr(prefix)))
    packages.set('pip', (await pipVersion(ctx, { bin_env: run.bin_env, cwd: run.cwd ?? null })) ?? null);
  for (const line of await freeze(ctx, run)) {
    const found = frozen(ctx, line);
    if (found !== undefined && begins(found[0], prefix)) packages.set(...found);
  }
  return packages;
}

/** Packages and versions. */
export async function packages(ctx: ModuleContext, prefix: Value, run: ListRun): Promise<Dict> {
  if (isBefore(await pipVersion(ctx, run), '9.0')) return frozenPackages(ctx, prefix, run);
  const ended = checked(await pip(ctx, run, ['list', '--format=json', OFFLINE], keywordsOf(run)));
  return new Map(
    parsed(ended)
      .map((item): [Value, Value] => [fieldOf(item, 'name'), item.get('version') ?? null])
      .filter(([name]) => begins(pyStr(name), prefix)),
  );
}

/** Packages of which there is a newer version: mapping of name to version and kind. */
export async function upgrades(ctx: ModuleContext, run: PipRun): Promise<Dict> {
  const version = await pipVersion(ctx, run);
  const isJson = isSince(version, '9.0');
  const ended = checked(await pip(ctx, run, ['list', '--outdated', ...(isJson ? ['--format=json'] : [])]));
  if (isJson)
    return new Map(
      parsed(ended).map((item): [Value, Value] => [
        fieldOf(item, 'name'),
        `${fieldOf(item, 'latest_version')} [${fieldOf(item, 'latest_filetype')}]`,
      ]),
    );
  const pattern = isBefore(version, '8.0.0')
    ? /(\S*)\s+\(.*Latest:\s+(.*)\)/
    : /(\S*)\s+\(.*\)\s+-\s+Latest:\s+(.*)/;
  return new Map(
    splitLines(ended.stdout).flatMap((line): [Value, Value][] => {
      const [, name, latest] = pattern.exec(line) ?? [];
      if (name === undefined || latest === undefined) {
        ctx.log.error(`Can't parse line '${line}'`);
        return [];
      }
      return [[name, latest]];
    }),
  );
}

/** Upgrades all packages of which there is a newer version. */
export async function upgradeAll(ctx: ModuleContext, run: PipRun, keywords: DictInit): Promise<Dict> {
  const before = await packages(ctx, null, run);
  let comment = '';
  let isRight = true;
  for (const name of (await upgrades(ctx, run)).keys()) {
    const { retcode, stderr } = await pip(ctx, run, ['install', '-U', name], keywords);
    if (retcode !== 0) isRight = false;
    comment += stderr;
  }
  const changes = dictChanges(before, await packages(ctx, null, run));
  return dict({ changes, result: isRight, comment });
}

/** Which versions are asked for. */
export interface VersionsRequest extends PipRun {
  readonly pkg: Value;
  readonly include_alpha: boolean;
  readonly include_beta: boolean;
  readonly include_rc: boolean;
  readonly index_url: Value | undefined;
  readonly extra_index_url: Value | undefined;
  /** Further options of pip that say where it looks, and variables. */
  readonly further?: PipWords;
}

function byVersion(a: string, b: string): number {
  const [x, y] = [parsePackageVersion(a), parsePackageVersion(b)];
  return x === undefined || y === undefined
    ? Number(y === undefined) - Number(x === undefined)
    : comparePackageVersions(x, y);
}

/** All versions of a package that an index has, the oldest first; null where there is none. */
export async function allVersions(ctx: ModuleContext, wanted: VersionsRequest): Promise<Value> {
  const { pkg, index_url, extra_index_url, further = { words: [], env: {} } } = wanted;
  const version = await pipVersion(ctx, wanted);
  const hasIndex = isSince(version, '21.2');
  const question = hasIndex
    ? ['index', 'versions', pkg]
    : [
        ...(isSince(version, '20.3') ? ['--use-deprecated=legacy-resolver'] : []),
        'install',
        `${pyStr(pkg)}==versions`,
      ];
  const pattern = hasIndex
    ? /\s*Available versions: (.*)/
    : /\s*Could not find a version.* \(from versions: (.*)\)/;
  const options = [
    indexOption('--index-url', 'PIP_INDEX_URL', index_url),
    indexOption('--extra-index-url', 'PIP_EXTRA_INDEX_URL', extra_index_url),
    further,
  ];
  const env = new Map<Value, Value>(options.flatMap((option) => Object.entries(option.env)));
  const own = pipEnvironment(wanted.bin_env);
  for (const [name, value] of own['env'] instanceof Map ? own['env'] : []) env.set(name, value);
  const words = [...question, ...options.flatMap((option) => option.words)];
  const keywords = { output_loglevel: 'quiet', redirect_stderr: true, ...(env.size === 0 ? {} : { env }) };
  const { stdout } = await pip(ctx, wanted, words, keywords);
  const line = splitLines(stdout).find((text) => pattern.test(text)) ?? '';
  const excluded = [
    ...(wanted.include_alpha ? [] : ['a']),
    ...(wanted.include_beta ? [] : ['b']),
    ...(wanted.include_rc ? [] : ['rc']),
  ];
  const found = (pattern.exec(line)?.[1] ?? '')
    .split(', ')
    .filter((text) => text !== '' && !excluded.some((letters) => text.includes(letters)))
    .sort(byVersion);
  return found.length === 0 ? null : found;
}
