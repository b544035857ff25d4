/** Knowing beforehand that the kernel will refuse a file. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

const BINFMT_FOLDER = '/proc/sys/fs/binfmt_misc';
const BINFMT_CONTROLS = new Set(['register', 'status']);

/**
 * True when a file is neither a program nor a script with `#!`. The C library, by which Node starts programs, silently
 * gives such a file to `/bin/sh`; Python, and so Salt, answers "Exec format error", and nothing reaches a shell unasked.
 * In doubt (unreadable, other kernels, further formats registered) the answer is false, and the kernel decides.
 */
export function isForeignFormat(path: string): boolean {
  if (process.platform !== 'linux') return false;
  const head = Buffer.alloc(4);
  try {
    const fd = openSync(path, 'r');
    try {
      readSync(fd, head, 0, 4, 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
  const text = head.toString('latin1');
  return !text.startsWith('#!') && text !== '\x7fELF' && !hasFurtherFormats();
}

function hasFurtherFormats(): boolean {
  try {
    return readdirSync(BINFMT_FOLDER).some((name) => !BINFMT_CONTROLS.has(name));
  } catch {
    return false;
  }
}
