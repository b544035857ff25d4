/** The state compiler: top files and SLS to high data, and high data to low chunks (3006.16 salt/state.py). */
import { optionOf } from '../loader/option-of.ts';
import type { Logger } from '../../host/log.ts';
import type { MinionServices, ModuleContext } from '../loader/module.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { FilesAhead } from './files-ahead.ts';
import { SaltEnvs } from './saltenvs.ts';
import { applyExclude } from './exclude.ts';
import { applyExtend } from './extend.ts';
import { EXCLUDE, listAt } from './high-data.ts';
import { compileChunks } from './low.ts';
import { withMasterOptions } from './options.ts';
import { applyRequisiteIn, type RequisiteInDeps } from './requisite-in.ts';
import { SlsFiles } from './sls-files.ts';
import { SlsIncludes } from './sls-includes.ts';
import { SlsRenderer } from './sls-renderer.ts';
import { SlsTree, type SlsTreeDeps } from './sls-tree.ts';
import { readTemplate } from './template.ts';
import { TopFiles, verifyTop } from './top.ts';
import { verifyHigh } from './verify-high.ts';
import type { Compiled } from './compiled.ts';

/** How errors name an SLS that was given as a text. */
const TEXT = '<template-str>';

/** Compiles for one run. */
export class StateCompiler {
  /** What is asked of the master's file server ahead, for this compilation and the run that follows. */
  readonly ahead: FilesAhead;
  /** What the SLS that were compiled include. */
  readonly includes = new SlsIncludes();
  readonly #ctx: ModuleContext;
  readonly #opts: Dict;
  readonly #pillar: Dict;
  readonly #fixed: Dict;
  #deps: Promise<SlsTreeDeps> | undefined;
  #top: Promise<Compiled<Dict>> | undefined;

  /**
   * @param ctx the context of the function that runs states
   * @param opts the options of this run; those that the master decides are asked for when they are needed
   * @param pillar the pillar of this run
   * @param fixed options that hold whatever the master says
   */
  constructor(ctx: ModuleContext, opts: Dict, pillar: Dict, fixed: Dict = new Map()) {
    this.#ctx = ctx;
    const { services, clock, log } = ctx;
    const cachedir = optionOf(ctx.opts, 'cachedir');
    this.ahead = new FilesAhead({ services, cachedir, clock, log });
    this.#fixed = fixed;
    this.#opts = opts;
    this.#pillar = pillar;
  }

  /** The options of this run with those of the master in them. */
  async options(): Promise<Dict> {
    return (await this.#prepared()).ctx.opts;
  }

  /** Environment to the SLS that the top files give this minion. */
  async topMatches(): Promise<Dict> {
    return (await this.top()).data;
  }

  /** As {@link topMatches}, with what is wrong with the top files. */
  top(): Promise<Compiled<Dict>> {
    this.#top ??= this.#readTop();
    return this.#top;
  }

  /**
   * The high data of the SLS that the top files give this minion.
   * @param matches part of what {@link topMatches} gave
   */
  async highstate(matches?: Dict): Promise<Compiled<Dict>> {
    const top = await this.top();
    const { data, errors } = await this.#high(matches ?? top.data);
    return { data, errors: [...top.errors, ...errors] };
  }

  /**
   * The high data of some SLS.
   * @param mods names, globs among them
   * @param exclude what is left out besides: names of SLS, `{sls: x}`, `{id: y}`
   */
  async slsHigh(
    mods: readonly Value[],
    saltenv: string,
    exclude: readonly Value[] = [],
  ): Promise<Compiled<Dict>> {
    const compiled = await this.#high(new Map([[saltenv, [...mods]]]));
    if (exclude.length > 0) listAt(compiled.data, EXCLUDE).push(...exclude);
    return compiled;
  }

  /** The high data of one SLS file outside the file server. @param path of the file, on this machine */
  async fileHigh(path: string, saltenv: string): Promise<Compiled<Dict>> {
    const errors: string[] = [];
    const data = await new SlsTree(await this.#prepared(), new Map()).fileData(path, saltenv, errors);
    return { data, errors };
  }

  /** The high data of a text that is an SLS of its own. @throws SaltRenderError */
  async textHigh(text: string): Promise<Compiled<Dict>> {
    const { renderer } = await this.#prepared();
    return readTemplate(await renderer.render(text, { saltenv: 'base', sls: '', path: TEXT }), TEXT);
  }

  /** All SLS there are, by environment. */
  async availableStates(): Promise<ReadonlyMap<string, readonly string[]>> {
    const { environments } = await this.#prepared();
    const names = new Set(['base', ...(await environments.names())]);
    const out = new Map<string, readonly string[]>();
    for (const name of names) out.set(name, await environments.states(name));
    return out;
  }

  /**
   * The low chunks of high data, which is changed by it: extended, verified, requisites worked in, excluded, sorted.
   * @param orchestrationJid the job of the orchestration that all chunks belong to
   */
  async low(high: Dict, orchestrationJid?: string): Promise<Compiled<readonly Dict[]>> {
    const { opts, log } = (await this.#prepared()).ctx;
    const errors = [...applyExtend(high, log), ...verifyHigh(high)];
    if (errors.length > 0) return { data: [], errors };
    const faults = applyRequisiteIn(high, this.#inDeps(opts, log));
    applyExclude(high, this.includes);
    return faults.length > 0
      ? { data: [], errors: faults }
      : { data: compileChunks(high, orchestrationJid), errors: [] };
  }

  /**
   * The low chunks of the SLS that the top files give this minion, to look at (3006.16 `compile_low_chunks`): faults of
   * the top files do not count.
   */
  async lowstate(): Promise<Compiled<readonly Dict[]>> {
    return this.lowToLookAt(await this.#high((await this.top()).data));
  }

  /** The low chunks of high data as `lowstate` makes them: unlike those of a run, every step tells its errors. */
  async lowToLookAt(high: Compiled<Dict>): Promise<Compiled<readonly Dict[]>> {
    const { opts, log } = (await this.#prepared()).ctx;
    const errors = [
      ...high.errors,
      ...applyExtend(high.data, log),
      ...verifyHigh(high.data),
      ...applyRequisiteIn(high.data, this.#inDeps(opts, log)),
    ];
    applyExclude(high.data, this.includes);
    return { data: errors.length > 0 ? [] : compileChunks(high.data), errors };
  }

  async #readTop(): Promise<Compiled<Dict>> {
    const files = new TopFiles(await this.#prepared());
    const top = await files.read();
    const errors = verifyTop(top);
    return { data: await files.matches(top), errors };
  }

  async #high(matches: Dict): Promise<Compiled<Dict>> {
    const errors: string[] = [];
    const data = await new SlsTree(await this.#prepared(), matches).highData(errors);
    return { data, errors };
  }

  #inDeps(opts: Dict, log: Logger): RequisiteInDeps {
    return { disabled: opts.get('disabled_requisites'), includes: this.includes, log };
  }

  #prepared(): Promise<SlsTreeDeps> {
    this.#deps ??= this.#prepare();
    return this.#deps;
  }

  async #prepare(): Promise<SlsTreeDeps> {
    const decided = await withMasterOptions(this.#ctx, this.#opts, this.ahead);
    const ctx = runContext(
      this.#ctx,
      this.ahead.services,
      new Map([...decided, ...this.#fixed]),
      this.#pillar,
    );
    const files = new SlsFiles(ctx);
    return {
      ctx,
      files,
      ahead: this.ahead,
      includes: this.includes,
      renderer: new SlsRenderer(ctx, files),
      environments: new SaltEnvs(ctx.opts, files),
    };
  }
}

/** The context that templates of a run see: its options and its pillar, also within the functions they call. */
function runContext(ctx: ModuleContext, services: MinionServices, opts: Dict, pillar: Dict): ModuleContext {
  const context: ModuleContext = {
    ...ctx,
    services,
    opts,
    pillar,
    functions: ctx.functions.within(() => context),
    get retcode() {
      return ctx.retcode;
    },
    setRetcode: (code) => ctx.setRetcode(code),
  };
  return context;
}
