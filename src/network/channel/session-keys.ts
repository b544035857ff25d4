/**
 * The session key of each minion (protocol version 3): `<cachedir>/sessions/<id>`, mode 0600, made when the minion
 * authenticates and made anew when older than `publish_session` (docs/internals/keys-and-sessions.md#session-keys).
 * Unlike Salt's, a session exists for accepted minions only.
 */
import { existsSync, rmSync, statSync, utimesSync } from 'node:fs';
import { Crypticle, generateKeyString, isKeyString } from '../crypto/crypticle.ts';
import type { Clock } from '../../host/clock.ts';
import {
  isValidMinionId,
  makeDirectory,
  overwriteFile,
  readTextIfExists,
  safeJoin,
  writeFileAtomic,
} from '../../host/files.ts';
import { Secret } from '../../host/secret.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import { elsewhereFolder, SessionsElsewhere } from './sessions-elsewhere.ts';

/** Beside the folder of sessions: a file whose age says which of them have ended. */
const FLOOR_SUFFIX = '.floor';
/** Sessions kept in memory; the file is read again for others. */
const CACHED_MAX = 50_000;

/** A file that is dated further ahead is from before the clock was set back. */
const AHEAD_MAX_MS = 60_000;

interface Entry {
  readonly crypticle: Crypticle;
  readonly madeAtMs: number;
  /** Of the standing under which it was read; not set for one that was made here. */
  readonly generation: number | undefined;
}

/** Which sessions count, as the guard against replays says it. */
export interface SessionStanding {
  /** Those made before this have ended, ms. */
  readonly sessionsFromMs: number;
  /** When it changes, what was remembered under another one is read again. */
  readonly generation: number;
}

const ALL_COUNT: SessionStanding = { sessionsFromMs: -Infinity, generation: 0 };

/** Reads and makes session keys. */
export class SessionKeys {
  readonly #directory: string;
  readonly #lifetimeMs: number;
  readonly #clock: Clock;
  readonly #cache = new BoundedMap<string, Entry>(CACHED_MAX);
  /** Those that other masters of a cluster have given. */
  readonly elsewhere: SessionsElsewhere;

  /** @param lifetimeMs `publish_session` */
  constructor(directory: string, lifetimeMs: number, clock: Clock) {
    this.#directory = directory;
    this.#lifetimeMs = lifetimeMs;
    this.#clock = clock;
    this.elsewhere = new SessionsElsewhere(elsewhereFolder(directory), clock);
    makeDirectory(directory, 0o700);
  }

  /**
   * Ends every session made so far. A guard against replays that begins without a memory of the requests that were
   * served must not let recordings of them be opened.
   * @returns the time from which sessions count, ms
   */
  beginAnew(): number {
    writeFileAtomic(this.#floorPath, '', { mode: 0o600 });
    return this.#floorMs();
  }

  /** The session of a minion that has one, from memory if it is still fresh there. */
  get(id: string, standing = ALL_COUNT): Crypticle | undefined {
    const known = this.#cache.get(id);
    const isKnown =
      known !== undefined &&
      known.generation === standing.generation &&
      known.madeAtMs >= standing.sessionsFromMs &&
      this.#isFresh(known);
    return isKnown ? known.crypticle : this.reload(id, standing);
  }

  /**
   * Whether there is a session, also one that has ended by its age: its minion has authenticated since its key was
   * accepted.
   */
  has(id: string): boolean {
    return (isValidMinionId(id) && existsSync(safeJoin(this.#directory, id))) || this.elsewhere.has(id);
  }

  /** The session as the file has it now: another process may have made a new one. */
  reload(id: string, standing = ALL_COUNT): Crypticle | undefined {
    if (!isValidMinionId(id)) return undefined;
    const path = safeJoin(this.#directory, id);
    const text = readTextIfExists(path)?.trim();
    if (text === undefined || !isKeyString(text)) {
      this.#cache.delete(id);
      return undefined;
    }
    const madeAtMs = statSync(path).mtimeMs;
    const { sessionsFromMs, generation } = standing;
    const latestMs = Math.max(this.#clock.nowMs(), sessionsFromMs) + AHEAD_MAX_MS;
    if (madeAtMs < sessionsFromMs || madeAtMs > latestMs) {
      this.#cache.delete(id);
      return undefined;
    }
    const crypticle = new Crypticle(new Secret(text));
    this.#cache.set(id, { crypticle, madeAtMs, generation });
    return crypticle;
  }

  /** The session of a minion that has just proved who it is; made when there is none or it is too old. */
  ensure(id: string): Crypticle {
    // the file, not our memory: salt-key or another worker may have ended the session
    const floorMs = this.#floorMs();
    const known = this.reload(id, { sessionsFromMs: floorMs, generation: 0 });
    const entry = this.#cache.get(id);
    if (known !== undefined && entry !== undefined && this.#isFresh(entry)) return known;
    const key = generateKeyString();
    const path = safeJoin(this.#directory, id);
    // a torn one opens nothing, and is read anew
    overwriteFile(path, key.reveal(), { mode: 0o600 });
    // the clock may have been set back since the sessions before this one ended
    if (statSync(path).mtimeMs < floorMs) {
      const seconds = (Math.ceil(floorMs) + 1) / 1000;
      utimesSync(path, seconds, seconds);
    }
    const crypticle = new Crypticle(key);
    this.#cache.set(id, { crypticle, madeAtMs: statSync(path).mtimeMs, generation: undefined });
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

  #floorMs(): number {
    return statSync(this.#floorPath, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
  }

  #isFresh(entry: Entry): boolean {
    return this.#clock.nowMs() - entry.madeAtMs < this.#lifetimeMs;
  }
}
