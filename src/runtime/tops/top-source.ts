/** What a source of top data is (3006.16 salt/tops/): it assigns SLS to a minion in place of a top file. */
import type { Logger } from '../../host/log.ts';
import type { Dict, Value } from '../../python/values/value.ts';

/** The minion that asks what is assigned to it. */
export interface TopContext {
  /** As the master knows it, whatever the minion says in its options. */
  readonly minionId: string;
  /** The options of the minion, as it sends them. */
  readonly opts: Dict;
  readonly grains: Dict;
  /** The options of the master. */
  readonly masterOpts: Dict;
  readonly log: Logger;
}

/**
 * A source of top data. @param settings what stands behind its name in `master_tops`
 * @returns environment to a list of SLS
 * @throws any error when it cannot be had; the minion's highstate then fails
 */
export type TopSource = (settings: Value, context: TopContext) => Promise<Dict> | Dict;

/** Finds a source by its name in `master_tops`; undefined when there is none. */
export type FindTop = (name: string) => Promise<TopSource | undefined> | TopSource | undefined;
