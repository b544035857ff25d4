/** Making the pillar of one minion (3006.16 salt/pillar/__init__.py `Pillar`). */
import { mergeDicts, mergeInto, type MergeStrategy } from '../../formats/data/dict-merge.ts';
import { messageOf } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { rendererRules } from '../renderers/pipe.ts';
import type { RenderContext } from '../renderers/renderer.ts';
import type { RenderBudget } from '../../formats/jinja/index.ts';
import { unknownType } from '../targeting/parse-target.ts';
import { isTargetType } from '../targeting/target.ts';
import { nodegroupsOf } from '../targeting/nodegroups.ts';
import { filterNames } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { copyValue, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { decryptPillar } from './decrypt.ts';
import { externalPillar } from './external.ts';
import { readPillarInclude, type PillarInclude } from './includes.ts';
import { PillarRoots, type SlsFile } from './roots.ts';
import { safeSentence } from './safe-sentence.ts';
import { matchTop, mergeTops, topData, type MergedTop } from './top.ts';
import type { PillarCompilerDeps, PillarRequest } from './request.ts';

/** Includes nested deeper than this are refused. */
const INCLUDE_DEPTH_MAX = 60;

/** Makes a pillar. Faults are told in its list `_errors`. */
export function compilePillar(deps: PillarCompilerDeps, request: PillarRequest): Promise<Dict> {
  return new PillarCompiler(deps, request).compile();
}

/** The top data of a minion: environments, targets and SLS, for `pillar.show_top`. */
export function pillarTop(
  deps: PillarCompilerDeps,
  request: PillarRequest,
): Promise<{ top: Dict; errors: string[] }> {
  return new PillarCompiler(deps, request).showTop();
}

/** Joins pillar of two sources, as the options say. */
export function mergeSources(opts: Dict, a: Dict, b: Dict): Dict {
  return mergeDicts(a, b, ...mergeRules(opts));
}

function mergeRules(opts: Dict): [strategy: MergeStrategy, mergeLists: boolean, keepsOnEmpty: boolean] {
  const strategy = opts.get('pillar_source_merging_strategy');
  return [
    (strategy ?? 'smart') as MergeStrategy,
    truthy(opts.get('pillar_merge_lists')),
    truthy(opts.get('pillar_keep_on_empty')),
  ];
}

/** The state of one compilation. */
class PillarCompiler {
  readonly deps: PillarCompilerDeps;
  readonly request: PillarRequest;
  readonly opts: Dict;
  readonly log: Logger;
  readonly errors: string[] = [];
  readonly #roots: PillarRoots;
  readonly #saltenv: string;
  readonly #pillarenv: string | null;
  #pillar: Dict = new Map();
  #ignored: MergedTop['ignored'] = new Map();
  /** What minions tell is in all the files: together they may cost no more than one of them alone. */
  readonly #budget: RenderBudget;

  constructor(deps: PillarCompilerDeps, request: PillarRequest) {
    this.deps = deps;
    this.request = request;
    this.log = deps.log;
    this.#saltenv = request.saltenv ?? 'base';
    const configured = deps.opts.get('pillarenv');
    this.#pillarenv = request.pillarenv ?? (typeof configured === 'string' ? configured : null);
    this.#roots = new PillarRoots(deps.opts.get('pillar_roots'), this.#pillarenv ?? this.#saltenv);
    // templates may change what they see, and the master's options are those of all minions
    this.opts = new Map<Value, Value>([
      ...copyValue(deps.opts),
      ['id', request.minionId],
      ['minion_id', request.minionId],
      ['file_client', 'local'],
      ['saltenv', request.saltenv],
      ['pillarenv', this.#pillarenv],
      ['grains', request.grains],
    ]);
    this.#budget = deps.pipe.budget(this.opt);
  }

  opt = (name: string): Value | undefined => this.opts.get(name);

  merge(a: Dict, b: Dict): Dict {
    return mergeSources(this.opts, a, b);
  }

  decrypt(renderer: string, value: Value): Promise<Value> {
    return this.deps.pipe.apply(renderer, value, this.#pillarContext());
  }

  #pillarContext(): RenderContext {
    return this.#renderContext({ path: 'pillar', sls: '', env: 'base', extra: [] });
  }

  fail(message: string): void {
    this.log.error(message);
    this.errors.push(message);
  }

  async compile(): Promise<Dict> {
    const { override, grains, minionId } = this.request;
    const [top, topErrors] = await this.#top();
    let pillar: Dict;
    if (truthy(this.opt('ext_pillar_first'))) {
      this.#pillar = await externalPillar(this, new Map(override));
      pillar = this.merge(this.#pillar, await this.#files(top));
    } else pillar = await externalPillar(this, await this.#files(top));
    this.errors.push(...topErrors);
    if (truthy(this.opt('pillar_opts'))) {
      const master = new Map(this.opts);
      master.delete('grains');
      pillar.set('master', master.set('saltversion', this.deps.version));
    }
    // before the override is joined, which is what the minion says
    await decryptPillar(pillar, {
      pipe: this.deps.pipe,
      context: this.#pillarContext(),
      fail: (message) => this.fail(message),
    });
    if (this.errors.length > 0) {
      for (const error of this.errors) this.log.critical(`Pillar render error: ${error}`);
      pillar.set('_errors', [...this.errors]);
    }
    this.log.debug(`Made the pillar of ${minionId} (${grains.size} grains)`);
    // what the command line leaves empty is meant to be empty
    const [strategy, mergeLists] = mergeRules(this.opts);
    return override.size > 0 ? mergeDicts(pillar, override, strategy, mergeLists) : pillar;
  }

  async showTop(): Promise<{ top: Dict; errors: string[] }> {
    const [top, errors] = await this.#top();
    return { top: topData(top), errors };
  }

  /** The top files, joined, and what is wrong with them. */
  async #top(): Promise<[MergedTop, string[]]> {
    const errors: string[] = [];
    const tops: Dict[] = [];
    const topName = pyStr(this.opt('state_top') ?? 'top.sls').replace(/^salt:\/\/|^\//, '');
    for (const env of this.#topEnvironments()) {
      const file = this.#roots.read(topName, env);
      if (!file) continue;
      const top = await this.#renderTop(file, env, errors, 'Primary Top file');
      if (!top) continue;
      tops.push(top);
      await this.#includedTops(top, env, tops, errors);
    }
    try {
      const merged = mergeTops(tops);
      this.#ignored = merged.ignored;
      return [merged, errors];
    } catch (error) {
      this.log.error(messageOf(error));
      errors.push('Error encountered while rendering pillar top file.');
      return [mergeTops([]), errors];
    }
  }

  #topEnvironments(): readonly string[] {
    if (this.#pillarenv !== null) return this.#roots.has(this.#pillarenv) ? [this.#pillarenv] : [];
    const all = this.#roots.environments;
    return this.opt('pillar_source_merging_strategy') === 'none'
      ? all.filter((env) => env === this.#saltenv)
      : all;
  }

  async #renderTop(
    file: { path: string; text: string },
    env: string,
    errors: string[],
    what: string,
  ): Promise<Dict | undefined> {
    try {
      const top = await this.#render(file, '', env, new Map());
      return isDict(top) ? top : undefined;
    } catch (error) {
      const detail = this.#detailOf(error, file.path);
      errors.push(`Rendering ${what} failed, render error:\n${detail}`);
      this.log.error(`Pillar rendering failed for minion ${this.request.minionId}: ${detail}`);
      return undefined;
    }
  }

  /** What an error says: lines of the file only to whom the file is. */
  #detailOf(error: unknown, path: string): string {
    return this.deps.isForOwnUse ? messageOf(error) : safeSentence(error, path);
  }

  async #includedTops(top: Dict, env: string, tops: Dict[], errors: string[]): Promise<void> {
    const queue: Value[] = [];
    const done = new Set<string>();
    const enqueue = (from: Dict): void => {
      const list = from.get('include');
      if (Array.isArray(list)) queue.push(...list);
      else if (list !== undefined)
        errors.push('Include Declaration in the pillar top file is not formed as a list');
      from.delete('include');
    };
    enqueue(top);
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const sls = pyStr(name);
      if (done.has(sls)) continue;
      done.add(sls);
      const file = this.#roots.findSls(sls, env);
      if (!file) {
        errors.push(
          `Rendering Top file ${sls} failed, render error:\nThere is no such file in environment '${env}'.`,
        );
        continue;
      }
      const included = await this.#renderTop(file, env, errors, `Top file ${sls}`);
      if (included) {
        enqueue(included);
        tops.push(included);
      }
    }
  }

  #matches(top: MergedTop): Promise<Map<string, string[]>> {
    const { minionId, grains } = this.request;
    const subject = { id: minionId, grains, pillar: this.#pillar };
    return matchTop(top, subject, {
      nodegroups: nodegroupsOf(this.opt('nodegroups')),
      pillarenv: this.#pillarenv,
      log: this.log,
      own: (kind) => this.#ownMatcher(kind),
    });
  }

  /** A matcher of the site that fails, and a kind of target that nobody knows, fail the pillar. */
  #ownMatcher(kind: string): ((target: string) => Promise<boolean>) | undefined {
    const about = { opts: this.opts, grains: this.request.grains, pillar: this.#pillar };
    const own = this.deps.ownMatcher?.(this.opts, kind);
    if (own === undefined && isTargetType(kind)) return undefined;
    return async (target) => {
      try {
        if (own === undefined) throw unknownType(kind);
        return await own(target, about);
      } catch (error) {
        this.fail(`The target '${target}' (${kind}) of the pillar top file: ${messageOf(error)}`);
        return false;
      }
    };
  }

  /** The pillar out of files. */
  async #files(top: MergedTop): Promise<Dict> {
    let pillar: Dict = copyValue(new Map(this.request.override));
    for (const [env, wanted] of await this.#matches(top)) {
      const rendered = new Map<string, Value>();
      for (const sls of wanted.flatMap((pattern) => this.#expand(pattern, env))) {
        const state = await this.#sls(sls, env, rendered, new Map(), 0);
        if (isDict(state)) pillar = mergeInto(pillar, copyValue(state), ...mergeRules(this.opts));
      }
    }
    return pillar;
  }

  /** The SLS that a name with or without wildcards means; the name itself when there is none. */
  #expand(pattern: string, env: string): string[] {
    if (!this.#roots.environments.includes(env)) {
      this.errors.push(`No matching pillar environment for environment '${env}' found`);
      return [pattern];
    }
    if (!/[*?[]/.test(pattern)) return [pattern];
    const names = filterNames(this.#roots.listSls(env), pattern);
    return names.length > 0 ? names : [pattern];
  }

  #render(file: { path: string; text: string }, sls: string, env: string, defaults: Dict): Promise<Value> {
    const extra = [...defaults].filter((pair): pair is [string, Value] => typeof pair[0] === 'string');
    return this.deps.pipe.render(
      file.text,
      pyStr(this.opt('renderer') ?? 'jinja|yaml'),
      rendererRules(this.opt),
      this.#renderContext({ path: file.path, sls, env, extra }),
    );
  }

  #renderContext({
    path,
    sls,
    env,
    extra,
  }: {
    path: string;
    sls: string;
    env: string;
    extra: readonly [string, Value][];
  }): RenderContext {
    const { grains, override } = this.request;
    return {
      opt: this.opt,
      saltenv: env,
      sls,
      path,
      variables: new Map<string, Value>([
        ['grains', grains],
        ['pillar', this.#pillar],
        ['opts', this.opts],
        ...extra,
      ]),
      functions: this.deps.functions({ opts: this.opts, grains, pillar: this.#pillar }),
      sentByMinion: [grains, override],
      budget: this.#budget,
      run: this.#budget,
      readTemplate: (path) => this.#roots.read(path, env),
    };
  }

  /** One SLS with what it includes. @returns null when there is none */
  async #sls(
    sls: string,
    env: string,
    rendered: Map<string, Value>,
    defaults: Dict,
    depth: number,
  ): Promise<Value> {
    const file = this.#roots.findSls(sls, env);
    if (!file) {
      this.#missing(sls, env);
      return null;
    }
    let state: Value = null;
    try {
      state = await this.#render(file, sls, env, defaults);
    } catch (error) {
      const detail = this.#detailOf(error, file.path);
      this.log.critical(`Rendering SLS '${sls}' failed, render error:\n${detail}`);
      this.log.warning(`The pillar of ${this.request.minionId} was made without SLS '${sls}'.`);
      this.errors.push(
        this.opt('pillar_safe_render_error') === false
          ? `Rendering SLS '${sls}' failed, render error:\n${detail}`
          : `Rendering SLS '${sls}' failed. Please see master log for details.`,
      );
    }
    rendered.set(sls, state);
    if (!truthy(state)) return state;
    if (!isDict(state)) {
      this.fail(`SLS '${sls}' does not render to a dictionary`);
      return null;
    }
    const includes = state.get('include');
    if (includes === undefined) return state;
    if (!Array.isArray(includes)) {
      this.fail(`Include Declaration in SLS '${sls}' is not formed as a list`);
      return state;
    }
    state.delete('include');
    if (depth >= INCLUDE_DEPTH_MAX) {
      this.fail(`Includes of SLS '${sls}' are nested too deep`);
      return state;
    }
    return this.#withIncludes({ sls, env, file, rendered, depth }, state, includes);
  }

  async #withIncludes(
    at: { sls: string; env: string; file: SlsFile; rendered: Map<string, Value>; depth: number },
    own: Dict,
    includes: readonly Value[],
  ): Promise<Dict> {
    const { env, rendered, depth } = at;
    const overriding = truthy(this.opt('pillar_includes_override_sls'));
    const parts: Dict[] = [];
    // Salt compat: what went wrong in one include is told again with each later one that has been rendered already
    let latest: readonly string[] = [];
    for (const include of includes) {
      const read = this.#include(include, at.sls);
      if (read === undefined) continue;
      const { name, defaults, key } = read;
      for (const sls of this.#includedNames(name, at)) {
        const known = rendered.get(sls);
        const told = this.errors.length;
        const state = known === undefined ? await this.#sls(sls, env, rendered, defaults, depth + 1) : known;
        if (known === undefined) latest = this.errors.slice(told);
        else this.errors.push(...latest);
        if (!isDict(state) || state.size === 0) continue;
        parts.push(key === undefined ? state : nested(copyValue(state), key));
      }
    }
    // what the file says itself wins, unless the option turns that round
    const ordered = overriding ? [own, ...parts] : [...parts, own];
    return ordered.reduce((merged, part) => this.merge(merged, part));
  }

  /**
   * One item of a list of includes; what is wrong with it fails the pillar, and values do not land where nobody wants
   * them.
   */
  #include(item: Value, sls: string): PillarInclude | undefined {
    const list = `Include Declaration in SLS '${sls}'`;
    const include = readPillarInclude(item, (text) => this.log.warning(`${list} ${text}`));
    if (typeof include !== 'string') return include;
    this.fail(`${list} ${include}`);
    return undefined;
  }

  /** The SLS an include means; relative names start at the including file. */
  #includedNames(name: string, at: { sls: string; env: string; file: SlsFile }): string[] {
    const plain = name.replace(/^\.+/, '').replaceAll('/', '.');
    let full = name;
    if (name.startsWith('.')) {
      const parent = at.file.isInit ? at.sls.split('.') : at.sls.split('.').slice(0, -1);
      full = [...parent, name.slice(1)].join('.');
    }
    const found = [plain, full].flatMap((pattern) => {
      if (/[*?[]/.test(pattern)) return filterNames(this.#roots.listSls(at.env), pattern);
      return pattern !== '' && this.#roots.findSls(pattern, at.env) ? [pattern] : [];
    });
    return found.length > 0 ? found : [full];
  }

  #missing(sls: string, env: string): void {
    if (this.#ignored.get(env)?.has(sls)) {
      this.log.debug(`Skipping ignored and missing SLS '${sls}' in environment '${env}'`);
    } else if (this.#roots.folders(env).length > 0) {
      this.fail(`Specified SLS '${sls}' in environment '${env}' is not available on the salt master`);
    } else {
      this.log.debug(
        `Specified SLS '${sls}' in environment '${env}' was not found: pillar_roots has no such environment`,
      );
    }
  }
}

function nested(state: Dict, key: string): Dict {
  return key.split(':').reduceRight<Dict>((inner, part) => new Map<Value, Value>([[part, inner]]), state);
}
