/**
 * The backend `git`: branches and tags of remote repositories as environments (3006.16 salt/utils/gitfs.py `GitFS`).
 */
import { ConfigError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { isListed } from '../../python/text/expression-match.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { cleanFolder, masked, RemoteOptions } from '../git/remote-options.ts';
import { COMMIT, GitRepository, REF_KINDS } from '../git/repository.ts';
import { firstFetches } from '../remotes/update-remotes.ts';
import type { FetchedBackend } from './fetched.ts';
import type { Layer } from './layer.ts';
import { RecentLayers } from './recent-layers.ts';

/** The backend's name in answers, events and folders. */
export const GITFS = 'gitfs';

const OWN_PARAMETERS = [
  'saltenv',
  'saltenv_whitelist',
  'saltenv_blacklist',
  'disable_saltenv_mapping',
  'ref_types',
];

/** What the backend needs. */
export interface GitfsDeps {
  readonly opts: Dict;
  /** Where copies of repositories lie. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** What is said of an environment of its own. */
interface EnvironmentOptions {
  readonly ref?: string;
  readonly root?: string;
  readonly mountpoint?: string;
}

/** Makes the backend. @throws ConfigError for remotes that cannot be understood */
export function createGitfs(deps: GitfsDeps): Gitfs {
  const remotes = deps.opts.get('gitfs_remotes');
  const common = environmentTable(deps.opts.get('gitfs_saltenv') ?? null);
  return new Gitfs(
    (Array.isArray(remotes) ? remotes : []).map((entry) => new GitfsRemote(entry, common, deps)),
    deps.clock,
  );
}

/** The environments of all remotes. */
export class Gitfs implements FetchedBackend {
  readonly name = GITFS;
  readonly remotes: readonly GitfsRemote[];
  readonly #clock: Clock;
  readonly #recent: RecentLayers;
  #isFetched = false;

  constructor(remotes: readonly GitfsRemote[], clock: Clock) {
    this.remotes = remotes;
    this.#clock = clock;
    this.#recent = new RecentLayers(clock, (saltenv) => this.#find(saltenv));
  }

  environments(): readonly string[] {
    return [...new Set(this.remotes.flatMap((remote) => [...remote.environments()]))];
  }

  layers(saltenv: string): Promise<readonly Layer[]> {
    return this.#recent.of(saltenv);
  }

  async #find(saltenv: string): Promise<readonly Layer[]> {
    if (!this.#isFetched) {
      await firstFetches(this.remotes, this.#clock);
      this.#isFetched = this.remotes.every(({ repository }) => repository.state().triedAtMs > 0);
    }
    const isKnown = COMMIT.test(saltenv) || this.environments().includes(saltenv);
    const found = await Promise.all(
      this.remotes.filter((remote) => isKnown || remote.hasFallback).map((remote) => remote.layer(saltenv)),
    );
    return found.filter((layer) => layer !== undefined);
  }
}

/** One remote repository. */
class GitfsRemote {
  /** As the configuration names it, without a password. */
  readonly id: string;
  readonly repository: GitRepository;
  readonly updateIntervalMs: number;
  readonly #options: RemoteOptions;
  readonly #environments: ReadonlyMap<string, EnvironmentOptions>;
  readonly #common: ReadonlyMap<string, EnvironmentOptions>;
  readonly #base: string;
  readonly #refTypes: readonly string[];
  readonly #log: Logger;
  readonly #isExposed: (saltenv: string) => boolean;
  #known: { refs: ReadonlyMap<string, string>; environments: ReadonlySet<string> } | undefined;

  constructor(entry: Value, common: ReadonlyMap<string, EnvironmentOptions>, deps: GitfsDeps) {
    const { opts, folder, clock, random, log } = deps;
    const options = new RemoteOptions(entry, GITFS, { opts, known: OWN_PARAMETERS });
    this.id = masked(options.id);
    this.#options = options;
    this.#log = log;
    this.#common = common;
    this.#environments = environmentTable(options.has('saltenv') ? options.value('saltenv') : null);
    this.#base = this.#environments.get('base')?.ref ?? options.text('base', 'master');
    this.#refTypes = options.texts('ref_types', REF_KINDS).map((one) => one.toLowerCase());
    const strange = this.#refTypes.filter((one) => !REF_KINDS.includes(one));
    if (strange.length > 0)
      throw new ConfigError(
        `The remote ${this.id} of gitfs has ref_types that do not exist: ${strange.join(', ')}. There are ${REF_KINDS.join(', ')}.`,
      );
    const whitelist = options.texts('saltenv_whitelist', []);
    const blacklist = options.texts('saltenv_blacklist', []);
    this.#isExposed = (saltenv) => isListed(saltenv, { whitelist, blacklist });
    this.updateIntervalMs = options.updateIntervalMs;
    const access = options.access(options.id);
    this.repository = new GitRepository({ folder, access, refspecs: options.refspecs, clock, random });
  }

  get hasFallback(): boolean {
    return this.#options.text('fallback') !== '';
  }

  /** The environments that branches, tags and mappings make. */
  environments(): ReadonlySet<string> {
    const { refs } = this.repository.state();
    if (this.#known?.refs !== refs) this.#known = { refs, environments: this.#collect(refs) };
    return this.#known.environments;
  }

  #collect(refs: ReadonlyMap<string, string>): Set<string> {
    const mapped = this.#mappedEnvironments();
    const out = new Set<string>([...mapped.values()].flat());
    if (/^[0-9a-f]+$/i.test(this.#base)) out.add('base');
    const add = (name: string): void => {
      const names = mapped.get(name);
      if (names !== undefined) return;
      if (name === this.#base) out.add('base');
      else if (!this.#options.flag('disable_saltenv_mapping')) out.add(name);
    };
    for (const ref of refs.keys()) {
      const [, kind, ...rest] = ref.split('/');
      if (kind === 'remotes' && this.#refTypes.includes('branch'))
        add(rest.slice(1).join('/') || (rest[0] ?? ''));
      else if (kind === 'tags' && this.#refTypes.includes('tag')) add(rest.join('/'));
    }
    return new Set([...out].filter((name) => this.#isExposed(name)));
  }

  /** Environments by the branch or tag that is mapped to them. */
  #mappedEnvironments(): Map<string, string[]> {
    const out = new Map<string, string[]>();
    const add = (saltenv: string, ref: string | undefined): void => {
      if (ref !== undefined) out.set(ref, [...(out.get(ref) ?? []), saltenv]);
    };
    for (const [saltenv, { ref }] of this.#environments) add(saltenv, ref);
    for (const [saltenv, { ref }] of this.#common)
      if (this.#environments.get(saltenv)?.ref === undefined) add(saltenv, ref);
    return out;
  }

  /** The folder of an environment; undefined when this remote has none. */
  async layer(saltenv: string): Promise<Layer | undefined> {
    if (!this.#isExposed(saltenv)) return undefined;
    const ref = this.#refOf(saltenv);
    const commit = ref === undefined ? undefined : ((await this.#commit(ref)) ?? (await this.#fallback()));
    if (commit === undefined) return undefined;
    try {
      const folder = await this.repository.tree(commit, this.#placeOf(saltenv, 'root'));
      const mountpoint = this.#placeOf(saltenv, 'mountpoint');
      return folder === undefined
        ? undefined
        : { backend: GITFS, folder, mountpoint, isConfined: true, isFixed: true };
    } catch (error) {
      this.#log.error(`The files of ${saltenv} in ${this.id} cannot be had`, error);
      return undefined;
    }
  }

  #refOf(saltenv: string): string | undefined {
    if (this.#options.has('all_saltenvs')) return this.#options.text('all_saltenvs');
    if (saltenv === 'base') return this.#base;
    const mapped = this.#environments.get(saltenv)?.ref ?? this.#common.get(saltenv)?.ref;
    return mapped ?? (this.#options.flag('disable_saltenv_mapping') ? undefined : saltenv);
  }

  async #fallback(): Promise<string | undefined> {
    return this.hasFallback ? this.#commit(this.#options.text('fallback')) : undefined;
  }

  #commit(ref: string): Promise<string | undefined> {
    return this.repository.resolve(ref, this.#refTypes);
  }

  #placeOf(saltenv: string, name: 'root' | 'mountpoint'): string {
    const own = this.#environments.get(saltenv)?.[name] ?? this.#common.get(saltenv)?.[name];
    return own ?? this.#options.folder(name);
  }
}

/** `saltenv: [{dev: [{ref: develop}, {root: x}]}]` by environment. */
function environmentTable(value: Value): ReadonlyMap<string, EnvironmentOptions> {
  const out = new Map<string, EnvironmentOptions>();
  for (const [saltenv, options] of pairs(value)) {
    const of = new Map(pairs(options).map(([name, given]) => [name, pyStr(given)]));
    const [ref, root, mountpoint] = ['ref', 'root', 'mountpoint'].map((name) => of.get(name));
    out.set(saltenv, {
      ...(ref === undefined ? {} : { ref }),
      ...(root === undefined ? {} : { root: cleanFolder(root) }),
      ...(mountpoint === undefined ? {} : { mountpoint: cleanFolder(mountpoint) }),
    });
  }
  return out;
}

/** The pairs of a mapping, or of a list of mappings. */
function pairs(value: Value): [string, Value][] {
  const maps = Array.isArray(value) ? value.filter(isDict) : isDict(value) ? [value] : [];
  return maps.flatMap((map) => [...map].map(([key, item]): [string, Value] => [pyStr(key), item]));
}
