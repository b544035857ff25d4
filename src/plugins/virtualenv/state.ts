/** `virtualenv`: virtual environments of Python and what is in them (3006.16 salt/states/virtualenv_mod.py). */
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError } from '../../errors/errors.ts';
import { absPath, dirName, joinPath, pathExists } from '../../python/paths.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  CACHE,
  CWD,
  ENV_VARS,
  REQUIREMENTS,
  SOURCES,
  TRUST,
  USER,
  USE_VT,
  WHEELS,
} from '../pip/module/params.ts';
import { commaList } from '../pip/module/run.ts';
import { creationProblem } from './module/create.ts';
import { CLEAR, SHAPE, VENV_BIN, VIRTUALENV_ONLY } from './module/params.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { askedPackages } from '../pip/state/asked.ts';
import { pipPackages, optionRefusal, readPackage } from '../pip/state/check.ts';
import {
  defineState,
  type StateContext,
  type StateFunctionSpec,
  type StateResult,
} from '../shared/state-function.ts';
import { cachedFile } from '../shared/served-files.ts';

const MANAGED = {
  name: param.text({ doc: 'The folder of the environment.' }),
  ...VENV_BIN,
  ...REQUIREMENTS,
  ...SHAPE,
  use_wheel: WHEELS.use_wheel,
  ...CLEAR,
  ...VIRTUALENV_ONLY,
  ...USER,
  ...CWD,
  index_url: SOURCES.index_url,
  extra_index_url: SOURCES.extra_index_url,
  pre_releases: TRUST.pre_releases,
  no_deps: SOURCES.no_deps,
  pip_download: SOURCES.download,
  pip_download_cache: SOURCES.download_cache,
  pip_exists_action: SOURCES.exists_action,
  pip_ignore_installed: SOURCES.ignore_installed,
  proxy: param.value({ default: null, type: 'str or bool', doc: 'The proxy of pip; false: none.' }),
  ...USE_VT,
  ...ENV_VARS,
  no_use_wheel: WHEELS.no_use_wheel,
  pip_upgrade: SOURCES.upgrade,
  pip_pkgs: param.value({
    default: null,
    type: 'list',
    doc: 'Packages to install, beside those of `requirements`.',
  }),
  pip_no_cache_dir: param.flag({ default: false, doc: 'Let pip keep no downloads.' }),
  pip_cache_dir: CACHE.cache_dir,
  process_dependency_links: TRUST.process_dependency_links,
  no_binary: CACHE.no_binary,
} as const;

type ManagedArgs = TypedArguments<typeof MANAGED>;

/** What is wrong with arguments or programs, as a comment. */
const isSentence = (error: unknown): error is Error =>
  error instanceof CommandExecutionError ||
  error instanceof CommandNotFoundError ||
  error instanceof SaltInvocationError ||
  error instanceof PythonError;

const linesOf = (value: Value): string[] => (Array.isArray(value) ? value.map(pyStr) : []);

async function pythonVersion(ctx: StateContext, python: string): Promise<string> {
  // Salt compat: only what Python says on its error output, where Python 3 says nothing.
  const said = await ctx.functions.call('cmd.run_stderr', [[python, '-V']], { python_shell: false });
  return pyStr(said).replaceAll(/^\n+|\n+$/g, '');
}

/** The file of requirements as it lies here; undefined where the master has none of that name. */
async function localRequirements(ctx: StateContext, requirements: Value): Promise<Value | undefined> {
  if (typeof requirements !== 'string' || !requirements.startsWith('salt://')) return requirements;
  const saltenv = ctx.state.low.get('__env__') ?? 'base';
  return cachedFile(ctx, [requirements, saltenv]);
}

/** Makes the environment. @returns the failure, or undefined */
async function create(ctx: StateContext, args: ManagedArgs, kwargs: Dict): Promise<string | undefined> {
  const { name, venv_bin, python, prompt } = args;
  const keywords = dict({
    venv_bin: venv_bin ?? null,
    system_site_packages: args.system_site_packages,
    distribute: args.distribute,
    clear: args.clear,
    python: python ?? null,
    extra_search_dir: args.extra_search_dir,
    never_download: args.never_download,
    prompt: prompt ?? null,
    user: args.user,
    use_vt: args.use_vt,
  });
  try {
    const ended = await ctx.functions.call('virtualenv.create', [name], new Map([...keywords, ...kwargs]));
    if (isDict(ended) && ended.get('retcode') === 0) return undefined;
    return isDict(ended) ? `${pyStr(ended.get('stdout') ?? '')}${pyStr(ended.get('stderr') ?? '')}` : '';
  } catch (error) {
    if (!isSentence(error)) throw error;
    return `Failed to create virtualenv: ${error.message}`;
  }
}

/** Where pip runs: beside a file that is no absolute path. */
function folderFor({ cwd }: Pick<ManagedArgs, 'cwd'>, requirements: Value): Value {
  const first = Array.isArray(requirements) ? requirements[0] : pyStr(requirements).split(',')[0];
  const path = pyStr(first ?? '');
  return truthy(requirements) && path !== absPath(path) ? dirName(absPath(path)) : cwd;
}

function installKeywords(ctx: StateContext, args: ManagedArgs, requirements: Value): Dict {
  return dict({
    pkgs: args.pip_pkgs,
    requirements,
    process_dependency_links: args.process_dependency_links,
    bin_env: args.name,
    use_wheel: args.use_wheel,
    no_use_wheel: args.no_use_wheel,
    no_binary: args.no_binary ?? null,
    user: args.user,
    cwd: folderFor(args, requirements),
    index_url: args.index_url ?? null,
    extra_index_url: args.extra_index_url ?? null,
    download: args.pip_download ?? null,
    download_cache: args.pip_download_cache ?? null,
    pre_releases: args.pre_releases,
    exists_action: args.pip_exists_action ?? null,
    ignore_installed: args.pip_ignore_installed,
    upgrade: args.pip_upgrade,
    no_deps: args.no_deps,
    proxy: args.proxy,
    use_vt: args.use_vt,
    env_vars: args.env_vars,
    no_cache_dir: args.pip_no_cache_dir,
    cache_dir: args.pip_cache_dir ?? null,
    saltenv: ctx.state.low.get('__env__') ?? 'base',
  });
}

/** What is in one list only, in its order; the empty text for nothing. */
function missingFrom(other: readonly string[], list: readonly string[]): Value {
  const found = list.filter((line) => !other.includes(line));
  return found.length === 0 ? '' : found;
}

/** Installs packages into the environment. @param soFar what was done before */
async function populate(
  ctx: StateContext,
  args: ManagedArgs,
  {
    requirements,
    kwargs,
    comment,
    changes,
  }: {
    readonly requirements: Value;
    readonly kwargs: Dict;
    readonly comment: string;
    readonly changes: Dict;
  },
): Promise<StateResult> {
  const { name } = args;
  const where = dict({ bin_env: name, user: args.user, ...(args.use_vt ? { use_vt: true } : {}) });
  const before = linesOf(await ctx.functions.call('pip.freeze', [], where));
  const keywords = new Map([...installKeywords(ctx, args, requirements), ...kwargs]);
  const ended = await ctx.functions.call('pip.install', [], keywords);
  const field = (key: string): string => (isDict(ended) ? pyStr(ended.get(key) ?? '') : '');
  if (isDict(ended) && !ended.has('retcode')) return outcome(name, false, field('comment'), changes);
  const isDone = isDict(ended) && ended.get('retcode') === 0;
  const after = linesOf(await ctx.functions.call('pip.freeze', [], { bin_env: name }));
  const [fresh, gone] = [missingFrom(before, after), missingFrom(after, before)];
  if (fresh !== '' || gone !== '') changes.set('packages', dict({ new: fresh, old: gone }));
  return outcome(
    name,
    isDone,
    isDone ? comment : `${comment}\n${field('stdout')}\n${field('stderr')}`,
    changes,
  );
}

/** Whether packages are missing in an environment, as far as that can be said without pip. */
async function isMissingSome(
  ctx: StateContext,
  { name, user, cwd, pip_pkgs, pip_upgrade }: ManagedArgs,
  requirements: Value,
): Promise<boolean> {
  const from = { cwd: folderFor({ cwd }, requirements), isNeeded: true };
  const asked = await askedPackages(ctx, requirements, from);
  const pkgs = truthy(pip_pkgs)
    ? commaList(pip_pkgs).map((one) => readPackage(pyStr(one).replaceAll(';', ',')))
    : [];
  const wanted = [...(typeof asked === 'string' ? [] : asked.packages), ...pkgs];
  if (wanted.length === 0 && typeof asked !== 'string' && asked.isAll) return false;
  if (pip_upgrade || typeof asked === 'string' || !asked.isAll) return true;
  const installed = await pipPackages(ctx, [], { bin_env: name, user });
  return wanted.some((one) => typeof one === 'string' || !installed.has(one));
}

/** What test mode says. Salt compat: Salt looks neither whether packages are missing nor for its program. */
async function foretold(
  ctx: StateContext,
  args: ManagedArgs,
  {
    isThere,
    changes,
    requirements,
  }: { readonly isThere: boolean; readonly changes: Dict; readonly requirements: Value },
): Promise<StateResult> {
  const { name, clear } = args;
  const isMade = !isThere || truthy(clear);
  const problem = isMade && !mayBeMade(ctx) ? creationProblem(ctx, args) : undefined;
  if (problem !== undefined) return outcome(name, false, `Failed to create virtualenv: ${problem}`);
  if (!isThere) return outcome(name, null, `Virtualenv ${name} is set to be created`, changes);
  if (truthy(clear)) return outcome(name, null, `Virtualenv ${name} is set to be cleared`, changes);
  return (await isMissingSome(ctx, args, requirements))
    ? outcome(name, null, `Virtualenv ${name} is already created, packages are set to be installed`, changes)
    : outcome(name, true, `Virtualenv ${name} is already created`, changes);
}

async function manage(ctx: StateContext, args: ManagedArgs, kwargs: Dict): Promise<StateResult> {
  const { name } = args;
  const python = joinPath(name, 'bin', 'python');
  const isThere = pathExists(python);
  const isCleared = isThere && truthy(args.clear);
  const requirements = await localRequirements(ctx, args.requirements);
  if (requirements === undefined)
    return outcome(name, false, `pip requirements file '${pyStr(args.requirements)}' not found`);
  const asked = await askedPackages(ctx, requirements, {
    cwd: folderFor(args, requirements),
    isNeeded: true,
  });
  if (typeof asked === 'string') return outcome(name, false, asked);
  const changes = dict();
  if (isCleared) {
    changes.set('cleared_packages', await ctx.functions.call('pip.freeze', [], { bin_env: name }));
    changes.set('old', await pythonVersion(ctx, python));
  }
  if (ctx.state.test) return foretold(ctx, args, { isThere, changes, requirements });
  let comment = 'virtualenv exists';
  if (!isThere || isCleared) {
    const problem = await create(ctx, args, kwargs);
    if (problem !== undefined) return outcome(name, false, problem, changes);
    changes.set('new', await pythonVersion(ctx, python));
    comment = truthy(args.clear) ? 'Cleared existing virtualenv' : 'Created new virtualenv';
  }
  if (args.use_wheel || args.no_use_wheel || args.no_binary !== undefined) {
    const version = await ctx.functions.call('pip.version', [], { bin_env: name });
    const refusal = optionRefusal(args, version === null ? undefined : pyStr(version));
    if (refusal !== undefined) return outcome(name, false, refusal, changes);
  }
  if (!truthy(requirements) && !truthy(args.pip_pkgs)) return outcome(name, true, comment, changes);
  return populate(ctx, args, { requirements, kwargs, comment, changes });
}

const managed: StateFunctionSpec<typeof MANAGED> = {
  doc: 'Makes sure that there is a virtual environment, and that packages are in it.',
  params: MANAGED,
  kwargs: 'kwargs',
  // Salt compat: what is wrong with arguments is the comment; Salt ends with a traceback for some of them.
  run: async (ctx, args, kwargs) => {
    try {
      return await manage(ctx, args, kwargs);
    } catch (error) {
      if (!isSentence(error)) throw error;
      return outcome(args.name, false, error.message);
    }
  },
};

/** The states of `virtualenv`. */
export const virtualenvStates = defineModule({
  name: 'virtualenv',
  file: 'virtualenv_mod',
  doc: 'Virtual environments of Python and what is in them.',
  functions: {
    managed: defineState(managed),
    manage: defineState({ ...managed, doc: 'Older name of `virtualenv.managed`.' }),
  },
});
