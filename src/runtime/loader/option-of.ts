/** Options out of the mapping that functions are given. */
import { minionOptions } from '../../config/minion-options.ts';
import { fitsKind, type OptionValue } from '../../config/option.ts';
import type { Dict } from '../../python/values/value.ts';

/**
 * An option of a minion as its table types it. The mapping is whole where a program has made it; where it is not, the
 * table's default counts.
 * @param opts `ctx.opts` of an execution module, a state, a renderer
 */
export function optionOf<K extends keyof typeof minionOptions>(
  opts: Dict,
  key: K,
): OptionValue<typeof minionOptions, K> {
  const spec = minionOptions[key];
  const value = opts.get(key);
  return (value !== undefined && fitsKind(spec.kind, value) ? value : spec.default) as OptionValue<
    typeof minionOptions,
    K
  >;
}
