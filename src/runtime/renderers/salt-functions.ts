/** `salt` in templates: `salt['module.function'](…)` and `salt.module.function(…)`. */
import {
  TFunction,
  TObject,
  toValue,
  type Kwargs,
  type Later,
  type TValue,
} from '../../formats/jinja/index.ts';
import type { Value } from '../../python/values/value.ts';
import type { TemplateFunctions } from './renderer.ts';

function plainKwargs(kwargs: Kwargs | undefined): Map<string, Value> {
  return new Map(Array.from(kwargs ?? [], ([key, value]) => [key, toValue(value)]));
}

function callable(functions: TemplateFunctions, name: string): TFunction {
  return new TFunction(name, (args, kwargs) => functions.call(name, args.map(toValue), plainKwargs(kwargs)));
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
