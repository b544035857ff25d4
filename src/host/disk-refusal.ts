/**
 * The one place that reads what the system and SQLite say when a disk takes nothing, and makes of it an error that
 * names the path, the reason and what to do next.
 */
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { BrineError, DiskRefusesError, messageOf } from '../errors/errors.ts';

/** Why nothing is written. */
type Reason = 'full' | 'quota' | 'read only' | 'fails' | 'cannot be opened';

const SYSTEM: ReadonlyMap<string, Reason> = new Map([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'quota'],
  ['EROFS', 'read only'],
  ['EIO', 'fails'],
]);

/** SQLite's primary result codes (https://www.sqlite.org/rescode.html). */
const SQLITE: ReadonlyMap<number, Reason> = new Map([
  [8, 'read only'],
  [10, 'fails'],
  [13, 'full'],
  [14, 'cannot be opened'],
]);

/** One of the drivers gives no number when it opens a file, but ends its text with it. */
const OPENING_FAILED = /Unable to open connection to local database .*: (\d+)/;

/** What a file system has left; undefined where nobody can say. */
export interface Room {
  /** Where it is mounted. */
  readonly mount: string;
  readonly bytes: number;
  /** Undefined for one that does not count them. */
  readonly inodes: number | undefined;
}

/**
 * Reads an error of the system or of SQLite.
 * @param path what was to be written, where the error does not say
 * @param room looks at the file system of a path
 * @returns undefined for an error that says nothing of a disk
 */
export function diskRefusal(
  error: unknown,
  path?: string,
  room: (path: string) => Room | undefined = roomAt,
): DiskRefusesError | undefined {
  if (error instanceof DiskRefusesError) return error;
  if (!(error instanceof Error) || error instanceof BrineError) return undefined;
  const reason = reasonOf(error);
  const { path: from, dest } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const place = path ?? dest ?? from;
  if (reason === undefined || place === undefined) return undefined;
  return new DiskRefusesError(`${place} cannot be written: ${sentence(reason, place, room(place), error)}`, {
    path: place,
    cause: error,
  });
}

/** Runs what writes to a path. @throws DiskRefusesError in place of an error of the disk */
export function writing<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw diskRefusal(error, path) ?? error;
  }
}

/** What an error is called towards people: as {@link diskRefusal} says it, or else by its own message. */
export function spokenError(error: unknown): string {
  return diskRefusal(error)?.message ?? messageOf(error);
}

function reasonOf(error: Error): Reason | undefined {
  const { code, syscall, rawCode, errcode } = error as Error & {
    readonly code?: unknown;
    readonly syscall?: unknown;
    readonly rawCode?: unknown;
    readonly errcode?: unknown;
  };
  // too many watched folders are told of with the same code
  if (typeof code === 'string' && syscall !== 'watch') {
    const reason = SYSTEM.get(code);
    if (reason !== undefined) return reason;
  }
  const number = [rawCode, errcode].find((each): each is number => typeof each === 'number');
  if (number !== undefined) return SQLITE.get(number & 0xff);
  const opening = OPENING_FAILED.exec(error.message)?.[1];
  return opening === undefined ? undefined : SQLITE.get(Number(opening) & 0xff);
}

function sentence(reason: Reason, path: string, room: Room | undefined, error: Error): string {
  const mount = room?.mount ?? dirname(path);
  // SQLite calls much of what a full disk does to it an error of input and output
  const isFull = reason === 'full' || reason === 'fails' || reason === 'cannot be opened';
  if (isFull && room?.inodes === 0)
    return `no inode is left on its file system. Remove files below ${mount} (df -i ${mount}).`;
  if (reason === 'full' || (isFull && room?.bytes === 0))
    return `no room is left on its file system${freeOf(room)}. Make room on ${mount} (df -h ${mount}).`;
  if (reason === 'quota')
    return `the quota of its owner is used up. Make room on ${mount}, or raise the quota.`;
  if (reason === 'read only')
    return `it is read only. Mount ${mount} to be written (mount -o remount,rw ${mount}), and see that its owner and mode let this account write.`;
  if (reason === 'cannot be opened')
    return `it cannot be opened. See that ${dirname(path)} is there, that its owner and mode let this account write, and that ${mount} is not read only.`;
  return `the disk fails (${messageOf(error)}). See what the kernel says of ${mount} (dmesg).`;
}

/** Some may be left where less was written than was asked for, or where the rest is kept for root. */
function freeOf(room: Room | undefined): string {
  return room === undefined || room.bytes === 0 ? '' : `, which has ${room.bytes} bytes for this account`;
}

function roomAt(path: string): Room | undefined {
  const existing = nearest(path);
  if (existing === undefined) return undefined;
  try {
    const { bavail, bsize, files, ffree } = statfsSync(existing);
    return { mount: mountOf(existing), bytes: bavail * bsize, inodes: files === 0 ? undefined : ffree };
  } catch {
    return undefined; // then the sentence names the folder
  }
}

/**
 * The path itself, or the first folder above it that can be looked at: a disk that fails, or a folder that is closed,
 * hides what is below.
 */
function nearest(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    if (canBeSeen(at)) return at;
    if (at === dirname(at)) return undefined;
  }
}

function canBeSeen(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}

function mountOf(path: string): string {
  const device = statSync(path).dev;
  for (let at = path; ; at = dirname(at)) {
    const above = dirname(at);
    if (above === at || statSync(above).dev !== device) return at;
  }
}
