/**
 * `watchdog`: tells of changes of folders (salt/beacons/watchdog.py, 3006.16), through Node's `fs.watch`. The files in
 * a folder are watched, not those in folders below it.
 */
import { lstatSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { param, readOptions, type TypedArguments } from '../../runtime/loader/params.ts';
import { defineBeacon, listToDict, VALID, type TypedBeacon, type Verdict } from '../shared/beacon/beacon.ts';

const MASKS: readonly Value[] = ['create', 'modify', 'delete', 'move'];
const EVENTS_MAX = 10_000;

type Change = 'created' | 'modified' | 'deleted' | 'moved';
const MASK_OF: Readonly<Record<Change, Value>> = {
  created: 'create',
  modified: 'modify',
  deleted: 'delete',
  moved: 'move',
};

function validate(config: Value): Verdict {
  const bad = (text: string): Verdict => [false, `Configuration for watchdog beacon ${text}`];
  if (!Array.isArray(config)) return bad('must be a list.');
  const folders = listToDict(config).get('directories');
  if (folders === undefined) return bad('must include directories.');
  if (!isDict(folders)) return bad('directories must be a dictionary.');
  for (const item of folders.values()) {
    if (!isDict(item)) return bad('directory path must be a dictionary.');
    const mask = item.get('mask');
    if (mask === undefined) continue;
    if (!Array.isArray(mask)) return bad('mask must be list.');
    if (mask.some((name) => !MASKS.includes(name))) return bad('contains invalid mask');
  }
  return VALID;
}

const FOLDER_OPTIONS = {
  mask: param.by((value) => (Array.isArray(value) ? value : MASKS), {
    type: 'list of str',
    default: null,
    doc: 'the changes that are told',
  }),
};

/** `{/path: {mask: [create]}}`. */
function readFolders(value: Value): [path: string, mask: readonly Value[]][] {
  return [...(isDict(value) ? value : [])].map(([path, options]) => [
    String(path),
    readOptions(FOLDER_OPTIONS, isDict(options) ? options : dict()).mask,
  ]);
}

const PARAMS = {
  directories: param.by(readFolders, { type: 'dict', default: null, doc: 'folders, each with its `mask`' }),
};

/** What tells one state of a file from the next. */
interface Seen {
  readonly inode: string;
  readonly state: string;
}

interface Told {
  readonly path: string;
  change: Change;
  /** Of what was deleted or created. */
  readonly inode?: string;
}

/** One folder. */
class WatchedFolder {
  readonly #path: string;
  readonly #mask: readonly Value[];
  readonly #watcher: FSWatcher;
  readonly #seen = new Map<string, Seen>();
  #told: Told[] = [];

  /** @throws what Node throws for a folder that is not there */
  constructor(path: string, mask: readonly Value[]) {
    this.#path = path;
    this.#mask = mask;
    this.#watcher = watch(path, { persistent: false }, (_kind, name) => this.#changed(name));
    this.#watcher.on('error', () => this.#watcher.close());
    for (const name of readdirSync(path)) this.#note(name);
  }

  close(): void {
    this.#watcher.close();
  }

  /** The changes since the last time that the mask lets through. */
  take(): Dict[] {
    const told = pairMoves(this.#told).filter(({ change }) => this.#mask.includes(MASK_OF[change]));
    this.#told = [];
    return withoutRepeats(told).map(({ path, change }) => dict({ tag: 'watchdog', path, change }));
  }

  #note(name: string): Seen | undefined {
    const stat = lstatSync(join(this.#path, name), { throwIfNoEntry: false });
    if (stat === undefined) {
      this.#seen.delete(name);
      return undefined;
    }
    // what a folder holds is not watched
    const state = stat.isDirectory() ? String(stat.mode) : `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}`;
    const seen = { inode: `${stat.dev}.${stat.ino}`, state };
    this.#seen.set(name, seen);
    return seen;
  }

  #changed(name: string | null): void {
    if (name === null || this.#told.length >= EVENTS_MAX) return;
    const before = this.#seen.get(name);
    const now = this.#note(name);
    const path = join(this.#path, name);
    if (before !== undefined && now?.inode !== before.inode) this.#tell(path, 'deleted', before.inode);
    if (now !== undefined && now.inode !== before?.inode) this.#tell(path, 'created', now.inode);
    else if (now !== undefined && now.state !== before?.state) this.#tell(path, 'modified');
  }

  #tell(path: string, change: Change, inode?: string): void {
    this.#told.push(inode === undefined ? { path, change } : { path, change, inode });
    this.#told.push({ path: this.#path, change: 'modified' });
  }
}

/** A file that went and came under another name has been moved; it is told under its old name. */
function pairMoves(told: readonly Told[]): Told[] {
  const out = told.map((one) => ({ ...one }));
  for (const gone of out.filter(({ change }) => change === 'deleted')) {
    const at = out.findIndex(({ change, inode }) => change === 'created' && inode === gone.inode);
    if (at < 0 || at < out.indexOf(gone)) continue;
    gone.change = 'moved';
    out.splice(at, 1);
  }
  return out;
}

/** An event that equals the one before it is told once. */
const withoutRepeats = (told: readonly Told[]): Told[] =>
  told.filter(({ path, change }, nth) => path !== told[nth - 1]?.path || change !== told[nth - 1]?.change);

/** Watches the folders of one beacon. */
class Watchdog implements TypedBeacon<typeof PARAMS> {
  readonly #folders = new Map<string, WatchedFolder>();

  look({ directories }: TypedArguments<typeof PARAMS>): readonly Dict[] {
    for (const [path, mask] of directories) {
      if (this.#folders.has(path)) continue;
      try {
        this.#folders.set(path, new WatchedFolder(path, mask));
      } catch (error) {
        throw new CommandExecutionError(`The folder ${path} cannot be watched: ${messageOf(error)}`, {
          cause: error,
        });
      }
    }
    return [...this.#folders.values()].flatMap((folder) => folder.take());
  }

  close(): void {
    for (const folder of this.#folders.values()) folder.close();
    this.#folders.clear();
  }
}

/** The beacon. */
export const watchdogBeacon = defineBeacon({
  name: 'watchdog',
  doc: 'Reports files that are created, modified, deleted or moved in folders.',
  params: PARAMS,
  validate,
  start: () => new Watchdog(),
});
