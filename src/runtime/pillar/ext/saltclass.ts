/** The external pillar saltclass: the data of a node's classes (3006.16 salt/pillar/saltclass.py). */
import {
  SALTCLASS_FOLDER,
  saltclassNode,
  saltclassPillar,
  type SaltclassDeps,
} from '../../classes/saltclass.ts';
import { SaltFunctions } from '../../renderers/salt-functions.ts';
import { isDict, type Value } from '../../../python/values/value.ts';
import type { PillarCompilerDeps } from '../request.ts';
import type { ExtPillar } from './ext-pillar.ts';

/** Makes the external pillar. @param functions those behind `__salt__` in its files */
export function saltclassSource(deps: SaltclassDeps, functions: PillarCompilerDeps['functions']): ExtPillar {
  return async (settings, { minionId, grains, pillar, opts, log }) => {
    const folder = folderIn(settings);
    if (folder === undefined) log.warning(`path variable unset, using default: ${SALTCLASS_FOLDER}`);
    const node = await saltclassNode(
      {
        folder: folder ?? SALTCLASS_FOLDER,
        minionId,
        opt: (name) => opts.get(name),
        opts,
        grains,
        pillar,
        salt: new SaltFunctions(functions({ opts, grains, pillar })),
      },
      deps,
    );
    return saltclassPillar(node, minionId);
  };
}

/** `path` of a list of mappings, where the last counts, or of a mapping. */
function folderIn(settings: Value): string | undefined {
  const given = Array.isArray(settings) ? settings : [settings];
  const paths = given.filter(isDict).map((one) => one.get('path'));
  return paths.findLast((path) => typeof path === 'string');
}
