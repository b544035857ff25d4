/**
 * The public keys of accepted minions, as requests are checked against them. Their folder is looked at every few
 * milliseconds, so that a deleted key ends its minion's access at once, and a key's own file when the folder has
 * changed or a second has passed; the key is parsed, and a token checked, only when something is new.
 */
import { readFileSync, statSync, type Stats } from 'node:fs';
import { RsaPublicKey } from '../crypto/rsa.ts';
import type { Clock } from '../../host/clock.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import { isValidMinionId, safeJoin } from '../../host/files.ts';
import { lastingCopy } from '../../host/lasting-bytes.ts';

const CACHED_MAX = 50_000;
/** What a minion signs to show that it holds its key (docs/internals/wire-protocol.md#requests). */
const TOKEN_TEXT = Buffer.from('salt');

/** How long the state of the folder is taken for granted. */
const FOLDER_GLANCE_MS = 5;
/** How long a key's own file is, while nothing is added to the folder, removed or renamed. */
const FILE_GLANCE_MS = 1_000;

interface Entry {
  readonly fileMark: string;
  /** When the file was last looked at, and what its folder looked like. */
  seenAtMs: number;
  folderMark: string;
  readonly key: RsaPublicKey | undefined;
  /** The token that was last found good: it never changes for a key. */
  goodToken: Buffer | undefined;
}

/** Reads `<pki_dir>/minions`. */
export class AcceptedKeys {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #cache = new BoundedMap<string, Entry>(CACHED_MAX);
  #folderMark = '';
  #folderSeenAtMs = -Infinity;

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** The key of an accepted minion; undefined when it is not accepted or its file is no usable key. */
  get(id: string): RsaPublicKey | undefined {
    return this.#entry(id)?.key;
  }

  /** True when the token shows that its sender holds the key accepted for this id. */
  verifyToken(id: string, token: Buffer): boolean {
    const entry = this.#entry(id);
    if (entry?.key === undefined) return false;
    if (entry.goodToken?.equals(token)) return true;
    if (!entry.key.opensTo(token, TOKEN_TEXT)) return false;
    entry.goodToken = lastingCopy(token);
    return true;
  }

  #entry(id: string): Entry | undefined {
    const nowMs = this.#clock.monotonicMs();
    const folderMark = this.#lookAtFolder(nowMs);
    const known = this.#cache.get(id);
    if (known?.folderMark === folderMark && nowMs - known.seenAtMs < FILE_GLANCE_MS) return known;
    if (!isValidMinionId(id)) return undefined;
    const path = safeJoin(this.#directory, id);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) {
      this.#cache.delete(id);
      return undefined;
    }
    const fileMark = markOf(stat);
    if (known?.fileMark === fileMark) {
      known.seenAtMs = nowMs;
      known.folderMark = folderMark;
      return known;
    }
    const entry: Entry = { fileMark, seenAtMs: nowMs, folderMark, key: readKey(path), goodToken: undefined };
    this.#cache.set(id, entry);
    return entry;
  }

  #lookAtFolder(nowMs: number): string {
    if (nowMs - this.#folderSeenAtMs < FOLDER_GLANCE_MS) return this.#folderMark;
    const stat = statSync(this.#directory, { throwIfNoEntry: false });
    this.#folderMark = stat === undefined ? '' : markOf(stat);
    this.#folderSeenAtMs = nowMs;
    return this.#folderMark;
  }
}

function markOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

function readKey(path: string): RsaPublicKey | undefined {
  try {
    return RsaPublicKey.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
