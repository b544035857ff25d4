// Files of a repository that is read while it is written: each is there whole or not at all.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { filesBelow } from '../bundle.mjs';

const PIECE_BYTES = 1 << 20;
/** What is not whole yet begins with this. */
export const NEW = '.new-';

/** Writes a file that everybody may read. */
export function writeWhole(path, content) {
  const aside = asideOf(path);
  writeFileSync(aside, content);
  takePlace(aside, path);
}

/**
 * Copies a file to where everybody may read it.
 * @param timeS of the copy; now, if there is none
 */
export function copyWhole(from, path, timeS) {
  const aside = asideOf(path);
  copyFileSync(from, aside);
  if (timeS !== undefined) utimesSync(aside, timeS, timeS);
  takePlace(aside, path);
}

function asideOf(path) {
  mkdirSync(dirname(path), { recursive: true });
  return join(dirname(path), `${NEW}${basename(path)}`);
}

/** A power cut leaves the old file or the new one. */
function takePlace(aside, path) {
  chmodSync(aside, 0o644);
  const file = openSync(aside, 'r');
  fsyncSync(file);
  closeSync(file);
  renameSync(aside, path);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Size and SHA-256 of a file, however large. */
export function sumOf(path) {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(PIECE_BYTES);
  const file = openSync(path, 'r');
  try {
    let size = 0;
    for (let read; (read = readSync(file, piece)) > 0; size += read) hash.update(piece.subarray(0, read));
    return { size, sha256: hash.digest('hex') };
  } finally {
    closeSync(file);
  }
}

/**
 * Has one command at a time work in a folder, and takes away what one that was killed has left half written.
 * @throws Error when another one works there
 */
export function withinFolder(folder, work) {
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, '.lock');
  if (existsSync(lock) && isAlive(Number(readFileSync(lock, 'utf8'))))
    throw new Error(
      `${folder} is being written by process ${readFileSync(lock, 'utf8')}: wait until it has ended.`,
    );
  rmSync(lock, { force: true });
  writeFileSync(lock, String(process.pid), { flag: 'wx' });
  try {
    for (const name of readdirSync(folder))
      if (name.startsWith(NEW)) rmSync(join(folder, name), { recursive: true });
    for (const path of filesBelow(folder, '')) if (basename(path).startsWith(NEW)) rmSync(path);
    return work();
  } finally {
    rmSync(lock);
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
