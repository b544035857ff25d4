/**
 * Tables of calls of execution modules: groups of calls, each group in a folder of its own with given files. They are
 * run on a real Salt and on ours by `npm run compare:modules`, and on ours against recorded answers by the unit tests.
 */
import {
  chmodSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { splitWords } from '../../src/python/shell-words.ts';
import { pyRepr } from '../../src/python/values/repr.ts';
import { float, isDict, type Value } from '../../src/python/values/value.ts';

/** A file that a group starts with: its text, or more about it. Names that end with `/` are folders. */
export type GivenFile =
  | string
  | {
      readonly text?: string;
      readonly base64?: string;
      readonly mode?: string;
      readonly link?: string;
      /** Seconds since 1970; other files get one and the same. */
      readonly mtime?: number;
    };

/** One call. */
export interface ModuleCall {
  /**
   * Function and arguments as on a command line; `{dir}` is the group's folder, `{cache}` the minion's cache,
   * `{minion}` the folder with its configuration, `{http}` a web server.
   */
  readonly call: string;
  /** Why the two are meant to differ. */
  readonly differs?: string;
  /** Keys whose values differ from run to run. */
  readonly mask?: readonly string[];
  /** Compare only the shape: types and keys. */
  readonly shape?: boolean;
  /** Lists whose order means nothing. */
  readonly unordered?: boolean;
  /** Patterns whose matches in texts differ from run to run. */
  readonly maskText?: readonly string[];
}

/** Calls in one folder, in order. */
export interface CallGroup {
  readonly group: string;
  readonly files?: Readonly<Record<string, GivenFile>>;
  readonly calls: readonly (string | ModuleCall)[];
  /** With the option `test: True`. */
  readonly test?: boolean;
  /** Further lines of the minion's configuration. */
  readonly minion?: readonly string[];
  /** A command, run before the group's calls on either side. */
  readonly before?: string;
  /** What the group changes on the machine: it is run only when that is allowed. */
  readonly changes?: string;
  /** Answers do not depend on the machine, so they can be recorded for the unit tests. */
  readonly record?: boolean;
  /** Recorded for the unit tests on the machine of `test/fixtures/machine`. */
  readonly machine?: boolean;
  /** Only root may do this. */
  readonly root?: boolean;
  /** Do not compare the folder afterwards. */
  readonly noTree?: boolean;
}

/** What a call gave: a value, or the error's message. */
export type CallAnswer = { readonly value: Value } | { readonly error: string };

/** Answers of a group, and its folder afterwards. */
export interface GroupAnswers {
  readonly answers: readonly CallAnswer[];
  readonly tree: readonly string[];
}

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const GIVEN_MTIME = 1_700_000_000;
/** Keys that never tell anything. */
const MASKED = ['inode', 'atime', 'ctime', 'st_atime', 'st_ctime', 'pid'];

/** The groups of one table. */
export function readCallGroups(name: string): CallGroup[] {
  return JSON.parse(
    readFileSync(join(ROOT, 'test/compare/module-calls', `${name}.json`), 'utf8'),
  ) as CallGroup[];
}

/** Names of all tables. */
export function callTables(): string[] {
  return readdirSync(join(ROOT, 'test/compare/module-calls'))
    .map((name) => name.replace(/\.json$/, ''))
    .sort();
}

/** A call in its long form. */
export function callOf(call: string | ModuleCall): ModuleCall {
  return typeof call === 'string' ? { call } : call;
}

/** The words of a call with its folders filled in. */
export function callWords(call: string | ModuleCall, places: Places): string[] {
  return splitWords(callOf(call).call).map((word) =>
    word
      .replaceAll('{dir}', places.dir)
      .replaceAll('{cache}', places.cache)
      .replaceAll('{minion}', dirname(places.cache))
      .replaceAll('{http}', places.http ?? 'http://127.0.0.1:9'),
  );
}

/** The folders of one run. */
export interface Places {
  readonly dir: string;
  readonly cache: string;
  /** Address of the web server for tests, where one runs. */
  readonly http?: string;
}

/** Makes a group's folder anew. */
export function setUpGroup(group: CallGroup, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const given = Object.entries(group.files ?? {});
  for (const [name, file] of given) {
    const path = join(folder, name);
    if (name.endsWith('/')) {
      mkdirSync(path, { recursive: true });
    } else {
      mkdirSync(dirname(path), { recursive: true });
      const spec = typeof file === 'string' ? { text: file } : file;
      if (spec.link !== undefined) symlinkSync(spec.link.replaceAll('{dir}', folder), path);
      else
        writeFileSync(
          path,
          spec.base64 === undefined
            ? (spec.text ?? '').replaceAll('{dir}', folder)
            : Buffer.from(spec.base64, 'base64'),
        );
    }
  }
  for (const [name, file] of given) {
    const path = join(folder, name);
    const spec = typeof file === 'string' ? {} : file;
    if (spec.link !== undefined) {
      lutimesSync(path, GIVEN_MTIME, GIVEN_MTIME);
      continue;
    }
    chmodSync(path, parseInt(spec.mode ?? (name.endsWith('/') ? '0755' : '0644'), 8));
    utimesSync(path, GIVEN_MTIME, spec.mtime ?? GIVEN_MTIME);
  }
}

/** What stands in a folder, as lines. */
export function treeOf(folder: string, places: Places): string[] {
  const lines: string[] = [];
  const walk = (path: string, name: string): void => {
    const stat = lstatSync(path);
    const mode = (stat.mode & 0o7777).toString(8).padStart(4, '0');
    const head = `${name} ${mode} ${stat.uid}:${stat.gid}`;
    if (stat.isSymbolicLink()) lines.push(`${name} -> ${neutralText(readlinkSync(path), places)}`);
    else if (stat.isDirectory()) {
      lines.push(`${head} dir`);
      for (const child of readdirSync(path).sort()) walk(join(path, child), `${name}/${child}`);
    } else if (stat.isFile())
      lines.push(`${head} ${JSON.stringify(neutralText(readFileSync(path, 'latin1'), places))}`);
    else lines.push(`${head} special`);
  };
  walk(folder, '.');
  return lines;
}

function neutralText(text: string, places: Places): string {
  return text
    .replaceAll(places.dir, '<DIR>')
    .replaceAll(places.cache, '<CACHE>')
    .replaceAll(dirname(places.cache), '<MINION>')
    .replaceAll(places.http ?? '<HTTP>', '<HTTP>');
}

/** The text of an answer that can be compared: folders and what differs from run to run are taken away. */
export function comparable(answer: CallAnswer, call: ModuleCall, places: Places): string {
  const patterns = (call.maskText ?? []).map((pattern) => new RegExp(pattern, 'g'));
  const text = (raw: string): string =>
    patterns.reduce((out, pattern) => out.replace(pattern, '<*>'), neutralText(raw, places));
  if ('error' in answer) return `error: ${text(answer.error)}`;
  const masked = new Set([...MASKED, ...(call.mask ?? [])]);
  const neutral = (value: Value): Value => {
    if (typeof value === 'string') return text(value);
    if (value instanceof Uint8Array) return text(pyRepr(value)); // JSON has no bytes, so commands print this
    if (Array.isArray(value)) {
      const items = value.map(neutral);
      return call.unordered === true ? items.sort((a, b) => (pyRepr(a) < pyRepr(b) ? -1 : 1)) : items;
    }
    if (!isDict(value)) return value;
    const entries = [...value].map(([key, item]): [Value, Value] => [
      neutral(key),
      typeof key === 'string' && masked.has(key) ? '<*>' : neutral(item),
    ]);
    return new Map(
      call.unordered === true ? entries.sort((a, b) => (pyRepr(a[0]) < pyRepr(b[0]) ? -1 : 1)) : entries,
    );
  };
  return call.shape === true
    ? shapeOf(call.unordered === true ? neutral(answer.value) : answer.value)
    : pyRepr(neutral(answer.value));
}

/** Types and keys of a value; a list or a mapping of like things counts once. */
function shapeOf(value: Value): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join(', ')}]`;
  if (isDict(value))
    return `{${[...value].map(([key, item]) => `${pyRepr(key)}: ${shapeOf(item)}`).join(', ')}}`;
  return value === null ? 'None' : typeof value;
}

/** A value out of the JSON that the driver in `test/compare/real-modules.ts` writes. */
export function valueFromJson(json: unknown): Value {
  if (Array.isArray(json)) return json.map(valueFromJson);
  if (typeof json !== 'object' || json === null) return json as Value;
  const [[kind, inner] = []] = Object.entries(json);
  if (kind === 'float') return float(Number(inner));
  if (kind === 'bytes') return new Uint8Array(Buffer.from(String(inner), 'base64'));
  if (kind === 'int') return BigInt(String(inner));
  return new Map(
    (inner as [unknown, unknown][]).map(([key, value]) => [valueFromJson(key), valueFromJson(value)]),
  );
}

/** The other way round. */
export function valueToJson(value: Value): unknown {
  if (Array.isArray(value)) return value.map(valueToJson);
  if (value instanceof Map)
    return { dict: [...value].map(([key, item]) => [valueToJson(key), valueToJson(item)]) };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (typeof value === 'bigint') return { int: String(value) };
  if (typeof value === 'object' && value !== null) return { float: pyRepr(value) };
  return value;
}
