// The files of a package as they will lie on a machine, whichever format it is written in.
import {
  chmodSync,
  cpSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../bundle.mjs';
import { runProgram } from '../run-program.mjs';

/** The time that files of packages have, in seconds since 1970: that of the commit, or `SOURCE_DATE_EPOCH`. */
export function timeOfCommit() {
  const said =
    process.env.SOURCE_DATE_EPOCH ?? runProgram('git', ['-C', root, 'log', '-1', '--format=%ct']).trim();
  return Number(said);
}

/**
 * Puts a file of a package where it goes.
 * @param file where to, and the `text`, what is to be compressed, or the file or folder `from`
 */
export function place({ to, from, text, gzip, mode = 0o644 }, tree) {
  const path = join(tree, to);
  mkdirSync(dirname(path), { recursive: true });
  if (from !== undefined) {
    cpSync(from, path, { recursive: true });
    openToAll(path);
  } else {
    writeFileSync(path, gzip === undefined ? text : gzipSync(gzip, { level: 9 }));
    chmodSync(path, mode);
  }
}

/** Whatever the umask of the one who builds: files of the checkout are for everybody. */
export function openToAll(path) {
  const stat = lstatSync(path);
  if (stat.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
  else if (!stat.isSymbolicLink()) chmodSync(path, stat.mode & 0o100 ? 0o755 : 0o644);
}

/** Modes and times that do not depend on who builds, and when. */
export function settle(path, time) {
  const stat = lstatSync(path);
  if (stat.isDirectory()) {
    for (const name of readdirSync(path)) settle(join(path, name), time);
    chmodSync(path, 0o755);
  } else if (!stat.isSymbolicLink()) {
    const mode = statSync(path).mode & 0o777;
    const isPrivate = (mode & 0o004) === 0;
    chmodSync(path, isPrivate ? mode : mode & 0o100 ? 0o755 : 0o644);
  }
  lutimesSync(path, time, time);
}
