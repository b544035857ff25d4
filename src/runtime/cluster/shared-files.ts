/**
 * Files that every master of a cluster has. A change on the disk of one, whoever made it (`salt-key`, a program of
 * Salt, an editor), is appended to a stream that keeps the last state of each thing, and each other master puts it on
 * its own disk. What was changed on two of them at once is decided by the kind of thing, the same everywhere.
 */
import { createHash } from 'node:crypto';
import { messageOf } from '../../errors/errors.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { rareLines, type RareLines } from '../../host/rare-lines.ts';
import { encode } from '../../formats/wire/msgpack.ts';
import { parseJson, toJson } from '../../formats/json/text.ts';
import type { StreamMessage } from '../../network/nats/reading.ts';
import { SubjectTakenError } from '../../network/nats/stream.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { contentOf, type FileKind } from './file-kinds.ts';
import type { ClusterLink } from './link.ts';
import { ofSubjectToken, subjectToken } from './names.ts';
import { cutParcel, ParcelJoiner } from './parcels.ts';
import { displacedText } from './said-once.ts';
import type { ClusterSeal } from './seal.ts';
import type { Random } from '../../host/random.ts';
import { contentBytesMax } from '../../network/nats/connect.ts';

/**
 * Between two writings of what was agreed on; with very many things longer, so that writing takes a twentieth of the
 * time at most.
 */
const KEEP_MS = 1_000;
const KEEP_SHARE = 20;
/** Appends under way at once; further changes wait for their turn, each thing once. */
const UNDER_WAY_MAX = 32;
/** Things that are remembered as too large, so that it is said once. */
const LEFT_OUT_MAX = 1_000;

/** Messages of nobody whose places are remembered; where there are more, the things they stand for are not shared. */
const FOREIGN_MAX = 10_000;

/** One thing is larger than a message of NATS may be. */
class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`more than ${bytesMax} bytes`);
    this.bytesMax = bytesMax;
  }
}

/** What the files need. */
export interface SharedFilesDeps {
  readonly link: ClusterLink;
  readonly seal: ClusterSeal;
  readonly stream: string;
  readonly prefix: string;
  readonly member: string;
  readonly kinds: readonly FileKind[];
  /** Where it is kept what this master and the cluster have agreed on. */
  readonly statePath: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** What this master and the cluster agreed on last, of one thing. */
interface Agreed {
  /** Its place in the stream. */
  readonly sequence: number;
  /** Grows with every change: an old message that somebody sends again is known by it. */
  readonly version: number;
  readonly digest: string;
}

/** See the head of this file. */
export class SharedFiles {
  readonly counters = { appended: 0, written: 0, conflicts: 0, replayed: 0, putBack: 0, tooLarge: 0 };
  readonly #deps: SharedFilesDeps;
  readonly #kinds: ReadonlyMap<string, FileKind>;
  readonly #agreed: Map<string, Agreed>;
  readonly #changed = new Set<string>();
  /** Things whose newest state somebody has displaced on the stream. */
  readonly #displaced = new Set<string>();
  /** Places of messages that no member has written, of things that this master does not know. */
  readonly #foreign = new BoundedMap<string, number>(FOREIGN_MAX);
  readonly #tellPutBack: RareLines;
  readonly #joiner = new ParcelJoiner();
  /** Things of which it was said that they are too large. */
  readonly #leftOut = new BoundedMap<string, true>(LEFT_OUT_MAX);
  readonly #watchers: { close(): void }[] = [];
  #underWay = 0;
  #position = 0;
  #reading: { stop(): Promise<void> } | undefined;
  #keeping: Timer | undefined;
  #keepMs = KEEP_MS;

  constructor(deps: SharedFilesDeps) {
    this.#deps = deps;
    this.#kinds = new Map(deps.kinds.map((kind) => [kind.name, kind]));
    this.#tellPutBack = rareLines(deps.clock, (text) => deps.log.error(text));
    const state = readState(deps.statePath);
    this.#agreed = state.agreed;
    this.#position = state.position;
  }

  /** Reads what the others have done, then says what was done here meanwhile, and goes on with both. */
  async start(): Promise<void> {
    const { link, stream, prefix } = this.#deps;
    const of = { stream, subject: `${prefix}.>` };
    this.#reading = await link.streams.catchUp(of, this.#position, (message) => this.#take(message));
    for (const kind of this.#kinds.values())
      this.#watchers.push(kind.watch((id) => this.#note(nameOf(kind.name, id))));
    this.#scan();
    link.onChange((isThere) => {
      if (isThere) this.#send();
    });
  }

  async stop(): Promise<void> {
    for (const watcher of this.#watchers) watcher.close();
    await this.#reading?.stop();
    this.#keep();
  }

  /** Looks at everything: what was changed while nobody watched. */
  #scan(): void {
    for (const kind of this.#kinds.values())
      for (const id of kind.ids()) this.#changed.add(nameOf(kind.name, id));
    for (const [name, { digest }] of this.#agreed) if (digest !== ABSENT) this.#changed.add(name);
    this.#send();
  }

  #note(name: string): void {
    this.#changed.add(name);
    this.#send();
  }

  #send(): void {
    if (!this.#deps.link.isThere) return;
    for (const name of this.#changed) {
      if (this.#underWay >= UNDER_WAY_MAX) return;
      this.#changed.delete(name);
      this.#underWay++;
      void this.#append(name).finally(() => {
        this.#underWay--;
        if (this.#changed.size > 0) this.#send();
      });
    }
  }

  async #append(name: string): Promise<void> {
    const { link, log } = this.#deps;
    const [kind, id] = this.#thing(name);
    if (kind === undefined) return;
    const content = kind.read(id);
    const digest = digestOf(content);
    const agreed = this.#agreed.get(name);
    const isDisplaced = this.#displaced.delete(name);
    if (!isDisplaced && (agreed?.digest ?? ABSENT) === digest) return;
    const version = (agreed?.version ?? 0) + 1;
    try {
      const sequence = await this.#write(kind, id, {
        content,
        version,
        after: agreed?.sequence ?? this.#foreign.get(name) ?? 0,
      });
      this.counters.appended++;
      this.#agree(name, { sequence, version, digest });
    } catch (error) {
      if (error instanceof SubjectTakenError) return; // another was faster; what he said comes with the stream
      if (error instanceof TooLargeError) return this.#leaveOut(name, error);
      link.failed(messageOf(error));
      log.debug(`The change of ${name} waits for the cluster.`);
      this.#changed.add(name);
      if (isDisplaced) this.#displaced.add(name);
    }
  }

  /** What one minion has made too large is its own trouble, and no sign that NATS is away. */
  #leaveOut(name: string, { bytesMax }: TooLargeError): void {
    this.counters.tooLarge++;
    if (this.#leftOut.get(name) === true) return;
    this.#leftOut.set(name, true);
    this.#deps.log.error(
      `${name} is larger than NATS takes at once (${bytesMax} bytes), so that the other masters do not have it. Raise max_payload of ` +
        'the NATS servers, or see why it is so large.',
    );
  }

  async #write(
    kind: FileKind,
    id: string,
    { content, version, after }: { content: Dict | undefined; version: number; after: number },
  ): Promise<number> {
    const { link, seal, prefix, member, random } = this.#deps;
    const said = dict({ kind: kind.name, id, version, member, content: content ?? null });
    const most = contentBytesMax(link.nats);
    const [first = Buffer.alloc(0), ...more] = cutParcel(seal.seal('file', said), most, random);
    if (more.length > 0) throw new TooLargeError(most);
    return link.streams.append(`${prefix}.${kind.name}.${subjectToken(id)}`, first, { after });
  }

  #take({ sequence, subject, data }: StreamMessage): void {
    this.#position = Math.max(this.#position, sequence);
    // the stream keeps the last message of a subject: whatever is written there has put out what was there before
    const name = this.#nameOf(subject);
    const known = name === undefined ? undefined : this.#agreed.get(name);
    if (name === undefined || (known !== undefined && sequence <= known.sequence)) return;
    const whole = this.#joiner.take(data, sequence);
    const said = whole === undefined ? undefined : this.#deps.seal.open('file', whole);
    const kind = this.#kinds.get(String(said?.get('kind')));
    const id = said?.get('id');
    const version = toNumber(said?.get('version'));
    const isGenuine = kind !== undefined && typeof id === 'string' && nameOf(kind.name, id) === name;
    if (said === undefined || !isGenuine || version === undefined) return this.#putBack(name, sequence);
    const content = contentOf(said.get('content'));
    if (version > (known?.version ?? 0)) return this.#settle(name, kind, id, content, { sequence, version });
    this.counters.replayed++;
    if (known?.version === version && known.digest === digestOf(content))
      this.#agree(name, { ...known, sequence });
    else this.#putBack(name, sequence);
  }

  /**
   * What was recorded, or is no message of a member, stands where the newest state of a thing was. Masters that were
   * away, or join later, would not learn of that one, and a key that was deleted would be accepted there: it is said
   * again, above what stands there now.
   */
  #putBack(name: string, sequence: number): void {
    const known = this.#agreed.get(name);
    if (known === undefined) return this.#foreign.set(name, sequence);
    this.counters.putBack++;
    this.#agree(name, { ...known, sequence });
    this.#tellPutBack('', displacedText(name));
    this.#displaced.add(name);
    this.#note(name);
  }

  /** The thing of which a subject has the last state; undefined when it is none. */
  #nameOf(subject: string): string | undefined {
    const { prefix } = this.#deps;
    if (!subject.startsWith(`${prefix}.`)) return undefined;
    const [kind = '', token = '', ...more] = subject.slice(prefix.length + 1).split('.');
    const id = ofSubjectToken(token);
    return more.length > 0 || !this.#kinds.has(kind) || id === undefined ? undefined : nameOf(kind, id);
  }

  /** Takes over what another has said of a thing, unless what is here counts more. */
  #settle(
    name: string,
    kind: FileKind,
    id: string,
    other: Dict | undefined,
    place: Pick<Agreed, 'sequence' | 'version'>,
  ): void {
    const own = kind.read(id);
    const digest = digestOf(other);
    const ownDigest = digestOf(own);
    const wasChangedHere = ownDigest !== (this.#agreed.get(name)?.digest ?? ABSENT) && ownDigest !== digest;
    this.#agree(name, { ...place, digest });
    if (wasChangedHere) {
      this.counters.conflicts++;
      if (kind.prefersOwn?.(own, other) === true) return this.#note(name);
    }
    if (ownDigest === digest) return;
    try {
      kind.write(id, other);
      this.counters.written++;
    } catch (error) {
      this.#deps.log.error(`What the cluster has of ${name} could not be written here: ${messageOf(error)}`);
    }
  }

  #thing(name: string): [FileKind | undefined, string] {
    const at = name.indexOf('/');
    return [this.#kinds.get(name.slice(0, at)), name.slice(at + 1)];
  }

  #agree(name: string, agreed: Agreed): void {
    this.#agreed.set(name, agreed);
    this.#keeping ??= this.#deps.clock.after(this.#keepMs, () => this.#keep(), { background: true });
  }

  #keep(): void {
    this.#keeping?.cancel();
    this.#keeping = undefined;
    const { clock } = this.#deps;
    const startedMs = clock.monotonicMs();
    const agreed = [...this.#agreed].map(([name, { sequence, version, digest }]): Value => [
      name,
      sequence,
      version,
      digest,
    ]);
    try {
      writeFileAtomic(this.#deps.statePath, toJson(dict({ position: this.#position, agreed })), {
        mode: 0o600,
      });
      this.#keepMs = Math.max(KEEP_MS, (clock.monotonicMs() - startedMs) * KEEP_SHARE);
    } catch (error) {
      this.#deps.log.error(
        `What this master and the cluster have agreed on could not be kept: ${messageOf(error)}`,
      );
    }
  }
}

const ABSENT = '';

function nameOf(kind: string, id: string): string {
  return `${kind}/${id}`;
}

function digestOf(content: Dict | undefined): string {
  return content === undefined
    ? ABSENT
    : createHash('sha256').update(encode(content, 'local')).digest('base64');
}

function readState(path: string): { agreed: Map<string, Agreed>; position: number } {
  const agreed = new Map<string, Agreed>();
  const text = readTextIfExists(path);
  const state = text === undefined ? undefined : parseJson(text);
  if (state === undefined || !isDict(state)) return { agreed, position: 0 };
  const rows = state.get('agreed');
  for (const row of Array.isArray(rows) ? rows : []) {
    const [name, sequence, version, digest] = Array.isArray(row) ? row : [];
    if (typeof name === 'string' && typeof digest === 'string')
      agreed.set(name, { sequence: toNumber(sequence) ?? 0, version: toNumber(version) ?? 0, digest });
  }
  return { agreed, position: toNumber(state.get('position')) ?? 0 };
}
