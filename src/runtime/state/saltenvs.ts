/**
 * The environments that a compilation knows, and the SLS in each (3006.16 salt/state.py `_get_envs`,
 * `LazyAvailStates`).
 */
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import type { SlsFiles } from './sls-files.ts';

/** Asked for when it is first needed. */
export class SaltEnvs {
  readonly #opts: Dict;
  readonly #files: SlsFiles;
  #names: Promise<readonly string[]> | undefined;

  constructor(opts: Dict, files: SlsFiles) {
    this.#opts = opts;
    this.#files = files;
  }

  /** All of them: in the order of `env_order`, else `base` first. */
  names(): Promise<readonly string[]> {
    this.#names ??= this.#find();
    return this.#names;
  }

  async has(saltenv: string): Promise<boolean> {
    return saltenv === 'base' || (await this.names()).includes(saltenv);
  }

  /** The SLS of an environment, sorted; none of one that is not known. */
  async states(saltenv: string): Promise<readonly string[]> {
    return (await this.has(saltenv)) ? this.#files.states(saltenv) : [];
  }

  async #find(): Promise<readonly string[]> {
    const served = await this.#files.client.source.environments();
    const wanted = this.#opts.get('env_order');
    const order = Array.isArray(wanted) ? [...new Set(wanted.map(pyStr))] : [];
    if (order.length > 0) return served.length > 0 ? order.filter((env) => served.includes(env)) : order;
    const roots = this.#opts.get('file_roots');
    return [...new Set(['base', ...(isDict(roots) ? [...roots.keys()].map(pyStr) : []), ...served])];
  }
}
