/**
 * The machine of `test/fixtures/machine`, `machine.yaml` with what the subjects bring: its files and programs, laid out
 * in a folder (or, in a sandbox, in their places), what calls have changed on it, and putting it back.
 */
import fs, {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pyStr } from '../../src/python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { loadYaml } from '../../src/formats/yaml/load.ts';
import { entriesOf } from './machine-subjects.ts';

/** A file, a link or (its path ends with `/`) a folder. */
export interface MachineFile {
  readonly path: string;
  readonly content: Buffer;
  readonly link: string | undefined;
  readonly mode: number;
  readonly owner: readonly [uid: number, gid: number];
}

/** All of the machine. */
export interface Machine {
  /** Folders in which the machine has only its own files. */
  readonly folders: readonly string[];
  /** What a sandbox keeps of its host in these folders. */
  readonly kept: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Programs of the host that only handle what they are given. */
  readonly base: readonly string[];
  readonly files: readonly MachineFile[];
  /** Programs of the machine: the text of each script. */
  readonly programs: ReadonlyMap<string, string>;
}

const SOURCE = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test/fixtures/machine/machine.yaml');
const IS_ROOT = process.getuid?.() === 0;
const PROGRAM_FOLDER = '/usr/bin';

/** Reads the description. */
export function readMachine(): Machine {
  const whole = loadYaml(readFileSync(SOURCE, 'utf8'));
  const part = (name: string): Value => (isDict(whole) ? (whole.get(name) ?? null) : null);
  const texts = (name: string): string[] => (part(name) as Value[]).map(pyStr);
  const entries = (name: string): [string, Value][] =>
    [...(part(name) as Dict)].map(([key, value]) => [pyStr(key), value]);
  return {
    folders: texts('folders'),
    kept: texts('kept'),
    base: texts('base'),
    environment: Object.fromEntries(entries('environment').map(([key, value]) => [key, pyStr(value)])),
    files: [...entries('files'), ...entriesOf('files')].map(([path, given]) => machineFile(path, given)),
    programs: new Map(
      [...entries('programs'), ...entriesOf('programs')].map(([name, text]) => [name, pyStr(text)]),
    ),
  };
}

/** A file of a machine as it is written down. */
export function machineFile(path: string, given: Value): MachineFile {
  const spec: Dict = isDict(given) ? given : new Map([['text', given]]);
  const text = (name: string): string | undefined => {
    const value = spec.get(name);
    return value === undefined ? undefined : pyStr(value);
  };
  const base64 = text('base64');
  const [uid = 0, gid = 0] = (text('owner') ?? '0:0').split(':').map(Number);
  return {
    path,
    content: base64 === undefined ? Buffer.from(text('text') ?? '') : Buffer.from(base64, 'base64'),
    link: text('link'),
    mode: parseInt(text('mode') ?? (path.endsWith('/') ? '0755' : '0644'), 8),
    owner: [uid, gid],
  };
}

/** The script of a program. Each can say what it was called with (`act`) or that it has no answer (`unanswered`). */
function scriptOf(name: string, text: string): string {
  if (text.startsWith('#!/usr/bin/python')) return text;
  const head = [
    '#!/bin/sh',
    `name=${name}`,
    'act() { printf "%s\\n" "$name $*" >> "$MACHINE/var/log/acts"; }',
    'unanswered() { printf "%s\\n" "$name $*" >> "$MACHINE/var/log/unanswered"; echo "$name: not recorded" >&2; exit 99; }',
  ];
  return [...head, text === 'act' ? 'act "$@"' : text, ''].join('\n');
}

/**
 * Lays files and programs out.
 * @param root the folder that stands for `/`; empty for `/` itself, in a sandbox that is thrown away
 */
export function layMachine(machine: Machine, root: string): void {
  for (const folder of machine.folders) mkdirSync(root + folder, { recursive: true });
  for (const file of machine.files) layFile(root, file);
  mkdirSync(root + PROGRAM_FOLDER, { recursive: true });
  if (root !== '') {
    for (const name of ['bin', 'sbin', 'lib']) symlinkSync(`usr/${name}`, join(root, name));
    mkdirSync(join(root, 'usr/sbin'));
    for (const name of machine.base)
      writeFileSync(
        join(root, PROGRAM_FOLDER, name),
        `#!/bin/sh\nPATH=${process.env['PATH'] ?? ''} exec ${name} "$@"\n`,
        { mode: 0o755 },
      );
  }
  for (const [name, text] of machine.programs)
    writeFileSync(join(`${root}${PROGRAM_FOLDER}`, name), scriptOf(name, text), { mode: 0o755 });
}

function layFile(root: string, { path, content, link, mode, owner }: MachineFile): void {
  const full = root + path;
  if (path.endsWith('/')) mkdirSync(full, { recursive: true });
  else {
    mkdirSync(dirname(full), { recursive: true });
    if (link === undefined) writeFileSync(full, content);
    else symlinkSync(link, full);
  }
  if (link === undefined) chmodSync(full, mode);
  if (IS_ROOT) lchownSync(full, ...owner);
}

/** What stands at a path. */
export type TreeEntry = readonly [
  kind: 'file' | 'dir' | 'link' | 'other',
  mode: string,
  owner: string,
  content: string,
];
/** What calls have changed: paths, with nothing where something is gone. */
export type TreeChange = readonly [path: string, now: TreeEntry | null];

/** What was seen at a path. */
interface Seen {
  readonly stat: Stats;
  readonly entry: TreeEntry;
  /** What a folder had, when it had been as it was for a while. */
  names?: readonly string[];
}

/** What was seen at paths before: files that were not written since are not read again, nor folders listed. */
export type SeenEntries = Map<string, Seen>;

/**
 * A folder that changed so shortly before it was listed may have changed once more within the same tick of the clock,
 * which its times do not tell.
 */
const STEADY_MS = 1000;

function namesIn(full: string, known: Seen): readonly string[] {
  if (known.names !== undefined) return known.names;
  const isSteady = Date.now() - known.stat.ctimeMs > STEADY_MS;
  const names = look.readdir(full);
  if (isSteady) known.names = names;
  return names;
}

/** Whether nothing was written since, nor given to somebody else. */
function isUntouched(stat: Stats, before: Stats): boolean {
  return (
    stat.ino === before.ino &&
    stat.size === before.size &&
    stat.mode === before.mode &&
    stat.uid === before.uid &&
    stat.gid === before.gid &&
    stat.mtimeMs === before.mtimeMs &&
    stat.ctimeMs === before.ctimeMs
  );
}

function entryOf(full: string, stat: Stats): TreeEntry {
  const mode = (stat.mode & 0o7777).toString(8).padStart(4, '0');
  const owner = `${stat.uid}:${stat.gid}`;
  if (stat.isSymbolicLink()) return ['link', '0777', owner, look.readlink(full)];
  if (stat.isFile()) return ['file', mode, owner, look.read(full, 'latin1')];
  return [stat.isDirectory() ? 'dir' : 'other', mode, owner, ''];
}

// taken before any view is open: a snapshot is of what is really there
const look = {
  lstat: fs.lstatSync,
  read: fs.readFileSync,
  readdir: fs.readdirSync,
  readlink: fs.readlinkSync,
};

/** A snapshot of folders: by path, as it is without the root. */
export function snapshotOf(
  root: string,
  folders: readonly string[],
  { left = [], seen = new Map() }: { readonly left?: readonly string[]; readonly seen?: SeenEntries } = {},
): Map<string, TreeEntry> {
  const out = new Map<string, TreeEntry>();
  const visit = (path: string): void => {
    if (left.includes(path)) return;
    const full = root + path;
    const stat = look.lstat(full, { throwIfNoEntry: false });
    if (stat === undefined) return;
    let known = seen.get(full);
    if (known === undefined || !isUntouched(stat, known.stat)) {
      known = { stat, entry: entryOf(full, stat) };
      seen.set(full, known);
    }
    out.set(path, known.entry);
    if (known.entry[0] === 'dir') for (const name of namesIn(full, known)) visit(`${path}/${name}`);
  };
  folders.forEach(visit);
  return out;
}

/** What differs between two snapshots, by path. */
export function changesBetween(
  before: ReadonlyMap<string, TreeEntry>,
  after: ReadonlyMap<string, TreeEntry>,
): TreeChange[] {
  const changed = [...after].filter(([path, entry]) => !isSame(entry, before.get(path)));
  const gone = [...before.keys()].filter((path) => !after.has(path));
  return [...changed, ...gone.map((path): TreeChange => [path, null])].sort(([a], [b]) =>
    a < b ? -1 : a > b ? 1 : 0,
  );
}

function isSame(entry: TreeEntry, other: TreeEntry | undefined): boolean {
  return entry === other || (other !== undefined && entry.every((field, i) => field === other[i]));
}

/** Puts back what was changed. */
export function putBack(
  root: string,
  before: ReadonlyMap<string, TreeEntry>,
  changes: readonly TreeChange[],
): void {
  for (const [path] of changes) rmIfOther(root + path, before.get(path));
  for (const [path] of changes) {
    const entry = before.get(path);
    if (entry === undefined) continue;
    const [kind, mode, owner, content] = entry;
    const full = root + path;
    if (kind === 'dir') mkdirSync(full, { recursive: true });
    else if (kind === 'file') writeFileSync(full, Buffer.from(content, 'latin1'));
    else if (kind === 'link') symlinkSync(content, full);
    const [uid = 0, gid = 0] = owner.split(':').map(Number);
    if (IS_ROOT) (kind === 'link' ? lchownSync : chownSync)(full, uid, gid);
    if (kind !== 'link') chmodSync(full, parseInt(mode, 8));
  }
}

function rmIfOther(full: string, entry: TreeEntry | undefined): void {
  const stat = lstatSync(full, { throwIfNoEntry: false });
  const isFolder = stat?.isDirectory() === true;
  if (stat !== undefined && !(isFolder && entry?.[0] === 'dir')) rmSync(full, { recursive: true });
}
