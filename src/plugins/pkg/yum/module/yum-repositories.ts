/** The repositories of dnf and yum: files `*.repo`. Follows 3006.16 salt/modules/yumpkg.py. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../../../errors/errors.ts';
import { writeInPlace } from '../../../../host/file-operations.ts';
import { defineFunction, type ModuleContext } from '../../../../runtime/loader/module.ts';
import { compareText } from '../../../../python/values/order.ts';
import { pyRepr, pyStr } from '../../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { NoSectionError, parseConfig } from '../../../shared/config-parser.ts';
import { inputList, installedRpms } from './rpm.ts';
import { callYum, isDnf } from './yum.ts';
import { param } from '../../../../runtime/loader/params.ts';

const CONFIGS = ['/etc/yum/yum.conf', '/etc/yum.conf', '/etc/dnf/dnf.conf', '/etc/tdnf/tdnf.conf'];
const FOLDERS = ['/etc/yum/repos.d', '/etc/yum.repos.d'];

/** A file of repositories. */
interface RepositoryFile {
  /** The comments above the first repository. */
  readonly header: string;
  /** Options by repository; `comments` is a list. */
  readonly repositories: Map<string, Dict>;
}

const isStrict = (kwargs: Dict): boolean => truthy(kwargs.get('strict_config') ?? true);

/** The folders to look in: those given, or `reposdir` of the program's configuration. @throws CommandExecutionError */
function foldersOf(basedir: Value, strict: boolean): string[] {
  const given = inputList(basedir);
  if (given.length > 0) return given;
  const file = CONFIGS.find((path) => existsSync(path));
  if (file === undefined)
    throw new CommandExecutionError(`No suitable yum config file found in: ${pyRepr(CONFIGS)}`);
  const main = parseConfig(readFileSync(file, 'utf8'), file, strict).get('main');
  const reposdir = main?.get('reposdir');
  return reposdir === undefined ? FOLDERS : inputList(reposdir);
}

function readRepositories(ctx: ModuleContext, path: string, strict: boolean): RepositoryFile {
  const text = readFileSync(path, 'utf8');
  try {
    const repositories = new Map<string, Dict>(
      [...parseConfig(text, path, strict)].map(([name, options]) => [name, new Map<Value, Value>(options)]),
    );
    return { header: readComments(text, repositories), repositories };
  } catch (error) {
    if (!(error instanceof NoSectionError)) throw error;
    ctx.log.error(`Failed to parse file ${path}, error: ${error.message}`);
    return { header: '', repositories: new Map() };
  }
}

/** Puts the comments of each repository with it. @returns those before the first */
function readComments(text: string, repositories: ReadonlyMap<string, Dict>): string {
  let header = '';
  let section: string | undefined;
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line.startsWith('[') && line.endsWith(']')) section = line.slice(1, -1);
    else if (!line.startsWith('#')) continue;
    else if (section === undefined) header += `${line}\n`;
    else {
      const repository = repositories.get(section);
      const known = repository?.get('comments');
      repository?.set('comments', [...(Array.isArray(known) ? known : []), line.slice(1).trimStart()]);
    }
  }
  return header;
}

/** Every repository by its id, with the file it stands in. */
function allRepositories(ctx: ModuleContext, folders: readonly string[], strict: boolean): Map<string, Dict> {
  const out = new Map<string, Dict>();
  for (const folder of folders.filter((path) => existsSync(path))) {
    for (const name of readdirSync(folder).sort(compareText)) {
      if (!name.endsWith('.repo')) continue;
      const file = `${folder}/${name}`;
      for (const [id, repository] of readRepositories(ctx, file, strict).repositories)
        out.set(id, repository.set('file', file));
    }
  }
  return out;
}

/** `pkg.list_repos` */
export function listRepositories(ctx: ModuleContext, basedir: Value, kwargs: Dict): Map<string, Dict> {
  const strict = isStrict(kwargs);
  return allRepositories(ctx, foldersOf(basedir, strict), strict);
}

/** The id that dnf gives a repository of COPR, `copr:user/project`. */
function repositoryId(given: string): { readonly id: string; readonly copr: string | undefined } {
  const id = given;
  if (!id.startsWith('copr:')) return { id, copr: undefined };
  const copr = id.slice('copr:'.length);
  const [user = '', project = ''] = copr.split('/');
  return { id: `copr:copr.fedorainfracloud.org:${user}:${project}`, copr };
}

function commentLines(comments: Value | undefined): string {
  const list = comments === undefined ? [] : Array.isArray(comments) ? comments : [comments];
  return list.map((comment) => `# ${pyStr(comment).replace(/^#+/, '').trimStart()}\n`).join('');
}

/** `option=value`; further lines of a value are indented. */
function optionLine(name: Value, value: Value): string {
  const text = typeof value === 'boolean' ? (value ? '1' : '0') : pyStr(value).split('\n').join('\n ');
  return `${pyStr(name)}=${text}`;
}

/** The text of a file. Takes the comments out of the repositories. */
function repositoryText(
  { header, repositories }: RepositoryFile,
  stanza: (id: string, options: string[], comments: string) => string,
): string {
  let text = header;
  for (const [id, repository] of repositories) {
    const comments = commentLines(repository.get('comments'));
    repository.delete('comments');
    text += stanza(
      id,
      [...repository].map(([name, value]) => optionLine(name, value)),
      comments,
    );
  }
  return text;
}

/** `pkg.del_repo` @returns what was done, or why not */
function deleteRepository(ctx: ModuleContext, repo: string, basedir: Value, kwargs: Dict): string {
  const { id } = repositoryId(repo);
  const strict = isStrict(kwargs);
  const folders = foldersOf(basedir, strict);
  const all = allRepositories(ctx, folders, strict);
  const file = all.get(id)?.get('file');
  if (file === undefined) return `Error: the ${id} repo does not exist in ${pyRepr(folders)}`;
  const path = pyStr(file);
  const others = [...all].filter(([name, each]) => name !== id && each.get('file') === file);
  if (others.length === 0) {
    rmSync(path);
    return `File ${path} containing repo ${id} has been removed`;
  }
  const content = readRepositories(ctx, path, strict);
  content.repositories.delete(id);
  const text = repositoryText(
    content,
    (name, options, comments) => `\n[${name}]${options.map((line) => `\n${line}`).join('')}\n${comments}\n`,
  );
  writeInPlace(path, text);
  return `Repo ${id} has been removed from ${path}`;
}

/** What is to be set and what taken away. */
interface RepositoryOrder {
  readonly options: Dict;
  readonly dropped: string[];
}

/** Keywords as an order: an empty value takes an option away. @throws SaltInvocationError */
function orderOf(kwargs: Dict): RepositoryOrder {
  const [options, dropped]: [Dict, string[]] = [new Map(), []];
  const words = [...kwargs].filter(
    ([name]) => !pyStr(name).startsWith('__') && name !== 'saltenv' && name !== 'strict_config',
  );
  const given = new Set(words.map(([name]) => name));
  if (given.has('mirrorlist') && given.has('baseurl'))
    throw new SaltInvocationError("Only one of 'mirrorlist' and 'baseurl' can be specified");
  for (const [name, value] of words) {
    if (truthy(value) || value === 0 || value === false) options.set(name, value);
    else dropped.push(pyStr(name));
  }
  if (options.has('mirrorlist')) dropped.push('baseurl');
  else if (options.has('baseurl')) dropped.push('mirrorlist');
  if (dropped.includes('name')) throw new SaltInvocationError('The repo name cannot be deleted');
  return { options, dropped };
}

/** Has dnf add a repository of COPR. @throws SaltInvocationError, CommandExecutionError */
async function enableCopr(ctx: ModuleContext, copr: string): Promise<void> {
  const plugin = isDnf() ? 'dnf-plugins-core' : 'yum-plugin-copr';
  if (!(await installedRpms(ctx)).has(plugin))
    throw new SaltInvocationError(`${plugin} must be installed to use COPR`);
  const { retcode, stderr } = await callYum(ctx, ['copr', 'enable', copr, '-y']);
  if (retcode !== 0)
    throw new CommandExecutionError(
      `Unable to add COPR '${copr}'. 'dnf' exited with status ${retcode}: '${stderr}' `,
    );
}

/** The file that a new repository goes into. @throws SaltInvocationError */
function newFile(id: string, folders: readonly string[], { options }: RepositoryOrder): string {
  const folder = folders.find((path) => existsSync(path));
  const starts = 'The repo does not exist and needs to be created, but';
  if (folder === undefined)
    throw new SaltInvocationError(
      `${starts} none of the following basedir directories exist: ${pyRepr([...folders])}`,
    );
  if (!options.has('name')) throw new SaltInvocationError(`${starts} a name was not given`);
  if (!options.has('baseurl') && !options.has('mirrorlist'))
    throw new SaltInvocationError(`${starts} either a baseurl or a mirrorlist needs to be given`);
  if (/[/\0]/.test(id)) throw new SaltInvocationError(`${id} is no name of a repository`);
  return `${folder}/${id}.repo`;
}

/** `pkg.mod_repo` @returns the file and its repositories */
async function modifyRepository(
  ctx: ModuleContext,
  repo: string,
  basedir: Value,
  kwargs: Dict,
): Promise<Dict> {
  const { id, copr } = repositoryId(repo);
  const order = orderOf(kwargs);
  const strict = isStrict(kwargs);
  const folders = foldersOf(basedir, strict);
  const known = (): Value | undefined => allRepositories(ctx, folders, strict).get(id)?.get('file');
  if (known() === undefined && copr !== undefined) await enableCopr(ctx, copr);
  const existing = known();
  const path = existing === undefined ? newFile(id, folders, order) : pyStr(existing);
  const content: RepositoryFile =
    existing === undefined ? { header: '', repositories: new Map() } : readRepositories(ctx, path, strict);
  const repository = content.repositories.get(id) ?? new Map<Value, Value>();
  content.repositories.set(id, repository);
  for (const [lost, kept] of [
    ['baseurl', 'mirrorlist'],
    ['mirrorlist', 'baseurl'],
  ] as const) {
    if (order.dropped.includes(lost) && !order.options.has(kept) && !repository.has(kept))
      throw new SaltInvocationError(`Cannot delete ${lost} without specifying ${kept}`);
  }
  for (const name of order.dropped) repository.delete(name);
  for (const [name, value] of order.options) repository.set(name, value);
  const text = repositoryText(
    content,
    (name, options, comments) => `[${name}]\n${options.map((line) => `${line}\n`).join('')}${comments}\n`,
  );
  writeInPlace(path, text);
  return new Map<Value, Value>([[path, new Map<Value, Value>(content.repositories)]]);
}

const repo = param.text({ doc: 'The id of the repository; `copr:user/project` for one of COPR.' });
const basedir = param.value({
  default: null,
  type: 'list',
  doc: 'The folders to look in; without them those of the option `reposdir`.',
});
const STRICT = 'Keyword `strict_config=False` allows what stands twice.';

/** The functions of `pkg` about repositories. */
export const yumRepositoryFunctions = {
  list_repos: defineFunction({
    doc: `Lists the repositories. ${STRICT}`,
    params: { basedir },
    kwargs: 'kwargs',
    returns: 'mapping of id to its options and the file it stands in',
    examples: ["salt '*' pkg.list_repos", "salt '*' pkg.list_repos basedir=/path/to/dir"],
    run: (ctx, args, _rest, kwargs) => new Map<Value, Value>(listRepositories(ctx, args.basedir, kwargs)),
  }),
  get_repo: defineFunction({
    doc: `Returns the options of a repository. ${STRICT}`,
    params: { repo, basedir },
    kwargs: 'kwargs',
    returns: 'mapping; empty when there is no such repository',
    examples: ["salt '*' pkg.get_repo myrepo"],
    run: (ctx, args, _rest, kwargs) => {
      const found = listRepositories(ctx, args.basedir, kwargs).get(repositoryId(args.repo).id);
      found?.delete('file');
      return found ?? new Map<Value, Value>();
    },
  }),
  mod_repo: defineFunction({
    doc:
      'Adds a repository (`name` and `baseurl` or `mirrorlist` are needed then), or changes one: keywords are its options, an empty ' +
      `value takes an option away. ${STRICT}`,
    params: { repo, basedir },
    kwargs: 'kwargs',
    returns: 'the file, and all repositories in it',
    examples: ["salt '*' pkg.mod_repo reponame enabled=1 gpgcheck=1"],
    run: (ctx, args, _rest, kwargs) => modifyRepository(ctx, args.repo, args.basedir, kwargs),
  }),
  del_repo: defineFunction({
    doc: `Removes a repository, and its file when nothing else stands in it. ${STRICT}`,
    params: { repo, basedir },
    kwargs: 'kwargs',
    returns: 'what was done',
    examples: ["salt '*' pkg.del_repo myrepo"],
    run: (ctx, args, _rest, kwargs) => deleteRepository(ctx, args.repo, args.basedir, kwargs),
  }),
};
