/**
 * `inotify`: tells of changes of files and folders (salt/beacons/inotify.py, 3006.16), through Node's `fs.watch`. That
 * tells names that came or went (`rename`) and contents or attributes that changed (`change`); what it was is found out
 * by looking: creating, deleting, `modify` and `attrib` are told apart, moving is seen as creating and deleting, and
 * the masks for opening, reading and closing never fire.
 */
import { lstatSync, readdirSync, statSync, watch, type FSWatcher } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../errors/errors.ts';
import { compilePattern } from '../../python/regex/pattern.ts';
import { fnmatch } from '../../python/text/fnmatch.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { param, readOptions, type TypedArguments } from '../../runtime/loader/params.ts';
import {
  defineBeacon,
  listToDict,
  VALID,
  type BeaconContext,
  type TypedBeacon,
  type Verdict,
} from '../shared/beacon/beacon.ts';

const MASKS = new Set<Value>([
  ...[
    'access',
    'attrib',
    'close_nowrite',
    'close_write',
    'create',
    'delete',
    'delete_self',
    'excl_unlink',
    'ignored',
  ],
  ...['modify', 'moved_from', 'moved_to', 'move_self', 'oneshot', 'onlydir', 'open', 'unmount'],
]);
const DEFAULT_MASK: readonly Value[] = ['create', 'delete', 'modify'];
/** What each change that is seen counts as. */
const COUNTS_AS: Readonly<Record<Change, readonly string[]>> = {
  IN_CREATE: ['create', 'moved_to'],
  IN_DELETE: ['delete', 'moved_from', 'delete_self', 'move_self'],
  IN_MODIFY: ['modify', 'close_write'],
  IN_ATTRIB: ['attrib'],
};
const EVENTS_MAX = 10_000;
const WATCHES_MAX = 10_000;

type Change = 'IN_CREATE' | 'IN_DELETE' | 'IN_MODIFY' | 'IN_ATTRIB';

/** What tells one state of a file from the next. */
interface Seen {
  readonly isFolder: boolean;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly size: number;
}

function validate(config: Value): Verdict {
  const bad = (text: string): Verdict => [false, `Configuration for inotify beacon ${text}`];
  if (!Array.isArray(config)) return bad('must be a list.');
  const files = listToDict(config).get('files');
  if (files === undefined) return bad('must include files.');
  if (!isDict(files)) return bad('invalid, files must be a dict.');
  for (const item of files.values()) {
    if (!isDict(item)) return bad('must be a list of dictionaries.');
    if (!['mask', 'recurse', 'auto_add'].some((key) => item.has(key)))
      return bad('must contain mask, recurse or auto_add items.');
    for (const key of ['auto_add', 'recurse']) {
      if (item.has(key) && typeof item.get(key) !== 'boolean') return bad(`${key} must be boolean.`);
    }
    const mask = item.get('mask');
    if (mask === undefined) continue;
    if (!Array.isArray(mask)) return bad('mask must be list.');
    const wrong = mask.find((name) => !MASKS.has(name));
    if (wrong !== undefined) return bad(`invalid mask option ${String(wrong)}.`);
  }
  return VALID;
}

/** What is not told: names, with `*` in them patterns, and with `regex` an expression. */
type Exclusion = { readonly text: string } | { readonly regex: string };

/**
 * `['/a/b', '*.swp', {'/c/.*': {regex: true}}]`. Salt compat: a mapping without `regex` excludes nothing, as in Salt.
 */
function readExclusions(value: Value): Exclusion[] {
  return (Array.isArray(value) ? value : []).flatMap((item): Exclusion[] => {
    if (!isDict(item)) return [{ text: String(item) }];
    const [[text, settings]] = [...item] as [[Value, Value]];
    const { regex } = readOptions(EXCLUSION_OPTIONS, isDict(settings) ? settings : dict());
    return regex ? [{ regex: String(text) }] : [];
  });
}

const EXCLUSION_OPTIONS = { regex: param.flag({ default: false, doc: 'the name is an expression' }) };

/** What is said of one path. */
const PATH_OPTIONS = {
  mask: param.by((value) => (Array.isArray(value) ? value : DEFAULT_MASK), {
    type: 'list of str',
    default: null,
    doc: 'the changes that are told',
  }),
  recurse: param.flag({ default: false, doc: 'folders below as well' }),
  auto_add: param.flag({ default: false, doc: 'also folders that are made later' }),
  exclude: param.by(readExclusions, { type: 'list', default: null, doc: 'paths that are not told of' }),
};

type PathOptions = TypedArguments<typeof PATH_OPTIONS>;

/** `{/path: {mask: [...]}}`. */
function readPaths(value: Value): [path: string, options: PathOptions][] {
  return [...(isDict(value) ? value : [])].map(([path, options]) => [
    String(path),
    readOptions(PATH_OPTIONS, isDict(options) ? options : dict()),
  ]);
}

const PARAMS = {
  files: param.by(readPaths, { type: 'dict', default: null, doc: 'what is watched, by path' }),
  coalesce: param.flag({ default: false, doc: 'equal changes between two looks are told once' }),
};

/** Watches the files of one beacon. */
class Watching implements TypedBeacon<typeof PARAMS> {
  readonly #ctx: BeaconContext;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #seen = new Map<string, Seen>();
  #events: Dict[] = [];

  constructor(ctx: BeaconContext) {
    this.#ctx = ctx;
  }

  look({ files, coalesce }: TypedArguments<typeof PARAMS>): readonly Dict[] {
    const told = this.#events;
    this.#events = [];
    for (const [path, options] of files) if (!this.#watchers.has(path)) this.#add(path, options, undefined);
    return coalesce ? onlyFirst(told) : told;
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#seen.clear();
    this.#events = [];
  }

  /** @param above the watched folder this one was found in */
  #add(path: string, options: PathOptions, above: string | undefined): void {
    const seen = look(path);
    if (seen === undefined || this.#watchers.has(path)) return;
    if (this.#watchers.size >= WATCHES_MAX) {
      this.#ctx.log.warning(`inotify beacon: ${path} is not watched, ${WATCHES_MAX} others are already.`);
      return;
    }
    try {
      const watcher = watch(path, { persistent: false }, (kind, name) => {
        const changed = seen.isFolder && name !== null ? join(path, name) : path;
        this.#changed(path, changed, kind, options);
      });
      watcher.on('error', () => this.#drop(path));
      this.#watchers.set(path, watcher);
    } catch (error) {
      this.#ctx.log.error(`inotify beacon: ${path} cannot be watched: ${messageOf(error)}`);
      return;
    }
    this.#seen.set(path, seen);
    if (!seen.isFolder) return;
    for (const name of readdirSync(path)) {
      const below = join(path, name);
      const inside = look(below);
      if (inside !== undefined) this.#seen.set(below, inside);
      const isDeep = options.recurse || (above !== undefined && options.auto_add);
      if (inside?.isFolder && isDeep) this.#add(below, options, path);
    }
  }

  #drop(path: string): void {
    this.#watchers.get(path)?.close();
    this.#watchers.delete(path);
  }

  #changed(watched: string, path: string, kind: string, options: PathOptions): void {
    const before = this.#seen.get(path);
    const now = look(path);
    if (now === undefined) this.#seen.delete(path);
    else this.#seen.set(path, now);
    if (now === undefined && before !== undefined && path === watched) this.#drop(path);
    const change = changeOf(before, now, kind);
    if (change === undefined) return;
    this.#tell(watched, path, change, (now ?? before)?.isFolder ?? false, options);
    if (change === 'IN_CREATE' && now?.isFolder && options.auto_add) this.#add(path, options, watched);
  }

  #tell(watched: string, path: string, change: Change, isFolder: boolean, options: PathOptions): void {
    const isWanted = COUNTS_AS[change].some((name) => options.mask.includes(name));
    if (!isWanted || this.#isExcluded(path, options.exclude)) return;
    if (this.#events.length >= EVENTS_MAX) return;
    const name = isFolder ? `${change}|IN_ISDIR` : change;
    const folder = path === watched ? watched : dirname(path);
    this.#events.push(dict({ tag: folder, path, change: name }));
  }

  #isExcluded(path: string, exclusions: readonly Exclusion[]): boolean {
    return exclusions.some((each) => {
      if ('text' in each)
        return each.text.includes('*') ? fnmatch(path, each.text) : path.startsWith(each.text);
      try {
        return compilePattern(each.regex).search(path) !== undefined;
      } catch {
        this.#ctx.log.warning(`Failed to compile regex: ${each.regex}`);
        return false;
      }
    });
  }
}

function look(path: string): Seen | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const real = stat?.isSymbolicLink() === true ? statSync(path, { throwIfNoEntry: false }) : stat;
  if (stat === undefined) return undefined;
  return {
    isFolder: (real ?? stat).isDirectory(),
    mtimeMs: (real ?? stat).mtimeMs,
    ctimeMs: (real ?? stat).ctimeMs,
    size: (real ?? stat).size,
  };
}

function changeOf(before: Seen | undefined, now: Seen | undefined, kind: string): Change | undefined {
  if (now === undefined) return before === undefined ? undefined : 'IN_DELETE';
  if (before === undefined) return 'IN_CREATE';
  if (before.mtimeMs !== now.mtimeMs || before.size !== now.size)
    return now.isFolder && kind === 'rename' ? undefined : 'IN_MODIFY';
  return before.ctimeMs === now.ctimeMs ? undefined : 'IN_ATTRIB';
}

/** With `coalesce`: each event that equals one before it is left out. */
function onlyFirst(events: readonly Dict[]): Dict[] {
  const known = new Set<string>();
  return events.filter((event) => {
    const key = `${String(event.get('path'))}\n${String(event.get('change'))}`;
    return !known.has(key) && known.add(key) !== undefined;
  });
}

/** The beacon. */
export const inotifyBeacon = defineBeacon({
  name: 'inotify',
  doc: 'Reports changes of files and folders.',
  params: PARAMS,
  validate,
  start: (ctx) => new Watching(ctx),
});
