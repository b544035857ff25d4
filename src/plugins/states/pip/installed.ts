/** `pip.installed`. Follows 3006.16 salt/states/pip_state.py. */
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError } from '../../../errors/errors.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { packageKey } from '../../../python/packages/requirement.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcomeChangesLast as outcome } from '../outcome.ts';
import type { StateContext, StateResult } from '../state-function.ts';
import {
  alreadyInstalled,
  installedPackages,
  optionRefusal,
  readPackage,
  type InstalledArgs,
  type InstalledPackages,
  type WantedPackage,
} from './check.ts';

/** What a run works with. */
interface Run {
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
  const pkgs = truthy(args.pkgs) && Array.isArray(args.pkgs) ? args.pkgs : [args.name];
  return pkgs.map((one) => (isDict(one) ? [...one].flat().map(pyStr).join(' ') : pyStr(one)));
}

/** What a file or a repository would bring. */
function foretold({ requirements, editable }: InstalledArgs): string {
  const comments: string[] = [];
  if (truthy(requirements)) comments.push(`Requirements file '${pyStr(requirements)}' will be processed.`);
  if (editable !== undefined)
    comments.push(
      `Package will be installed in editable mode (i.e. setuptools "develop mode") from ${pyStr(editable)}.`,
    );
  return comments.join(' ');
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

const NO_CHANGE = [
  'Requirement already satisfied',
  'Requirement already up-to-date',
  'Requirement not upgraded',
  'Collecting',
  'Cloning',
  'Cleaning up...',
  'Looking in indexes',
];
/** Lines that say where packages are looked for. Salt compat: Salt takes `Looking in links` for a change. */
const NO_CHANGE_EITHER = ['Looking in links'];

const textOf = (ended: Dict, field: string): string => pyStr(ended.get(field) ?? '');
const joined = (lines: readonly string[], last: string): string => [...lines, last].join('\n');

function changesSomething(line: string): boolean {
  const text = line.trim();
  return text !== '' && ![...NO_CHANGE, ...NO_CHANGE_EITHER].some((start) => text.startsWith(start));
}

/** What was done with a file of requirements or a repository. */
function processed({ args, name }: Run, ended: Dict): StateResult {
  const comments: string[] = [];
  const changes = dict();
  if (truthy(args.requirements)) {
    const hasChanged = textOf(ended, 'stdout').split('\n').some(changesSomething);
    if (hasChanged) changes.set('requirements', true);
    comments.push(
      hasChanged
        ? `Successfully processed requirements file ${pyStr(args.requirements)}.`
        : 'Requirements were already installed.',
    );
  }
  if (args.editable !== undefined) {
    comments.push(`Package successfully installed from VCS checkout ${pyStr(args.editable)}.`);
    changes.set('editable', true);
  }
  return outcome(name, true, comments.join(' '), changes);
}

/** What was installed, by what is there now. */
async function verified(
  ctx: StateContext,
  run: Run,
  {
    targets,
    already,
    ended,
  }: {
    readonly targets: readonly WantedPackage[];
    readonly already: readonly string[];
    readonly ended: Dict;
  },
): Promise<StateResult> {
  const untouched = new Set(
    textOf(ended, 'stdout')
      .split('\n')
      .filter((line) => line.startsWith('Requirement already up-to-date: '))
      .map((line) => packageKey(line.split(':', 2)[1]?.trim().split(/\s+/)[0] ?? '')),
  );
  const isAsked = targets.some(({ prefix }) => prefix !== '');
  const installed = isAsked ? await installedPackages(ctx, run.args, run) : undefined;
  const changes = dict();
  const missing: string[] = [];
  for (const { prefix, given } of targets) {
    const version = prefix === '' ? undefined : installed?.versionOf(prefix);
    if (prefix === '') changes.set(`${given}==???`, 'Installed');
    else if (version === undefined)
      missing.push(
        `There was no error installing package '${given}' although it does not show when calling 'pip.freeze'.`,
      );
    else if (!untouched.has(packageKey(prefix))) changes.set(`${prefix}==${version}`, 'Installed');
  }
  const last = missing.length === 0 ? 'All packages were successfully installed' : missing.join('\n');
  return outcome(run.name, true, joined(already, last), changes);
}

/** What went wrong. */
function failed(
  { args, name }: Run,
  {
    targets,
    already,
    ended,
  }: {
    readonly targets: readonly WantedPackage[];
    readonly already: readonly string[];
    readonly ended: Dict;
  },
): StateResult {
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
  const did = { targets, already, ended };
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
  if (truthy(args.user) && !truthy(await ctx.functions.call('user.info', [args.user])))
    return outcome(name, false, `User ${pyStr(args.user)} does not exist`);
  const whole: Run = { args, binEnv, kwargs, name };
  if (!hasFile)
    return installPackages(
      ctx,
      whole,
      read.filter((one) => typeof one !== 'string'),
    );
  if (ctx.state.test) return outcome(name, null, foretold(args));
  const ended = await install(ctx, whole, '');
  if (!isDict(ended)) return outcome(name, false, 'Could not install package');
  return ended.get('retcode') === 0
    ? processed(whole, ended)
    : failed(whole, { targets: [], already: [], ended });
}

/**
 * Makes sure that packages are installed.
 * Salt compat: what is wrong with arguments is the comment; Salt ends with a traceback for some of them.
 */
export async function installed(ctx: StateContext, args: InstalledArgs, kwargs: Dict): Promise<StateResult> {
  if (truthy(args.pkgs) && !Array.isArray(args.pkgs))
    return failure(args.name, 'pkgs argument must be formatted as a list');
  try {
    return await run(ctx, args, kwargs);
  } catch (error) {
    if (!isSentence(error)) throw error;
    return outcome(namesOf(args).join(';'), false, `Error installing '${args.name}': ${error.message}`);
  }
}
