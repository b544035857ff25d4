/**
 * For whom a job is: a minion that its target cannot mean has no part in it. Only targets that go by ids alone decide
 * that here; where grains or pillar decide, each minion knows best, and the master's copy of them may be old.
 */
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Logger } from '../../host/log.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { forecast } from '../../runtime/targeting/forecast.ts';
import { parseTarget } from '../../runtime/targeting/parse-target.ts';
import { TargetError, type Target } from '../../runtime/targeting/target.ts';
import { wantedData } from '../../runtime/targeting/wanted-data.ts';
import type { JobReader } from '../../storage/jobs/job-store.ts';

/** What a minion is to a job. */
export type JobPart = 'may be meant' | 'not meant' | 'unknown job';

/** What it is decided from. */
export interface JobTargetsDeps {
  readonly jobs: Pick<JobReader, 'job'>;
  readonly log: Logger;
}

/** Jobs whose targets are at hand: those that return just now. */
const JOBS_AT_HAND = 64;
const MASTERS_OWN = /^(?:runner|wheel)\./;

type Means = (id: string) => boolean;

/** The targets of jobs, read once for all their returns. */
export class JobTargets {
  readonly #deps: JobTargetsDeps;
  readonly #known = new BoundedMap<string, Means>(JOBS_AT_HAND);

  constructor(deps: JobTargetsDeps) {
    this.#deps = deps;
  }

  /** What a minion is to a job; where the job cache cannot be read, it may be meant. */
  async partOf(jid: string, id: string): Promise<JobPart> {
    if (this.#known.get(jid)?.(id) === true) return 'may be meant';
    // also of a job that is at hand: one that is published in parts gets further minions
    const load = await this.#read(jid);
    if (load === 'unreadable') return 'may be meant';
    if (load === undefined) return 'unknown job';
    const means = meansOf(load);
    this.#known.set(jid, means);
    return means(id) ? 'may be meant' : 'not meant';
  }

  async #read(jid: string): Promise<Dict | undefined | 'unreadable'> {
    try {
      return await this.#deps.jobs.job(jid);
    } catch (error) {
      this.#deps.log.debug(`Whom job ${jid} is for could not be read.`, error);
      return 'unreadable';
    }
  }
}

function meansOf(load: Dict): Means {
  const fun = load.get('fun');
  // what the master does itself has no minion
  if (typeof fun === 'string' && MASTERS_OWN.test(fun)) return (id) => id === load.get('id');
  const target = targetOf(load.get('tgt'), load.get('tgt_type'));
  if (target === undefined || !goesByIds(target)) return () => true;
  const listed = load.get('Minions');
  const minions = new Set(Array.isArray(listed) ? listed : []);
  return (id) =>
    id === load.get('tgt') ||
    minions.has(id) ||
    forecast(target, { ids: [id], data: () => undefined }).minions.includes(id);
}

function targetOf(tgt: Value | undefined, type: Value | undefined): Target | undefined {
  if (tgt === undefined || isDict(tgt) || typeof type !== 'string') return undefined;
  try {
    return parseTarget(tgt, type);
  } catch (error) {
    if (error instanceof TargetError) return undefined;
    throw error;
  }
}

function goesByIds(target: Target): boolean {
  switch (target.type) {
    case 'glob':
    case 'pcre':
    case 'list':
      return true;
    case 'compound':
    case 'compound_pillar_exact': {
      // a faulty one, as with a nodegroup that this reading does not know, decides nothing
      if (target.masterFault !== undefined) return false;
      const { grains, pillar } = wantedData(target);
      return grains !== 'all' && pillar !== 'all' && grains.size === 0 && pillar.size === 0;
    }
    default:
      return false;
  }
}
