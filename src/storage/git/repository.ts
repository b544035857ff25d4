/**
 * A remote repository as this machine keeps it: a bare copy, what its branches and tags are, and the trees of commits as folders that never
 * change. Every process of a master reads it; whoever fetches has its lock.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../host/clock.ts';
import { safeJoin } from '../../host/files.ts';
import type { Random } from '../../host/random.ts';
import { RemoteCopy } from '../remotes/copy.ts';
import { Trees } from '../remotes/trees.ts';
import { GitError, runGit, type GitAccess } from './run-git.ts';

/** What a name may mean, in this order. */
export const REF_KINDS: readonly string[] = ['branch', 'tag', 'sha'];
/** The name of a commit, whole or its beginning. */
export const COMMIT = /^[0-9a-f]{6,64}$/i;

/** Where copies of repositories lie, of every kind of remote. */
export function repositoriesFolder(cachedir: string): string {
  return safeJoin(cachedir, 'git');
}

/** What a repository is made of. */
export interface GitRepositoryDeps {
  /** Where copies of repositories lie. */
  readonly folder: string;
  readonly access: GitAccess;
  readonly refspecs: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
}

/** One repository. Its state has commits by the full names of references. */
export class GitRepository extends RemoteCopy {
  readonly #deps: GitRepositoryDeps;
  readonly #trees: Trees;

  constructor(deps: GitRepositoryDeps) {
    const { url, user, privkey } = deps.access;
    const name = createHash('sha256').update([url, user, privkey, ...deps.refspecs].join('\0'));
    super(safeJoin(deps.folder, name.digest('hex').slice(0, 32)), deps.clock);
    this.#deps = deps;
    const { clock, random } = deps;
    this.#trees = new Trees({ folder: join(this.folder, 'trees'), clock, random });
  }

  get #repository(): string {
    return join(this.folder, 'repository.git');
  }

  protected async pull(): Promise<ReadonlyMap<string, string>> {
    await this.#prepare();
    const how = ['--quiet', '--prune', '--force', '--no-write-fetch-head', '--no-auto-gc'];
    await this.#git(['fetch', ...how, '--', ...this.#source()], true);
    return this.#references();
  }

  protected override tidy(refs: ReadonlyMap<string, string>): void {
    this.#trees.forget(new Set(refs.values()));
  }

  /**
   * The files of a commit as a folder. It is made when it is first asked for, and shared by all processes.
   * @param commit forty hexadecimal digits, or sixty-four
   * @param root a folder of the repository; '' for the whole
   * @returns undefined when there is no such commit, or no such folder in it
   * @throws GitError when it cannot be made
   */
  tree(commit: string, root: string): Promise<string | undefined> {
    const name =
      root === '' ? commit : `${commit}-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`;
    const named = (): ReadonlySet<string> => new Set(this.state().refs.values());
    return this.#trees.get(name, (draft) => this.#export(commit, root, draft), named);
  }

  /** The commit of a branch, a tag or a commit's own name, tried in this order. @param kinds those that may be meant */
  async resolve(name: string, kinds: readonly string[] = REF_KINDS): Promise<string | undefined> {
    const { refs } = this.state();
    for (const kind of kinds) {
      const found =
        kind === 'branch'
          ? refs.get(`refs/remotes/origin/${name}`)
          : kind === 'tag'
            ? refs.get(`refs/tags/${name}`)
            : COMMIT.test(name)
              ? await this.commitOf(name)
              : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** True for a commit that the copy has. @param commit hexadecimal digits */
  async commitOf(commit: string): Promise<string | undefined> {
    try {
      const text = await this.#git([
        'rev-parse',
        '--verify',
        '--quiet',
        '--end-of-options',
        `${commit}^{commit}`,
      ]);
      return text.trim();
    } catch (error) {
      if (error instanceof GitError) return undefined;
      throw error;
    }
  }

  async #export(commit: string, root: string, draft: string): Promise<boolean> {
    const tree = await this.commitOf(commit);
    if (tree === undefined || !(await this.#isFolder(commit, root))) return false;
    const index = `${draft}.index`;
    try {
      const env = new Map([['GIT_INDEX_FILE', index]]);
      await this.#git(['--work-tree', draft, 'read-tree', `${commit}:${root}`], false, env);
      await this.#git(['--work-tree', draft, 'checkout-index', '--all', '--quiet'], false, env);
      return true;
    } finally {
      rmSync(index, { force: true });
    }
  }

  async #isFolder(commit: string, root: string): Promise<boolean> {
    if (root === '') return true;
    try {
      return (await this.#git(['cat-file', '-t', `${commit}:${root}`])).trim() === 'tree';
    } catch (error) {
      if (error instanceof GitError) return false;
      throw error;
    }
  }

  async #prepare(): Promise<void> {
    const repository = this.#repository;
    if (statSync(join(repository, 'HEAD'), { throwIfNoEntry: false }) === undefined)
      await this.#git(['init', '--quiet', '--bare', repository]);
    // files come as they were committed, whatever the repository's attributes say
    mkdirSync(join(repository, 'info'), { recursive: true });
    writeFileSync(
      join(repository, 'info', 'attributes'),
      '* -text -eol -filter -ident -working-tree-encoding\n',
    );
    // nobody else writes here: what a crash has left is not in use
    for (const name of ['config.lock', 'packed-refs.lock', 'shallow.lock', 'HEAD.lock'])
      rmSync(join(repository, name), { force: true });
    for (const name of namesBelow(join(repository, 'refs')))
      if (name.endsWith('.lock')) rmSync(name, { force: true });
  }

  #source(): string[] {
    return [this.#deps.access.url, ...this.#deps.refspecs];
  }

  async #references(): Promise<Map<string, string>> {
    const text = await this.#git([
      'for-each-ref',
      '--format=%(refname) %(objectname) %(*objectname) %(objecttype)',
    ]);
    const refs = new Map<string, string>();
    for (const line of text.split('\n')) {
      const [name, object, peeled] = line.split(' ');
      if (name === undefined || object === undefined || object === '') continue;
      refs.set(name, peeled === undefined || peeled === '' ? object : peeled);
    }
    return refs;
  }

  #git(words: readonly string[], isRemote = false, env?: ReadonlyMap<string, string>): Promise<string> {
    const { clock, access } = this.#deps;
    const isInit = words[0] === 'init';
    return runGit(isInit ? words : ['--git-dir', this.#repository, ...words], {
      clock,
      folder: this.folder,
      ...(isRemote ? { access } : {}),
      ...(env === undefined ? {} : { env }),
    });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The paths of all files below a folder. */
function namesBelow(folder: string): string[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? namesBelow(path) : [path];
  });
}
