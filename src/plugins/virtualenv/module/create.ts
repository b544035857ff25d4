/** Making a virtual environment. Follows 3006.16 salt/modules/virtualenv_mod.py. */
import { chownSync, readFileSync, rmSync } from 'node:fs';
import { CommandExecutionError, CommandNotFoundError } from '../../../errors/errors.ts';
import { makeTempFile } from '../../../host/file-operations.ts';
import { findProgram } from '../../../host/which.ts';
import { joinPath, pathExists } from '../../../python/paths.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext, TypedArguments } from '../../../runtime/loader/module.ts';
import { commaList } from '../../pip/module/run.ts';
import type { CREATE } from './params.ts';
import { cachedFile } from '../../shared/served-files.ts';
import { uidOf } from '../../shared/accounts.ts';
import { ranAll } from '../../shared/program.ts';

/** The arguments of `virtualenv.create`. */
export type CreateArgs = TypedArguments<typeof CREATE>;

const GET_PIP = 'https://bootstrap.pypa.io/get-pip.py';

/** Keywords that a function of the minion may hand on to `cmd.run_all`. */
const handedOn = (kwargs: Dict): Dict =>
  new Map([...kwargs].filter(([name]) => !pyStr(name).startsWith('__pub_')));

async function run(ctx: ModuleContext, words: readonly Value[], keywords: Dict): Promise<Dict> {
  const ended = await ranAll(ctx, [[...words]], new Map([['python_shell', false], ...keywords]));
  return ended.size > 0 ? ended : dict({ retcode: 1, stdout: '', stderr: '' });
}

const field = (ended: Dict, name: string): string => pyStr(ended.get(name) ?? '');

/** The version of virtualenv as numbers. @throws CommandExecutionError where it says none */
export async function virtualenvVersion(
  ctx: ModuleContext,
  program: string,
  keywords: Dict,
): Promise<number[]> {
  const words = [program, '--version'];
  const ended = await run(ctx, words, new Map([...handedOn(keywords), ['redirect_stderr', true]]));
  const said = field(ended, 'stdout').trim();
  if ((toNumber(ended.get('retcode')) ?? 1) > 0 || said === '')
    throw new CommandExecutionError(
      `Unable to get the virtualenv version output using '${pyRepr(words)}'. Returned data: ${pyRepr(ended)}`,
    );
  const version = said.split(/\s+/).find((word) => /^\d.\d*/.test(word)) ?? '';
  return version
    .replace(/(?:rc|\+).*$/, '')
    .split('.')
    .map(Number);
}

const isBefore = (version: readonly number[], [major, minor]: readonly [number, number]): boolean =>
  (version[0] ?? 0) < major || ((version[0] ?? 0) === major && (version[1] ?? 0) < minor);

const isSaid = (value: Value | undefined): boolean =>
  value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '');

/** @throws CommandExecutionError for the first option that the program does not have */
function refuseOptions(
  program: string,
  options: readonly (readonly [name: string, isGiven: boolean])[],
): void {
  const refused = options.find(([, isGiven]) => isGiven)?.[0];
  if (refused === undefined) return;
  const word = refused.replaceAll('_', '-');
  throw new CommandExecutionError(
    `The \`${refused}\`(\`--${word}\`) option is not supported by '${program}'`,
  );
}

/** What only virtualenv is told. */
async function virtualenvWords(
  ctx: ModuleContext,
  program: string,
  { args, kwargs }: { readonly args: CreateArgs; readonly kwargs: Dict },
): Promise<Value[]> {
  const { python, extra_search_dir, prompt } = args;
  refuseOptions(program, [
    ['upgrade', args.upgrade !== null],
    ['symlinks', args.symlinks !== null],
  ]);
  const words: Value[] = [];
  const isDownload = args.never_download !== true;
  const version =
    args.distribute || !isDownload
      ? await virtualenvVersion(ctx, program, new Map([...kwargs, ['runas', args.user]]))
      : [];
  if (args.distribute && isBefore(version, [1, 10])) words.push('--distribute');
  if (python !== undefined && python.trim() !== '') {
    if (findProgram(python) === undefined)
      throw new CommandExecutionError(`Cannot find requested python (${python}).`);
    words.push(`--python=${python}`);
  }
  if (isSaid(extra_search_dir))
    for (const folder of commaList(extra_search_dir)) words.push(`--extra-search-dir=${pyStr(folder)}`);
  if (!isDownload && (isBefore(version, [1, 10]) || !isBefore(version, [14, 0])))
    words.push('--never-download');
  // Salt compat: Salt has quotes around the prompt, which the shell of the environment shows then.
  if (prompt !== undefined && prompt.trim() !== '') words.push(`--prompt=${prompt}`);
  return words;
}

/** What only the module venv is told. */
function venvWords(program: string, args: CreateArgs): Value[] {
  refuseOptions(program, [
    ['python', isSaid(args.python)],
    ['extra_search_dir', isSaid(args.extra_search_dir)],
    ['never_download', args.never_download !== null],
    ['prompt', isSaid(args.prompt)],
  ]);
  return [...(args.upgrade === true ? ['--upgrade'] : []), ...(args.symlinks === true ? ['--symlinks'] : [])];
}

/** The program where none is given. */
function defaultProgram(ctx: ModuleContext): string {
  const named = [ctx.pillar.get('venv_bin'), ctx.opts.get('venv_bin'), ctx.opts.get('virtualenv.venv_bin')];
  const chosen = named.find(truthy);
  if (chosen !== undefined) return pyStr(chosen);
  const found = ['virtualenv', 'virtualenv3'].find((name) => findProgram(name) !== undefined);
  return found === undefined ? 'venv' : (findProgram(found) ?? found);
}

/** Fetches what installs pip and runs it in an environment. @throws CommandExecutionError where it cannot be had */
async function installPip(ctx: ModuleContext, args: CreateArgs): Promise<Dict> {
  const cached = await cachedFile(ctx, [GET_PIP, args.saltenv]);
  if (cached === undefined)
    throw new CommandExecutionError(
      `pip cannot be installed into '${args.path}': ${GET_PIP} cannot be fetched`,
    );
  const script = makeTempFile(ctx.random, { content: readFileSync(cached) });
  try {
    const uid = await uidOf(ctx, [args.user]);
    if (uid !== undefined) chownSync(script, uid, -1);
    const keywords = dict({ runas: args.user, cwd: args.path, env: dict({ VIRTUAL_ENV: args.path }) });
    if (args.use_vt) keywords.set('use_vt', true);
    return await run(ctx, [joinPath(args.path, 'bin', 'python'), script], keywords);
  } finally {
    rmSync(script, { force: true });
  }
}

/** Why no environment can be made: its program is not there, or its Python, or the program takes none. */
export function creationProblem(
  ctx: ModuleContext,
  { venv_bin, python }: Pick<CreateArgs, 'venv_bin' | 'python'>,
): string | undefined {
  const program = venv_bin ?? defaultProgram(ctx);
  if (program !== 'venv' && findProgram(program) === undefined) return notInstalled(program);
  if (!isSaid(python)) return undefined;
  if (isOwnModule(program)) return `The \`python\`(\`--python\`) option is not supported by '${program}'`;
  return findProgram(python ?? '') === undefined
    ? `Cannot find requested python (${python ?? ''}).`
    : undefined;
}

const notInstalled = (program: string): string =>
  `'${program}' is not installed: install it, or set venv_bin to venv`;

/** Whether it is the module of Python, or a program that is called like it. */
const isOwnModule = (program: string): boolean => program.includes('venv') && !program.includes('virtualenv');

/**
 * Makes an environment. Salt compat: Salt fetches the script ez_setup where `easy_install` is missing, which is gone
 * from where it was and from environments.
 * @returns as `cmd.run_all`
 * @throws CommandExecutionError for options that the program does not have
 */
export async function createEnvironment(ctx: ModuleContext, args: CreateArgs, kwargs: Dict): Promise<Dict> {
  const program = args.venv_bin ?? defaultProgram(ctx);
  if (program !== 'venv' && findProgram(program) === undefined)
    throw new CommandNotFoundError(notInstalled(program));
  const python = pyStr(ctx.grains.get('pythonexecutable') ?? 'python3');
  const words: Value[] = program === 'venv' ? [python, '-m', 'venv'] : [program];
  const own = isOwnModule(program);
  words.push(...(own ? venvWords(program, args) : await virtualenvWords(ctx, program, { args, kwargs })));
  if (args.clear === true) words.push('--clear');
  if (args.system_site_packages === true) words.push('--system-site-packages');
  const keywords = new Map([['runas', args.user], ...handedOn(kwargs)]);
  const ended = await run(ctx, [...words, args.path], keywords);
  const isDone = ended.get('retcode') === 0;
  if (!isDone || !args.pip || pathExists(joinPath(args.path, 'bin', 'pip'))) return ended;
  const further = await installPip(ctx, args);
  const both = (name: string): string => `${field(ended, name)}\n${field(further, name)}`.trim();
  return new Map([
    ...ended,
    ['retcode', further.get('retcode') ?? 1],
    ['stdout', both('stdout')],
    ['stderr', both('stderr')],
  ]);
}
