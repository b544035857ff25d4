/**
 * The events by which `salt-run reactor.*` asks and changes a running reactor (salt/utils/reactor.py `run`, 3006.16).
 */
import type { Logger } from '../../host/log.ts';
import type { Secret } from '../../host/secret.ts';
import { isProved, REACTOR_MANAGE } from '../../network/events/reactor-requests.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { changeDict, type ReactionMap } from './reaction-map.ts';
import type { SeenEvent } from './render-reactions.ts';

/** What the reactor answers itself; it is no request. */
const ANSWERS = /\/(?:list-results|add-complete|delete-complete|leader\/value)$/;

/** Whether an event is for the reactor itself. */
export function isManaging(tag: string): boolean {
  return tag.includes(REACTOR_MANAGE) && !ANSWERS.test(tag);
}

/** What the manager is made of. */
export interface ReactorManagerDeps {
  /** The master's id. */
  readonly id: Value;
  readonly map: ReactionMap;
  /** The key of the master's own user, which requests must carry. */
  readonly masterKey: () => Secret;
  readonly fire: (tag: string, data: Dict) => void;
  readonly log: Logger;
}

/** Serves those requests. */
export class ReactorManager {
  readonly #deps: ReactorManagerDeps;
  #isLeader = true;

  constructor(deps: ReactorManagerDeps) {
    this.#deps = deps;
  }

  /** Whether this reactor reacts (`reactor.set_leader`). */
  get isLeader(): boolean {
    return this.#isLeader;
  }

  handle({ tag, data }: SeenEvent): void {
    const { id, map, masterKey, fire, log } = this.#deps;
    const what = tag.slice(tag.indexOf(REACTOR_MANAGE) + REACTOR_MANAGE.length + 1);
    if (!isProved(masterKey(), what, data)) {
      log.error('received salt/reactors/manage event without matching master_key. discarding');
      return;
    }
    const answer = (name: string, fields: Dict): void => fire(`${REACTOR_MANAGE}/${name}`, fields);
    if (what === 'is_leader') answer('leader/value', dict({ result: this.#isLeader }));
    else if (what === 'set_leader') {
      if (data.get('id') === id) this.#isLeader = truthy(data.get('value') ?? null);
      answer('leader/value', dict({ result: this.#isLeader }));
    } else if (what === 'add') {
      const result = changeDict(map.add(data.get('event') ?? null, data.get('reactors') ?? null));
      answer('add-complete', dict({ reactors: map.list(), result }));
    } else if (what === 'delete') {
      const result = changeDict(map.remove(data.get('event') ?? null));
      answer('delete-complete', dict({ reactors: map.list(), result }));
    } else if (what === 'list') answer('list-results', dict({ reactors: map.list() }));
  }
}
