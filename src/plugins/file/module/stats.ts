/** Facts about files: type, size, times, owner, mode. Follows 3006.16 salt/modules/file.py and salt/utils/files.py. */
import { accessSync, chmodSync, constants, statfsSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { statFacts, listFolder, walk } from '../../../host/file-operations.ts';
import { isAbs, isDir, isFile, isLink, joinPath, pathExists, realPath } from '../../../python/paths.ts';
import { hasErrorCode } from '../../../python/os-errors.ts';
import { defineFunction } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, float, isInt, type Dict, type Value } from '../../../python/values/value.ts';
import { hashFile } from '../../shared/hash-kinds.ts';
import { groupName, userName } from '../../shared/file-names.ts';
import { opt, P } from '../../shared/file-params.ts';
import { param } from '../../../runtime/loader/params.ts';

/** Salt's form of a mode: four octal digits (five and more stay). */
export function normalizeMode(mode: Value): string | null {
  if (mode === null) return null;
  const digits = pyStr(mode).replaceAll('0o', '0');
  return digits
    .replace(/^"+|"+$/g, '')
    .replace(/^'+|'+$/g, '')
    .replace(/^0+/, '')
    .padStart(4, '0');
}

/** Permission bits in Salt's form. */
function modeText(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

/**
 * `file.stats`.
 * @param hashType adds the hash of the content as `sum`
 * @throws CommandExecutionError `Path not found: X`
 */
export async function statsOf(
  path: string,
  options: { readonly hashType?: string; readonly followLinks?: boolean } = {},
): Promise<Dict> {
  const { hashType, followLinks = true } = options;
  const facts = factsOf(path, followLinks && pathExists(path));
  const out = dict({
    inode: facts.inode,
    uid: facts.uid,
    gid: facts.gid,
    group: await groupName(facts.gid),
    user: await userName(facts.uid),
    atime: float(facts.atime),
    mtime: float(facts.mtime),
    ctime: float(facts.ctime),
    size: facts.size,
    mode: modeText(facts.mode),
  });
  if (hashType !== undefined) out.set('sum', await hashFile(path, hashType));
  return out.set('type', facts.kind).set('target', realPath(path));
}

function factsOf(path: string, followLinks: boolean): ReturnType<typeof statFacts> {
  try {
    return statFacts(path, followLinks);
  } catch (error) {
    throw new CommandExecutionError(`Path not found: ${path}`, { cause: error });
  }
}

/** One field of `file.stats`. */
async function statsField(path: string, name: string, follow: boolean, missing: Value): Promise<Value> {
  return (await statsOf(path, { followLinks: follow })).get(name) ?? missing;
}

/**
 * Sets the mode. @returns the new mode, or `Invalid Mode X`
 * @throws CommandExecutionError `X: File not found`
 */
export function setMode(path: string, mode: Value): string {
  const digits = pyStr(mode).replace(/^[0Oo]+/, '') || '0';
  if (!pathExists(path)) throw new CommandExecutionError(`${path}: File not found`);
  if (!/^[0-7]+$/.test(digits)) return `Invalid Mode ${digits}`;
  try {
    chmodSync(path, parseInt(digits, 8));
  } catch {
    return `Invalid Mode ${digits}`;
  }
  return modeText(statFacts(path).mode);
}

function lstat(path: string): Dict {
  if (!isAbs(path)) throw new SaltInvocationError('Path to file must be absolute.');
  try {
    const facts = statFacts(path, false);
    return dict({
      st_atime: float(facts.atime),
      st_ctime: float(facts.ctime),
      st_gid: facts.gid,
      st_mode: facts.mode,
      st_mtime: float(facts.mtime),
      st_nlink: facts.links,
      st_size: facts.size,
      st_uid: facts.uid,
    });
  } catch {
    return new Map();
  }
}

const ACCESS = new Map([
  ['f', constants.F_OK],
  ['r', constants.R_OK],
  ['w', constants.W_OK],
  ['x', constants.X_OK],
]);

function mayAccess(path: string, mode: Value): boolean {
  if (!isAbs(path)) throw new SaltInvocationError('Path to link must be absolute.');
  const bits = typeof mode === 'string' ? ACCESS.get(mode) : mode;
  if (bits === undefined || !isInt(bits) || ![...ACCESS.values()].includes(Number(bits)))
    throw new SaltInvocationError('Invalid mode specified.');
  try {
    accessSync(path, Number(bits));
    return true;
  } catch {
    return false;
  }
}

function isKind(path: string, kind: string): boolean {
  try {
    return statFacts(path).kind === kind;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Major and minor number, as Linux packs them. */
function deviceNumbers(name: string): [number, number] {
  if (!isKind(name, 'char') && !isKind(name, 'block')) return [0, 0];
  const device = BigInt(statFacts(name).rdev);
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn);
  return [Number(major), Number(minor)];
}

function fileSystem(path: string): Dict {
  if (!isAbs(path)) throw new SaltInvocationError('File path must be absolute.');
  try {
    const facts = statfsSync(path);
    return dict({
      f_bavail: facts.bavail,
      f_bfree: facts.bfree,
      f_blocks: facts.blocks,
      f_bsize: facts.bsize,
      f_favail: facts.ffree,
      f_ffree: facts.ffree,
      f_files: facts.files,
      // Node does not tell the two; these are right for every usual file system
      f_flag: 4096,
      f_frsize: facts.bsize,
      f_namemax: 255,
    });
  } catch (error) {
    throw new CommandExecutionError(`Could not statvfs '${path}'`, { cause: error });
  }
}

/** Bytes of all files below a folder, files with several names once. */
function sizeBelow(path: string): number {
  if (isFile(path)) return statFacts(path).size;
  const seen = new Set<number | bigint>();
  let total = 0;
  for (const { path: folder, files } of walk(path)) {
    for (const name of files) {
      try {
        const { inode, size } = statFacts(joinPath(folder, name));
        if (seen.has(inode)) continue;
        seen.add(inode);
        total += size;
      } catch {
        // a link that leads nowhere, or a file that has just gone
      }
    }
  }
  return total;
}

function listNames(path: string): string[] {
  if (!isAbs(path)) throw new SaltInvocationError('Dir path must be absolute.');
  if (!isDir(path)) throw new SaltInvocationError('A valid directory was not specified.');
  return ['.', '..', ...listFolder(path)];
}

const FIELD = { path: P.path, follow_symlinks: opt(P.follow_symlinks, true) } as const;
const TRUE_FALSE = 'true or false';

/** Functions that look at files. */
export const statsFunctions = {
  stats: defineFunction({
    doc: 'Returns all that is known about a file: type, size, times, owner, group, mode, and where it really is.',
    params: {
      path: P.path,
      hash_type: opt(param.textIfGiven({ doc: 'Add the hash of the content in this form as `sum`.' }), null),
      follow_symlinks: FIELD.follow_symlinks,
    },
    returns:
      '`{inode, uid, gid, group, user, atime, mtime, ctime, size, mode, type, target}`, times in seconds',
    examples: ["salt '*' file.stats /etc/passwd", "salt '*' file.stats /etc/passwd hash_type=md5"],
    run: (_ctx, { path, hash_type, follow_symlinks }) =>
      statsOf(path, {
        ...(hash_type !== undefined ? { hashType: hash_type } : {}),
        followLinks: follow_symlinks,
      }),
  }),
  lstat: defineFunction({
    doc: 'Gives what lstat(2) says about a path; of a symbolic link that is about the link itself.',
    params: { path: P.path },
    returns:
      '`{st_atime, st_ctime, st_gid, st_mode, st_mtime, st_nlink, st_size, st_uid}`; empty when it is missing',
    examples: ["salt '*' file.lstat /etc/passwd"],
    run: (_ctx, { path }) => lstat(path),
  }),
  get_mode: defineFunction({
    doc: 'Returns the permission bits of a file.',
    params: FIELD,
    returns: 'four octal digits as text',
    examples: ["salt '*' file.get_mode /etc/passwd"],
    run: (_ctx, { path, follow_symlinks }) => statsField(path, 'mode', follow_symlinks, ''),
  }),
  get_user: defineFunction({
    doc: 'Returns the owner of a file.',
    params: FIELD,
    returns: 'the name of the user; the id when nobody has it',
    examples: ["salt '*' file.get_user /etc/passwd"],
    run: (_ctx, { path, follow_symlinks }) => statsField(path, 'user', follow_symlinks, false),
  }),
  get_group: defineFunction({
    doc: 'Returns the group of a file.',
    params: FIELD,
    returns: 'the name of the group; the id when no group has it',
    examples: ["salt '*' file.get_group /etc/passwd"],
    run: (_ctx, { path, follow_symlinks }) => statsField(path, 'group', follow_symlinks, false),
  }),
  get_uid: defineFunction({
    doc: 'Returns the id of the user who owns a file.',
    params: FIELD,
    returns: 'int',
    examples: ["salt '*' file.get_uid /etc/passwd"],
    run: (_ctx, { path, follow_symlinks }) => statsField(path, 'uid', follow_symlinks, -1),
  }),
  get_gid: defineFunction({
    doc: 'Returns the id of the group of a file.',
    params: FIELD,
    returns: 'int',
    examples: ["salt '*' file.get_gid /etc/passwd"],
    run: (_ctx, { path, follow_symlinks }) => statsField(path, 'gid', follow_symlinks, -1),
  }),
  set_mode: defineFunction({
    doc: 'Sets the permission bits of a file.',
    params: { path: P.path, mode: P.mode },
    returns: 'the new mode, or `Invalid Mode X`',
    examples: ["salt '*' file.set_mode /etc/passwd 0644"],
    run: (_ctx, { path, mode }) => setMode(path, mode),
  }),
  access: defineFunction({
    doc: 'Returns whether the minion may access a file.',
    params: {
      path: P.path,
      mode: param.value({
        type: 'str',
        doc: 'f for existence, r for reading, w for writing, x for executing.',
      }),
    },
    returns: TRUE_FALSE,
    examples: ["salt '*' file.access /etc/passwd w"],
    run: (_ctx, { path, mode }) => mayAccess(path, mode),
  }),
  directory_exists: defineFunction({
    doc: 'Returns whether there is a folder.',
    params: { path: P.path },
    returns: TRUE_FALSE,
    examples: ["salt '*' file.directory_exists /etc"],
    run: (_ctx, { path }) => isDir(path),
  }),
  file_exists: defineFunction({
    doc: 'Returns whether there is a regular file.',
    params: { path: P.path },
    returns: TRUE_FALSE,
    examples: ["salt '*' file.file_exists /etc/passwd"],
    run: (_ctx, { path }) => isFile(path),
  }),
  is_link: defineFunction({
    doc: 'Returns whether a path is a symbolic link.',
    params: { path: P.path },
    returns: TRUE_FALSE,
    examples: ["salt '*' file.is_link /etc/localtime"],
    run: (_ctx, { path }) => isLink(path),
  }),
  is_hardlink: defineFunction({
    doc: 'Returns whether a file has more than one name.',
    params: { path: P.path },
    returns: `${TRUE_FALSE}; an empty mapping when it is missing`,
    examples: ["salt '*' file.is_hardlink /etc/passwd"],
    run: (_ctx, { path }) => {
      const facts = lstat(path);
      return facts.size === 0 ? facts : Number(facts.get('st_nlink')) > 1;
    },
  }),
  is_chrdev: defineFunction({
    doc: 'Returns whether a path is a character device.',
    params: { name: P.name },
    returns: TRUE_FALSE,
    examples: ["salt '*' file.is_chrdev /dev/null"],
    run: (_ctx, { name }) => isKind(name, 'char'),
  }),
  is_blkdev: defineFunction({
    doc: 'Returns whether a path is a block device.',
    params: { name: P.name },
    returns: TRUE_FALSE,
    examples: ["salt '*' file.is_blkdev /dev/sda"],
    run: (_ctx, { name }) => isKind(name, 'block'),
  }),
  is_fifo: defineFunction({
    doc: 'Returns whether a path is a named pipe.',
    params: { name: P.name },
    returns: TRUE_FALSE,
    examples: ["salt '*' file.is_fifo /run/initctl"],
    run: (_ctx, { name }) => isKind(name, 'pipe'),
  }),
  get_devmm: defineFunction({
    doc: 'Returns the major and the minor number of a device.',
    params: { name: P.name },
    returns: 'list of two numbers, both 0 for anything but a device',
    examples: ["salt '*' file.get_devmm /dev/null"],
    run: (_ctx, { name }) => deviceNumbers(name),
  }),
  statvfs: defineFunction({
    doc: 'Returns sizes of the file system that holds a path, as statvfs(2) does.',
    params: { path: P.path },
    returns:
      '`{f_bavail, f_bfree, f_blocks, f_bsize, f_favail, f_ffree, f_files, f_flag, f_frsize, f_namemax}`',
    examples: ["salt '*' file.statvfs /"],
    run: (_ctx, { path }) => fileSystem(path),
  }),
  diskusage: defineFunction({
    doc: 'Adds up the sizes of a file, or of all files below a folder.',
    params: { path: P.plainPath },
    returns: 'bytes',
    examples: ["salt '*' file.diskusage /var/log"],
    run: (_ctx, { path }) => sizeBelow(path),
  }),
  readdir: defineFunction({
    doc: 'Lists the names in a folder, unsorted.',
    params: { path: P.path },
    returns: 'list of names, `.` and `..` first',
    examples: ["salt '*' file.readdir /etc"],
    run: (_ctx, { path }) => listNames(path),
  }),
};
