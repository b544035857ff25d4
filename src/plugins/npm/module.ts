/** `npm`: packages of Node.js. Follows 3006.16 salt/modules/npm.py, with lists of arguments in place of a shell. */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { tempFolder } from '../../host/file-operations.ts';
import { findProgram } from '../../host/which.ts';
import { parseJson } from '../../formats/json/parse.ts';
import { pyStr } from '../../python/values/repr.ts';
import {
  dict,
  isDict,
  toNumber,
  truthy,
  type Dict,
  type DictInit,
  type Value,
} from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { hasPassword, hideNpmPasswords } from '../shared/hidden-passwords.ts';
import { runAll, type Ended } from '../shared/program.ts';
import { uidOf } from '../shared/accounts.ts';

/** As whom npm runs, and with what. */
interface NpmRun {
  readonly runas: Value;
  readonly env: Dict | undefined;
  readonly cwd?: Value;
  readonly ignore_retcode?: boolean;
}

/** The variables of a run: npm takes the user whose sudo it believes itself in for the owner of what it writes. */
async function variables(ctx: ModuleContext, { runas, env }: NpmRun): Promise<Dict> {
  const out = env !== undefined ? new Map(env) : dict();
  if (!truthy(runas)) return out;
  const uid = (await uidOf(ctx, [runas])) ?? 0;
  return uid === 0 ? out : out.set('SUDO_UID', uid).set('SUDO_USER', '');
}

async function npm(ctx: ModuleContext, words: readonly Value[], run: NpmRun): Promise<Ended> {
  const keywords: DictInit = {
    cwd: run.cwd ?? null,
    runas: run.runas,
    env: await variables(ctx, run),
    ...(run.ignore_retcode === true ? { ignore_retcode: true } : {}),
  };
  return runAll(ctx, ['npm', ...words], keywords);
}

/** The first JSON in what a program printed, which may have other lines around it; undefined where there is none. */
function jsonWithin(text: string): Value | undefined {
  const lines = text.split('\n');
  const starts = lines.flatMap((line, i) => (/^\s*[[{]/.test(line) ? [i] : [])).slice(0, 20);
  const ends = lines.flatMap((line, i) => (/^\s*[\]}]|[\]}]\s*$/.test(line) ? [i] : [])).slice(-20);
  for (const start of starts)
    for (const end of ends.toReversed()) {
      if (end < start) break;
      try {
        return parseJson(lines.slice(start, end + 1).join('\n'));
      } catch {
        // other lines belong to it
      }
    }
  return undefined;
}

/** What is asked of `npm install`. */
interface InstallRequest extends NpmRun {
  readonly names: readonly Value[];
  readonly dir: Value | undefined;
  readonly registry: Value | undefined;
  readonly dry_run: boolean;
  readonly silent: boolean;
}

async function install(ctx: ModuleContext, wanted: InstallRequest): Promise<Value> {
  const { names, dir, registry } = wanted;
  const words: Value[] = ['install', '--json'];
  if (wanted.silent) words.push('--silent');
  if (dir === undefined) words.push('--global');
  const hidden = hideNpmPasswords(names.map(pyStr));
  const secrets = new Map<Value, Value>(Object.entries(hidden.env));
  // Salt compat: Salt leaves passwords among the arguments, where every user of the machine reads them
  if (registry !== undefined && hasPassword(pyStr(registry)))
    secrets.set('npm_config_registry', pyStr(registry));
  else if (registry !== undefined) words.push(`--registry=${pyStr(registry)}`);
  if (wanted.dry_run) words.push('--dry-run');
  const env =
    secrets.size === 0 ? wanted.env : new Map([...(wanted.env !== undefined ? wanted.env : []), ...secrets]);
  const ended = await npm(ctx, [...words, ...hidden.words], { ...wanted, env, cwd: dir ?? tempFolder() });
  if (ended.retcode !== 0) throw new CommandExecutionError(ended.stderr === '' ? ended.stdout : ended.stderr);
  const said = ended.stdout === '' ? ended.stderr : ended.stdout;
  return jsonWithin(said) ?? said;
}

async function list(
  ctx: ModuleContext,
  {
    pkg,
    dir,
    depth,
    ...run
  }: NpmRun & { readonly pkg: Value | undefined; readonly dir: Value | undefined; readonly depth: Value },
): Promise<Value> {
  const words: Value[] = ['list', '--json', '--silent'];
  if (dir === undefined) words.push('--global');
  if (depth !== null) {
    if (typeof depth === 'string' || toNumber(depth) === undefined)
      throw new SaltInvocationError(`Error: depth ${pyStr(depth)} must be a number`);
    words.push(`--depth=${Math.trunc(toNumber(depth) ?? 0)}`);
  }
  if (pkg !== undefined) words.push(pkg);
  const ended = await npm(ctx, words, { ...run, cwd: dir ?? null, ignore_retcode: true });
  if (ended.retcode !== 0 && ended.stderr !== '') throw new CommandExecutionError(ended.stderr);
  let found: Value;
  try {
    found = parseJson(ended.stdout);
  } catch {
    throw new CommandExecutionError(`npm list has printed no JSON: ${ended.stdout.slice(0, 200)}`);
  }
  return isDict(found) ? (found.get('dependencies') ?? dict()) : dict();
}

/** A run whose failure is false and a line in the log. */
async function isDone(ctx: ModuleContext, words: readonly Value[], run: NpmRun): Promise<boolean> {
  const { retcode, stderr } = await npm(ctx, words, run);
  if (retcode !== 0) ctx.log.error(stderr);
  return retcode === 0;
}

const RUNAS = { runas: param.value({ default: null, type: 'str', doc: 'Who runs npm.' }) } as const;
const ENV = {
  env: param.mappingIfGiven({ default: null, doc: 'Variables of the environment of npm.' }),
} as const;
const DIR = {
  dir: param.valueIfGiven({
    default: null,
    type: 'str',
    doc: 'The folder of the packages; without it those of the system.',
  }),
} as const;
const PATH = {
  path: param.valueIfGiven({ default: null, type: 'str', doc: 'A part of the cache.' }),
} as const;
const pathWords = (path: Value | undefined): Value[] => (path === undefined ? [] : [path]);

const packageFunctions = {
  install: defineFunction({
    doc: 'Installs packages, or what the file package.json of a folder names.',
    params: {
      pkg: param.textIfGiven({
        default: null,
        doc: 'A package, with a version: `coffee-script@1.0.1`.',
      }),
      pkgs: param.textsIfGiven({ default: null, type: 'list', doc: 'Several packages.' }),
      ...DIR,
      ...RUNAS,
      registry: param.valueIfGiven({ default: null, type: 'str', doc: 'The address of the registry.' }),
      ...ENV,
      dry_run: param.flag({ default: false, doc: 'Only say what would be done.' }),
      silent: param.flag({ default: true, doc: 'Let npm say less.' }),
    },
    returns: 'what npm printed, as data where it is JSON',
    examples: ["salt '*' npm.install coffee-script@1.0.1", "salt '*' npm.install dir=/srv/app"],
    run: (ctx, { pkg, pkgs, ...wanted }) => {
      const names = pkg === undefined ? (pkgs ?? []) : [pkg];
      return install(ctx, { ...wanted, names });
    },
  }),
  uninstall: defineFunction({
    doc: 'Removes a package.',
    params: { pkg: param.text({ doc: 'The package.' }), ...DIR, ...RUNAS, ...ENV },
    returns: 'true or false',
    examples: ["salt '*' npm.uninstall coffee-script"],
    run: (ctx, { pkg, dir, ...run }) =>
      isDone(ctx, ['uninstall', pkg, ...(dir === undefined ? ['--global'] : [])], {
        ...run,
        cwd: dir ?? null,
      }),
  }),
  list: defineFunction({
    doc: 'Lists installed packages.',
    params: {
      pkg: param.valueIfGiven({
        default: null,
        type: 'str',
        doc: 'Only this package, with a version or a range of them.',
      }),
      ...DIR,
      ...RUNAS,
      ...ENV,
      depth: param.value({
        default: null,
        type: 'int',
        doc: 'How deep: 0 leaves out what packages depend on.',
      }),
    },
    pythonName: 'list_',
    returns: 'a mapping of name to what npm says of it',
    examples: ["salt '*' npm.list dir=/srv/app"],
    run: (ctx, args) => list(ctx, args),
  }),
};

const cacheFunctions = {
  cache_clean: defineFunction({
    doc: 'Empties the cache of packages.',
    params: {
      ...PATH,
      ...RUNAS,
      ...ENV,
      force: param.trueOnly({
        default: false,
        doc: 'Even though npm keeps its cache right itself (npm 5 and newer ask for it).',
      }),
    },
    returns: 'true or false',
    examples: ["salt '*' npm.cache_clean force=True"],
    run: (ctx, { path, force, ...run }) =>
      isDone(ctx, ['cache', 'clean', ...pathWords(path), ...(force ? ['--force'] : [])], {
        ...run,
        ignore_retcode: true,
      }),
  }),
  cache_list: defineFunction({
    doc: 'Lists the cache of packages.',
    params: { ...PATH, ...RUNAS, ...ENV },
    returns: 'what npm prints',
    examples: ["salt '*' npm.cache_list"],
    run: async (ctx, { path, ...run }) => {
      const words = ['cache', 'ls', ...pathWords(path)];
      const ended = await npm(ctx, words, { ...run, ignore_retcode: true });
      if (ended.retcode !== 0 && ended.stderr !== '') throw new CommandExecutionError(ended.stderr);
      return ended.stdout;
    },
  }),
  cache_path: defineFunction({
    doc: 'Returns the folder of the cache of packages.',
    params: { ...RUNAS, ...ENV },
    returns: 'a path',
    examples: ["salt '*' npm.cache_path"],
    run: async (ctx, run) => {
      const { stdout, stderr } = await npm(ctx, ['config', 'get', 'cache'], { ...run, ignore_retcode: true });
      return stdout === '' ? stderr : stdout;
    },
  }),
};

/** The module. */
export const npmModule = defineModule({
  name: 'npm',
  file: 'npm',
  doc: 'Packages of Node.js.',
  words: { lines: ['env'], dashes: ['env'] },
  unavailable: () =>
    findProgram('npm') === undefined
      ? 'npm execution module could not be loaded because the npm binary could not be located'
      : undefined,
  failsWith: { false: ['cache_clean', 'uninstall'] },
  functions: { ...packageFunctions, ...cacheFunctions },
});
