/** Top data of classes and nodes in saltclass' files (3006.16 salt/tops/saltclass.py). */
import { saltclassNode, SALTCLASS_FOLDER, type SaltclassDeps } from '../classes/saltclass.ts';
import { SaltFunctions } from '../renderers/salt-functions.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { TopSource } from './top-source.ts';

/** No functions: Salt hands an empty mapping to these files. */
const NO_FUNCTIONS = new SaltFunctions({ has: () => false, call: () => null });

/** Makes the source. */
export function saltclassTop(deps: SaltclassDeps): TopSource {
  return async (settings, { minionId, opts, grains, masterOpts, log }): Promise<Dict> => {
    const given = isDict(settings) ? settings.get('path') : undefined;
    if (typeof given !== 'string') log.warning(`path variable unset, using default: ${SALTCLASS_FOLDER}`);
    const node = await saltclassNode(
      {
        folder: typeof given === 'string' ? given : SALTCLASS_FOLDER,
        minionId,
        opt: (name) => masterOpts.get(name),
        opts: new Map<Value, Value>([...opts, ['id', minionId]]),
        grains,
        pillar: new Map(),
        salt: NO_FUNCTIONS,
      },
      deps,
    );
    return new Map<Value, Value>([[node.environment, node.states]]);
  };
}
