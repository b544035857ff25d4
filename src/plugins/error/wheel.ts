/** `error.*`: errors on purpose (salt/wheel/error.py, 3006.16). */
import { errorRunners } from './runner.ts';
import { defineRunners, type RunnerSpec } from '../shared/runner/runner.ts';

const { error } = errorRunners.functions as { readonly error: RunnerSpec };

/** The functions that fail. */
export const errorWheel = defineRunners({
  ...errorRunners,
  functions: { error: { ...error, examples: [] } },
});
