/** `sysfs`: what the kernel shows and takes under /sys. Follows 3006.16 salt/modules/sysfs.py. */
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { isOsError, osErrorText } from '../../python/os-errors.ts';
import { baseName, isDir, joinPath, pathExists, realPath } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { dict, float, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';

const ROOT = '/sys';
const KEY = { key: param.text({ doc: 'The attribute: a path below /sys.' }) } as const;

/**
 * The real path of an attribute, undefined where there is none.
 * Salt compat: Salt follows `..` out of /sys, and would write to any file.
 */
function targetOf(ctx: Pick<ModuleContext, 'log'>, key: string): string | undefined {
  const path = realPath(key.startsWith(ROOT) ? key : joinPath(ROOT, key));
  if ((path === ROOT || path.startsWith(`${ROOT}/`)) && pathExists(path)) return path;
  ctx.log.debug(`Unknown SysFS key ${path}`);
  return undefined;
}

function tried<T>(ctx: Pick<ModuleContext, 'log'>, path: string, run: () => T): T | false {
  try {
    return run();
  } catch (error) {
    if (!isOsError(error)) throw error;
    ctx.log.debug(`SysFS ${path}: ${osErrorText(error)}`);
    return false;
  }
}

function write(ctx: ModuleContext, key: string, value: string): boolean {
  const path = targetOf(ctx, key);
  if (path === undefined) return false;
  return tried(ctx, path, () => {
    const file = openSync(path, constants.O_WRONLY | constants.O_TRUNC);
    try {
      writeSync(file, `${value}\n`);
      return true;
    } finally {
      closeSync(file);
    }
  });
}

/** The text of an attribute as a number where it is one. */
function valueOf(text: string): Value {
  if (/^[+-]?\d+$/.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  }
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? float(Number(text)) : text;
}

function readFile(ctx: ModuleContext, path: string): Value {
  return tried(ctx, path, (): Value => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const text = decodeUtf8(readFileSync(file))?.trim();
      return text === undefined || text === '' ? false : valueOf(text);
    } finally {
      closeSync(file);
    }
  });
}

/** The files below a folder that can be read, written, or both; links to folders are not followed. */
function interfacesIn(ctx: ModuleContext, root: string): { r: string[]; w: string[]; rw: string[] } {
  const found = { r: [] as string[], w: [] as string[], rw: [] as string[] };
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const within = folder;
    const names = tried(ctx, joinPath(root, within), () => readdirSync(joinPath(root, within)).sort()) || [];
    for (const name of names) {
      const relative = within === '' ? name : `${within}/${name}`;
      const path = joinPath(root, relative);
      if (tried(ctx, path, () => lstatSync(path).isDirectory())) folders.push(relative);
      const facts = tried(ctx, path, () => statSync(path));
      if (facts === false || !facts.isFile()) continue;
      const [isRead, isWritten] = [(facts.mode & 0o400) !== 0, (facts.mode & 0o200) !== 0];
      if (isWritten) found[isRead ? 'rw' : 'w'].push(relative);
      else if (isRead) found.r.push(relative);
      else ctx.log.warning(`Unable to find any interfaces in ${path}`);
    }
  }
  return found;
}

/** All attributes below a folder, nested as its folders are. */
function readFolder(ctx: ModuleContext, root: string): Dict {
  const { r, rw } = interfacesIn(ctx, root);
  const result = dict();
  for (const relative of [...r, ...rw]) {
    const value = readFile(ctx, joinPath(root, relative));
    if (value === false) continue;
    const folders = relative.split('/');
    const name = folders.pop() ?? '';
    let at = result;
    for (const folder of folders) {
      const known = at.get(folder);
      const next = isDict(known) ? known : dict();
      at.set(folder, next);
      at = next;
    }
    at.set(name, value);
  }
  return result;
}

function read(ctx: ModuleContext, key: string): Value {
  const path = targetOf(ctx, key);
  if (path === undefined) return false;
  return isDir(path) ? readFolder(ctx, path) : readFile(ctx, path);
}

/** Several attributes by their names; those that cannot be read are left out. */
function readAll(ctx: ModuleContext, keys: readonly Value[], root: string): Dict {
  const pairs = keys.map((key): [Value, Value] => [key, read(ctx, joinPath(root, pyStr(key)))]);
  return new Map(pairs.filter(([, value]) => value !== false));
}

const keysOf = (value: Value): string | readonly Value[] =>
  Array.isArray(value) ? value : isDict(value) ? [...value.keys()] : pyStr(value);

/** The module. */
export const sysfsModule = defineModule({
  name: 'sysfs',
  file: 'sysfs',
  doc: 'What the kernel shows and takes under /sys.',
  failsWith: { false: ['attr', 'interfaces', 'read', 'write'] },
  functions: {
    attr: defineFunction({
      doc: 'Returns an attribute, or sets it.',
      params: { ...KEY, value: param.textOrNone({ default: null, doc: 'What it is set to.' }) },
      returns: 'the value, true where it was set, the path of a folder; false where that failed',
      examples: ["salt '*' sysfs.attr block/sda/queue/logical_block_size"],
      run: (ctx, { key, value }) => {
        const path = targetOf(ctx, key);
        if (path === undefined) return false;
        if (isDir(path)) return path;
        return value === undefined ? readFile(ctx, path) : write(ctx, path, value);
      },
    }),
    write: defineFunction({
      doc: 'Sets an attribute.',
      params: { ...KEY, value: param.text({ doc: 'What it is set to.' }) },
      returns: 'true, false where the kernel does not take it',
      examples: ["salt '*' sysfs.write devices/system/cpu/cpu0/cpufreq/scaling_governor 'performance'"],
      run: (ctx, { key, value }) => write(ctx, key, value),
    }),
    read: defineFunction({
      doc: 'Returns an attribute, or all attributes of a folder.',
      params: {
        key: param.by(keysOf, { type: 'str or list', doc: 'The attribute, or several.' }),
        root: param.textOrEmpty({ default: '', doc: 'The folder that they are in.' }),
      },
      returns: 'the value, or a mapping; false where it cannot be read',
      examples: ["salt '*' sysfs.read class/net/em1/statistics"],
      run: (ctx, { key, root }) =>
        typeof key === 'string' ? read(ctx, joinPath(root, key)) : readAll(ctx, key, root),
    }),
    target: defineFunction({
      doc: 'Returns the real path of an attribute.',
      params: { ...KEY, full: param.flag({ default: true, doc: 'The path, and not only its last name.' }) },
      returns: 'text, false where there is none',
      examples: ["salt '*' sysfs.target class/ttyS0"],
      run: (ctx, { key, full }) => {
        const path = targetOf(ctx, key);
        if (path === undefined) return false;
        return full ? path : baseName(path);
      },
    }),
    interfaces: defineFunction({
      doc: 'Lists the attributes below a folder by what can be done with them.',
      params: { root: param.text({ doc: 'The folder.' }) },
      returns: 'mapping with r, w and rw; false where it is no folder',
      examples: ["salt '*' sysfs.interfaces block/bcache0/bcache"],
      run: (ctx, { root }) => {
        const path = targetOf(ctx, root);
        if (path !== undefined && isDir(path)) return dict(interfacesIn(ctx, path));
        ctx.log.error(`SysFS ${root} not a dir`);
        return false;
      },
    }),
  },
});
