/**
 * The files below `file_roots` or `pillar_roots` (salt/wheel/file_roots.py, salt/wheel/pillar_roots.py, 3006.16).
 * Nothing outside of the folders is read or written, by no path and through no link (CVE-2020-11652; Salt's
 * `pillar_roots.find` and `read` still take any path).
 */
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { writeFileAtomic } from '../../../host/files.ts';
import { makeFolders } from '../../../host/make-folders.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import { defineRunners, type RunnerContext, type RunnerModule } from '../runner/runner.ts';
import { defineWheel } from './wheel.ts';

const FILE_MODE = 0o644;
/** What is more than this is not handed about in events and the job cache. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const ENTRIES_MAX = 200_000;
const TEXT_LOOK_BYTES = 512;

type RootsOption = 'file_roots' | 'pillar_roots';

/** What the two modules say of themselves, and what Salt says of a path that leads out. */
interface Described {
  readonly option: RootsOption;
  readonly what: string;
  readonly invalid: (path: string) => string;
}

const saltenvParam = param.text({ default: 'base', doc: 'The environment.' });

/** The functions for the files of one option. */
export function rootsWheel({ option, what, invalid }: Described): RunnerModule {
  const pathParam = param.text({ doc: `Path below the folders of ${option}.` });
  return defineRunners({
    name: option,
    doc: `The files of ${what}, below the folders of ${option}.`,
    functions: {
      find: defineWheel({
        doc: 'Looks for a file in each folder of an environment.',
        params: { path: pathParam, saltenv: saltenvParam },
        returns: 'list of `{path: txt}` or `{path: bin}`',
        run: async (ctx, { path, saltenv }) => {
          const found: Value[] = [];
          for (const full of filesNamed(ctx, option, path, saltenv))
            found.push(dict({ [full]: isText(await readBounded(full)) ? 'txt' : 'bin' }));
          return found;
        },
      }),
      list_env: defineWheel({
        doc: 'Lists the files of an environment.',
        params: { saltenv: saltenvParam },
        returns: 'mapping of folder to a mapping of name to `f`, or for folders to a mapping',
        run: (ctx, { saltenv }) => listEnvironment(rootsOf(ctx, option).get(saltenv) ?? []),
      }),
      list_roots: defineWheel({
        doc: 'Lists the files of all environments.',
        returns: 'mapping of environment to a list with what `list_env` gives',
        run: async (ctx) => {
          const out: Dict = new Map();
          for (const [saltenv, roots] of rootsOf(ctx, option))
            out.set(saltenv, [await listEnvironment(roots)]);
          return out;
        },
      }),
      read: defineWheel({
        doc: 'Gives the text of a file from each folder of an environment that has it; other than texts are left out.',
        params: { path: pathParam, saltenv: saltenvParam },
        returns: 'list of `{path: text}`',
        run: async (ctx, { path, saltenv }) => {
          const found: Value[] = [];
          for (const full of filesNamed(ctx, option, path, saltenv)) {
            const content = await readBounded(full);
            if (isText(content)) found.push(dict({ [full]: content.toString('utf8') }));
          }
          return found;
        },
      }),
      write: defineWheel({
        doc: 'Writes a file, and makes the folders that are missing.',
        params: {
          data: param.text({ doc: 'What shall stand in it.' }),
          path: pathParam,
          saltenv: saltenvParam,
          index: param.count({ default: 0, doc: 'Which folder of the environment, counted from 0.' }),
        },
        returns: '`Wrote data to file PATH`, or why not',
        run: (ctx, { data, path, saltenv, index }) => {
          const roots = rootsOf(ctx, option).get(saltenv);
          if (roots === undefined) return `Named environment ${saltenv} is not present`;
          const root = roots.at(index);
          if (root === undefined) return `Specified index ${index} in environment ${saltenv} is not present`;
          if (isAbsolute(path))
            return `The path passed in ${path} is not relative to the environment ${saltenv}`;
          const full = inside(root, path);
          if (full === undefined) return invalid(path);
          makeFolders(dirname(full));
          const mode = statSync(full, { throwIfNoEntry: false })?.mode ?? FILE_MODE;
          writeFileAtomic(full, data, { mode: mode & 0o7777, durable: true });
          return `Wrote data to file ${join(root, path)}`;
        },
      }),
    },
  });
}

/** Environments to their folders. */
function rootsOf({ opts }: RunnerContext, option: RootsOption): Map<string, string[]> {
  const given = opts.raw(option);
  const out = new Map<string, string[]>();
  if (given === undefined || !isDict(given)) return out;
  for (const [saltenv, roots] of given) if (Array.isArray(roots)) out.set(pyStr(saltenv), roots.map(pyStr));
  return out;
}

function filesNamed(ctx: RunnerContext, option: RootsOption, path: string, saltenv: string): string[] {
  const roots = rootsOf(ctx, option).get(saltenv) ?? [];
  return roots.flatMap((root) => {
    const full = inside(root, path);
    return full !== undefined && statSync(full, { throwIfNoEntry: false })?.isFile() === true ? [full] : [];
  });
}

/**
 * The path below a folder, links resolved as far as there is something; undefined when it leads out, or to the folder
 * itself.
 */
function inside(root: string, path: string): string | undefined {
  if (path.includes('\0')) return undefined;
  const full = resolve(root, path);
  if (!isBelow(full, resolve(root))) return undefined;
  const missing: string[] = [];
  let there = full;
  // a link that leads nowhere is there as well: what is written through it would be anywhere
  while (lstatSync(there, { throwIfNoEntry: false }) === undefined && there !== dirname(there)) {
    missing.unshift(basename(there));
    there = dirname(there);
  }
  if (!existsSync(there)) return undefined;
  const folder = existsSync(root) ? realpathSync(root) : resolve(root);
  const real = join(realpathSync(there), ...missing);
  return isBelow(real, folder) ? full : undefined;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === sep ? sep : folder + sep);
}

async function readBounded(path: string): Promise<Buffer> {
  const { size } = statSync(path);
  if (size > FILE_BYTES_MAX)
    throw new CommandExecutionError(
      `${path} has ${size} bytes; files of more than ${FILE_BYTES_MAX} are not given.`,
    );
  return readFile(path);
}

/** Salt's test (salt/utils/files.py `is_text`, 3006.16): UTF-8, else few bytes that are no ASCII. */
function isText(content: Buffer): boolean {
  const block = content.subarray(0, TEXT_LOOK_BYTES);
  if (block.includes(0)) return false;
  if (block.length === 0) return true;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(block);
    return true;
  } catch {
    const printable = (byte: number): boolean =>
      (byte >= 32 && byte <= 126) || [8, 9, 10, 12, 13].includes(byte);
    return block.filter((byte) => !printable(byte)).length / block.length <= 0.3;
  }
}

async function listEnvironment(roots: readonly string[]): Promise<Dict> {
  const room = { left: ENTRIES_MAX };
  const out: Dict = new Map();
  for (const root of roots) out.set(root, await listFolder(root, room));
  return out;
}

/** Folders first, as Salt lists them, and links to folders as empty ones: they are not followed. */
async function listFolder(folder: string, room: { left: number }): Promise<Dict> {
  const out: Dict = new Map();
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  room.left -= entries.length;
  if (room.left < 0)
    throw new CommandExecutionError(
      `There are more than ${ENTRIES_MAX} files, which are not listed at once.`,
    );
  const isFolder = (name: string): boolean =>
    statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true;
  const folders = entries.filter(
    (entry) => entry.isDirectory() || (entry.isSymbolicLink() && isFolder(entry.name)),
  );
  for (const entry of folders)
    out.set(entry.name, entry.isDirectory() ? await listFolder(join(folder, entry.name), room) : new Map());
  for (const { name } of entries) if (!out.has(name)) out.set(name, 'f');
  return out;
}
