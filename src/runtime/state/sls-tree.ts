/**
 * Rendering SLS with what they include, and joining them to high data (3006.16 salt/state.py `render_state`,
 * `render_highstate`).
 */
import { optionOf } from '../loader/option-of.ts';
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../errors/errors.ts';
import type { ModuleContext } from '../loader/module.ts';
import { SaltRenderError, type StateCompilation } from '../renderers/renderer.ts';
import { filterNames } from '../../python/text/fnmatch.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { YamlError } from '../../formats/yaml/load.ts';
import {
  numberDeclarations,
  readDeclarations,
  readExclude,
  readExtend,
  type SlsPlace,
} from './declarations.ts';
import type { FilesAhead } from './files-ahead.ts';
import { takeIncludes, type Include } from './includes.ts';
import type { SaltEnvs } from './saltenvs.ts';
import { EXCLUDE, EXTEND, listAt, nameIn, shownValue } from './high-data.ts';
import type { SlsFile, SlsFiles } from './sls-files.ts';
import type { SlsIncludes } from './sls-includes.ts';
import type { SlsRenderer } from './sls-renderer.ts';

/** The environment of an include that stands for all that were matched. */
const ANY_ENVIRONMENT = '_xenv';
/** Includes that are nested deeper are refused: an include of `.` is a new name of the same file, again and again. */
const INCLUDE_DEPTH_MAX = 200;
/** The number that the first module gets. */
const FIRST_ORDER = 10_000;

/** What SLS are rendered with. */
export interface SlsTreeDeps {
  /** The context of the run. */
  readonly ctx: ModuleContext;
  readonly files: SlsFiles;
  readonly renderer: SlsRenderer;
  readonly environments: SaltEnvs;
  readonly ahead: Pick<FilesAhead, 'forSls'>;
  /** Gets what is rendered, and what that includes. */
  readonly includes: SlsIncludes;
}

/**
 * Renders SLS with their includes and joins them to high data. One object for one compilation: it counts the order and
 * knows what was rendered.
 */
export class SlsTree {
  readonly #deps: SlsTreeDeps;
  /** The environments and SLS asked for. */
  readonly #matches: Dict;
  readonly #rendered = new Set<string>();
  /** What is being rendered, the innermost last. */
  readonly #rendering: string[] = [];
  #name = '';
  #order = FIRST_ORDER;
  #depth = 0;

  /** @param matches environment to names of SLS, globs among them */
  constructor(deps: SlsTreeDeps, matches: Dict) {
    this.#deps = deps;
    this.#matches = matches;
  }

  /** All of them as high data; what is wrong goes to `errors`. */
  async highData(errors: string[]): Promise<Dict> {
    const high: Dict = new Map();
    let names: readonly string[] = [];
    for (const [env, list] of this.#matches) {
      const saltenv = pyStr(env);
      const plain = (Array.isArray(list) ? list : [list]).map(pyStr).filter((name) => !/[*?[]/.test(name));
      await this.#deps.ahead.forSls(plain, saltenv);
      for (const item of Array.isArray(list) ? list : [list]) {
        const pattern = pyStr(item);
        const known = await this.#statesOf(saltenv);
        if (known === undefined)
          errors.push(`No matching salt environment for environment '${saltenv}' found`);
        else names = filterNames(known, pattern);
        // one that is not listed may be there all the same; if not, rendering says so
        if (names.length === 0) names = [pattern];
        for (const sls of names) {
          if (!this.#rendered.has(`${saltenv}:${sls}`))
            errors.push(...(await this.#topLevel(high, sls, saltenv, pattern)));
        }
      }
    }
    dropRepeatedExtends(high);
    return high;
  }

  /** One SLS file outside the file server; its own includes are those of the environment. */
  async fileData(path: string, saltenv: string, errors: string[]): Promise<Dict> {
    const place = { sls: path, saltenv, errors };
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) {
      errors.push(`Specified SLS ${path} on local filesystem cannot be found.`);
      return new Map();
    }
    const state = await this.#renderText({ text, path, isInit: false }, place);
    return isDict(state) ? state : new Map();
  }

  /** The SLS of an environment, or of `__env__` where that is served. */
  async #statesOf(saltenv: string): Promise<readonly string[] | undefined> {
    const { environments } = this.#deps;
    if (await environments.has(saltenv)) return environments.states(saltenv);
    return (await environments.has('__env__')) ? environments.states('__env__') : undefined;
  }

  async #topLevel(high: Dict, sls: string, saltenv: string, pattern: string): Promise<string[]> {
    const errors: string[] = [];
    const state = await this.#render({ sls, saltenv, errors });
    if (truthy(state)) mergeStates(high, state, errors);
    return errors.map((error) =>
      error.includes('is not available') && error.includes(`SLS ${pattern} in saltenv`)
        ? `No matching sls found for '${pattern}' in env '${saltenv}'`
        : error,
    );
  }

  /** One SLS with what it includes, each module numbered. */
  async #render(place: SlsPlace): Promise<Value> {
    const { sls, saltenv, errors } = place;
    const file = await this.#deps.files.sls(sls, saltenv);
    if (file === undefined) {
      errors.push(
        `Specified SLS ${sls} in saltenv ${saltenv} is not available on the salt master or through a configured fileserver`,
      );
      return new Map();
    }
    return this.#renderText(file, place);
  }

  async #renderText(file: SlsFile, place: SlsPlace): Promise<Value> {
    const { sls, saltenv, errors } = place;
    const ahead: Dict = new Map();
    const state = await this.#renderFile(file, place, ahead);
    this.#rendered.add(`${saltenv}:${sls}`);
    this.#deps.includes.rendered(sls);
    if (!truthy(state)) return new Map();
    if (!isDict(state)) {
      errors.push(`SLS ${sls} does not render to a dictionary`);
      return state;
    }
    const includes = takeIncludes(state, place);
    readExtend(state, place);
    readExclude(state, place);
    readDeclarations(state, place);
    if (ahead.size > 0) mergeStates(state, ahead, errors);
    for (const include of includes) await this.#include(state, include, place, file.isInit);
    if (optionOf(this.#deps.ctx.opts, 'state_auto_order'))
      this.#order = numberDeclarations(state, this.#order);
    return state;
  }

  /** @param ahead gets the states of what it has rendered before itself */
  async #renderFile(file: SlsFile, place: SlsPlace, ahead: Dict): Promise<Value> {
    const { sls, saltenv, errors } = place;
    const { renderer, ctx } = this.#deps;
    const compilation: StateCompilation = {
      name: (this.#name ||= ctx.random.bytes(8).toString('hex')),
      include: (env, name) => this.#includeAhead(ahead, { env, name }, place, file.isInit),
    };
    this.#rendering.push(`${saltenv}:${sls}`);
    try {
      return await renderer.render(file.text, { saltenv, sls, path: file.path, compilation });
    } catch (error) {
      const message =
        error instanceof SaltRenderError
          ? `Rendering SLS '${saltenv}:${sls}' failed: ${error.message}`
          : `Rendering SLS ${sls} failed, render error: ${messageOf(error)}`;
      ctx.log.critical(`${message}${placeOf(error, message)}`, error);
      const trace = error instanceof PythonError ? error.trace : undefined;
      errors.push(trace === undefined ? message : `${message}\n${trace}`);
      return null;
    } finally {
      this.#rendering.pop();
    }
  }

  /**
   * Renders what a file includes while it is rendered itself (3006.16 salt/utils/pydsl.py `include`), unless that was
   * done.
   */
  async #includeAhead(
    ahead: Dict,
    wanted: { readonly env: string; readonly name: string },
    place: SlsPlace,
    isInit: boolean,
  ): ReturnType<StateCompilation['include']> {
    const errors: string[] = [];
    const sls = this.#absoluteName(wanted.name, { ...place, errors }, isInit);
    if (sls === undefined) return { sls: wanted.name, errors };
    const full = `${wanted.env}:${sls}`;
    this.#deps.includes.includes(place.sls, sls);
    if (this.#rendered.has(full)) return { sls, errors };
    const at = this.#rendering.indexOf(full);
    if (at >= 0) {
      const way = [...this.#rendering.slice(at), full].join(' includes ');
      return { sls, errors: [`SLS '${sls}' cannot be included before it is rendered itself: ${way}`] };
    }
    const included = await this.#render({ sls, saltenv: wanted.env, errors });
    if (truthy(included)) mergeStates(ahead, included, errors);
    return { sls, errors };
  }

  async #include(state: Dict, include: Include, place: SlsPlace, isInit: boolean): Promise<void> {
    const wanted = { env: include.env ?? place.saltenv, name: include.name };
    const { environments } = this.#deps;
    if (!(await environments.has(wanted.env)) && !(await environments.has('__env__'))) {
      this.#fail(
        place,
        `Nonexistent saltenv '${wanted.env}' found in include of '${wanted.name}' within SLS '${place.saltenv}:${place.sls}'`,
      );
      return;
    }
    const full = this.#absoluteName(wanted.name, place, isInit);
    if (full === undefined) return;
    const resolved = await this.#resolve(wanted.env, full);
    if (resolved.length !== 1 && !resolved.includes(place.saltenv)) {
      this.#fail(place, this.#unresolved(wanted.env, full, resolved));
      return;
    }
    const saltenv = resolved.length === 1 ? (resolved[0] ?? place.saltenv) : place.saltenv;
    const found = filterNames(await environments.states(place.saltenv), full);
    for (const sls of found.length > 0 ? found : [full]) await this.#includeOne(state, sls, saltenv, place);
  }

  async #includeOne(state: Dict, sls: string, saltenv: string, place: SlsPlace): Promise<void> {
    this.#deps.includes.includes(place.sls, sls);
    if (this.#rendered.has(`${saltenv}:${sls}`)) return;
    if (this.#depth >= INCLUDE_DEPTH_MAX) {
      this.#fail(
        place,
        `The include of '${sls}' within SLS '${place.saltenv}:${place.sls}' is nested too deep`,
      );
      return;
    }
    const { errors } = place;
    const own: string[] = [];
    this.#depth++;
    const included = await this.#render({ sls, saltenv, errors: own });
    this.#depth--;
    if (truthy(included)) mergeStates(state, included, errors);
    errors.push(...own);
  }

  /** The name of an include that may begin with dots. */
  #absoluteName(name: string, place: SlsPlace, isInit: boolean): string | undefined {
    const relative = /^(\.+)(.*)$/.exec(name);
    if (relative === null) return name;
    const levels = relative[1]?.length ?? 0;
    const parts = [...place.sls.split('.'), ...(isInit ? ['init'] : [])];
    if (levels > parts.length) {
      this.#fail(
        place,
        `Attempted relative include of '${name}' within SLS '${place.saltenv}:${place.sls}' goes beyond top level package `,
      );
      return undefined;
    }
    return [...parts.slice(0, -levels), relative[2] ?? ''].join('.');
  }

  /** The environments that an include may mean. */
  async #resolve(env: string, sls: string): Promise<string[]> {
    const has = async (one: string): Promise<boolean> =>
      filterNames(await this.#deps.environments.states(one), sls).length > 0;
    if (env !== ANY_ENVIRONMENT) return this.#matches.has(env) || (await has(env)) ? [env] : [];
    const found: string[] = [];
    for (const one of [...this.#matches.keys()].map(pyStr)) if (await has(one)) found.push(one);
    return found;
  }

  #unresolved(env: string, sls: string, resolved: readonly string[]): string {
    if (resolved.length > 1)
      return `Ambiguous include: Specified SLS ${env}: ${sls} is available on the salt master in multiple available saltenvs: ${resolved.join(', ')}`;
    const places = env === ANY_ENVIRONMENT ? [...this.#matches.keys()].map(pyStr).join(', ') : env;
    return `Unknown include: Specified SLS ${env}: ${sls} is not available on the salt master in saltenv(s): ${places} `;
  }

  #fail({ errors }: SlsPlace, message: string): void {
    this.#deps.ctx.log.error(message);
    errors.push(message);
  }
}

/** The place of a fault of YAML where Salt's words leave it out. */
function placeOf(error: unknown, message: string): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof YamlError && !message.includes(cause.message)
    ? ` (line ${cause.line}, column ${cause.column})`
    : '';
}

/** Adds the ids of an SLS; ids that mean something else already are told. */
function mergeStates(high: Dict, state: Value, errors: string[]): void {
  if (!isDict(state)) {
    errors.push(`Error when rendering state with contents: ${shownValue(state)}`);
    return;
  }
  for (const key of [EXTEND, EXCLUDE]) {
    const waiting = state.get(key);
    state.delete(key);
    if (Array.isArray(waiting)) listAt(high, key).push(...waiting);
  }
  for (const [id, body] of state) {
    const known = high.get(id);
    if (known !== undefined && !valuesEqual(known, body)) errors.push(conflict(id, known, body));
    high.set(id, body);
  }
}

function conflict(id: Value, known: Value, body: Value): string {
  const [one, other] = [known, body].map((at) =>
    isDict(at) ? `SLS '${nameIn(at, '__env__')}:${nameIn(at, '__sls__')}'` : pyRepr(at),
  );
  return (
    'Detected conflicting IDs, SLS IDs need to be globally unique.\n' +
    `    The conflicting ID is '${pyStr(id)}' and is found in ${one} and ${other}`
  );
}

/** Each extension stands once, in a mapping of its own. */
function dropRepeatedExtends(high: Dict): void {
  const extensions = high.get(EXTEND);
  if (!Array.isArray(extensions)) return;
  const kept: [Value, Value][] = [];
  for (const [id, body] of extensions.filter(isDict).flatMap((extension) => [...extension]))
    if (!kept.some(([knownId, known]) => knownId === id && valuesEqual(known, body))) kept.push([id, body]);
  high.set(
    EXTEND,
    kept.map((entry): Value => new Map([entry])),
  );
}
