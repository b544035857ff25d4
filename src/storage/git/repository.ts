/**
 * A remote repository as this machine keeps it: a bare copy, what its branches and tags are, and the trees of commits as folders that never
 * change. Every process of a master reads it; whoever fetches has its lock.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { readTextIfExists, safeJoin, writeFileAtomic } from '../../host/files.ts';
import { dropLock, takeLock } from '../../host/owner-lock.ts';
import type { Random } from '../../host/random.ts';
import { GitError, runGit, type GitAccess } from './run-git.ts';

/** Trees that are kept at most of one repository; of those that no branch or tag names the oldest go first. */
const TREES_MAX = 512;
/** A tree that nothing names any more may still be read by somebody who has just found a file in it. */
const TREE_GRACE_MS = 10 * 60_000;

/** What a name may mean, in this order. */
export const REF_KINDS: readonly string[] = ['branch', 'tag', 'sha'];
/** The name of a commit, whole or its beginning. */
export const COMMIT = /^[0-9a-f]{6,64}$/i;

/** Where copies of repositories lie, of every kind of remote. */
export function repositoriesFolder(cachedir: string): string {
  return safeJoin(cachedir, 'git');
}

/** What was known at the last fetch. */
export interface RepositoryState {
  /** Commits by the full names of references, e.g. `refs/remotes/origin/main`. */
  readonly refs: ReadonlyMap<string, string>;
  /** When they were fetched, milliseconds since 1970; undefined before the first time. */
  readonly fetchedAtMs: number | undefined;
  /** When a fetch was last tried. */
  readonly triedAtMs: number;
  /** Why the last one failed; undefined when it did not. */
  readonly fault: string | undefined;
}

/** What came of a fetch. */
export interface FetchOutcome {
  readonly isChanged: boolean;
  readonly fault: string | undefined;
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

/** One repository. */
export class GitRepository {
  readonly folder: string;
  readonly #deps: GitRepositoryDeps;
  #state: { version: string; state: RepositoryState } | undefined;
  readonly #exporting = new Map<string, Promise<string | undefined>>();

  constructor(deps: GitRepositoryDeps) {
    this.#deps = deps;
    const { url, user, privkey } = deps.access;
    const name = createHash('sha256').update([url, user, privkey, ...deps.refspecs].join('\0'));
    this.folder = safeJoin(deps.folder, name.digest('hex').slice(0, 32));
  }

  get #repository(): string {
    return join(this.folder, 'repository.git');
  }

  /** What is known now; cheap enough for every request. */
  state(): RepositoryState {
    const path = join(this.folder, 'state.json');
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined)
      return { refs: new Map(), fetchedAtMs: undefined, triedAtMs: 0, fault: undefined };
    const version = `${stat.ino}.${stat.mtimeMs}`;
    if (this.#state?.version !== version) this.#state = { version, state: readState(path) };
    return this.#state.state;
  }

  /** True while a process has the lock, or an operator has set it. */
  get isLocked(): boolean {
    return statSync(this.#operatorLock, { throwIfNoEntry: false }) !== undefined;
  }

  get #operatorLock(): string {
    return join(this.folder, 'update.lk');
  }

  /** Keeps fetches away until {@link unlock}. @returns false when it was so already */
  lock(): boolean {
    if (this.isLocked) return false;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    writeFileSync(this.#operatorLock, '', { mode: 0o600 });
    return true;
  }

  /** @returns false when it was not locked */
  unlock(): boolean {
    const wasLocked = this.isLocked;
    rmSync(this.#operatorLock, { force: true });
    return wasLocked;
  }

  /** Forgets the copy and everything made of it. */
  clear(): void {
    rmSync(this.folder, { recursive: true, force: true });
    this.#state = undefined;
  }

  /**
   * Brings the copy up to date. What was there stays when that fails; the state says since when.
   * @returns undefined when another process is at it
   */
  async fetch(): Promise<FetchOutcome | undefined> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    if (this.isLocked) return { isChanged: false, fault: 'updates are locked (fileserver.clear_lock)' };
    const lock = join(this.folder, 'fetching');
    if (takeLock(lock) !== undefined) return undefined;
    const before = this.state();
    const nowMs = this.#deps.clock.nowMs();
    try {
      await this.#prepare();
      await this.#git(
        [
          'fetch',
          '--quiet',
          '--prune',
          '--force',
          '--no-write-fetch-head',
          '--no-auto-gc',
          '--',
          ...this.#source(),
        ],
        true,
      );
      const refs = await this.#references();
      const isChanged = before.fetchedAtMs === undefined || !sameRefs(before.refs, refs);
      this.#keep({ refs, fetchedAtMs: nowMs, triedAtMs: nowMs, fault: undefined });
      this.#forgetTrees(new Set(refs.values()));
      return { isChanged, fault: undefined };
    } catch (error) {
      const fault = messageOf(error);
      this.#keep({ ...before, triedAtMs: nowMs, fault });
      return { isChanged: false, fault };
    } finally {
      dropLock(lock);
    }
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
    const path = safeJoin(this.folder, 'trees', name);
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) return Promise.resolve(path);
    let running = this.#exporting.get(name);
    if (running === undefined) {
      running = this.#export(commit, root, path).finally(() => this.#exporting.delete(name));
      this.#exporting.set(name, running);
    }
    return running;
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

  async #export(commit: string, root: string, path: string): Promise<string | undefined> {
    const tree = await this.commitOf(commit);
    if (tree === undefined || !(await this.#isFolder(commit, root))) return undefined;
    const draft = `${path}.${process.pid}.${this.#deps.random.bytes(6).toString('hex')}`;
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    const index = `${draft}.index`;
    try {
      const env = new Map([['GIT_INDEX_FILE', index]]);
      await this.#git(['--work-tree', draft, 'read-tree', `${commit}:${root}`], false, env);
      await this.#git(['--work-tree', draft, 'checkout-index', '--all', '--quiet'], false, env);
      renameSync(draft, path);
    } catch (error) {
      // another process was faster
      if (statSync(path, { throwIfNoEntry: false }) === undefined) throw error;
    } finally {
      rmSync(index, { force: true });
      rmSync(draft, { recursive: true, force: true });
    }
    const nowSeconds = this.#deps.clock.nowMs() / 1000;
    utimesSync(path, nowSeconds, nowSeconds);
    this.#boundTrees();
    return path;
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

  #keep(state: RepositoryState): void {
    const { refs, fetchedAtMs, triedAtMs, fault } = state;
    const text = JSON.stringify({ refs: [...refs], fetchedAtMs, triedAtMs, fault });
    writeFileAtomic(join(this.folder, 'state.json'), text, { mode: 0o600 });
  }

  /** Trees of commits that no reference names any more, and drafts of processes that were killed. */
  #forgetTrees(commits: ReadonlySet<string>): void {
    const beforeMs = this.#deps.clock.nowMs() - TREE_GRACE_MS;
    for (const { name, path, mtimeMs } of this.#trees())
      if (!commits.has(name.split(/[-.]/)[0] ?? '') || name.includes('.'))
        if (mtimeMs < beforeMs) rmSync(path, { recursive: true, force: true });
  }

  #boundTrees(): void {
    const trees = this.#trees();
    if (trees.length <= TREES_MAX) return;
    const commits = new Set(this.state().refs.values());
    const unnamed = trees.filter(({ name }) => !commits.has(name.split(/[-.]/)[0] ?? ''));
    unnamed.sort((one, other) => one.mtimeMs - other.mtimeMs);
    for (const { path } of unnamed.slice(0, trees.length - TREES_MAX))
      rmSync(path, { recursive: true, force: true });
  }

  #trees(): { name: string; path: string; mtimeMs: number }[] {
    const top = join(this.folder, 'trees');
    return namesIn(top).flatMap((name) => {
      const path = join(top, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined ? [] : [{ name, path, mtimeMs: stat.mtimeMs }];
    });
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

function sameRefs(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, commit]) => other.get(name) === commit);
}

function readState(path: string): RepositoryState {
  const none: RepositoryState = { refs: new Map(), fetchedAtMs: undefined, triedAtMs: 0, fault: undefined };
  try {
    const value = JSON.parse(readTextIfExists(path) ?? 'null') as {
      refs: [string, string][];
      fetchedAtMs?: number;
      triedAtMs: number;
      fault?: string;
    } | null;
    if (value === null) return none;
    return {
      refs: new Map(value.refs),
      fetchedAtMs: value.fetchedAtMs,
      triedAtMs: value.triedAtMs,
      fault: value.fault,
    };
  } catch {
    return none;
  }
}
