/**
 * The public keys of accepted minions, as requests are checked against them. The file is looked at each time, so that a
 * deleted key ends its minion's access at once; the key is parsed, and a token checked, only when something is new.
 */
import { readFileSync, statSync } from 'node:fs';
import { RsaPublicKey } from '../crypto/rsa.ts';
import { BoundedMap } from '../host/bounded-map.ts';
import { isValidMinionId, safeJoin } from '../host/files.ts';

const CACHED_MAX = 50_000;
/** What a minion signs to show that it holds its key (wire-protocol.md, 3.3). */
const TOKEN_TEXT = Buffer.from('salt');

interface Entry {
  readonly fileMark: string;
  readonly key: RsaPublicKey | undefined;
  /** The token that was last found good: it never changes for a key. */
  goodToken: Buffer | undefined;
}

/** Reads `<pki_dir>/minions`. */
export class AcceptedKeys {
  readonly #directory: string;
  readonly #cache = new BoundedMap<string, Entry>(CACHED_MAX);

  constructor(directory: string) {
    this.#directory = directory;
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
    entry.goodToken = Buffer.from(token);
    return true;
  }

  #entry(id: string): Entry | undefined {
    if (!isValidMinionId(id)) return undefined;
    const path = safeJoin(this.#directory, id);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) {
      this.#cache.delete(id);
      return undefined;
    }
    const fileMark = `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
    const known = this.#cache.get(id);
    if (known?.fileMark === fileMark) return known;
    const entry: Entry = { fileMark, key: readKey(path), goodToken: undefined };
    this.#cache.set(id, entry);
    return entry;
  }
}

function readKey(path: string): RsaPublicKey | undefined {
  try {
    return RsaPublicKey.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
