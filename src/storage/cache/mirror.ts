/**
 * What the master remembers of minions, on a server that other masters use as well (the option `cache`). The files
 * below `cachedir` stay what every process of this master reads and writes; this brings each change of them to the
 * server, and what others have changed there into the files. While the server is away the files are what counts, and
 * each change waits: of one entry the last state only, so that what waits is never more than there are minions
 * (docs/internals/minion-cache.md).
 */
import { createHash } from 'node:crypto';
import { messageOf, UnreachableError } from '../../errors/errors.ts';
import { parseJson, toJson } from '../../formats/json/text.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import type { Clock } from '../../host/clock.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { dict, isDict, toNumber, type Value } from '../../python/values/value.ts';
import type { CachePlace, CacheServer } from './cache-server.ts';
import { inParts } from './in-parts.ts';
import type { ChangeMark } from './change-list.ts';
import type { MinionBank, MinionDataCache } from './minion-data.ts';

/** How soon a change of this master is brought to the server. */
const TICK_MS = 250;
/**
 * How often the server is asked what others have changed; where asking takes long, it is a tenth of the time at most.
 */
const LOOK_MS = 5_000;
const LOOK_SHARE = 10;
/** How often all files are looked at, for changes by programs that note none. */
const SCAN_MS = 60_000;
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 10_000;
/**
 * Times of the server are whole seconds: each entry is read once more when the second in which it was written is over.
 */
const AGAIN_MS = 2_500;
/** Entries asked for in one go, and under way at once. */
const ASKED_MAX = 500;
/** An entry of the server that is larger is left there. */
const BYTES_MAX = 64 * 1024 * 1024;
/**
 * Between two writings of what was agreed on; with very many entries longer, so that writing takes a twentieth of the
 * time at most.
 */
const KEEP_MS = 2_000;
const KEEP_SHARE = 20;

/**
 * Where the name of the server's content is: a server that was emptied, or is another one, has another or none. Unknown
 * to Salt.
 */
const IDENTITY: CachePlace = { bank: 'brine', key: 'minion_cache' };
const BANKS: readonly MinionBank[] = ['data', 'mine'];
const ABSENT = '';
/** When what an earlier process has left is read once more: at once. */
const LEFT_OVER = -Infinity;

/** What the mirror needs. */
export interface MirrorDeps {
  readonly server: CacheServer;
  readonly cache: MinionDataCache;
  /** The minions whose data are wanted from the server, besides those of which anything is here. */
  readonly ids: () => readonly string[];
  /** Where it is kept what the files and the server agreed on. */
  readonly statePath: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** What is kept of one minion in one bank. */
interface Entry {
  readonly id: string;
  readonly bank: MinionBank;
}

/** What the file and the server had last, the same. */
interface Agreed {
  readonly digest: string;
  readonly stamp: number;
}

interface FileNow {
  readonly digest: string;
  readonly mtimeMs: number;
}

/** See the head of this file. */
export class MinionDataMirror {
  /**
   * Entries brought to the server, taken from it, removed here because they were there, changed on both sides; what the
   * server refused.
   */
  readonly counters = { stored: 0, loaded: 0, removed: 0, conflicts: 0, refused: 0, failures: 0 };
  readonly #deps: MirrorDeps;
  readonly #agreed: Map<string, Agreed>;
  /** Minions whose files may have changed. */
  readonly #changed = new Set<string>();
  /** Digests of files, which are read again only when they have changed. */
  readonly #files = new Map<string, { readonly stamp: string; readonly now: FileNow }>();
  /** Entries to be read once more, and when. */
  readonly #again = new Map<string, number>();
  /** Digests that the server refused. */
  readonly #refused = new Map<string, string>();
  readonly #stopped = new AbortController();
  #identity: string | undefined;
  #mark: ChangeMark | undefined;
  #serverMark: string | undefined;
  #lookAtMs = -Infinity;
  #scanAtMs = -Infinity;
  #failuresInARow = 0;
  #keepAtMs: number | undefined;
  #keepMs = KEEP_MS;
  #running: Promise<void> = Promise.resolve();

  constructor(deps: MirrorDeps) {
    this.#deps = deps;
    const state = readState(deps.statePath);
    this.#agreed = state.agreed;
    this.#identity = state.identity;
    for (const name of state.again) this.#again.set(name, LEFT_OVER);
  }

  /** Minions whose changes the server does not have yet. */
  get waiting(): number {
    return this.#changed.size;
  }

  get isDown(): boolean {
    return this.#failuresInARow > 0;
  }

  /** Has what is on the server here, as far as it can be reached, and goes on. */
  async start(): Promise<void> {
    await this.#round();
    this.#running = this.#run();
  }

  /**
   * Ends after what is under way. What still waits is found by the next start: the file is another than was agreed on.
   */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    this.#keep();
  }

  async #run(): Promise<void> {
    const { clock } = this.#deps;
    while (!this.#stopped.signal.aborted) {
      await clock.sleep(this.#pauseMs(), this.#stopped.signal);
      if (!this.#stopped.signal.aborted) await this.#round();
      if (this.#keepAtMs !== undefined && clock.monotonicMs() >= this.#keepAtMs) this.#keep();
    }
  }

  #pauseMs(): number {
    if (!this.isDown) return TICK_MS;
    const most = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** (this.#failuresInARow - 1));
    return most / 2 + this.#deps.random.fraction() * (most / 2);
  }

  /** One look at both sides. Never fails: what cannot be done now is told, and done later. */
  async #round(): Promise<void> {
    const { clock, server, log } = this.#deps;
    try {
      this.#notice();
      if (clock.monotonicMs() >= this.#lookAtMs) await this.#look();
      await this.#bringChanges();
      if (this.isDown)
        log.warning(`${server.place} is back; it has what the minion data cache has had to keep here.`);
      this.#failuresInARow = 0;
    } catch (error) {
      this.counters.failures++;
      if (!this.isDown)
        log.error(
          `The minion data cache is not brought to its server: ${messageOf(error)} Targets and mines go on with what is below cachedir; ` +
            `changes wait here until it is back (${this.waiting} minions).`,
          error,
        );
      this.#failuresInARow++;
      this.#serverMark = undefined;
    }
  }

  /** Finds what was changed here. */
  #notice(): void {
    const { cache, clock } = this.#deps;
    const { names, mark } = cache.changesSince(this.#mark);
    this.#mark = mark;
    for (const id of names ?? []) this.#changed.add(id);
    if (names !== undefined && clock.monotonicMs() < this.#scanAtMs) return;
    for (const id of this.#knownIds())
      if (BANKS.some((bank) => this.#isChanged({ id, bank }))) this.#changed.add(id);
    this.#scanAtMs = clock.monotonicMs() + SCAN_MS;
  }

  /** Minions of which anything is here, or was. */
  #knownIds(): Set<string> {
    return new Set([...this.#deps.cache.ids(), ...[...this.#agreed.keys()].map((name) => entryOf(name).id)]);
  }

  #isChanged(entry: Entry): boolean {
    const name = nameOf(entry);
    const digest = this.#file(entry)?.digest ?? ABSENT;
    return digest !== (this.#agreed.get(name)?.digest ?? ABSENT) && digest !== this.#refused.get(name);
  }

  /** Takes what others have changed on the server. */
  async #look(): Promise<void> {
    const { server, clock, ids } = this.#deps;
    const startedMs = clock.monotonicMs();
    const mark = await server.mark?.('minions');
    if (mark === undefined || mark !== this.#serverMark || this.#identity === undefined) {
      const all = new Set([...ids(), ...this.#knownIds()]);
      const entries = [...all].flatMap((id) => BANKS.map((bank) => ({ id, bank })));
      const stamps = await this.#stamps(entries);
      // after the times: what the server has lost meanwhile is not taken for what others have removed
      await this.#checkIdentity();
      const differing = entries.flatMap((entry, index): [Entry, number | undefined][] =>
        stamps[index] === this.#agreed.get(nameOf(entry))?.stamp ? [] : [[entry, stamps[index]]],
      );
      await inParts(differing, ([entry, stamp]) => this.#settle(entry, stamp));
      this.#serverMark = mark;
    }
    await this.#readAgain();
    const nowMs = clock.monotonicMs();
    this.#lookAtMs = nowMs + Math.max(LOOK_MS, (nowMs - startedMs) * LOOK_SHARE);
  }

  async #stamps(entries: readonly Entry[]): Promise<(number | undefined)[]> {
    const out: (number | undefined)[] = [];
    for (let at = 0; at < entries.length; at += ASKED_MAX)
      out.push(...(await this.#deps.server.stamps(entries.slice(at, at + ASKED_MAX).map(placeOf))));
    return out;
  }

  /** A server with other contents than those that were agreed on has nothing to say of what is missing on it. */
  async #checkIdentity(): Promise<void> {
    const { server, random, log } = this.#deps;
    const bytes = await server.fetch(IDENTITY);
    const said = bytes === undefined ? undefined : readValue(bytes);
    let identity = isDict(said) ? said.get('id') : undefined;
    if (typeof identity === 'string' && identity === this.#identity) return;
    if (this.#agreed.size > 0)
      log.warning(
        `${server.place} is another one than before, or has lost what it had: what this master remembers of minions is brought to it anew.`,
      );
    this.#agreed.clear();
    this.#refused.clear();
    this.#again.clear();
    if (typeof identity !== 'string') {
      identity = random.bytes(16).toString('hex');
      await server.store(IDENTITY, Buffer.from(encode(dict({ id: identity }), 'local')));
    }
    this.#identity = identity;
    for (const id of this.#deps.cache.ids()) this.#changed.add(id);
    this.#keepSoon();
  }

  async #readAgain(): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    const due = [...this.#again].filter(([, atMs]) => atMs <= nowMs).map(([name]) => name);
    await inParts(due, async (name) => {
      const agreed = this.#agreed.get(name);
      // what an earlier process has left may have been written in this very second
      if (this.#again.get(name) === LEFT_OVER) this.#again.set(name, nowMs + AGAIN_MS);
      else this.#again.delete(name);
      const entry = entryOf(name);
      if (agreed !== undefined && !this.#isChanged(entry)) await this.#load(entry, agreed.stamp);
    });
  }

  /** Brings what was changed here to the server. */
  async #bringChanges(): Promise<void> {
    // the contents must be known to be those that were agreed on
    if (this.#identity === undefined || this.#changed.size === 0) return;
    const ids = [...this.#changed];
    for (let at = 0; at < ids.length && !this.#stopped.signal.aborted; at += ASKED_MAX) {
      const some = ids.slice(at, at + ASKED_MAX);
      for (const id of some) this.#changed.delete(id);
      try {
        const entries = some
          .flatMap((id) => BANKS.map((bank) => ({ id, bank })))
          .filter((entry) => this.#isChanged(entry));
        const stamps = await this.#stamps(entries);
        await inParts([...entries.entries()], ([index, entry]) => this.#settle(entry, stamps[index]));
      } catch (error) {
        for (const id of some) this.#changed.add(id);
        throw error;
      }
    }
  }

  /** Makes the file and the server the same. @param stamp when the server's was stored */
  async #settle(entry: Entry, stamp: number | undefined): Promise<void> {
    const name = nameOf(entry);
    const agreed = this.#agreed.get(name);
    const file = this.#file(entry);
    const isChangedHere = this.#isChanged(entry);
    const isChangedThere = stamp !== agreed?.stamp;
    if (isChangedHere && isChangedThere && agreed !== undefined) this.counters.conflicts++;
    if (isChangedThere && stamp !== undefined && (!isChangedHere || isNewer(stamp, file)))
      return this.#load(entry, stamp);
    if (isChangedHere) return file === undefined ? this.#flush(entry) : this.#store(entry);
    if (isChangedThere) this.#remove(entry);
  }

  async #store(entry: Entry): Promise<void> {
    const { cache, server, log } = this.#deps;
    const bytes = cache.bytes(entry.id, entry.bank);
    if (bytes === undefined) return; // removed meanwhile, which is a change of its own
    const name = nameOf(entry);
    const digest = digestOf(bytes);
    try {
      this.#agree(name, { digest, stamp: await server.store(placeOf(entry), bytes) });
      this.counters.stored++;
      this.#refused.delete(name);
      this.#again.set(name, this.#deps.clock.monotonicMs() + AGAIN_MS);
    } catch (error) {
      if (error instanceof UnreachableError) throw error;
      this.counters.refused++;
      this.#refused.set(name, digest);
      log.error(
        `${server.place} does not take ${entry.bank} of the minion ${entry.id} (${bytes.length} bytes), which other masters do not have then: ${messageOf(error)}`,
      );
    }
  }

  async #flush(entry: Entry): Promise<void> {
    const { server } = this.#deps;
    const isLast = BANKS.every((bank) => this.#file({ ...entry, bank }) === undefined);
    const { bank, key } = placeOf(entry);
    await (isLast ? server.flush(bank) : server.flush(bank, key));
    for (const gone of isLast ? BANKS : [entry.bank]) this.#forget(nameOf({ ...entry, bank: gone }));
  }

  async #load(entry: Entry, stamp: number): Promise<void> {
    const { server, cache, log, clock } = this.#deps;
    const name = nameOf(entry);
    const before = this.#file(entry)?.digest;
    const bytes = await server.fetch(placeOf(entry));
    if (bytes === undefined) return; // removed meanwhile: the next look finds it
    if (this.#file(entry)?.digest !== before) return; // changed here meanwhile, which is settled by its time
    const value = bytes.length > BYTES_MAX ? undefined : readValue(bytes);
    if (!isDict(value)) {
      log.warning(
        `${server.place} has something for ${entry.bank} of the minion ${entry.id} that is no data of a minion; it is left there.`,
      );
      return this.#agree(name, { digest: this.#file(entry)?.digest ?? ABSENT, stamp });
    }
    const known = this.#agreed.get(name);
    const written = digestOf(encode(value, 'local'));
    if (written !== (this.#file(entry)?.digest ?? ABSENT)) {
      cache.write(entry.id, entry.bank, value);
      this.counters.loaded++;
    }
    this.#agree(name, { digest: written, stamp });
    if (known?.stamp !== stamp) this.#again.set(name, clock.monotonicMs() + AGAIN_MS);
  }

  #remove(entry: Entry): void {
    this.#deps.cache.remove(entry.id, entry.bank);
    this.counters.removed++;
    this.#forget(nameOf(entry));
  }

  #file({ id, bank }: Entry): FileNow | undefined {
    const { cache } = this.#deps;
    const name = nameOf({ id, bank });
    const seen = cache.seen(id, bank);
    if (seen === undefined) {
      this.#files.delete(name);
      return undefined;
    }
    const known = this.#files.get(name);
    if (known?.stamp === seen.stamp) return known.now;
    const bytes = cache.bytes(id, bank);
    if (bytes === undefined) return undefined;
    const now = { digest: digestOf(bytes), mtimeMs: seen.mtimeMs };
    this.#files.set(name, { stamp: seen.stamp, now });
    return now;
  }

  #agree(name: string, agreed: Agreed): void {
    this.#agreed.set(name, agreed);
    this.#keepSoon();
  }

  #forget(name: string): void {
    this.#agreed.delete(name);
    this.#refused.delete(name);
    this.#again.delete(name);
    this.#keepSoon();
  }

  #keepSoon(): void {
    this.#keepAtMs ??= this.#deps.clock.monotonicMs() + this.#keepMs;
  }

  #keep(): void {
    const { clock, statePath, log } = this.#deps;
    if (this.#keepAtMs === undefined) return;
    this.#keepAtMs = undefined;
    const startedMs = clock.monotonicMs();
    // what is to be read once more is read by the next start
    const agreed = [...this.#agreed].map(([name, { digest, stamp }]): Value => [
      name,
      digest,
      stamp,
      this.#again.has(name),
    ]);
    try {
      writeFileAtomic(statePath, toJson(dict({ server: this.#identity ?? null, agreed })), { mode: 0o600 });
      this.#keepMs = Math.max(KEEP_MS, (clock.monotonicMs() - startedMs) * KEEP_SHARE);
    } catch (error) {
      log.error(`What the minion data cache and its server agreed on could not be kept: ${messageOf(error)}`);
    }
  }
}

/** Of two changes the later one counts; the server tells whole seconds. */
function isNewer(stamp: number, file: FileNow | undefined): boolean {
  return file === undefined || stamp > Math.floor(file.mtimeMs / 1000);
}

function placeOf({ id, bank }: Entry): CachePlace {
  return { bank: `minions/${id}`, key: bank };
}

function nameOf({ id, bank }: Entry): string {
  return `${bank}/${id}`;
}

function entryOf(name: string): Entry {
  const [bank = '', id = ''] = name.split('/', 2);
  return { bank: bank === 'mine' ? 'mine' : 'data', id };
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

function readValue(bytes: Buffer): Value | undefined {
  try {
    return decode(bytes, 'local');
  } catch {
    return undefined; // somebody else's
  }
}

interface State {
  readonly agreed: Map<string, Agreed>;
  readonly again: string[];
  readonly identity: string | undefined;
}

function readState(path: string): State {
  const agreed = new Map<string, Agreed>();
  const again: string[] = [];
  const state = parsed(readTextIfExists(path));
  if (!isDict(state)) return { agreed, again, identity: undefined };
  const [rows, identity] = [state.get('agreed'), state.get('server')];
  for (const row of Array.isArray(rows) ? rows : []) {
    const [name, digest, stamp, isUnsure] = Array.isArray(row) ? row : [];
    if (typeof name !== 'string' || typeof digest !== 'string') continue;
    agreed.set(name, { digest, stamp: toNumber(stamp) ?? 0 });
    if (isUnsure === true) again.push(name);
  }
  return { agreed, again, identity: typeof identity === 'string' ? identity : undefined };
}

function parsed(text: string | undefined): Value | undefined {
  try {
    return text === undefined ? undefined : parseJson(text);
  } catch {
    return undefined; // as good as none: both sides are compared anew
  }
}
