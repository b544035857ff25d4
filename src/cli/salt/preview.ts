/** Whom a target is expected to reach, without the master (`--preview-target`, `--batch-safe-limit`; cli.md, 3.4). */
import { MinionDataCache } from '../../cache/minion-data.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { BrineError } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { KeyStore } from '../../keys/store.ts';
import { keyFleet } from '../../master/fleet.ts';
import { forecast } from '../../targeting/forecast.ts';
import { parseTarget } from '../../targeting/parse-target.ts';
import type { Value } from '../../values/value.ts';

/** @returns ids in the order in which the master lists them; a target that cannot be understood has none, which is logged */
export function previewTarget(
  opts: MasterOptions,
  { tgt, tgtType }: { tgt: Value; tgtType: string },
  log: Logger,
): string[] {
  const store = new KeyStore(opts.get('pki_dir'));
  const fleet = keyFleet(store, new MinionDataCache(opts.get('cachedir')));
  const ids = fleet.ids;
  try {
    // Salt compat: the delimiter of the command line is not looked at here
    const { minions, fault } = forecast(parseTarget(tgt, tgtType), {
      ids,
      data: (id) => fleet.data(id),
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
