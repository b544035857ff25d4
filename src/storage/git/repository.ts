/**
 * A remote repository as this machine keeps it: a bare copy, what its branches and tags are, and the trees of commits
 * as folders that never change. Every process of a master reads it; whoever fetches has its lock.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { safeJoin } from '../../host/files.ts';
import type { Random } from '../../host/random.ts';
import { RemoteCopy, type CopyState } from '../remotes/copy.ts';
import { Trees } from '../remotes/trees.ts';
import { GitError, runGit, type GitAccess } from './run-git.ts';

/** What a name may mean, in this order. */
export const REF_KINDS: readonly string[] = ['branch', 'tag', 'sha'];
/** The name of a commit, whole or its beginning. */
export const COMMIT = /^[0-9a-f]{6,64}$/i;
/** After a history could not be had. */
const HISTORY_RETRY_MS = 60_000;
/** For another process that fetches. */
const HISTORY_WAIT_MS = 15_000;
const HISTORY_LOOK_MS = 100;
/** Commits that are known to be there. */
const COMMITS_MAX = 512;

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
  readonly #commits = new BoundedMap<string, true>(COMMITS_MAX);
  #completing: Promise<boolean> | undefined;
  #historyNotBeforeMs = -Infinity;

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

  /** The first time without the history, which nobody asks for until somebody names a commit. */
  protected async pull(before: CopyState): Promise<ReadonlyMap<string, string>> {
    this.#prepare();
    if (before.fetchedAtMs !== undefined || !(await this.#fetchTips())) await this.#fetch([]);
    return this.#references();
  }

  #fetch(how: readonly string[]): Promise<string> {
    const always = ['--quiet', '--prune', '--force', '--no-write-fetch-head', '--no-auto-gc'];
    return this.#git(['fetch', ...always, ...how, '--', ...this.#source()], true);
  }

  /** @returns false when the server cannot leave out history, as over what git calls dumb HTTP */
  async #fetchTips(): Promise<boolean> {
    try {
      await this.#fetch(['--depth=1']);
      return true;
    } catch (error) {
      if (error instanceof GitError && /shallow/i.test(error.message)) return false;
      throw error;
    }
  }

  get #lacksHistory(): boolean {
    return statSync(join(this.#repository, 'shallow'), { throwIfNoEntry: false }) !== undefined;
  }

  /**
   * Fetches the history that was left out, because somebody names a commit that is not there. It happens once; when it
   * fails it is tried again no sooner than a minute later, so that names of commits that nobody knows cost the remote
   * nothing.
   */
  async #completeHistory(): Promise<boolean> {
    const { clock } = this.#deps;
    if (!this.#lacksHistory || this.isLocked) return false;
    if (clock.monotonicMs() < this.#historyNotBeforeMs) return false;
    this.#completing ??= this.#fetchHistory().finally(() => {
      this.#historyNotBeforeMs = clock.monotonicMs() + HISTORY_RETRY_MS;
      this.#completing = undefined;
    });
    return this.#completing;
  }

  /** Waits a while for another process that fetches, which may bring the history, too. */
  async #fetchHistory(): Promise<boolean> {
    const { clock } = this.#deps;
    const untilMs = clock.monotonicMs() + HISTORY_WAIT_MS;
    try {
      do {
        if ((await this.alone(() => this.#fetch(['--unshallow']))) !== undefined) return true;
        await clock.sleep(HISTORY_LOOK_MS);
        if (!this.#lacksHistory) return true;
      } while (clock.monotonicMs() < untilMs);
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
    }
    return !this.#lacksHistory;
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

  /** A commit by its name or the beginning of it; undefined when there is none. @param commit hexadecimal digits */
  async commitOf(commit: string): Promise<string | undefined> {
    if (this.#commits.get(commit) === true) return commit;
    const found = await this.#findCommit(commit);
    if (found === commit) this.#commits.set(commit, true);
    return found;
  }

  async #findCommit(commit: string): Promise<string | undefined> {
    const known = await this.#commitHere(commit);
    if (known !== undefined || !(await this.#completeHistory())) return known;
    return this.#commitHere(commit);
  }

  async #commitHere(commit: string): Promise<string | undefined> {
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
    const isNamed = [...this.state().refs.values()].includes(commit);
    if (!isNamed && (await this.#findCommit(commit)) === undefined) return false;
    if (!(await this.#isFolder(commit, root))) return false;
    const index = `${draft}.index`;
    try {
      const env = new Map([['GIT_INDEX_FILE', index]]);
      await this.#git(['--work-tree', draft, 'read-tree', '--reset', '-u', `${commit}:${root}`], false, env);
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

  #prepare(): void {
    const repository = this.#repository;
    if (statSync(join(repository, 'HEAD'), { throwIfNoEntry: false }) === undefined)
      makeRepository(repository);
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
    return runGit(['--git-dir', this.#repository, ...words], {
      clock,
      folder: this.folder,
      ...(isRemote ? { access } : {}),
      ...(env === undefined ? {} : { env }),
    });
  }
}

/** What `git init --bare` makes, without another process. `HEAD` comes last: with it the repository counts as made. */
function makeRepository(folder: string): void {
  for (const name of ['objects', 'refs']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/master\n');
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
