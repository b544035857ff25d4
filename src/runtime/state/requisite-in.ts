/**
 * Requisites that are written at the other side: `require_in` and its like become extensions of the ids they name,
 * `use` copies arguments, `prereq` tells its target (3006.16 salt/state.py `State.requisite_in`).
 */
import type { Logger } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { applyExtend } from './extend.ts';
import {
  argumentName,
  dictAt,
  EXTEND,
  findName,
  idsOfSls,
  listAt,
  modulesOf,
  nameIn,
  type IdAndModule,
} from './high-data.ts';
import type { SlsIncludes } from './sls-includes.ts';

/** The arguments that are worked in here. */
const WORKED_IN: ReadonlySet<Value> = new Set([
  'require_in',
  'watch_in',
  'onfail_in',
  'onchanges_in',
  'use',
  'use_in',
  'prereq',
  'prereq_in',
]);
/** What `use` does not copy. */
const NOT_USED: ReadonlySet<Value> = new Set([
  ...WORKED_IN,
  'require',
  'watch',
  'onfail',
  'onfail_stop',
  'onchanges',
  'name',
  'names',
]);

/** What requisites are worked in with. */
export interface RequisiteInDeps {
  /** The option `disabled_requisites`. */
  readonly disabled: Value | undefined;
  /** What the SLS of the high data include. */
  readonly includes: SlsIncludes;
  readonly log: Logger;
}

/** Works the requisites in, in place. @returns what is wrong */
export function applyRequisiteIn(high: Dict, { disabled, includes, log }: RequisiteInDeps): string[] {
  const worker = new RequisiteWorker(high, includes, log);
  const ignored = Array.isArray(disabled) ? disabled : [disabled ?? null];
  for (const [id, body] of high) {
    if (!isDict(body)) continue;
    for (const module of modulesOf(body)) {
      const list = body.get(module);
      for (const item of Array.isArray(list) ? list : []) {
        const kind = argumentName(item);
        if (!isDict(item) || typeof kind !== 'string' || !WORKED_IN.has(kind)) continue;
        if (ignored.includes(kind)) log.warning(`The ${kind} requisite has been disabled, Ignoring.`);
        else worker.work({ id, module, body, kind }, item.get(kind) ?? null);
      }
    }
  }
  high.set(
    EXTEND,
    [...worker.extend].map((entry): Value => new Map([entry])),
  );
  return [...worker.errors, ...applyExtend(high, log, true)];
}

/** Where a requisite is written. */
interface Origin {
  readonly id: Value;
  readonly module: string;
  readonly body: Dict;
  /** `require_in` and so on. */
  readonly kind: string;
}

class RequisiteWorker {
  readonly extend: Dict = new Map();
  readonly errors: string[] = [];
  readonly #high: Dict;
  readonly #includes: SlsIncludes;
  readonly #log: Logger;

  constructor(high: Dict, includes: SlsIncludes, log: Logger) {
    this.#high = high;
    this.#includes = includes;
    this.#log = log;
  }

  work(origin: Origin, items: Value): void {
    if (isDict(items)) {
      for (const [module, name] of items) {
        dictAt(this.extend, name);
        this.#append(origin, name, this.#withoutDot(origin, pyStr(module), name));
      }
    }
    if (!Array.isArray(items)) return;
    // Salt compat: the targets of a list pile up, so that the first one gets the requisite once for each item.
    let hinges: IdAndModule[] = [];
    for (const item of items) {
      const [module, target] = isDict(item) ? ([...item][0] ?? []) : ['id', item];
      if (module === undefined || target === undefined) continue;
      if (module === 'sls') hinges = this.#ofSls(origin, target);
      else if (module === 'id') {
        const named = this.#named(origin, target);
        if (named.length === 0) continue;
        hinges.push(...named);
      } else hinges.push([target, pyStr(module)]);
      this.#withoutDot(origin, pyStr(module), target);
      for (const hinge of hinges) this.#workHinge(origin, hinge);
    }
  }

  /** The ids of an SLS, without the one that names it: it may be of an SLS that is included there. */
  #ofSls(origin: Origin, sls: Value): IdAndModule[] {
    const found = idsOfSls(sls, this.#high, this.#includes);
    if (found === undefined) this.#warn(origin, `SLS '${pyStr(sls)}'`);
    return (found ?? []).filter((one) => !isOrigin(one, origin));
  }

  /**
   * What a plain text means, or one behind `id`: every module of the id, or those that have it as name. `require` means
   * the same by it. Salt compat: of several, Salt takes the first one, and so does `use`, whose arguments are those of
   * one module.
   */
  #named(origin: Origin, target: Value): IdAndModule[] {
    const found = this.#modulesCalled(target).filter((one) => !isOrigin(one, origin));
    if (found.length === 0) this.#warn(origin, `'${pyStr(target)}'`);
    return origin.kind === 'use' ? found.slice(0, 1) : found;
  }

  #modulesCalled(name: Value): IdAndModule[] {
    const body = this.#high.get(name);
    if (body !== undefined) return modulesOf(body).map((module) => [name, module]);
    const found: IdAndModule[] = [];
    for (const [id, other] of this.#high)
      for (const module of modulesOf(other)) {
        const list = isDict(other) ? other.get(module) : undefined;
        const isCalled = (argument: Value): boolean =>
          isDict(argument) && valuesEqual(argument.get('name') ?? null, name);
        if (Array.isArray(list) && list.some(isCalled)) found.push([id, module]);
      }
    return found;
  }

  #warn({ id, kind, body }: Origin, what: string): void {
    this.#log.warning(
      `The ${kind} of ID '${pyStr(id)}' in SLS '${nameIn(body, '__sls__')}' names ${what}, which is no part of this run, and has no effect.`,
    );
  }

  #workHinge(origin: Origin, [name, module]: IdAndModule): void {
    const { id, kind } = origin;
    if (kind === 'prereq_in')
      this.#list(id, origin.module).push(new Map([['prerequired', [new Map([[module, name]])]]]));
    if (kind === 'prereq') this.#tellTargets(origin, name, module);
    else if (kind === 'use_in') this.#useIn(origin, name, module);
    else if (kind === 'use') this.#use(origin, name, module);
    else this.#append(origin, name, module);
  }

  /** Tells of a module with a dot. @returns the module without what is behind it */
  #withoutDot({ kind, body }: Origin, module: string, name: Value): string {
    const dot = module.indexOf('.');
    if (dot < 0) return module;
    this.errors.push(
      `Invalid requisite in ${baseKind(kind)}: ${module} for ${pyStr(name)}, in SLS '${nameIn(body, '__sls__')}'. ` +
        `Requisites must not contain dots, did you mean '${module.slice(0, dot)}'?`,
    );
    return module.slice(0, dot);
  }

  /** The list by which a module of an id is extended. */
  #list(id: Value, module: string): Value[] {
    return listAt(dictAt(this.extend, id), module);
  }

  /** Makes the target require, watch, … the origin. */
  #append({ id, module: ownModule, body, kind }: Origin, name: Value, module: string): void {
    const requisite = baseKind(kind);
    const own = (): Dict => new Map([[ownModule, id]]);
    const list = this.#list(name, module);
    dictAt(this.extend, name)
      .set('__env__', body.get('__env__') ?? null)
      .set('__sls__', body.get('__sls__') ?? null);
    const present = list.filter((item) => argumentName(item) === requisite).filter(isDict);
    for (const item of present) listAt(item, requisite).push(own());
    if (present.length === 0) list.push(new Map([[requisite, [own()]]]));
  }

  #tellTargets({ id, module: ownModule }: Origin, name: Value, module: string): void {
    for (const [target, targetModule] of findName(name, module, this.#high, true))
      this.#list(target, targetModule).push(new Map([['prerequired', [new Map([[ownModule, id]])]]]));
  }

  #useIn({ id, module: ownModule }: Origin, name: Value, module: string): void {
    for (const [target, targetModule] of findName(name, module, this.#high, true)) {
      const present = this.#arguments(target, module);
      this.#list(target, targetModule).push(...this.#usable(id, ownModule, present));
    }
  }

  #use({ id, module: ownModule }: Origin, name: Value, module: string): void {
    for (const [source, sourceModule] of findName(name, module, this.#high, true)) {
      const present = this.#arguments(id, ownModule);
      this.#list(id, ownModule).push(...this.#usable(source, sourceModule, present));
    }
  }

  /** The names of the arguments of a module. */
  #arguments(id: Value, module: string): ReadonlySet<Value> {
    return new Set(this.#items(id, module).map((item) => argumentName(item) as Value));
  }

  /** What can be copied from a module to one that has some arguments already. */
  #usable(id: Value, module: string, present: ReadonlySet<Value>): Dict[] {
    return this.#items(id, module).filter((item) => {
      const name = argumentName(item) as Value;
      return !NOT_USED.has(name) && !present.has(name);
    });
  }

  /** The arguments of a module, each in a mapping of its own. */
  #items(id: Value, module: string): Dict[] {
    const body = this.#high.get(id);
    const list = isDict(body) ? body.get(module) : undefined;
    return (Array.isArray(list) ? list : []).filter((item) => isDict(item) && item.size === 1) as Dict[];
  }
}

function isOrigin([id, module]: IdAndModule, origin: Origin): boolean {
  return id === origin.id && module === origin.module;
}

/** `require` of `require_in`. */
function baseKind(kind: string): string {
  return kind.split('_')[0] ?? kind;
}
