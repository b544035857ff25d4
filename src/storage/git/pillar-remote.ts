/**
 * A repository of pillar as the configuration names it: `branch address`, with parameters (3006.16
 * salt/pillar/git_pillar.py).
 */
import { ConfigError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { masked, RemoteOptions } from './remote-options.ts';
import { GitRepository } from './repository.ts';

/** Stands for the environment that is asked for. */
const ANY_ENVIRONMENT = '__env__';

/** What remotes are made with. */
export interface PillarRemoteDeps {
  readonly opts: Dict;
  /** Where copies of repositories lie. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** Whose pillar is made. */
export interface AskedEnvironment {
  readonly pillarenv: string | undefined;
  readonly saltenv: string | undefined;
}

/** One remote repository. */
export class PillarRemote {
  /** As the configuration names it, without a password. */
  readonly id: string;
  readonly repository: GitRepository;
  readonly updateIntervalMs: number;
  readonly mountpoint: string;
  readonly root: string;
  readonly #options: RemoteOptions;
  readonly #branch: string;
  readonly #address: string;

  /** @throws ConfigError */
  constructor(entry: Value, { opts, folder, clock, random }: PillarRemoteDeps) {
    const options = new RemoteOptions(entry, 'git_pillar', { opts, known: ['env'] });
    const [, branch, address] = /^(\S+)\s+(\S.*)$/.exec(options.id) ?? [];
    this.id = masked(options.id);
    this.#options = options;
    this.#branch = branch ?? options.text('branch', 'master');
    if (options.has('base') && this.#branch !== ANY_ENVIRONMENT)
      throw new ConfigError(
        `The remote ${this.id} of git_pillar has a base, which means something only with ${ANY_ENVIRONMENT} as its branch.`,
      );
    this.mountpoint = options.folder('mountpoint');
    this.root = options.folder('root');
    this.updateIntervalMs = options.updateIntervalMs;
    this.#address = address ?? options.id;
    const access = options.access(this.#address);
    this.repository = new GitRepository({ folder, access, refspecs: options.refspecs, clock, random });
  }

  /** True for the branch, and for the address or the name, that are asked for. */
  isMeant({ branch, repo }: { readonly branch?: string; readonly repo?: string }): boolean {
    if (branch !== undefined && branch !== this.#branch) return false;
    return repo === undefined || repo === this.#address || repo === this.#options.text('name');
  }

  get isOfAnyEnvironment(): boolean {
    return this.#branch === ANY_ENVIRONMENT;
  }

  get #base(): string {
    return this.#options.text('base', 'master');
  }

  /** The branch, tag or commit for an environment. */
  target(asked: AskedEnvironment): string {
    if (!this.isOfAnyEnvironment) return this.#branch;
    if (this.#options.has('all_saltenvs')) return this.#options.text('all_saltenvs');
    const wanted = wantedOf(asked);
    return wanted === 'base' ? this.#base : wanted;
  }

  /** The environment that its files belong to. */
  environment(asked: AskedEnvironment): string {
    if (this.isOfAnyEnvironment && this.#options.has('all_saltenvs')) return wantedOf(asked);
    const own = this.#options.text('env');
    if (own === ANY_ENVIRONMENT) return asked.pillarenv ?? asked.saltenv ?? this.#base;
    if (own !== '') return own;
    const target = this.target(asked);
    return target === this.#base ? 'base' : target;
  }

  /** The commit for an environment; undefined when there is none. */
  async commit(asked: AskedEnvironment): Promise<string | undefined> {
    const fallback = this.#options.text('fallback');
    return (
      (await this.repository.resolve(this.target(asked))) ??
      (fallback === '' ? undefined : this.repository.resolve(fallback))
    );
  }
}

const wantedOf = ({ pillarenv, saltenv }: AskedEnvironment): string => pillarenv ?? saltenv ?? 'base';

/** The remotes of every `git` of the option `ext_pillar`. @throws ConfigError */
export function pillarRemotes(settings: Value, deps: PillarRemoteDeps): readonly PillarRemote[] {
  return (Array.isArray(settings) ? settings : [settings]).map((entry) => new PillarRemote(entry, deps));
}

/** The remotes of a configuration. @param sources the option `ext_pillar` @throws ConfigError */
export function configuredPillarRemotes(sources: readonly Value[], deps: PillarRemoteDeps): PillarRemote[] {
  return sources.flatMap((source) => {
    const settings = isDict(source) ? source.get('git') : undefined;
    return settings === undefined ? [] : pillarRemotes(settings, deps);
  });
}
