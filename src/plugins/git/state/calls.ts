/** The functions of `git` as a state calls them: always for the same user. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';

/** Who runs git. */
export interface GitUser {
  readonly user: string | undefined;
  readonly password: Value;
  readonly output_encoding: string | undefined;
}

/** Further arguments of a call. */
type Keywords = Readonly<Record<string, Value | undefined>>;

/** Calls functions of `git` as one user. */
export class GitCalls {
  readonly #ctx: StateContext;
  readonly #who: DictInit;

  constructor(ctx: StateContext, { user, password, output_encoding }: GitUser) {
    this.#ctx = ctx;
    this.#who = { user: user ?? null, password, output_encoding: output_encoding ?? null };
  }

  /** @param fun the name behind `git.` */
  async call(fun: string, args: readonly Value[], keywords: Keywords = {}): Promise<Value> {
    return this.#ctx.functions.call(`git.${fun}`, args, { ...this.#who, ...keywords });
  }

  async text(fun: string, args: readonly Value[], keywords: Keywords = {}): Promise<string> {
    return pyStr(await this.call(fun, args, keywords));
  }

  /** A question to which a failure is an answer. @returns undefined when the function fails */
  async textIfAny(fun: string, args: readonly Value[], keywords: Keywords = {}): Promise<string | undefined> {
    try {
      return await this.text(fun, args, { ignore_retcode: true, ...keywords });
    } catch (error) {
      if (error instanceof CommandExecutionError) return undefined;
      throw error;
    }
  }

  async list(fun: string, args: readonly Value[], keywords: Keywords = {}): Promise<string[]> {
    const found = await this.call(fun, args, keywords);
    return Array.isArray(found) ? found.map(pyStr) : [];
  }

  async mapping(fun: string, args: readonly Value[], keywords: Keywords = {}): Promise<Dict> {
    const found = await this.call(fun, args, keywords);
    return isDict(found) ? found : dict();
  }

  async isTrue(fun: string, args: readonly Value[], keywords: Keywords = {}): Promise<boolean> {
    return truthy(await this.call(fun, args, keywords));
  }

  /** The id of the commit that is checked out; undefined in a repository without commits. */
  async revision(folder: string): Promise<string | undefined> {
    return this.textIfAny('revision', [folder]);
  }

  /** The branch that is checked out; undefined in a repository without commits. */
  async branch(folder: string): Promise<string | undefined> {
    return this.textIfAny('current_branch', [folder]);
  }

  /** Where a remote is fetched from, with its credentials. */
  async fetchUrls(folder: string): Promise<ReadonlyMap<string, string>> {
    const remotes = await this.mapping('remotes', [folder], { redact_auth: false });
    return new Map(
      [...remotes].map(([name, urls]) => [pyStr(name), isDict(urls) ? pyStr(urls.get('fetch') ?? '') : '']),
    );
  }
}
