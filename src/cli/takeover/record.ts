/**
 * What a takeover has done and is about to do, on the disk before it is done: whatever ends the machine in the middle,
 * the next `brine takeover` or `brine takeover --back` knows what there was.
 *
 * The record lies beside the configuration and not in a cache, which may be emptied, and is found without reading a
 * configuration, which may be broken on the way back.
 */
import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../../host/disk-sync.ts';
import { makeDirectory, readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { ROLES, type Role } from './daemons-here.ts';
import { TakeoverError } from './takeover-error.ts';

/** Below the folder of configuration. */
const FOLDER = 'brine-takeover';
const FILE = 'record.json';
const VERSION = 1;

/** `taking`: on the way to Brine; `taken`: Brine runs, and has been seen to; `going back`: on the way to Salt. */
const STATES = ['taking', 'taken', 'going back'] as const;
/** Where a takeover stands. */
export type TakeoverState = (typeof STATES)[number];

/** A daemon of Salt as it ran, so that it can be started again as it was. */
export interface RecordedDaemon {
  readonly role: Role;
  readonly command: readonly string[];
  readonly options: readonly string[];
  readonly isInBackground: boolean;
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Its unit, where systemd runs it. */
  readonly unit?: string;
  /** Ports on which it listened. */
  readonly ports: readonly number[];
  /** Whether it was connected to a master that publishes to it. */
  readonly hadSession: boolean;
  /** Files that running Brine in its place takes: drop-ins of its unit. */
  readonly files: readonly string[];
  /** Commands that come with it. */
  readonly links: readonly MadeLink[];
  /** Whether Brine's has been seen to answer in its place. */
  readonly isTaken: boolean;
}

/** A link that a takeover makes. */
export interface MadeLink {
  readonly path: string;
  readonly target: string;
}

/** A step, which is written before it is taken. */
export interface Step {
  readonly name: string;
  /** When it began, ISO 8601. */
  readonly at: string;
}

/** What there is to know of a takeover. */
export interface TakeoverRecord {
  readonly state: TakeoverState;
  readonly daemons: readonly RecordedDaemon[];
  /** Minions that answered Salt's master; undefined where no master is taken over. */
  readonly answered?: readonly string[];
  readonly steps: readonly Step[];
}

/** The place of the record of one folder of configuration. */
export class RecordFile {
  readonly folder: string;
  readonly path: string;

  constructor(configDir: string) {
    this.folder = join(configDir, FOLDER);
    this.path = join(this.folder, FILE);
  }

  /** The file that says which process works on it. */
  get lock(): string {
    return join(this.folder, 'lock');
  }

  /** Makes the folder, which nobody else may enter. */
  prepare(): void {
    makeDirectory(this.folder, 0o700);
    this.#requireOwn(this.folder);
  }

  /** @returns undefined where there was no takeover. @throws TakeoverError for a record that cannot be trusted */
  read(): TakeoverRecord | undefined {
    const text = readTextIfExists(this.path);
    if (text === undefined) return undefined;
    for (const path of [this.folder, this.path]) this.#requireOwn(path);
    const record = parseRecord(text);
    if (record === undefined)
      throw new TakeoverError(
        `${this.path} is no record of a takeover that this Brine can read. If Salt runs as it should, remove ${this.folder}.`,
        { code: 'takeover-refused' },
      );
    return record;
  }

  /** Writes it so that the disk has it. */
  write(record: TakeoverRecord): void {
    const text = `${JSON.stringify({ version: VERSION, ...record }, null, 2)}\n`;
    writeFileAtomic(this.path, text, { mode: 0o600, durable: true });
  }

  /** Forgets the takeover. The lock is the holder's. */
  remove(): void {
    rmSync(this.path, { force: true });
    syncFolder(this.folder);
  }

  /** Removes the folder when nothing is in it. */
  tidy(): void {
    if (readdirSync(this.folder).length === 0) rmdirSync(this.folder);
  }

  /** Commands are run as it says, so nobody else may have written it. */
  #requireOwn(path: string): void {
    const { uid, mode } = lstatSync(path);
    if (uid === process.geteuid?.() && (mode & 0o077) === 0) return;
    throw new TakeoverError(
      `${path} belongs to another account, or others may write to it: it is not trusted, because commands are run as it says. ` +
        'Run this as the account that took over; if that was you, give it to you with mode 0600 (the folder 0700).',
      { code: 'takeover-refused' },
    );
  }
}

/** Reads a record. @returns undefined when it is none of this version */
export function parseRecord(text: string): TakeoverRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && value['version'] === VERSION ? readRecord(value) : undefined;
  } catch {
    return undefined;
  }
}

function readRecord(value: Readonly<Record<string, unknown>>): TakeoverRecord {
  const answered = value['answered'];
  return {
    state: oneOf(STATES, value['state']),
    daemons: listOf(value['daemons'], readDaemon),
    ...(answered === undefined ? {} : { answered: listOf(answered, textOf) }),
    steps: listOf(value['steps'], (step) => ({ name: textOf(step['name']), at: textOf(step['at']) })),
  };
}

function readDaemon(value: Readonly<Record<string, unknown>>): RecordedDaemon {
  const { unit, env } = value;
  if (!isObject(env)) throw new TypeError('env');
  return {
    role: oneOf(ROLES, value['role']),
    command: listOf(value['command'], textOf),
    options: listOf(value['options'], textOf),
    isInBackground: value['isInBackground'] === true,
    uid: numberOf(value['uid']),
    gid: numberOf(value['gid']),
    groups: listOf(value['groups'], numberOf),
    cwd: textOf(value['cwd']),
    env: Object.fromEntries(Object.entries(env).map(([name, text]) => [name, textOf(text)])),
    ...(unit === undefined ? {} : { unit: textOf(unit) }),
    ports: listOf(value['ports'], numberOf),
    hadSession: value['hadSession'] === true,
    files: listOf(value['files'], textOf),
    links: listOf(value['links'], (link) => ({ path: textOf(link['path']), target: textOf(link['target']) })),
    isTaken: value['isTaken'] === true,
  };
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws TypeError, as the others do, where the value is no such thing */
function listOf<T>(value: unknown, read: (item: Json & string & number) => T): T[] {
  if (!Array.isArray(value)) throw new TypeError('list');
  return value.map((item) => read(item as Json & string & number));
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('text');
  return value;
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError('number');
  return value;
}

function oneOf<T extends string>(names: readonly T[], value: unknown): T {
  const found = names.find((name) => name === value);
  if (found === undefined) throw new TypeError('name');
  return found;
}
