/**
 * What of the event bus below goes up: job returns, and in the mode `sync` the other events
 * (docs/internals/wire-protocol.md#syndics).
 */
import type { MasterOptions } from '../../config/master-options.ts';
import type { BusEvent } from '../../network/events/framing.ts';
import { isTagOfMasterOnly } from '../../network/events/tag-rules.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { isJid } from '../../storage/jobs/jid.ts';
import type { StoredReturn } from '../../storage/jobs/stored-return.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { ASKER_FIELD } from './downward.ts';
import type { Forwarder, ReturnBelow } from './forwarder.ts';
import type { JobReports } from './job-reports.ts';
import type { JobsBelow } from './jobs-below.ts';
import type { Fate } from './missed-returns.ts';

/** What listening needs. */
export interface ListenerDeps {
  readonly lower: MasterOptions;
  readonly forwarder: Forwarder;
  readonly reports: JobReports;
  readonly jobs: JobsBelow;
  /** Told of a return that is no concern of those above. */
  readonly stays: (ret: ReturnBelow) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What Salt's syndics forward of a return, and what they lose of it: how it is shown, and what belongs to it. */
const RETURN_FIELDS = ['return', 'retcode', 'success', 'fun_args', 'out', 'metadata', 'schedule', 'pid'];
/** What stands in an event for what was too large for it. */
const TRIMMED = 'VALUE_TRIMMED';
/** A large return is in the job cache soon after its event. */
const LOOKS_MS = [5, 20, 50, 100, 200, 400, 800];

/** Picks from the event bus below what goes up. */
export class Listener {
  readonly #deps: ListenerDeps;
  /**
   * The job whose returns were last looked for: thousands of them may have been missed, and it names thousands of
   * minions.
   */
  #lastJob: { readonly jid: string; readonly load: Dict } | undefined;

  constructor(deps: ListenerDeps) {
    this.#deps = deps;
  }

  /** Takes an event of the bus. */
  hear(event: BusEvent): void {
    try {
      const key = returnKey(event.tag);
      if (key !== undefined && event.data.has('return')) this.#returned(event, key);
      else this.#other(event);
    } catch (error) {
      this.#deps.log.warning(`The event ${event.tag.slice(0, 200)} could not be forwarded.`, error);
    }
  }

  /** Forwards a return that is in the job cache below. */
  async stored(ret: StoredReturn): Promise<Fate> {
    const load = await this.#loadOf(ret.jid);
    const kwargs = load?.get('kwargs');
    const given: Dict = kwargs !== undefined && isDict(kwargs) ? kwargs : new Map();
    const fields: Dict = new Map<Value, Value>([
      ['return', ret.return],
      ['retcode', ret.retcode],
      ['success', ret.success],
    ]);
    const args = load?.get('arg');
    if (Array.isArray(args)) fields.set('fun_args', args);
    if (ret.out !== undefined) fields.set('out', ret.out);
    const asker = given.get(ASKER_FIELD);
    const masterId = given.get('master_id');
    const below: ReturnBelow = {
      ...ret,
      fields,
      masterId: typeof masterId === 'string' ? masterId : undefined,
      sizeBytes: 1000,
    };
    if (this.#staysHere(below)) return 'stays here';
    const isUp = this.#deps.forwarder.returned(below, asker === undefined ? undefined : String(asker));
    return isUp ? 'goes up' : 'undecided';
  }

  async #loadOf(jid: string): Promise<Dict | undefined> {
    if (this.#lastJob?.jid === jid) return this.#lastJob.load;
    const load = await this.#deps.jobs.load(jid);
    this.#lastJob = load && { jid, load };
    return load;
  }

  #returned(event: BusEvent, { jid, id }: { jid: string; id: string }): void {
    const { data, sizeBytes } = event;
    if (data.get('jid') !== jid) return;
    const masterId = data.get('master_id');
    const fields: Dict = new Map();
    for (const name of RETURN_FIELDS) {
      const value = data.get(name);
      if (value !== undefined) fields.set(name, value);
    }
    const ret: ReturnBelow = {
      jid,
      id,
      fun: data.get('fun') ?? null,
      fields,
      masterId: typeof masterId === 'string' ? masterId : undefined,
      sizeBytes,
    };
    if (this.#staysHere(ret)) return this.#deps.stays(ret);
    if (isTrimmed(data.get('return'))) void this.#whole(ret);
    else this.#deps.forwarder.returned(ret);
  }

  /** Fetches a return that the bus has cut short. */
  async #whole(ret: ReturnBelow): Promise<void> {
    const { jobs, clock, forwarder, log } = this.#deps;
    for (const lookMs of LOOKS_MS) {
      await clock.sleep(lookMs);
      try {
        const stored = await jobs.returned(ret.jid, ret.id);
        if (stored === undefined) continue;
        await this.stored(stored);
        return;
      } catch (error) {
        log.debug(`The return of ${ret.id} for job ${ret.jid} cannot be read from the job cache.`, error);
      }
    }
    log.warning(
      `The return of ${ret.id} for job ${ret.jid} is larger than max_event_size; it goes up as the event had it.`,
    );
    forwarder.returned(ret);
  }

  /** `syndic_mode: cluster`: what the master below has asked itself is of no interest above. */
  #staysHere({ masterId }: ReturnBelow): boolean {
    if (this.#deps.lower.get('syndic_mode') !== 'cluster') return false;
    const own = this.#deps.lower.raw('master_id');
    return (masterId ?? 0) === (own ?? 1);
  }

  #other(event: BusEvent): void {
    const { reports, forwarder, lower } = this.#deps;
    if (reports.hear(event)) return;
    const isEverything = lower.get('syndic_forward_all_events');
    if (lower.get('syndic_mode') !== 'sync' && !isEverything) return;
    if (isTagOfMasterOnly(event.tag)) return; // no master above would take it
    if (isJid(event.tag) && reports.has(event.tag)) return; // the report says more
    if (event.data.has('retcode') && !isEverything) return;
    forwarder.event({ tag: event.tag, data: event.data, sizeBytes: event.sizeBytes });
  }
}

/** The job and the minion of a tag of Salt's form for returns; undefined for another tag. */
function returnKey(tag: string): { jid: string; id: string } | undefined {
  const parts = /^salt\/job\/([^/]+)\/ret\/([^/]+)$/.exec(tag);
  return parts === null || !isJid(parts[1]) ? undefined : { jid: parts[1], id: parts[2] as string };
}

function isTrimmed(value: Value | undefined): boolean {
  if (value === TRIMMED) return true;
  if (Array.isArray(value)) return value.some(isTrimmed);
  return value !== undefined && isDict(value) && [...value.values()].some(isTrimmed);
}
