/**
 * The view of minions and jobs that `/ws?format_events` sends (salt/netapi/rest_cherrypy/event_processor.py, 3006.16).
 */
import { toJson } from '../../formats/json/text.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { StreamedEvent } from './event-streams.ts';

/** Jobs and minions that are kept; Salt keeps all. */
const JOBS_MAX = 1000;
const MINIONS_MAX = 20_000;

/** Makes the view of one reader out of events. */
export class SaltInfo {
  readonly #jobs: Dict = new Map();
  #minions: Dict = new Map();
  readonly #send: (text: string) => void;
  /** Asks minions for their grains, whose returns come as events. */
  readonly #askGrains: (target: string) => void;

  constructor(send: (text: string) => void, askGrains: (target: string) => void) {
    this.#send = send;
    this.#askGrains = askGrains;
  }

  take({ event }: StreamedEvent): void {
    const { tag, data } = event;
    const parts = tag.split('/');
    const [, kind, jid = '', what, id = ''] = parts;
    if (kind === 'job' && what === 'new') this.#newJob(data);
    else if (kind === 'job' && what === 'ret') this.#returned(jid, id, data);
    else if (kind === 'key') this.#key(data);
    else if (kind === 'presence') this.#presence(data);
  }

  #newJob(data: Dict): void {
    const ids = data.get('minions');
    const minions: Dict = new Map(
      (Array.isArray(ids) ? ids : []).map((id) => [id, dict({ success: false })]),
    );
    const jid = data.get('jid') ?? null;
    const get = (name: string): Value => data.get(name) ?? null;
    const job = dict({
      ...{ jid, start_time: get('_stamp'), minions, fun: get('fun') },
      ...{ tgt: get('tgt'), tgt_type: get('tgt_type'), state: 'running' },
    });
    this.#jobs.set(jid, job);
    trim(this.#jobs, JOBS_MAX);
    this.#publish('jobs', this.#jobs);
    if (get('fun') === 'grains.items') this.#minions = new Map();
  }

  #returned(jid: string, id: string, data: Dict): void {
    const job = dictAt(this.#jobs, jid);
    const minions = dictAt(job, 'minions');
    const minion = dictAt(minions, id);
    for (const name of ['return', 'retcode', 'success']) minion.set(name, data.get(name) ?? null);
    if ([...minions.values()].every((each) => isDict(each) && truthy(each.get('success'))))
      job.set('state', 'complete');
    trim(this.#jobs, JOBS_MAX);
    this.#publish('jobs', this.#jobs);
    if (data.get('fun') !== 'grains.items') return;
    dictAt(this.#minions, id).set('grains', data.get('return') ?? null);
    this.#publishMinions();
  }

  #key(data: Dict): void {
    const id = data.get('id') ?? null;
    if (data.get('act') === 'delete') this.#minions.delete(id);
    else if (data.get('act') === 'accept') dictAt(this.#minions, id);
    this.#publishMinions();
  }

  #presence(data: Dict): void {
    const given = data.get('present');
    const present = new Set(Array.isArray(given) ? given : []);
    const gone = [...this.#minions.keys()].filter((id) => !present.has(id));
    const fresh = [...present].filter((id) => !this.#minions.has(id));
    for (const id of gone) this.#minions.delete(id);
    if (fresh.length > 0) this.#askGrains(fresh.join(','));
    if (gone.length + fresh.length > 0) this.#publishMinions();
  }

  #publishMinions(): void {
    trim(this.#minions, MINIONS_MAX);
    const minions = [...this.#minions].map(
      ([id, info]) => new Map([...(isDict(info) ? info : []), ['id', id]] as [Value, Value][]),
    );
    this.#publish('minions', minions);
  }

  #publish(name: string, value: Value): void {
    this.#send(toJson(dict({ [name]: value }), { fallback: pyRepr }));
  }
}

function dictAt(of: Dict, key: Value): Dict {
  const found = of.get(key);
  if (isDict(found)) return found;
  const made: Dict = new Map();
  of.set(key, made);
  return made;
}

function trim(entries: Dict, max: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(key);
  }
}
