/** `_minion_event`: minions fire on the master's bus (docs/internals/event-bus.md#events-of-minions). */
import type { AesHandler } from '../../../network/channel/door.ts';
import { refusal } from '../../../network/channel/refusal.ts';
import { messageOf } from '../../../errors/errors.ts';
import {
  isTagAllowedFromMinion,
  isTagAllowedFromSyndic,
  isTagOfMasterOnly,
} from '../../../network/events/tag-rules.ts';
import { readMinionsPart, readReceipt, tags } from '../../../network/events/tags.ts';
import type { Logger } from '../../../host/log.ts';
import { countedWarnings } from '../counted-log.ts';
import type { JobTargets } from '../job-targets.ts';
import type { SyndicRegistry } from '../syndics.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';

/** What passing events on needs. */
export interface MinionEventsDeps {
  readonly fireEvent: (tag: string, data: Dict) => void;
  readonly log: Logger;
  /** With `order_masters`: a sender may be a syndic, whose events are those of the minions below it. */
  readonly syndics?: () => Promise<SyndicRegistry>;
  /** Who has a part in which job; undefined where jobs are not kept. */
  readonly targets?: Pick<JobTargets, 'partOf'>;
  /** Told that a minion has acknowledged a job; the request is answered when that is kept. */
  readonly received?: (jid: string, id: string) => Promise<void>;
}

interface EventsRequestContext extends MinionEventsDeps {
  readonly warn: (text: string, kind?: string) => void;
  /** What must be kept before the request is answered. */
  readonly receipts: Promise<void>[];
  /** Tags that speak of a minion and of a job that was not meant for it. */
  readonly apart: ReadonlySet<string>;
  /** The sender, when it is a syndic. */
  readonly registry: SyndicRegistry | undefined;
}

/** Characters of a tag in a message. */
const TAG_SHOWN = 200;
/** Events in one request. */
const EVENTS_MAX = 10_000;
/** Fields that mean something inside the master and that no minion may set. */
const INTERNAL_FIELDS = ['__peer_id', '_stamp'];

/** Serves `_minion_event`, in its single and in its list form. Salt compat: unlike Salt, both forms are filtered. */
export function minionEventHandler(given: MinionEventsDeps): AesHandler {
  const warn = countedWarnings(given.log);
  return async ({ id, load }) => {
    const events = load.get('events');
    const receipts: Promise<void>[] = [];
    const pretag = load.get('pretag');
    const registry = given.syndics === undefined ? undefined : await given.syndics();
    if (registry !== undefined && !noteStart(registry, id, load)) return { value: null };
    const { targets } = given;
    const parts = {
      ...given,
      warn,
      receipts,
      apart: targets === undefined ? NO_TAGS : await tagsApart(targets, load),
      registry: registry?.isSyndic(id, pretag) ? registry : undefined,
    };
    if (Array.isArray(events)) {
      if (events.length > EVENTS_MAX)
        warn(
          `${id} sent ${events.length} events in one request, of which the last ${events.length - EVENTS_MAX} were dropped; send at most ${EVENTS_MAX} at a time`,
          'too many',
        );
      const dropped = fireAll(parts, id, events, typeof pretag === 'string' ? pretag : undefined);
      await Promise.all(receipts);
      // who sends with a tag to put before the others is a syndic, and looks at no reasons
      return { value: dropped === undefined || typeof pretag === 'string' ? null : refusal(dropped) };
    }
    const reason = fireChecked(parts, id, load.get('tag'), load);
    await Promise.all(receipts);
    // Salt's minions do not look at the answer
    return { value: reason === undefined ? null : refusal(reason) };
  };
}

const NO_EVENT = 'An event is a mapping with a tag and data';

const NO_TAGS: ReadonlySet<string> = new Set();

/** The tags of a request by which a minion would take part in a job that was not meant for it. */
async function tagsApart(targets: Pick<JobTargets, 'partOf'>, load: Dict): Promise<ReadonlySet<string>> {
  const [events, pretag] = [load.get('events'), load.get('pretag')];
  const listed = Array.isArray(events) ? events.slice(0, EVENTS_MAX).filter(isDict) : [load];
  const found = new Set<string>();
  for (const event of listed) {
    const tag = event.get('tag');
    if (typeof tag !== 'string') continue;
    for (const each of typeof pretag === 'string' ? [tag, `${pretag}/${tag}`] : [tag]) {
      const part = readMinionsPart(each);
      if (part === undefined || found.has(each)) continue;
      if ((await targets.partOf(part.jid, part.id)) === 'not meant') found.add(each);
    }
  }
  return found;
}

/** A start event says what its sender is. @returns false when it says so without a right to */
function noteStart(registry: SyndicRegistry, id: string, load: Dict): boolean {
  const tag = load.get('tag');
  if (tag === tags.syndicStart(id)) return registry.started(id, 'syndic', load);
  if (tag === tags.minionStart(id) || tag === tags.legacyMinionStart) registry.started(id, 'minion', load);
  return true;
}

/** @returns how many were dropped and why the first was; undefined when all are fired */
function fireAll(
  deps: EventsRequestContext,
  id: string,
  events: readonly Value[],
  pretag: string | undefined,
): string | undefined {
  const reasons = events.slice(0, EVENTS_MAX).flatMap((event) => {
    const reason = isDict(event) ? fireListed(deps, id, event, pretag) : NO_EVENT;
    if (reason === NO_EVENT)
      deps.warn(`${id} sent a list of events with something that is none; it was dropped`, 'none');
    return reason === undefined ? [] : [reason];
  });
  const more = Math.max(0, events.length - EVENTS_MAX);
  const [first = `at most ${EVENTS_MAX} go into one request`] = reasons;
  const count = reasons.length + more;
  if (count === 0) return undefined;
  return events.length === 1 ? first : `${count} of ${events.length} events were dropped: ${first}`;
}

/** @returns why the event was dropped */
function fireListed(
  deps: EventsRequestContext,
  id: string,
  event: Dict,
  pretag: string | undefined,
): string | undefined {
  const { registry } = deps;
  const tag = event.get('tag');
  const inner = event.get('data');
  const data = inner !== undefined && isDict(inner) ? inner : event;
  if (registry !== undefined && data.has('minions')) deps.receipts.push(registry.takeReport(id, data));
  // Salt compat: of a syndic's events these are not even told under its name
  if (registry !== undefined && (typeof tag !== 'string' || isTagOfMasterOnly(tag))) return undefined;
  const reason = fireChecked(deps, id, tag, data);
  if (pretag !== undefined && typeof tag === 'string') fireChecked(deps, id, `${pretag}/${tag}`, data);
  return reason;
}

/** Fires an event that its sender may fire. @returns why it was dropped */
function fireChecked(
  deps: EventsRequestContext,
  id: string,
  tag: Value | undefined,
  data: Dict,
): string | undefined {
  if (typeof tag !== 'string' || !mayFire(deps.registry, id, tag, data)) {
    // Salt's syndics send each event of their master; those that only this master may fire arrive under the syndic's
    // name
    if (deps.registry !== undefined) return undefined;
    const named = JSON.stringify(String(tag).slice(0, TAG_SHOWN));
    deps.warn(`The minion ${id} may not fire an event with the tag ${named}; it was dropped`);
    return `A minion may not fire an event with the tag ${named}; choose a tag of your own`;
  }
  if (deps.apart.has(tag)) {
    const named = tag.slice(0, TAG_SHOWN);
    deps.warn(`An event of ${id} about a job that was not meant for it was dropped: ${named}`);
    return `The job of an event was not meant for this minion: ${named}`;
  }
  for (const field of INTERNAL_FIELDS) data.delete(field);
  // programs go by the data, too: it speaks of whoever has sent it
  if (deps.registry === undefined && data.has('id')) data.set('id', id);
  if (tag === tags.saltError)
    deps.log.error(`The minion ${id} reports an error: ${String(data.get('data'))}`);
  deps.fireEvent(tag, data);
  const receipt = readReceipt(tag);
  if (receipt === undefined || deps.received === undefined) return undefined;
  const kept = deps.received(receipt.jid, receipt.id);
  deps.receipts.push(
    kept.catch((error: unknown) => deps.log.debug(`A receipt was not kept: ${messageOf(error)}`)),
  );
  return undefined;
}

/** Of a syndic's events, also those whose data name a minion that it does not speak for are dropped. */
function mayFire(registry: SyndicRegistry | undefined, id: string, tag: string, data: Dict): boolean {
  if (registry === undefined) return isTagAllowedFromMinion(tag, id);
  const speaksFor = (minion: string): boolean => registry.speaksFor(id, minion);
  if (!isTagAllowedFromSyndic(tag, id, speaksFor)) return false;
  const named = data.get('id');
  return tag.startsWith('syndic/') || named === id || typeof named !== 'string' || !registry.isOurs(named);
}
