/** The environment of the file server that a state takes its files from. */
import { pyStr } from '../../python/values/repr.ts';
import { truthy } from '../../python/values/value.ts';
import type { StateContext } from './state-function.ts';

/**
 * What Salt's states know as `__env__`: the argument `saltenv`, or the environment of the SLS (3006.16 salt/state.py
 * `State.call`).
 */
export function stateEnvironment({ state, opts }: StateContext): string {
  const isLocked = truthy(opts.get('lock_saltenv'));
  const chosen = [isLocked ? null : state.low.get('saltenv'), state.low.get('__env__')].find(truthy);
  return chosen === undefined ? 'base' : pyStr(chosen);
}
