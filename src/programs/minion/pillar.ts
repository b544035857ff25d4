/** This minion's pillar: asked of the master, or made here (salt/pillar/__init__.py `AsyncRemotePillar`, 3006.16). */
import { dict, type Dict } from '../../python/values/value.ts';
import { extraMinionData } from '../../runtime/pillar/extra-minion-data.ts';
import { isPillarLocal, localPillar } from './local-pillar.ts';
import type { MasterConnection } from './master-connection.ts';
import { requestLimits } from './request-limits.ts';
import type { MinionState } from './state.ts';

/**
 * @param cleanCache makes the master forget what it has kept of this minion's pillar
 * @throws UnreachableError, AuthenticationError
 */
export async function fetchPillar(
  state: MinionState,
  connection: MasterConnection,
  cleanCache = false,
): Promise<Dict> {
  if (isPillarLocal(state.opts)) return makePillar(state);
  const { opts } = state.deps;
  const load = dict({
    cmd: '_pillar',
    id: state.id,
    grains: state.grains,
    saltenv: opts.raw('saltenv') ?? null,
    pillarenv:
      opts.raw('pillarenv') ?? (opts.get('pillarenv_from_saltenv') ? opts.raw('saltenv') : null) ?? null,
    pillar_override: {},
    extra_minion_data: extraMinionData(state.opts),
    ver: '2',
  });
  if (cleanCache) load.set('clean_cache', true);
  return connection.requests.pillar(load, requestLimits(opts));
}

/** The pillar made here. */
export function makePillar(state: MinionState): Promise<Dict> {
  const { clock, random, log, ...own } = state.deps;
  const grains = (): Promise<Dict> => Promise.resolve(state.grains);
  return localPillar({ opts: state.opts, id: state.id, grains, clock, random, log, own });
}
