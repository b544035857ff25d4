/**
 * `_master_tops`: what the sources of `master_tops` assign to a minion (3006.16 salt/daemons/masterapi.py
 * `_master_tops`).
 */
import type { AesHandler } from '../../../network/channel/door.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import { messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import { rareLog } from '../../../host/rare-lines.ts';
import { systemRandom } from '../../../host/random.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { MasterTops } from '../../../runtime/tops/master-tops.ts';

/** What top data is served with. */
export interface MasterTopsHandlerDeps {
  readonly opts: MasterOptions;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The sources that are configured. They are loaded when a master that has some is first asked. */
export async function makeMasterTops({ opts, clock, log }: MasterTopsHandlerDeps): Promise<MasterTops> {
  const [{ MasterTops: Tops }, { pythonTops }] = await Promise.all([
    import('../../../runtime/tops/master-tops.ts'),
    import('../../../runtime/tops/python-tops.ts'),
  ]);
  const all = opts.toDict();
  return new Tops({
    opts: all,
    own: pythonTops(all, { clock, log }),
    clock,
    random: systemRandom,
    log,
    leavesOutMissing: leavesOutMissingTops(opts),
  });
}

/** Whether the operator has accepted that sources which do not exist are left out. */
export function leavesOutMissingTops(opts: MasterOptions): boolean {
  const accepted = opts.raw('unserved_options');
  return accepted === 'warn' || (Array.isArray(accepted) && accepted.includes('master_tops'));
}

/**
 * Serves `_master_tops`.
 *
 * A source that fails has to fail the highstate, of minions of Salt too, which take any answer for a list of SLS and
 * know no error here. So the answer assigns one SLS that no file server has: "No matching sls found for 'master_tops
 * NAME failed, see …'" is how minions show it, and nothing is applied. The reason stays with the master: it may name
 * what a minion is not to know.
 */
export function masterTopsHandler(given: MasterTopsHandlerDeps): AesHandler {
  const log = rareLog(given.log, given.clock);
  const deps = { ...given, log };
  let tops: Promise<MasterTops> | undefined;
  return async ({ id, load }) => {
    if (deps.opts.get('master_tops').size === 0) return { value: {} };
    const sent = load.get('opts');
    const opts: Dict = isDict(sent) ? sent : new Map();
    const grains = opts.get('grains');
    try {
      const service = await (tops ??= makeMasterTops(deps));
      const value = await service.of({
        minionId: id,
        opts: opts.set('id', id),
        grains: isDict(grains) ? grains : new Map(),
      });
      return { value };
    } catch (error) {
      log.about(id).error(`The top data of ${id} could not be made: ${messageOf(error)}`);
      return { value: failing(error) };
    }
  };
}

function failing(error: unknown): Dict {
  const source = error instanceof Error && 'source' in error ? ` ${String(error.source)}` : '';
  const name: Value = `master_tops${source} failed, see the log of the master`;
  return dict({ base: [name] });
}
