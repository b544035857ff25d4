/** The tag by which a state's result is found in a run (3006.16 salt/state.py `_gen_tag`). */
import { pyStr } from '../../python/values/repr.ts';
import type { Dict } from '../../python/values/value.ts';

/** `<module>_|-<id>_|-<name>_|-<function>` of a low chunk. */
export function stateTag(chunk: Dict): string {
  return ['state', '__id__', 'name', 'fun'].map((key) => pyStr(chunk.get(key) ?? null)).join('_|-');
}
