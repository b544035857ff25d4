/** `npm`: packages of Node.js (3006.16 salt/states/npm.py). */
import { CommandExecutionError, CommandNotFoundError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { answered, readDict } from '../../runtime/loader/answered.ts';

/** Packages by name, with their versions. */
const listedPackages = answered('npm.list', readDict);

const isSentence = (error: unknown): error is Error =>
  error instanceof CommandExecutionError || error instanceof CommandNotFoundError;

const fieldOf = (value: Value | undefined, name: string): string =>
  isDict(value) ? pyStr(value.get(name) ?? '') : '';

/** A package as the SLS has it: `@scope/name@^1.2`. */
function nameAndVersion(given: string): [name: string, version: string | undefined] {
  const found = /^(@?[^@\s]+)(?:@(\S+))?/.exec(given);
  return [found?.[1] ?? given, found?.[2]];
}

/** The installed package of a name, or of an address that one came from. */
function findInstalled(installed: Dict, name: string): string | undefined {
  if (fieldOf(installed.get(name), 'version') !== '') return name;
  if (!name.includes('://')) return undefined;
  const wanted = name.split('://')[1];
  for (const [key, details] of installed) {
    const from = fieldOf(details, 'from').split('://')[1];
    if (from === undefined) continue;
    const isGit = !from.endsWith('.git') && name.startsWith('git://');
    if ((isGit ? `${from}.git` : from) === wanted) return pyStr(key);
  }
  return undefined;
}

/** What is installed, and how it is asked for. */
interface Asked {
  readonly installed: Dict;
  readonly where: Dict;
}

/**
 * The `name@version` that satisfies a package, undefined where it is to be installed.
 * Salt compat: ranges of versions are asked of npm; Salt compares them as texts, and installs at each run.
 */
async function satisfiedBy(ctx: StateContext, given: string, asked: Asked): Promise<string | undefined> {
  const [name, version] = nameAndVersion(given);
  const found = findInstalled(asked.installed, name);
  if (found === undefined) return undefined;
  const there = fieldOf(asked.installed.get(found), 'version');
  if (version === undefined || version === there) return `${name}@${there}`;
  if (!/[\^~<>=*x|\s-]|^\d+(?:\.\d+)?$/.test(version)) return undefined;
  const matching = await listedPackages(ctx, [], new Map([...asked.where, ['pkg', given]]));
  return fieldOf(matching.get(name), 'version') === there ? `${name}@${there}` : undefined;
}

interface InstalledArgs {
  readonly name: string;
  readonly pkgs: readonly string[] | undefined;
  readonly dir: Value;
  readonly user: Value;
  readonly force_reinstall: Value;
  readonly registry: Value;
  readonly env: Value;
}

/** What test mode says. */
function foretold(
  name: string,
  all: string,
  missing: readonly string[],
  satisfied: readonly string[],
): StateResult {
  const comments: string[] = [];
  if (missing.length > 0) comments.push(`NPM package(s) '${missing.join(', ')}' are set to be installed`);
  if (satisfied.length > 0) comments.push(`Package(s) '${all}' satisfied by ${satisfied.join(', ')}`);
  const changes = missing.length > 0 ? dict({ old: [], new: [...missing] }) : dict();
  // Salt compat: Salt's result is true as soon as one of the packages is there.
  return outcome(name, missing.length > 0 ? null : true, comments.join('. '), changes);
}

/** Whether a name has white space, which no package has; ranges of versions and paths may have some. */
function hasBlankName(given: string): boolean {
  const name = /^@?[^@]*/.exec(given)?.[0] ?? '';
  return /\s/.test(name.trim()) && !/[/\\]|\.tgz$/.test(name);
}

async function installed(ctx: StateContext, args: InstalledArgs): Promise<StateResult> {
  const { name, dir, user, env, registry } = args;
  const list = [...(args.pkgs ?? [name])];
  const blank = list.find(hasBlankName);
  if (blank !== undefined)
    return outcome(name, false, `'${blank}' names no package of npm: write each as an item of pkgs`);
  const all = list.join(', ');
  const where = dict({ dir, runas: user, env, depth: 0 });
  const missing: string[] = [];
  const satisfied: string[] = [];
  try {
    const asked = { where, installed: await listedPackages(ctx, [], where) };
    for (const given of list) {
      const by = args.force_reinstall === true ? undefined : await satisfiedBy(ctx, given, asked);
      if (by === undefined) missing.push(given);
      else satisfied.push(by);
    }
  } catch (error) {
    if (!isSentence(error)) throw error;
    return outcome(name, false, `Error looking up '${name}': ${error.message}`);
  }
  if (ctx.state.test) return foretold(name, all, missing, satisfied);
  if (missing.length === 0)
    return outcome(name, true, `Package(s) '${all}' satisfied by ${satisfied.join(', ')}`);
  try {
    await ctx.functions.call('npm.install', [], { dir, runas: user, registry, env, pkgs: list });
  } catch (error) {
    if (!isSentence(error)) throw error;
    return outcome(name, false, `Error installing '${all}': ${error.message}`);
  }
  const comment = `Package(s) '${missing.join(', ')}' successfully installed`;
  return outcome(name, true, comment, dict({ old: [], new: missing }));
}

async function removed(
  ctx: StateContext,
  { name, dir, user }: { readonly name: string; readonly dir: Value; readonly user: Value },
): Promise<StateResult> {
  try {
    const there = await listedPackages(ctx, [], { dir, depth: 0 });
    if (!there.has(name)) return outcome(name, true, `Package '${name}' is not installed`);
  } catch (error) {
    if (!isSentence(error)) throw error;
    return outcome(name, false, `Error uninstalling '${name}': ${error.message}`);
  }
  if (ctx.state.test) return outcome(name, null, `Package '${name}' is set to be removed`);
  return truthy(await ctx.functions.call('npm.uninstall', [], { pkg: name, dir, runas: user }))
    ? outcome(name, true, `Package '${name}' was successfully removed`, dict({ [name]: 'Removed' }))
    : outcome(name, false, `Error removing package '${name}'`);
}

/** False where npm says in numbers that it has done nothing. */
function didSomething(answer: Dict): boolean {
  const counts = ['added', 'removed', 'changed', 'updated', 'add', 'change', 'remove'].filter((key) =>
    answer.has(key),
  );
  return counts.length === 0 || counts.some((key) => truthy(answer.get(key)));
}

async function bootstrap(
  ctx: StateContext,
  { name, user, silent }: { readonly name: string; readonly user: Value; readonly silent: boolean },
): Promise<StateResult> {
  const { test } = ctx.state;
  let answer: Value;
  try {
    const keywords = dict({ dir: name, runas: user, pkg: null, silent, ...(test ? { dry_run: true } : {}) });
    answer = await ctx.functions.call('npm.install', [], keywords);
  } catch (error) {
    if (!isSentence(error)) throw error;
    return outcome(name, false, `Error Bootstrapping '${name}': ${error.message}`);
  }
  // Salt compat: npm 5 and newer answer with numbers in any case, which Salt takes for a change at each run.
  const isDone = !truthy(answer) || (isDict(answer) && !didSomething(answer));
  if (test)
    return isDone
      ? outcome(name, true, `${name} is already bootstrapped`)
      : outcome(name, null, `${name} is set to be bootstrapped`, dict({ old: [], new: answer }));
  if (isDone) return outcome(name, true, 'Directory is already bootstrapped');
  if (typeof answer === 'string') return outcome(name, false, `Could not bootstrap directory: ${answer}`);
  return outcome(name, true, 'Directory was successfully bootstrapped', dict({ [name]: 'Bootstrapped' }));
}

async function cacheCleaned(
  ctx: StateContext,
  { name, user, force }: { readonly name: string | undefined; readonly user: Value; readonly force: Value },
): Promise<StateResult> {
  const what = name ?? 'packages';
  try {
    const listed = await ctx.functions.call('npm.cache_list', [], { path: name ?? null, runas: user });
    // Salt compat: Salt looks for the first letter of the list and the name between slashes, and so never finds one.
    if (name !== undefined && !pyStr(listed).includes(name))
      return outcome(name, true, `Package ${what} is not in the cache`);
  } catch (error) {
    if (!isSentence(error)) throw error;
    return outcome(name ?? null, false, `Error looking up cached ${what}: ${error.message}`);
  }
  if (ctx.state.test) return outcome(name ?? null, null, `Cached ${what} set to be removed`);
  return truthy(await ctx.functions.call('npm.cache_clean', [], { path: name ?? null, runas: user, force }))
    ? outcome(
        name ?? null,
        true,
        `Cached ${what} successfully removed`,
        dict({ [name ?? 'cache']: 'Removed' }),
      )
    : outcome(name ?? null, false, `Error cleaning cached ${what}`);
}

const DIR = {
  dir: param.value({
    default: null,
    type: 'str',
    doc: 'The folder of the packages; without it those of the system.',
  }),
} as const;
const USER = {
  user: param.value({ default: null, type: 'str', account: 'user', doc: 'Who runs npm.' }),
} as const;

/** The states of `npm`. */
export const npmStates = defineModule({
  name: 'npm',
  file: 'npm',
  doc: 'Packages of Node.js.',
  needs: { fun: 'npm.list', otherwise: "'npm' binary not found on system" },
  words: { lines: ['env'], dashes: 'any' },
  functions: {
    installed: defineState({
      doc: 'Makes sure that packages are installed.',
      params: {
        name: param.text({ doc: 'The package, with a version: `coffee-script@1.0.1`.' }),
        pkgs: param.textsIfGiven({
          default: null,
          type: 'list',
          doc: 'Several packages, in place of the name.',
        }),
        ...DIR,
        ...USER,
        force_reinstall: param.value({ default: false, type: 'bool', doc: 'Install what is there as well.' }),
        registry: param.value({ default: null, type: 'str', doc: 'The address of the registry.' }),
        env: param.value({ default: null, type: 'dict', doc: 'Variables of the environment of npm.' }),
      },
      run: installed,
    }),
    removed: defineState({
      doc: 'Makes sure that a package is not installed.',
      params: { name: param.text({ doc: 'The package.' }), ...DIR, ...USER },
      run: removed,
    }),
    bootstrap: defineState({
      doc: 'Installs what the file package.json of a folder names.',
      params: {
        name: param.text({ doc: 'The folder.' }),
        ...USER,
        silent: param.flag({ default: true, doc: 'Let npm say less.' }),
      },
      run: bootstrap,
    }),
    cache_cleaned: defineState({
      doc: 'Empties the cache of packages.',
      params: {
        name: param.textIfGiven({ default: null, doc: 'Only this package; otherwise all.' }),
        ...USER,
        force: param.value({
          default: false,
          type: 'bool',
          doc: 'Even though npm keeps its cache right itself (npm 5 and newer ask for it).',
        }),
      },
      run: cacheCleaned,
    }),
  },
});
