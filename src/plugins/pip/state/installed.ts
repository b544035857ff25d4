/** `pip.installed`. Follows 3006.16 salt/states/pip_state.py. */
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError } from '../../../errors/errors.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { packageKey } from '../../../python/packages/requirement.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcomeChangesLast as outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import {
  alreadyInstalled,
  installedPackages,
  optionRefusal,
  readPackage,
  type InstalledArgs,
  type InstalledPackages,
  type WantedPackage,
} from './check.ts';
import { askedPackages } from './asked.ts';
import {
  alreadyFrom,
  frozenLines,
  hasInstalled,
  isLinked,
  namesInstalled,
  satisfiedPackages,
} from './said.ts';
import { targetFolder } from './target.ts';
import { userAccount } from '../../shared/accounts.ts';

/** What a run works with. */
export interface Run {
  readonly args: InstalledArgs;
  readonly binEnv: Value;
  readonly kwargs: Dict;
  /** The name of the result. */
  readonly name: string;
}

/** True for what Salt's functions say in a sentence of theirs. */
const isSentence = (error: unknown): error is Error =>
  error instanceof CommandExecutionError ||
  error instanceof CommandNotFoundError ||
  error instanceof SaltInvocationError ||
  error instanceof PythonError;

function namesOf(args: InstalledArgs): string[] {
  const pkgs = args.pkgs !== undefined && Array.isArray(args.pkgs) ? args.pkgs : [args.name];
  return pkgs.map((one) => (isDict(one) ? [...one].flat().map(pyStr).join(' ') : pyStr(one)));
}

/** What a file or a repository would bring. Salt compat: Salt foretells that, whatever is there. */
async function foretold(ctx: StateContext, run: Run): Promise<StateResult> {
  const { args, name } = run;
  const { requirements, editable } = args;
  const [right, comments]: [string[], string[]] = [[], []];
  const isAnew = args.upgrade || args.force_reinstall || args.ignore_installed;
  if (truthy(requirements)) {
    const asked = await askedPackages(ctx, requirements, { cwd: args.cwd, isNeeded: true });
    if (typeof asked === 'string') return outcome(name, false, asked);
    const installed = await installedPackages(ctx, args, { ...run, kwargs: dict() });
    if (!isAnew && asked.isAll && asked.packages.every((one) => installed.has(one)))
      right.push('Requirements were already installed.');
    else comments.push(`Requirements file '${pyStr(requirements)}' will be processed.`);
  }
  if (editable !== undefined) {
    if (!isAnew && isLinked(editable, await frozenLines(ctx, run))) right.push(alreadyFrom(editable));
    else
      comments.push(
        `Package will be installed in editable mode (i.e. setuptools "develop mode") from ${pyStr(editable)}.`,
      );
  }
  return comments.length === 0
    ? outcome(name, true, right.join(' '))
    : outcome(name, null, comments.join(' '));
}

/** Calls `pip.install`. */
function install(ctx: StateContext, run: Run, pkgs: string): Promise<Value> {
  const { name: _name, pip_bin: _bin, repo: _repo, pkgs: _pkgs, ...args } = run.args;
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  const keywords = new Map<Value, Value>([
    ...(given as [string, Value][]),
    ['pkgs', pkgs],
    ['bin_env', run.binEnv],
    ['saltenv', ctx.state.low.get('__env__') ?? 'base'],
    ['disable_version_check', true],
    ...run.kwargs,
  ]);
  return ctx.functions.call('pip.install', [], keywords);
}

const textOf = (ended: Dict, field: string): string => pyStr(ended.get(field) ?? '');
const joined = (lines: readonly string[], last: string): string => [...lines, last].join('\n');

/** What was done with a file of requirements or a repository. @param before the lines of `pip freeze` until then */
async function processed(
  ctx: StateContext,
  run: Run,
  { ended, before }: { readonly ended: Dict; readonly before: readonly string[] },
): Promise<StateResult> {
  const { args, name } = run;
  const comments: string[] = [];
  const changes = dict();
  const after = await frozenLines(ctx, run);
  const isNew = hasInstalled(targetFolder(args) === undefined ? textOf(ended, 'stdout') : '', {
    ...{ before, after },
    isForced: args.force_reinstall || args.ignore_installed,
  });
  if (truthy(args.requirements)) {
    if (isNew) changes.set('requirements', true);
    comments.push(
      isNew
        ? `Successfully processed requirements file ${pyStr(args.requirements)}.`
        : 'Requirements were already installed.',
    );
  }
  if (args.editable !== undefined) {
    if (isNew) changes.set('editable', true);
    comments.push(
      isNew
        ? `Package successfully installed from VCS checkout ${pyStr(args.editable)}.`
        : alreadyFrom(args.editable),
    );
  }
  return outcome(name, true, comments.join(' '), changes);
}

/** What a run has installed. */
interface Did {
  readonly targets: readonly WantedPackage[];
  readonly already: readonly string[];
  readonly ended: Dict;
  /** What was there until then. */
  readonly before: InstalledPackages;
}

/** What was installed, by what is there now. */
async function verified(
  ctx: StateContext,
  run: Run,
  { targets, already, ended, before }: Did,
): Promise<StateResult> {
  const stdout = textOf(ended, 'stdout');
  const satisfied = satisfiedPackages(stdout);
  const isAsked = targets.some(({ prefix }) => prefix !== '');
  const installed = isAsked ? await installedPackages(ctx, run.args, run) : undefined;
  const changes = dict();
  const missing: string[] = [];
  for (const { prefix, given } of targets) {
    const version = prefix === '' ? undefined : installed?.versionOf(prefix);
    const isUntouched = satisfied.has(packageKey(prefix)) && version === before.versionOf(prefix);
    if (prefix === '') {
      if (stdout === '' || namesInstalled(stdout)) changes.set(`${given}==???`, 'Installed');
    } else if (version === undefined)
      missing.push(
        `There was no error installing package '${given}' although it does not show when calling 'pip.freeze'.`,
      );
    else if (!isUntouched) changes.set(`${prefix}==${version}`, 'Installed');
  }
  const kept = installed === undefined ? [] : keptInTarget(run, targets, installed);
  if (kept.length > 0) return outcome(run.name, false, joined(already, kept.join('\n')));
  const last = missing.length === 0 ? 'All packages were successfully installed' : missing.join('\n');
  return outcome(run.name, true, joined(already, last), changes);
}

/** Packages that pip leaves in `target` as they are, since it replaces them only with `upgrade`. */
function keptInTarget(
  { args }: Run,
  targets: readonly WantedPackage[],
  installed: InstalledPackages,
): string[] {
  const folder = targetFolder(args);
  if (folder === undefined) return [];
  return targets
    .filter((one) => installed.versionOf(one.prefix) !== undefined && !installed.has(one))
    .map(
      ({ prefix, given }) =>
        `${folder} has ${prefix} ${String(installed.versionOf(prefix))}, which pip replaces by ${given} only with 'upgrade: True'.`,
    );
}

/** What went wrong. */
function failed({ args, name }: Run, { targets, already, ended }: Omit<Did, 'before'>): StateResult {
  const error = ended.has('stdout')
    ? `Error: ${textOf(ended, 'stdout')} ${textOf(ended, 'stderr')}`
    : `Error: ${textOf(ended, 'comment')}`;
  if (!truthy(args.requirements) && args.editable === undefined) {
    const names = targets.map(({ given }) => given.replaceAll(',', ';')).join(', ');
    return outcome(name, false, joined(already, `Failed to install packages: ${names}. ${error}`));
  }
  const comments: string[] = [];
  if (truthy(args.requirements))
    comments.push(`Unable to process requirements file "${pyStr(args.requirements)}"`);
  if (args.editable !== undefined)
    comments.push(`Unable to install from VCS checkout ${pyStr(args.editable)}.`);
  return outcome(name, false, [...comments, error].join(' '));
}

/** Which packages are to be installed, and why the others are not. */
async function sortOut(
  ctx: StateContext,
  run: Run,
  { wanted, installed }: { readonly wanted: readonly WantedPackage[]; readonly installed: InstalledPackages },
): Promise<{ targets: WantedPackage[]; already: string[] }> {
  const targets: WantedPackage[] = [];
  const already: string[] = [];
  for (const one of wanted) {
    const comment = await alreadyInstalled(ctx, one, { ...run, installed });
    if (comment !== undefined) already.push(comment);
    else targets.push(one);
    if (ctx.state.test && targets.length > 0) break;
  }
  return { targets, already };
}

async function installPackages(
  ctx: StateContext,
  run: Run,
  wanted: readonly WantedPackage[],
): Promise<StateResult> {
  const { args, name } = run;
  const installed = await installedPackages(ctx, args, { ...run, kwargs: dict() });
  const { targets, already } = await sortOut(ctx, run, { wanted, installed });
  const [first] = targets;
  if (first === undefined) {
    const last = `All specified packages are already installed${args.upgrade ? ' and up-to-date' : ''}`;
    return outcome(name, true, joined(already, last));
  }
  if (ctx.state.test)
    return outcome(
      name,
      null,
      wanted.length > 1
        ? ['Python package(s) set to be installed:', ...wanted.map(({ given }) => given)].join('\n')
        : `Python package ${first.given} is set to be installed`,
    );
  const pkgs = targets.map(({ given }) => given.replaceAll(',', ';')).join(',');
  const ended = await install(ctx, run, pkgs);
  if (!isDict(ended)) return outcome(name, false, 'Could not install package');
  const did = { targets, already, ended, before: installed };
  return ended.get('retcode') === 0 ? verified(ctx, run, did) : failed(run, did);
}

/** Installs what is missing. */
async function run(ctx: StateContext, args: InstalledArgs, kwargs: Dict): Promise<StateResult> {
  const names = namesOf(args);
  const name = names.join(';');
  const binEnv = truthy(args.pip_bin) && !truthy(args.bin_env) ? args.pip_bin : args.bin_env;
  const hasFile = truthy(args.requirements) || args.editable !== undefined;
  let version: Value;
  try {
    version = await ctx.functions.call('pip.version', [binEnv]);
  } catch (error) {
    if (!isSentence(error)) throw error;
    return outcome(name, false, `Error installing '${args.name}': ${error.message}`);
  }
  const refusal = optionRefusal(args, version === null ? undefined : pyStr(version));
  if (refusal !== undefined) return outcome(name, false, refusal);
  const read = hasFile ? [] : names.map(readPackage);
  const wrong = read.filter((one) => typeof one === 'string');
  if (wrong.length > 0) return outcome(name, false, wrong.join('\n'));
  if (truthy(args.user) && (await userAccount(ctx, [args.user])) === undefined)
    return outcome(name, false, `User ${pyStr(args.user)} does not exist`);
  const whole: Run = { args, binEnv, kwargs, name };
  if (!hasFile)
    return installPackages(
      ctx,
      whole,
      read.filter((one) => typeof one !== 'string'),
    );
  if (ctx.state.test) return foretold(ctx, whole);
  const before = await frozenLines(ctx, whole);
  const ended = await install(ctx, whole, '');
  if (!isDict(ended)) return outcome(name, false, 'Could not install package');
  return ended.get('retcode') === 0
    ? processed(ctx, whole, { ended, before })
    : failed(whole, { targets: [], already: [], ended });
}

/**
 * Makes sure that packages are installed.
 * Salt compat: what is wrong with arguments is the comment; Salt ends with a traceback for some of them.
 */
export async function installed(ctx: StateContext, args: InstalledArgs, kwargs: Dict): Promise<StateResult> {
  if (args.pkgs !== undefined && !Array.isArray(args.pkgs))
    return failure(args.name, 'pkgs argument must be formatted as a list');
  try {
    return await run(ctx, args, kwargs);
  } catch (error) {
    if (!isSentence(error)) throw error;
    return outcome(namesOf(args).join(';'), false, `Error installing '${args.name}': ${error.message}`);
  }
}
