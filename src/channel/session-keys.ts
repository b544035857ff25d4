/**
 * The session key of each minion (protocol version 3): `<cachedir>/sessions/<id>`, mode 0600, made when the minion
 * authenticates and made anew when older than `publish_session` (wire-protocol.md, 2.7). Unlike Salt's, a session exists
 * for accepted minions only.
 */
import { existsSync, rmSync, statSync } from 'node:fs';
import { Crypticle, generateKeyString, isKeyString } from '../crypto/crypticle.ts';
import type { Clock } from '../host/clock.ts';
import {
  isValidMinionId,
  makeDirectory,
  readTextIfExists,
  safeJoin,
  writeFileAtomic,
} from '../host/files.ts';
import { Secret } from '../host/secret.ts';
import { BoundedMap } from '../host/bounded-map.ts';

/** Beside the folder of sessions: a file whose age says which of them have ended. */
const FLOOR_SUFFIX = '.floor';
/** Sessions kept in memory; the file is read again for others. */
const CACHED_MAX = 50_000;

interface Entry {
  readonly crypticle: Crypticle;
  readonly madeAtMs: number;
}

/** Reads and makes session keys. */
export class SessionKeys {
  readonly #directory: string;
  readonly #lifetimeMs: number;
  readonly #clock: Clock;
  readonly #cache = new BoundedMap<string, Entry>(CACHED_MAX);
  /** Sessions made before this are refused here. */
  #floorMs = -Infinity;

  /** @param lifetimeMs `publish_session` */
  constructor(directory: string, lifetimeMs: number, clock: Clock) {
    this.#directory = directory;
    this.#lifetimeMs = lifetimeMs;
    this.#clock = clock;
    makeDirectory(directory, 0o700);
  }

  /**
   * Ends every session made so far, for this process at once and for all when their minions next authenticate. A process that
   * begins without a memory of the requests it has served must not open recordings of them.
   */
  beginAnew(): void {
    writeFileAtomic(this.#floorPath, '', { mode: 0o600 });
    this.#floorMs = this.#sharedFloorMs();
  }

  /** The session of a minion that has one, from memory if it is still fresh there. */
  get(id: string): Crypticle | undefined {
    const known = this.#cache.get(id);
    return known !== undefined && this.#isFresh(known) ? known.crypticle : this.reload(id);
  }

  /** Whether there is a session, also one that has ended by its age: its minion has authenticated since its key was accepted. */
  has(id: string): boolean {
    return isValidMinionId(id) && existsSync(safeJoin(this.#directory, id));
  }

  /** The session as the file has it now: another process may have made a new one. */
  reload(id: string): Crypticle | undefined {
    if (!isValidMinionId(id)) return undefined;
    const path = safeJoin(this.#directory, id);
    const text = readTextIfExists(path)?.trim();
    if (text === undefined || !isKeyString(text)) {
      this.#cache.delete(id);
      return undefined;
    }
    const entry = { crypticle: new Crypticle(new Secret(text)), madeAtMs: statSync(path).mtimeMs };
    if (entry.madeAtMs < this.#floorMs) {
      this.#cache.delete(id);
      return undefined;
    }
    this.#cache.set(id, entry);
    return entry.crypticle;
  }

  /** The session of a minion that has just proved who it is; made when there is none or it is too old. */
  ensure(id: string): Crypticle {
    // the file, not our memory: salt-key or another worker may have ended the session
    const known = this.reload(id);
    const entry = this.#cache.get(id);
    const floorMs = this.#sharedFloorMs();
    if (known !== undefined && entry !== undefined && entry.madeAtMs >= floorMs && this.#isFresh(entry))
      return known;
    const key = generateKeyString();
    const path = safeJoin(this.#directory, id);
    writeFileAtomic(path, key.reveal(), { mode: 0o600 });
    const crypticle = new Crypticle(key);
    this.#cache.set(id, { crypticle, madeAtMs: statSync(path).mtimeMs });
    return crypticle;
  }

  /** Ends a session, when its minion's key is deleted or replaced. */
  remove(id: string): void {
    this.#cache.delete(id);
    if (isValidMinionId(id)) rmSync(safeJoin(this.#directory, id), { force: true });
  }

  get #floorPath(): string {
    return `${this.#directory}${FLOOR_SUFFIX}`;
  }

  #sharedFloorMs(): number {
    return statSync(this.#floorPath, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
  }

  #isFresh(entry: Entry): boolean {
    return this.#clock.nowMs() - entry.madeAtMs < this.#lifetimeMs;
  }
}
