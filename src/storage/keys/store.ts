/**
 * The keys that a master knows, in the folders of its `pki_dir` (docs/internals/keys-and-sessions.md#keys-of-minions).
 * One file per minion, named by its id; the folder says what was decided. A real Salt master on the same `pki_dir`
 * knows the same minions.
 */
import type { ErrorCode } from '../../errors/codes.ts';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  type BigIntStats,
  type Dirent,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { cleanKeyText } from '../../network/crypto/pem.ts';
import { RsaPublicKey } from '../../network/crypto/rsa.ts';
import { BrineError, UnsafePathError } from '../../errors/errors.ts';
import { systemClock, type Clock } from '../../host/clock.ts';
import { syncFolder } from '../../host/disk-sync.ts';
import {
  isValidMinionId,
  makeDirectory,
  readTextIfExists,
  safeJoin,
  writeFileAtomic,
} from '../../host/files.ts';
import { sortedIgnoringCase } from './sort.ts';

/** What was decided about a key. */
export type KeyState = 'accepted' | 'pending' | 'rejected' | 'denied';

/** Every state, in the order in which Salt lists them. */
export const KEY_STATES: readonly KeyState[] = ['accepted', 'pending', 'rejected', 'denied'];

/** The folder of each state. */
export const KEY_FOLDERS: Readonly<Record<KeyState, string>> = {
  accepted: 'minions',
  pending: 'minions_pre',
  rejected: 'minions_rejected',
  denied: 'minions_denied',
};

/** While it is there nobody decides about keys: it holds the reason. */
const CLOSED_FILE = '.decisions_closed';
const AUTOSIGN_FOLDER = 'minions_autosign';
const KEY_FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
/** A key of 16384 bits takes 3 kB; anything much larger is no key. */
const KEY_FILE_SIZE_MAX_BYTES = 65_536;
/** Keys that nobody decided about yet and keys that were refused: an attacker must not fill the disk with them. */
const UNDECIDED_MAX = 100_000;
/** How long the count of undecided keys may be old. */
const COUNT_AGE_MAX_MS = 5_000;
/** A folder that changed this recently may change again without a new time stamp. */
const RACY_MS = 100;

/** A key cannot be stored, because too many wait for a decision already. */
export class KeyStoreFullError extends BrineError {
  static override readonly errorCode: ErrorCode = 'key-store-full';
  override readonly name = 'KeyStoreFullError';
}

/** Nobody decides about keys now: the masters that share them could not be told. Nothing was changed. */
export class DecisionsClosedError extends BrineError {
  static override readonly errorCode: ErrorCode = 'not-reachable';
  override readonly name = 'DecisionsClosedError';
}

/** Where the store finds things and what it is limited to. */
export interface KeyStoreOptions {
  readonly clock?: Clock;
  /** Most keys that may be pending, and most that may be denied; default 100,000 each. */
  readonly undecidedMax?: number;
}

/**
 * True when a key may be stored under this id: valid as Salt sees it, and not hidden. Names that begin with a dot never
 * show in lists, and `.key_cache` is Salt's own file.
 */
export function isStorableId(id: unknown): id is string {
  return isValidMinionId(id) && !id.startsWith('.');
}

/** The keys below one `pki_dir`. Every method works on the disk as it is; several processes may do so at once. */
export class KeyStore {
  readonly pkiDir: string;
  /** Keys refused because the store was full. */
  refusedFull = 0;
  readonly #clock: Clock;
  readonly #undecidedMax: number;
  readonly #lists = new Map<KeyState, { stamp: string; ids: readonly string[] }>();
  readonly #counts = new Map<KeyState, { count: number; atMs: number }>();
  #racy = 0;
  /** Folders whose names the disk itself does not have yet, while {@link together} gathers them. */
  #gathered: Set<string> | undefined;

  constructor(pkiDir: string, { clock = systemClock, undecidedMax = UNDECIDED_MAX }: KeyStoreOptions = {}) {
    this.pkiDir = pkiDir;
    this.#clock = clock;
    this.#undecidedMax = undecidedMax;
  }

  /**
   * Creates the folders that are missing, with Salt's modes: `pki_dir` 0700 (0750 is left alone), the others 0755
   * (salt/utils/verify.py verify_env).
   */
  ensureFolders(): void {
    makeDirectory(this.pkiDir, 0o700);
    const mode = statSync(this.pkiDir).mode & 0o777;
    if (mode !== 0o700 && mode !== 0o750) chmodSync(this.pkiDir, 0o700);
    for (const folder of [...Object.values(KEY_FOLDERS), AUTOSIGN_FOLDER]) {
      makeDirectory(join(this.pkiDir, folder), FOLDER_MODE);
    }
  }

  /**
   * What was decided about an id. A rejected key counts before an accepted one, that before a pending one; denied means
   * that nothing else is known (the order of salt/channel/server.py _auth).
   */
  state(id: string): KeyState | undefined {
    const order: readonly KeyState[] = ['rejected', 'accepted', 'pending', 'denied'];
    return order.find((state) => this.has(id, state));
  }

  /** True when there is a key of this id in this state, whatever other states it is in. */
  has(id: string, state: KeyState): boolean {
    return isStorableId(id) && this.#keyFile(this.#path(id, state)) !== undefined;
  }

  /** The cleaned text of a key, as it is compared and sent; undefined when there is none. */
  readKey(id: string, state: KeyState): string | undefined {
    const text = this.readFile(id, state);
    return text === undefined ? undefined : cleanKeyText(text);
  }

  /** The file of a key as it is, for fingerprints and display; undefined when there is none. */
  readFile(id: string, state: KeyState): string | undefined {
    if (!isStorableId(id)) return undefined;
    const path = this.#keyFile(this.#path(id, state));
    return path === undefined ? undefined : readSmallFile(path);
  }

  /** Stores a key as accepted. @throws BadKeyError, UnsafePathError; DecisionsClosedError */
  writeAccepted(id: string, key: string): void {
    this.#write(id, 'accepted', key);
  }

  /** Stores a key as pending. @throws BadKeyError, UnsafePathError, KeyStoreFullError */
  writePending(id: string, key: string): void {
    this.#write(id, 'pending', key);
  }

  /** Stores a key as rejected. @throws BadKeyError, UnsafePathError */
  writeRejected(id: string, key: string): void {
    this.#write(id, 'rejected', key);
  }

  /** Stores the key that was last presented for an id whose own key is another. @throws as writePending */
  writeDenied(id: string, key: string): void {
    this.#write(id, 'denied', key);
  }

  /**
   * Moves a key from one state to another; a key that is already there is replaced. The disk has it then.
   * @returns false when there is none in the state `from`
   * @throws DecisionsClosedError
   */
  move(id: string, from: KeyState, to: KeyState): boolean {
    if (!this.has(id, from)) return false;
    this.#requireOpen();
    try {
      renameSync(this.#path(id, from), this.#path(id, to));
      this.#sync(this.#path(id, to), this.#path(id, from));
    } catch (error) {
      if (isMissing(error) && !this.has(id, from)) return false;
      throw error;
    }
    return true;
  }

  /** Removes a key, from the disk itself, too. @returns false when there was none */
  remove(id: string, state: KeyState): boolean {
    if (!this.has(id, state)) return false;
    this.#requireOpen();
    const isRemoved = removeFile(this.#path(id, state));
    if (isRemoved) this.#sync(this.#path(id, state));
    return isRemoved;
  }

  /** Brings what many calls have moved and removed to the disk once, at the end. @returns what `run` returns */
  together<T>(run: () => T): T {
    const gathered = (this.#gathered = new Set<string>());
    try {
      return run();
    } finally {
      this.#gathered = undefined;
      gathered.forEach(syncFolder);
    }
  }

  /** Has the disk know of names that have come and gone. */
  #sync(...paths: readonly string[]): void {
    const folders = new Set(paths.map((path) => dirname(path)));
    for (const folder of folders) {
      if (this.#gathered === undefined) syncFolder(folder);
      else this.#gathered.add(folder);
    }
  }

  /**
   * The ids in a state, sorted without regard to case as Salt lists them. Cheap to call often: the folder is read only
   * when its time stamp has changed.
   * @throws every error but that the folder is missing: an unreadable folder is not an empty one
   */
  list(state: KeyState): readonly string[] {
    const stamp = this.stamp([state]);
    const known = this.#lists.get(state);
    if (known !== undefined && known.stamp === stamp) return known.ids;
    const folder = join(this.pkiDir, KEY_FOLDERS[state]);
    const ids = sortedIgnoringCase(this.#idsIn(folder));
    this.#lists.set(state, { stamp, ids });
    this.#counts.set(state, { count: ids.length, atMs: this.#clock.nowMs() });
    return ids;
  }

  /**
   * A text that changes whenever a key comes, goes or moves in one of the states. Equal texts mean that nothing has
   * happened; shortly after a change it differs from call to call, because the time stamps of the disk are coarse.
   * The rewriting of a key file in place, which Salt does in open mode, does not show.
   */
  stamp(states: readonly KeyState[] = KEY_STATES): string {
    return states
      .map((state) => {
        const stats = statSync(join(this.pkiDir, KEY_FOLDERS[state]), {
          bigint: true,
          throwIfNoEntry: false,
        });
        if (stats === undefined) return '-';
        const settled = Number(stats.mtimeMs) + RACY_MS < this.#clock.nowMs();
        return `${stats.dev}:${stats.ino}:${stats.mtimeNs}${settled ? '' : `~${++this.#racy}`}`;
      })
      .join(' ');
  }

  /** The key files of the master itself in `pki_dir`: names that end in `.pem` or `.pub`. */
  localKeys(): string[] {
    const names = readdirSync(this.pkiDir).filter((name) => name.endsWith('.pub') || name.endsWith('.pem'));
    const isFile = (name: string): boolean =>
      statSync(join(this.pkiDir, name), { throwIfNoEntry: false })?.isFile() === true;
    return sortedIgnoringCase(names.filter(isFile));
  }

  /** The file of one of the master's own keys as it is; undefined when there is none. */
  readLocalKey(name: string): string | undefined {
    return readSmallFile(safeJoin(this.pkiDir, name));
  }

  /**
   * True when an admin has left a stub that accepts this id once; the stub is used up. Stubs that are too old go first.
   * @param timeoutMinutes `autosign_timeout`; 0 keeps stubs for ever
   */
  takeAutosignStub(id: string, timeoutMinutes: number): boolean {
    if (timeoutMinutes > 0) this.#expireAutosignStubs(timeoutMinutes);
    if (!isStorableId(id)) return false;
    return removeFile(safeJoin(this.pkiDir, AUTOSIGN_FOLDER, id));
  }

  #expireAutosignStubs(timeoutMinutes: number): void {
    const folder = join(this.pkiDir, AUTOSIGN_FOLDER);
    const oldestMs = this.#clock.nowMs() - timeoutMinutes * 60_000;
    for (const name of readFolder(folder)) {
      const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
      if (stats?.isFile() && stats.mtimeMs < oldestMs) removeFile(join(folder, name));
    }
  }

  /**
   * Closes the folder to decisions, because the other masters that have these keys could not be told of them.
   * @param reason a sentence, which whoever decides about a key is refused with; undefined opens it again
   */
  closeToDecisions(reason: string | undefined): void {
    const path = join(this.pkiDir, CLOSED_FILE);
    if (reason === undefined) rmSync(path, { force: true });
    else writeFileAtomic(path, `${reason}\n`, { mode: 0o644 });
  }

  #requireOpen(): void {
    const reason = readTextIfExists(join(this.pkiDir, CLOSED_FILE))?.trim();
    if (reason !== undefined && reason !== '') throw new DecisionsClosedError(reason);
  }

  #write(id: string, state: KeyState, key: string): void {
    if (!isStorableId(id)) {
      throw new UnsafePathError(`A key cannot be stored under the minion id ${JSON.stringify(id)}.`);
    }
    if (state === 'accepted' || state === 'rejected') this.#requireOpen();
    const { pem } = RsaPublicKey.parse(key);
    const path = this.#path(id, state);
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      throw new UnsafePathError(
        `The key of ${JSON.stringify(id)} cannot be stored: ${path} is a folder. Remove it.`,
      );
    }
    const decided = state === 'accepted' || state === 'rejected';
    if (!decided) this.#makeRoom(id, state);
    writeFileAtomic(path, pem, { mode: KEY_FILE_MODE, durable: decided });
  }

  /** Refuses a new undecided key when there are too many; the count is a few seconds old at most. */
  #makeRoom(id: string, state: KeyState): void {
    if (this.has(id, state)) return;
    let known = this.#counts.get(state);
    if (known === undefined || this.#clock.nowMs() - known.atMs > COUNT_AGE_MAX_MS) {
      known = { count: this.list(state).length, atMs: this.#clock.nowMs() };
      this.#counts.set(state, known);
    }
    if (known.count >= this.#undecidedMax) {
      this.refusedFull++;
      throw new KeyStoreFullError(
        `The key of ${JSON.stringify(id)} is not stored: ${known.count} keys are ${state} already. ` +
          `Decide about them or delete them with salt-key.`,
      );
    }
    known.count++;
  }

  #path(id: string, state: KeyState): string {
    return safeJoin(this.pkiDir, KEY_FOLDERS[state], id);
  }

  #idsIn(folder: string): string[] {
    const ids: string[] = [];
    for (const entry of readEntries(folder)) {
      if (!isStorableId(entry.name)) continue;
      if (entry.isFile() || this.#keyFile(join(folder, entry.name)) !== undefined) ids.push(entry.name);
    }
    return ids;
  }

  /**
   * The regular file behind a path: itself, or the end of a link that stays below `pki_dir`. Anything else is no key:
   * a link out of the folder would show or copy what the master may read and others may not.
   */
  #keyFile(path: string): string | undefined {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile()) return path;
    if (!stats?.isSymbolicLink()) return undefined;
    try {
      const target = realpathSync(path);
      if (!this.#roots(path).some((root) => target.startsWith(root + sep))) return undefined;
      return statSync(target).isFile() ? target : undefined;
    } catch {
      return undefined; // it leads nowhere
    }
  }

  /** The folders, links resolved, that a link may lead into: `pki_dir`, and the state's folder, which may be a link. */
  #roots(path: string): string[] {
    return [this.pkiDir, join(path, '..')].map((folder) => realpathSync(folder));
  }
}

/** A small regular file; undefined when it is missing, too large or no file. Never waits, whatever it is. */
function readSmallFile(path: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const stats: BigIntStats = fstatSync(fd, { bigint: true });
    if (!stats.isFile() || stats.size > KEY_FILE_SIZE_MAX_BYTES) return undefined;
    const buffer = Buffer.alloc(Number(stats.size));
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(fd);
  }
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function readFolder(folder: string): string[] {
  return readEntries(folder).map((entry) => entry.name);
}

function removeFile(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
