/** Whom a target is expected to reach, without the master (`--preview-target`, `--batch-safe-limit`). */
import { MinionDataCache } from '../../storage/cache/minion-data.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { BrineError } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { KeyStore } from '../../storage/keys/store.ts';
import { keyFleet } from '../../programs/runner/key-fleet.ts';
import { forecast } from '../../runtime/targeting/forecast.ts';
import { expandTargetNodegroups, nodegroupsOf } from '../../runtime/targeting/nodegroups.ts';
import { parseTarget } from '../../runtime/targeting/parse-target.ts';
import type { Value } from '../../python/values/value.ts';

/** A target as the command line names it. */
interface NamedTarget {
  readonly tgt: Value;
  readonly tgtType: string;
}

/** @returns ids in the order in which the master lists them; a target that cannot be understood has none, which is logged */
export function previewTarget(opts: MasterOptions, target: NamedTarget, log: Logger): string[] {
  const store = new KeyStore(opts.get('pki_dir'));
  const fleet = keyFleet(store, new MinionDataCache(opts.get('cachedir')));
  const ids = fleet.ids;
  try {
    const groups = nodegroupsOf(opts.raw('nodegroups'));
    const { tgt, tgtType } = expandTargetNodegroups(
      target.tgt,
      target.tgtType,
      groups,
      opts.get('conf_file'),
    );
    // Salt compat: the delimiter of the command line is not looked at here
    const { minions, fault } = forecast(parseTarget(tgt, tgtType), {
      ids,
      data: (id) => fleet.data(id),
      ...(fleet.select === undefined ? {} : { select: fleet.select }),
      cacheEnabled: opts.get('minion_data_cache'),
    });
    if (fault !== undefined) log.error(fault.message);
    return [...minions];
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    log.error(error.message);
    return [];
  }
}
