/** Describing wheel functions: as runners, but that no command line calls them. */
import type { Params, ParamSpec } from '../../../runtime/loader/module.ts';
import { defineRunner, type RunnerSpec, type TypedRunnerSpec } from '../runner/runner.ts';

/** Describes a wheel function; `run` is handed its arguments as the parameters read them. */
export function defineWheel<const P extends Params = Record<never, ParamSpec>>(
  spec: TypedRunnerSpec<P>,
): RunnerSpec {
  return defineRunner({ examples: [], ...spec });
}
