/** What `inspect.signature` tells Salt of an execution function (3006.16 salt/utils/args.py `get_function_argspec`). */
import type { FunctionSpec } from '../../../runtime/loader/module.ts';
import { copyValue, type Value } from '../../../python/values/value.ts';

/** The parameters of a function that take positional arguments. */
export interface Signature {
  /** Names without a default, in order. */
  readonly required: readonly string[];
  /** Names with a default, in order behind the others. */
  readonly defaults: ReadonlyMap<string, Value>;
}

/** Reads a function's description. */
export function signatureOf(spec: FunctionSpec): Signature {
  const entries = Object.entries(spec.params ?? {}).filter(([, param]) => param.keywordOnly !== true);
  return {
    required: entries.flatMap(([name, param]) => (param.default === undefined ? [name] : [])),
    defaults: new Map(
      entries.flatMap(([name, param]) =>
        param.default === undefined ? [] : [[name, copyValue(param.default)]],
      ),
    ),
  };
}
