/**
 * Queues of the backend `sqlite` where the master is one of a cluster: they are the cluster's, in a stream of NATS, so
 * that an item that was put in at one master is taken out at any, once. An item that is being taken is held by a
 * message beside it, which ends by itself: what is taken by a process that dies comes back.
 */
import { createHash } from 'node:crypto';
import { clusterSettings } from '../../../config/cluster.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import { contentBytesMax } from '../../../network/nats/connect.ts';
import type { StreamMessage } from '../../../network/nats/reading.ts';
import { SubjectTakenError } from '../../../network/nats/stream.ts';
import { dict, toNumber, type Value } from '../../../python/values/value.ts';
import { ClusterLink } from '../../../runtime/cluster/link.ts';
import { readClusterSecret } from '../../../runtime/cluster/membership-files.ts';
import { clusterNames, subjectToken } from '../../../runtime/cluster/names.ts';
import { ClusterSeal } from '../../../runtime/cluster/seal.ts';
import { QueueError, type QueueBackend, type Taking } from '../../shared/queue/queue-backend.ts';
import { queueName } from '../../shared/queue/queue-name.ts';
import { runnerOfText, sqliteTexts } from '../../shared/queue/runner-text.ts';

/** As long as in files; in subjects each byte is two digits. */
const NAME_BYTES_MAX = 100;
/** Longer than clocks of masters may be apart, and than firing an event takes. */
const HELD_MS = 60_000;

/** What they are opened with. */
export interface ClusterQueueSettings {
  readonly opts: MasterOptions;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens them. @returns undefined where the master stands alone @throws UnreachableError */
export async function openClusterQueues({
  opts,
  clock,
  log,
}: ClusterQueueSettings): Promise<QueueBackend | undefined> {
  const settings = clusterSettings(opts);
  if (settings === undefined) return undefined;
  const names = clusterNames(settings.id);
  const seal = new ClusterSeal(readClusterSecret(opts.get('pki_dir'), settings.id));
  const link = await ClusterLink.open({
    access: settings.nats,
    name: 'salt-run queue',
    probe: names.jobs.stream,
    clock,
    log,
  });
  try {
    const { stream: name, prefix } = names.queues;
    const { replicas } = settings;
    await link.streams.ensure({ name, subjects: [`${prefix}.>`], replicas, maxAgeMs: 0, perSubject: 1 });
    return new ClusterQueues({ link, seal, ...names.queues, clock });
  } catch (error) {
    await link.close();
    throw error;
  }
}

interface ClusterQueuesDeps {
  readonly link: ClusterLink;
  readonly seal: ClusterSeal;
  readonly stream: string;
  readonly prefix: string;
  readonly clock: Clock;
}

/** An item as it stands in the stream. */
interface Item {
  readonly text: string;
  readonly sequence: number;
}

/** An item that nobody else gets. */
interface Held extends Item {
  readonly heldAt: number;
}

class ClusterQueues implements QueueBackend {
  readonly #deps: ClusterQueuesDeps;

  constructor(deps: ClusterQueuesDeps) {
    this.#deps = deps;
  }

  async queues(): Promise<string[]> {
    const found: string[] = [];
    for await (const { data } of this.#all(`${this.#deps.prefix}.name.*`)) {
      const name = this.#deps.seal.open('queue', data)?.get('queue');
      if (typeof name === 'string') found.push(name);
    }
    return found.sort();
  }

  async items(queue: string): Promise<Value[]> {
    const found: Value[] = [];
    for await (const { text } of this.#items(await this.#make(queue))) found.push(text);
    return found;
  }

  async length(queue: string): Promise<number> {
    return (await this.items(queue)).length;
  }

  async insert(queue: string, items: Value): Promise<Value> {
    const texts = sqliteTexts(items);
    const token = await this.#make(queue);
    const { link, seal, prefix } = this.#deps;
    for (const text of texts) {
      const data = seal.seal('queue', dict({ queue, text }));
      if (data.length > contentBytesMax(link.nats))
        throw new QueueError(
          `An item of ${text.length} characters is more than NATS takes at once (max_payload); it is not in the queue ${queue}.`,
        );
      try {
        await link.streams.append(`${prefix}.item.${token}.${digestOf(text)}`, data, { after: 0 });
      } catch (error) {
        if (!(error instanceof SubjectTakenError)) throw error;
        const what = Array.isArray(items) ? 'One or more items already exists' : 'Item already exists';
        return `${what} in this queue. sqlite error: UNIQUE constraint failed: ${queue}.name`;
      }
    }
    return true;
  }

  async delete(queue: string, items: Value): Promise<number> {
    const texts = sqliteTexts(items);
    const token = await this.#make(queue);
    const { link, stream, prefix } = this.#deps;
    let removed = 0;
    for (const text of texts) {
      const found = await link.streams.last(stream, `${prefix}.item.${token}.${digestOf(text)}`);
      if (found === undefined) continue;
      await link.streams.erase(stream, found.sequence);
      removed++;
    }
    return removed;
  }

  async take<T>(
    queue: string,
    { quantity, isRunner }: Taking,
    use: (items: Value[]) => Promise<T>,
  ): Promise<T> {
    const token = await this.#make(queue);
    const held: Held[] = [];
    const { link, stream } = this.#deps;
    try {
      for await (const item of this.#items(token)) {
        if (quantity !== 'all' && held.length >= quantity) break;
        const heldAt = await this.#hold(token, item);
        if (heldAt !== undefined) held.push({ ...item, heldAt });
      }
      const result = await use(held.map(({ text }) => (isRunner ? runnerOfText(text, queue) : text)));
      for (const { sequence } of held) await link.streams.erase(stream, sequence);
      return result;
    } finally {
      for (const { heldAt } of held) await link.streams.erase(stream, heldAt);
    }
  }

  close(): Promise<void> {
    return this.#deps.link.close();
  }

  /** @returns the place of what holds it; undefined when somebody else has it */
  async #hold(token: string, { text, sequence }: Item): Promise<number | undefined> {
    const { link, seal, stream, prefix, clock } = this.#deps;
    const digest = digestOf(text);
    const subject = `${prefix}.held.${token}.${digest}`;
    const other = await link.streams.last(stream, subject);
    const untilMs = toNumber(other === undefined ? 0 : seal.open('queue', other.data)?.get('untilMs')) ?? 0;
    if (untilMs > clock.nowMs()) return undefined;
    try {
      const data = seal.seal('queue', dict({ untilMs: clock.nowMs() + HELD_MS }));
      const heldAt = await link.streams.append(subject, data, { after: other?.sequence ?? 0 });
      // whoever had it may have taken it for good since it was read
      const still = await link.streams.last(stream, `${prefix}.item.${token}.${digest}`);
      if (still?.sequence === sequence) return heldAt;
      await link.streams.erase(stream, heldAt);
      return undefined;
    } catch (error) {
      if (error instanceof SubjectTakenError) return undefined;
      throw error;
    }
  }

  /** Salt compat: asking for a queue makes it, as in files. @returns its name within subjects */
  async #make(queue: string): Promise<string> {
    const token = subjectToken(queueName(queue, NAME_BYTES_MAX));
    const { link, seal, stream, prefix } = this.#deps;
    const subject = `${prefix}.name.${token}`;
    if ((await link.streams.last(stream, subject)) === undefined)
      await link.streams.append(subject, seal.seal('queue', dict({ queue })));
    return token;
  }

  async *#items(token: string): AsyncGenerator<Item> {
    for await (const { data, sequence } of this.#all(`${this.#deps.prefix}.item.${token}.*`)) {
      const text = this.#deps.seal.open('queue', data)?.get('text');
      if (typeof text === 'string') yield { text, sequence };
    }
  }

  /** In the order in which they came. */
  async *#all(subject: string): AsyncGenerator<StreamMessage> {
    const { link, stream } = this.#deps;
    for (let from = 1; ;) {
      const message = await link.streams.next(stream, subject, from);
      if (message === undefined) return;
      yield message;
      from = message.sequence + 1;
    }
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
