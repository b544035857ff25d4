/**
 * From an event to the calls that its reactor files ask for: rendering, checking, ordering (salt/utils/reactor.py
 * `reactions` and salt/state.py `Compiler`, 3006.16).
 */
import { readFileSync } from 'node:fs';
import { BrineError, messageOf } from '../../errors/errors.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import { globPaths } from '../../host/glob.ts';
import type { RareLog } from '../../host/rare-lines.ts';
import { fnmatch } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { answered, readFilled, readText } from '../../runtime/loader/answered.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { compileChunks } from '../../runtime/state/low.ts';
import { customRenderers, SlsRenderer } from '../../runtime/state/sls-renderer.ts';
import { verifyHigh } from '../../runtime/state/verify-high.ts';
import { noSuchFile, type RuleFile } from './reaction-map.ts';

const cachedFile = answered('cp.cache_file', readText);
const servedHash = answered('cp.hash_file', readFilled);

type FindRenderer = ReturnType<typeof customRenderers>;

/** Names of renderers that are remembered. */
const RENDERERS_MAX = 100;

/** An event, as files see it. */
export interface SeenEvent {
  readonly tag: string;
  readonly data: Dict;
}

/** What rendering needs. */
export interface ReactionRendererDeps {
  /** Functions, grains and options of the machine that reacts. */
  readonly context: () => Promise<ModuleContext>;
  readonly log: RareLog;
}

/** Renders reactor files. */
export class ReactionRenderer {
  readonly #deps: ReactionRendererDeps;
  #renderer: { readonly context: ModuleContext; readonly sls: SlsRenderer } | undefined;

  constructor(deps: ReactionRendererDeps) {
    this.#deps = deps;
  }

  /** Forgets what is kept of templates and functions (`reactor_refresh_interval`). */
  forget(): void {
    this.#renderer = undefined;
  }

  /**
   * The low chunks of an event, in their order. A file that cannot be rendered is logged with its line and left out;
   * files that contradict the form of SLS make the event end without a reaction, as in Salt.
   */
  async chunks(event: SeenEvent, files: readonly string[]): Promise<Dict[]> {
    const log = this.#deps.log.about(event.tag);
    const high: Dict = new Map();
    for (const file of files)
      for (const path of await this.#paths(file, event)) {
        const part = await this.#render(path, event);
        for (const [id, body] of part) high.set(id, body);
      }
    if (high.size === 0) return [];
    const errors = verifyHigh(high);
    if (errors.length === 0) return compileChunks(high);
    log.error(
      `Unable to render reactions for event ${event.tag} due to errors (${pyStr(errors)}) in one or more of the sls files (${pyStr([...files])})`,
    );
    return [];
  }

  /**
   * Says of each of these files, which are on the file server, when it is not there. A server that cannot be asked is
   * no reason for a line.
   */
  async sayMissing(served: readonly RuleFile[]): Promise<void> {
    const { log } = this.#deps;
    try {
      for (const each of served) {
        const { context } = await this.#ready();
        if ((await servedHash(context, [each.file])) === undefined) log.warning(noSuchFile(each));
      }
    } catch (error) {
      log.debug(`Whether the files of the reactor are there could not be asked: ${messageOf(error)}`, error);
    }
  }

  async #ready(): Promise<{ readonly context: ModuleContext; readonly sls: SlsRenderer }> {
    if (this.#renderer === undefined) {
      const context = await this.#deps.context();
      this.#renderer = { context, sls: new SlsRenderer(context, undefined, findOnce(context)) };
    }
    return this.#renderer;
  }

  async #paths(file: string, { tag }: SeenEvent): Promise<string[]> {
    let pattern = file;
    if (file.startsWith('salt://')) {
      const { context } = await this.#ready();
      pattern = (await cachedFile(context, [file])) ?? '';
    }
    const paths = pattern === '' ? [] : globPaths(pattern, fnmatch);
    if (paths.length === 0)
      this.#deps.log
        .about(tag)
        .error(`Can not render SLS ${file} for tag ${tag}. File missing or not found.`);
    return paths;
  }

  async #render(path: string, { tag, data }: SeenEvent): Promise<Dict> {
    const log = this.#deps.log.about(tag);
    try {
      const { sls } = await this.#ready();
      const variables = new Map<string, Value>([
        ['tag', tag],
        ['data', data],
      ]);
      const rendered = await sls.render(readFileSync(path, 'utf8'), {
        saltenv: 'base',
        sls: '',
        path,
        variables,
      });
      if (!isDict(rendered)) {
        if (rendered !== null && rendered !== '')
          log.error(`Failed to render "${path}" for tag ${tag}: it is not a mapping of ids to reactions`);
        return new Map();
      }
      for (const [id, body] of rendered) rendered.set(id, withSls(id, splitFunction(body), path));
      return rendered;
    } catch (error) {
      log.error(`Failed to render "${path}" for tag ${tag}: ${messageOf(error)}`, error);
      return new Map();
    }
  }
}

/** Custom renderers are looked for once, until all is forgotten. */
function findOnce(context: ModuleContext): FindRenderer {
  const find = customRenderers(context);
  const found = new BoundedMap<string, ReturnType<FindRenderer>>(RENDERERS_MAX);
  return (name) => {
    const known = found.get(name) ?? find(name);
    found.set(name, known);
    return known;
  };
}

/** `local.cmd.run: […]` as `local: […, cmd.run]`, and `id: local.cmd.run` alike (`pad_funcs`). */
function splitFunction(body: Value): Value {
  if (typeof body === 'string' && body.includes('.')) {
    const dot = body.indexOf('.');
    return new Map([[body.slice(0, dot), [body.slice(dot + 1)]]]);
  }
  if (!isDict(body)) return body;
  const out: Dict = new Map();
  for (const [key, list] of body) {
    if (typeof key !== 'string' || key.startsWith('_') || !Array.isArray(list) || !key.includes('.')) {
      out.set(key, list);
      continue;
    }
    const dot = key.indexOf('.');
    // Salt compat: of two entries for one client in an id the first counts
    if (!out.has(key.slice(0, dot))) out.set(key.slice(0, dot), [...list, key.slice(dot + 1)]);
  }
  return out;
}

/** @throws BrineError when an id has no functions, `include` among them: Salt leaves out that file alone */
function withSls(id: Value, body: Value, path: string): Dict {
  if (isDict(body)) return body.set('__sls__', path);
  throw new BrineError(`'${pyStr(id)}' is not a mapping of functions to their arguments`);
}
