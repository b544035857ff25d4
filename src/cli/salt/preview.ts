/** Whom a target is expected to reach, without the master (`--preview-target`, `--batch-safe-limit`). */
import { MinionDataCache } from '../../storage/cache/minion-data.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { BrineError } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { notPermitted } from '../../host/not-permitted.ts';
import { KeyStore } from '../../storage/keys/store.ts';
import { keyFleet } from '../../programs/runner/key-fleet.ts';
import { forecast } from '../../runtime/targeting/forecast.ts';
import { expandTargetNodegroups, nodegroupsOf } from '../../runtime/targeting/nodegroups.ts';
import { parseTarget } from '../../runtime/targeting/parse-target.ts';
import type { Value } from '../../python/values/value.ts';

const PURPOSE = '--preview-target and --batch-safe-limit look at the keys of the master';

/** A target as the command line names it. */
interface NamedTarget {
  readonly tgt: Value;
  readonly tgtType: string;
}

/**
 * @returns ids in the order in which the master lists them; a target that cannot be understood has none, which is
 *   logged
 * @throws NotPermittedError for a user who may not read the keys
 */
export function previewTarget(opts: MasterOptions, target: NamedTarget, log: Logger): string[] {
  try {
    const store = new KeyStore(opts.get('pki_dir'));
    const fleet = keyFleet(store, new MinionDataCache(opts.get('cachedir')));
    const ids = fleet.ids;
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
    // whom a target reaches is read from the keys, without the master: what cannot be read is not "nobody"
    const refusal = notPermitted(error, PURPOSE);
    if (refusal !== undefined) throw refusal;
    if (!(error instanceof BrineError)) throw error;
    log.error(error.message);
    return [];
  }
}
