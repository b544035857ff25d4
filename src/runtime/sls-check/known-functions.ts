/**
 * The `salt` of a template that is checked: functions that only compute give what they would on a minion, those that
 * look at pillar and grains give what is known of them, and all others something unknown. A name that no function has
 * is told.
 */
import {
  TFunction,
  TObject,
  toValue,
  type Kwargs,
  type Later,
  type TValue,
} from '../../formats/jinja/index.ts';
import { traverse } from '../../formats/data/traverse.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { Unknowns } from './unknown.ts';

/** Functions that need nothing but their arguments and the grains. */
const COMPUTING: ReadonlySet<string> = new Set([
  ...[
    'grains.filter_by',
    'match.filter_by',
    'slsutil.merge',
    'slsutil.merge_all',
    'slsutil.update',
    'slsutil.boolstr',
  ],
  ...[
    'defaults.merge',
    'defaults.update',
    'defaults.deepcopy',
    'hashutil.base64_b64encode',
    'hashutil.base64_b64decode',
  ],
  ...['hashutil.md5_digest', 'hashutil.sha256_digest', 'hashutil.sha512_digest', 'hashutil.hmac_signature'],
  ...['file.dirname', 'file.basename', 'file.join', 'file.normpath'],
  ...['test.echo', 'test.ping', 'test.false', 'test.true', 'test.arg', 'test.kwarg', 'test.version'],
]);
/** Functions that look a key up, with a default. */
const LOOKUPS: ReadonlyMap<string, readonly Source[]> = new Map([
  ['pillar.get', ['pillar']],
  ['pillar.fetch', ['pillar']],
  ['grains.get', ['grains']],
  ['grains.fetch', ['grains']],
  ['config.get', ['grains', 'pillar']],
]);

type Source = 'pillar' | 'grains';

/** What is known of the minion. */
export interface Knowledge {
  readonly pillar: Dict;
  readonly grains: Dict;
  /** The sources of which nothing is missing: what is not there has its default. */
  readonly complete: ReadonlySet<Source>;
}

/** What the functions are made of. */
export interface KnownFunctionsDeps {
  readonly knowledge: Knowledge;
  readonly unknowns: Unknowns;
  /** Runs a function that only computes. */
  readonly compute: (fun: string, args: readonly Value[], kwargs: Dict) => Promise<Value>;
  /** Called with every function that a template names. @returns false when there is none of that name */
  readonly isFunction: (fun: string) => boolean | Promise<boolean>;
  /** Called with the names of the keywords of each call that has some. */
  readonly isCalled: (fun: string, keywords: readonly string[]) => Promise<void>;
}

/** Makes the object. */
export function knownFunctions(deps: KnownFunctionsDeps): TObject {
  return new SaltNames(deps);
}

class SaltNames extends TObject {
  readonly typeName = 'AliasedLoader';
  readonly #deps: KnownFunctionsDeps;
  constructor(deps: KnownFunctionsDeps) {
    super();
    this.#deps = deps;
  }
  override getItem(key: TValue): Later | undefined {
    return typeof key === 'string' && key.includes('.') ? named(this.#deps, key) : undefined;
  }
  override getAttr(name: string): TValue {
    return name === 'get' ? this.#getter() : new ModuleNames(name, this.#deps);
  }
  override contains(key: TValue): boolean | Promise<boolean> {
    return typeof key === 'string' && this.#deps.isFunction(key);
  }
  #getter(): TValue {
    return new TFunction('get', ([key = null]) => this.getItem(key) ?? null);
  }
}

class ModuleNames extends TObject {
  readonly typeName = 'AliasedModule';
  readonly #name: string;
  readonly #deps: KnownFunctionsDeps;
  constructor(name: string, deps: KnownFunctionsDeps) {
    super();
    this.#name = name;
    this.#deps = deps;
  }
  override getAttr(name: string): Later {
    return named(this.#deps, `${this.#name}.${name}`);
  }
}

/** A function by its name; one that does not exist is told, and unknown from there on. */
function named(deps: KnownFunctionsDeps, fun: string): Later {
  const found = deps.isFunction(fun);
  const callable = (): TValue =>
    new TFunction(fun, (args, kwargs) => {
      const answer = (): Later => called(deps, fun, args, kwargs);
      return kwargs === undefined || kwargs.size === 0
        ? answer()
        : deps.isCalled(fun, [...kwargs.keys()]).then(answer);
    });
  return found instanceof Promise ? found.then(callable) : callable();
}

function called(
  deps: KnownFunctionsDeps,
  fun: string,
  args: readonly TValue[],
  kwargs: Kwargs | undefined,
): Later {
  const sources = LOOKUPS.get(fun);
  if (sources !== undefined) return lookedUp(deps, fun, sources, args, kwargs);
  if (!COMPUTING.has(fun)) return deps.unknowns.value(`${fun}()`);
  const before = deps.unknowns.names.size;
  const plain = args.map(toValue);
  const keywords: Dict = new Map(Array.from(kwargs ?? [], ([key, value]) => [key, toValue(value)]));
  return deps.compute(fun, plain, keywords).catch((error: unknown) => {
    if (before === 0) throw error;
    return deps.unknowns.value(`${fun}()`);
  });
}

function lookedUp(
  { knowledge, unknowns }: KnownFunctionsDeps,
  fun: string,
  sources: readonly Source[],
  args: readonly TValue[],
  kwargs: Kwargs | undefined,
): TValue {
  const key = args[0] ?? kwargs?.get('key') ?? '';
  const other = args[1] ?? kwargs?.get('default');
  if (typeof key === 'string')
    for (const source of sources) {
      const found = traverse(knowledge[source], key);
      if (found !== undefined) return found;
    }
  if (other !== undefined) return other;
  return sources.every((source) => knowledge.complete.has(source))
    ? ''
    : unknowns.value(`${fun.slice(0, fun.indexOf('.'))}.${typeof key === 'string' ? key : '…'}`);
}
