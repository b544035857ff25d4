/** The sources of the option `master_tops`, asked for one minion (3006.16 salt/daemons/masterapi.py `_master_tops`). */
import { mergeRecurse } from '../../formats/data/dict-merge.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError, CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { cobblerTop } from './cobbler.ts';
import { extNodesTop } from './ext-nodes.ts';
import { mongoTop } from './mongo.ts';
import { reclassTop } from './reclass.ts';
import { saltclassTop } from './saltclass.ts';
import type { FindTop, TopSource } from './top-source.ts';
import { varstackTop } from './varstack.ts';

/** What top data is made with. */
export interface MasterTopsDeps {
  /** The options of the master. */
  readonly opts: Dict;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Finds a site's own sources, which come before those of this program. */
  readonly own?: FindTop;
  /** True when the operator has accepted that sources which do not exist are left out (`unserved_options`). */
  readonly leavesOutMissing?: boolean;
}

/** The names of the sources that this program has. */
const TOP_NAMES: readonly string[] = ['cobbler', 'ext_nodes', 'mongo', 'reclass', 'saltclass', 'varstack'];

/** Why a source that does not exist cannot be left out, for the one who starts the master. */
export function noSuchTop(name: string): string {
  return (
    `there is no source of top data ${name}, and minions would lack the states that it assigns. ` +
    `There are ${TOP_NAMES.join(', ')}.${didYouMean(name, [...TOP_NAMES])} ` +
    "One of the site's own is brought here with salt-run saltutil.sync_tops, which needs no running master."
  );
}

/** A source of top data could not be had. */
class TopError extends BrineError {
  static override readonly errorCode: ErrorCode = 'top-data-failed';
  override readonly name = 'TopError';
  /** The source. */
  readonly source: string;
  constructor(source: string, reason: string, options?: ErrorOptions) {
    super(`master_tops ${source} failed: ${reason}`, options);
    this.source = source;
  }
}

/** Asks the configured sources. */
export class MasterTops {
  readonly #deps: MasterTopsDeps;
  readonly #sources: ReadonlyMap<string, TopSource>;

  constructor(deps: MasterTopsDeps) {
    this.#deps = deps;
    this.#sources = new Map<string, TopSource>([
      ['cobbler', cobblerTop(deps.clock)],
      ['ext_nodes', extNodesTop(deps.clock)],
      ['mongo', mongoTop],
      ['reclass', reclassTop],
      ['saltclass', saltclassTop(deps)],
      ['varstack', varstackTop],
    ]);
  }

  /**
   * What all sources together assign to a minion, in the order in which they are configured. Salt compat: a source that
   * fails, or does not exist, fails the whole. Salt leaves it out, and a highstate runs without its states.
   * @returns environment to a list of SLS
   * @throws TopError
   */
  async of(minion: { readonly minionId: string; readonly opts: Dict; readonly grains: Dict }): Promise<Dict> {
    const { opts: masterOpts, log } = this.#deps;
    let merged: Dict = new Map();
    for (const [name, settings] of this.#configured()) {
      const data = await this.#ask(name, settings, { ...minion, masterOpts, log });
      merged = mergeRecurse(merged, data, true);
    }
    return merged;
  }

  /** The names of configured sources that do not exist. */
  async missing(): Promise<string[]> {
    const names: string[] = [];
    for (const [name] of this.#configured()) if ((await this.#find(name)) === undefined) names.push(name);
    return names;
  }

  #configured(): [string, Value][] {
    const configured = this.#deps.opts.get('master_tops');
    return [...(isDict(configured) ? configured : [])].map(([key, settings]) => [pyStr(key), settings]);
  }

  async #find(name: string): Promise<TopSource | undefined> {
    return (await this.#deps.own?.(name)) ?? this.#sources.get(name);
  }

  async #ask(name: string, settings: Value, context: Parameters<TopSource>[1]): Promise<Dict> {
    try {
      const source = await this.#find(name);
      if (source === undefined && this.#deps.leavesOutMissing === true) return new Map();
      if (source === undefined) throw new CommandExecutionError(noSuchTop(name));
      return assigned(await source(settings, context));
    } catch (error) {
      throw new TopError(name, messageOf(error), { cause: error });
    }
  }
}

/** What a source gives, seen to be of the form that a highstate takes. */
function assigned(data: Value): Dict {
  if (!isDict(data)) throw new CommandExecutionError('it gives no mapping of environments to lists of SLS');
  for (const [env, list] of data)
    if (!Array.isArray(list))
      throw new CommandExecutionError(
        `what it gives for the environment ${pyStr(env)} is no list of SLS: ${pyStr(list)}`,
      );
  return data;
}
