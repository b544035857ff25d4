/** Which `.tst` files belong to an SLS, and what is in them (3006.16 salt/modules/saltcheck.py `StateTestLoader`). */
import { posix } from 'node:path';
import { didYouMean } from '../../../errors/did-you-mean.ts';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';

/** The tests of SLS, one SLS after the other. */
export class TestFiles {
  readonly #ctx: ModuleContext;
  readonly #saltenv: string;
  readonly #location: string;
  #states: ReadonlySet<Value> | undefined;
  /** Why SLS do not compile. */
  readonly #broken = new Map<string, string>();
  /** SLS whose folder of tests has been fetched. */
  readonly #found = new Set<string>();

  /** @param location the folder of tests, below the folder of an SLS: `saltcheck_test_location` */
  constructor(ctx: ModuleContext, saltenv: string, location: string) {
    this.#ctx = ctx;
    this.#saltenv = saltenv;
    this.#location = location;
  }

  /** The SLS for which there are tests, of those that were asked for. */
  get foundStates(): string[] {
    return [...this.#found];
  }

  /**
   * The files of an SLS and of those that it includes, each once, in the order of the SLS.
   * @param checksAll all files that lie in the folders of tests
   */
  async of(sls: string, checksAll: boolean): Promise<string[]> {
    const cached = new Set<string>();
    const wanted = new Set<string>();
    for (const name of await this.#slsOf(sls)) {
      if (checksAll) {
        for (const folder of this.#folders(name))
          for (const path of await this.#fetch(folder)) wanted.add(path);
        continue;
      }
      for (const path of await this.#nearest(name)) cached.add(path);
      const names = this.#namesOf(name);
      for (const path of cached) if (names.some((one) => path.endsWith(`/${one}`))) wanted.add(path);
    }
    return [...wanted];
  }

  /**
   * Why there can be nothing to test: a name that is neither an SLS nor a file of tests, or an SLS that does not
   * compile.
   * @param paths the files of tests that were found for the SLS
   */
  faultOf(sls: string, paths: readonly string[]): string | undefined {
    const why = this.#broken.get(sls);
    if (why !== undefined) return `${sls} does not compile: ${why}`;
    if (paths.length > 0 || this.#states?.has(sls) === true) return undefined;
    const near = didYouMean(sls, [...(this.#states ?? [])].map(pyStr), 1);
    return `there is no SLS ${sls} in the environment ${this.#saltenv}, and no file of tests of that name.${near}`;
  }

  /** The tests of some files by name. @throws CommandExecutionError for a file that is no mapping of tests */
  async load(paths: readonly string[]): Promise<Dict> {
    const tests = dict();
    for (const path of paths) {
      const saltenv = this.#saltenv;
      const rendered = await this.#ctx.functions.call('slsutil.renderer', [path], { saltenv });
      if (!isDict(rendered))
        throw new CommandExecutionError(
          `${path} is no mapping of tests: each test has a name, and below it module_and_function and an assertion.`,
        );
      for (const [name, test] of rendered) tests.set(pyStr(name), test);
    }
    return tests;
  }

  /** The SLS of which an SLS consists; a name that is none names files of tests. */
  async #slsOf(sls: string): Promise<readonly string[]> {
    const kwargs = dict({ saltenv: this.#saltenv });
    const listed = async (): Promise<ReadonlySet<Value>> => {
      const states = await this.#ctx.functions.call('cp.list_states', [], kwargs);
      return new Set(Array.isArray(states) ? states : []);
    };
    this.#states ??= await listed();
    if (!this.#states.has(sls)) return [sls];
    const low = await this.#ctx.functions.call('state.show_low_sls', [sls], {
      saltenv: this.#saltenv,
      test: true,
    });
    const names = new Set<string>();
    for (const chunk of Array.isArray(low) ? low : []) {
      if (!isDict(chunk)) {
        this.#ctx.log.error(`Saltcheck: ${sls} has no tests, since it does not compile: ${pyStr(chunk)}`);
        this.#broken.set(sls, pyStr(chunk));
        return [];
      }
      if (chunk.has('__sls__')) names.add(pyStr(chunk.get('__sls__') ?? null));
    }
    return [...names];
  }

  /**
   * Fetches the nearest folder that has tests of an SLS, unless that was done before.
   * @returns where the files are now
   */
  async #nearest(sls: string): Promise<readonly string[]> {
    if (this.#found.has(sls)) return [];
    for (const folder of this.#folders(sls)) {
      const paths = await this.#fetch(folder);
      if (paths.length === 0) continue;
      this.#found.add(sls);
      return paths;
    }
    return [];
  }

  async #fetch(folder: string): Promise<string[]> {
    const kwargs = dict({ saltenv: this.#saltenv, include_pat: '*.tst' });
    const paths = await this.#ctx.functions.call('cp.cache_dir', [folder], kwargs);
    return Array.isArray(paths) ? paths.map((path) => pyStr(path)).sort() : [];
  }

  /**
   * Where an SLS may have its tests: its own folder, the one beside it, that of the formula; the deepest first. The
   * root of the environment is no formula.
   */
  #folders(sls: string): string[] {
    const words = sls.split('.');
    const folders = [words, words.slice(0, -1), words.slice(0, 1)].filter(({ length }) => length > 0);
    const paths = new Set(folders.map((one) => `salt://${[...one, this.#location].join('/')}`));
    return [...paths].sort((a, b) => b.length - a.length);
  }

  /** How a file of an SLS may be called. */
  #namesOf(sls: string): string[] {
    const words = sls.split('.');
    const last = `${words.at(-1) ?? ''}.tst`;
    const location = posix.normalize(this.#location);
    return [
      posix.join(...words, location, 'init.tst'),
      posix.join(...words.slice(0, -1), location, last),
      posix.join(words[0] ?? '', location, ...words.slice(1, -1), last),
    ];
  }
}
