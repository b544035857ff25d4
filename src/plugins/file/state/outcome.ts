/**
 * What the states of `file` share: the result that is filled in on the way, and arguments of other states of the file.
 */
import { isOsError, osErrorText } from '../../../python/os-errors.ts';
import type { ParamSpec, TypedArguments } from '../../../runtime/loader/module.ts';
import { readArguments } from '../../../runtime/loader/params.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { copyValue, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';

/** The orders in which Salt's state functions make their results; people and programs see them. */
const ORDERS = {
  usual: ['name', 'changes', 'result', 'comment'],
  managed: ['changes', 'comment', 'name', 'result'],
  moved: ['name', 'changes', 'comment', 'result'],
} as const;

/**
 * A state's result while it is being made. It is a mapping, because `check_perms` and `manage_file` go on filling it.
 */
export class FileOutcome {
  ret: Dict;

  /** @param order the order of its keys */
  constructor(name: Value, options: { order?: keyof typeof ORDERS; result?: boolean | null } = {}) {
    const { order = 'usual', result = true } = options;
    const start: Readonly<Record<(typeof ORDERS.usual)[number], Value>> = {
      name,
      changes: new Map(),
      result,
      comment: '',
    };
    this.ret = new Map(ORDERS[order].map((key): [Value, Value] => [key, start[key]]));
  }

  get changes(): Dict {
    const changes = this.ret.get('changes');
    if (isDict(changes)) return changes;
    const none: Dict = new Map();
    this.ret.set('changes', none);
    return none;
  }

  set changes(changes: Dict) {
    this.ret.set('changes', changes);
  }

  get comment(): string {
    return pyStr(this.ret.get('comment') ?? '');
  }

  set comment(comment: string) {
    this.ret.set('comment', comment);
  }

  get succeeds(): boolean {
    return truthy(this.ret.get('result'));
  }

  set result(result: boolean | null) {
    this.ret.set('result', result);
  }

  /** Goes on with what a function of `file` has made of the result. */
  adopt(ret: Value | undefined): void {
    if (isDict(ret)) this.ret = ret;
  }

  warn(sentence: string): void {
    const warnings = this.ret.get('warnings');
    this.ret.set('warnings', [...(Array.isArray(warnings) ? warnings : []), sentence]);
  }

  end(result: boolean | null, comment: string): Dict {
    return this.ret.set('result', result).set('comment', comment);
  }

  fail(comment: string): Dict {
    return this.end(false, comment);
  }
}

/** The environment whose files a state uses (Salt's `__env__`). */
export function environment({ state }: StateContext): string {
  return pyStr(state.low.get('saltenv') ?? state.low.get('__env__') ?? 'base');
}

/** The arguments of a state function that another one calls: what is given, and the defaults of the rest. */
export function withDefaults<P extends Readonly<Record<string, ParamSpec>>>(
  params: P,
  given: { readonly [K in keyof P]?: Value },
): TypedArguments<P> {
  const args: Record<string, Value> = {};
  for (const [key, { default: value }] of Object.entries(params))
    args[key] = Object.hasOwn(given, key) ? (given[key] ?? null) : copyValue(value ?? null);
  return readArguments(params, args);
}

/** An error as `str(exception)` writes it. */
export function errorText(error: unknown): string {
  if (isOsError(error)) return osErrorText(error);
  return error instanceof Error ? error.message : String(error);
}
