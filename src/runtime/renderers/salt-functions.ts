/** `salt` in templates: `salt['module.function'](…)` and `salt.module.function(…)`. */
import {
  TFunction,
  TObject,
  Undefined,
  fromHandedOn,
  toHandedOn,
  toValue,
  type Later,
  type TValue,
} from '../../formats/jinja/index.ts';
import { copyValue, type Value } from '../../python/values/value.ts';
import type { TemplateFunctions } from './renderer.ts';

/**
 * Functions that hand on what is in their arguments without looking at it, each with those of its arguments, by place
 * and by name, that may be undefined themselves. Read off modules of Salt 3006.16; others look at what they get, and
 * fail at once.
 */
const HANDS_ON: ReadonlyMap<string, ReadonlySet<number | string>> = new Map([
  ['config.get', new Set([1, 'default'])],
  ['config.option', new Set([1, 'default'])],
  ['data.get', new Set([1, 'default'])],
  ['defaults.deepcopy', new Set()],
  ['defaults.merge', new Set()],
  ['defaults.update', new Set()],
  ['environ.get', new Set([1, 'default'])],
  ['grains.filter_by', new Set()],
  ['grains.get', new Set([1, 'default'])],
  ['match.filter_by', new Set()],
  ['match.ifelse', new Set([1, 2, 'value_if_true', 'value_if_false'])],
  ['pillar.filter_by', new Set()],
  ['pillar.get', new Set()],
  ['slsutil.merge', new Set()],
  ['slsutil.merge_all', new Set()],
  ['slsutil.update', new Set()],
  ['test.echo', new Set([0, 'text'])],
]);

function callable(functions: TemplateFunctions, name: string): TFunction {
  const mayBeMissing = HANDS_ON.get(name);
  return new TFunction(name, (args, kwargs) => {
    let isHandedOn = false;
    const note = (): void => void (isHandedOn = true);
    const plain = (at: number | string, value: TValue): Value => {
      if (mayBeMissing === undefined || (value instanceof Undefined && !mayBeMissing.has(at)))
        return toValue(value);
      return toHandedOn(value, note);
    };
    const given = args.map((value, at) => plain(at, value));
    const named = new Map(Array.from(kwargs ?? [], ([key, value]) => [key, plain(key, value)]));
    const finish = (found: Value): TValue => {
      const own = ownCopy(found, given, named);
      // what was given may be large, and seldom has anything undefined been handed on
      return isHandedOn ? fromHandedOn(own) : own;
    };
    const found = functions.call(name, given, named);
    return found instanceof Promise ? found.then(finish) : finish(found);
  });
}

/**
 * What a function gives belongs to the template, which may change it (`{% do x.update(…) %}`) without changing the
 * pillar, grains or options that others see. A function that gives back what it was given (`defaults.merge`) gives that
 * very thing.
 */
function ownCopy(found: Value, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): Value {
  if (!Array.isArray(found) && !(found instanceof Map)) return found;
  if (args.includes(found) || [...kwargs.values()].includes(found)) return found;
  return copyValue(found, 'shared');
}

/** A function when it exists. */
function existing(
  functions: TemplateFunctions,
  name: string,
): TValue | undefined | Promise<TValue | undefined> {
  const has = functions.has(name);
  if (has instanceof Promise) return has.then((found) => (found ? callable(functions, name) : undefined));
  return has ? callable(functions, name) : undefined;
}

/** The functions of one module. */
class SaltModule extends TObject {
  readonly typeName = 'AliasedModule';
  readonly #functions: TemplateFunctions;
  readonly #name: string;
  constructor(functions: TemplateFunctions, name: string) {
    super();
    this.#functions = functions;
    this.#name = name;
  }
  override get typeTitle(): string {
    return 'salt.loader.lazy.LoadedMod';
  }
  override getAttr(name: string): Later | undefined {
    if (name.startsWith('_')) return undefined;
    return existing(this.#functions, `${this.#name}.${name}`) as Later | undefined;
  }
}

/** The `salt` object. */
export class SaltFunctions extends TObject {
  readonly typeName = 'AliasedLoader';
  readonly #functions: TemplateFunctions;
  constructor(functions: TemplateFunctions) {
    super();
    this.#functions = functions;
  }
  override get typeTitle(): string {
    return 'salt.utils.templates.AliasedLoader';
  }
  override getItem(key: TValue): Later | undefined {
    if (typeof key !== 'string' || !key.includes('.')) return undefined;
    return existing(this.#functions, key) as Later | undefined;
  }
  override getAttr(name: string): Later | undefined {
    if (name.startsWith('_')) return undefined;
    const module = new SaltModule(this.#functions, name);
    // Salt's loader has no attribute for a module that it cannot load (salt/loader/lazy.py `__getattr__`)
    const found = this.#functions.hasModule?.(name).then((has) => (has ? module : undefined));
    return (found ?? module) as Later;
  }
  override contains(key: TValue): boolean | Promise<boolean> {
    return typeof key === 'string' && this.#functions.has(key);
  }
}

/** The global `ifelse(…)`, which is match.ifelse. */
export function ifelse(functions: TemplateFunctions): TFunction {
  return callable(functions, 'match.ifelse');
}
