/**
 * Copies of files that were replaced, in `<cachedir>/file_backup`. Follows 3006.16 salt/modules/file.py,
 * salt/utils/files.py.
 */
import { chmodSync, chownSync, statSync, unlinkSync } from 'node:fs';
import { copyContent, listFolder } from '../../host/file-operations.ts';
import { baseName, dirName, isDir, isFile, joinPath, splitPath } from '../../python/paths.ts';
import { osErrorText } from '../../python/os-errors.ts';
import { pyInt } from '../../python/conversions.ts';
import { defineFunction, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { PythonError } from '../../python/exceptions.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { opt, P } from './file-params.ts';
import { makeFolders } from '../../host/make-folders.ts';
import { SHORT_MONTHS, SHORT_WEEKDAYS } from '../../python/values/calendar.ts';
import { settingText } from './settings.ts';

const STAMP = /^_([A-Z][a-z]{2})_([A-Z][a-z]{2})_(\d\d)_(\d\d:\d\d:\d\d)_(\d{1,6})_(\d{4})$/;

async function backupRoot(ctx: ModuleContext): Promise<string> {
  return joinPath((await settingText(ctx, ['cachedir'])) ?? '', 'file_backup');
}

/** Keeps a copy of a file as it is, with its owner and mode. */
export function keepBackup(ctx: ModuleContext, path: string, root: string): void {
  const [folder, name] = splitPath(path);
  const nowMs = ctx.clock.nowMs();
  const now = new Date(nowMs);
  const two = (part: number): string => String(part).padStart(2, '0');
  const micros = String(Math.trunc(nowMs * 1000) % 1_000_000).padStart(6, '0');
  const stamp = [
    SHORT_WEEKDAYS[now.getDay()],
    SHORT_MONTHS[now.getMonth()],
    two(now.getDate()),
    [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(':'),
    micros,
    now.getFullYear(),
  ].join('_');
  const place = joinPath(root, folder.slice(1), `${name}_${stamp}`);
  makeFolders(dirName(place));
  const facts = statSync(path);
  copyContent(path, place);
  chownSync(place, facts.uid, facts.gid);
  chmodSync(place, facts.mode & 0o7777);
}

interface Backup {
  /** Sorts by time. */
  readonly key: string;
  readonly entry: Dict;
}

/** The backups of one file in a folder of backups, the latest first. */
function backupsOf(folder: string, names: readonly string[], name: string): Backup[] {
  const found = names.flatMap((file): Backup[] => {
    const match = file.startsWith(name) ? STAMP.exec(file.slice(name.length)) : null;
    const place = joinPath(folder, file);
    if (match === null || !isFile(place)) return [];
    const [, , month = '', day = '', time = '', micros = '', year = ''] = match;
    const monthNumber = SHORT_MONTHS.indexOf(month);
    if (monthNumber < 0) return [];
    const fraction = micros.padEnd(6, '0');
    const date = new Date(Date.UTC(Number(year), monthNumber, Number(day)));
    const shown = `${SHORT_WEEKDAYS[date.getUTCDay()] ?? ''} ${month} ${day} ${year} ${time}.${fraction}`;
    const key = `${year}${String(monthNumber).padStart(2, '0')}${day}${time}${fraction}`;
    return [
      {
        key,
        entry: new Map<Value, Value>([
          ['Backup Time', shown],
          ['Size', statSync(place).size],
          ['Location', place],
        ]),
      },
    ];
  });
  return found.sort((a, b) => (a.key < b.key ? 1 : -1));
}

/** How many to list; undefined for all. */
function limitOf(ctx: ModuleContext, limit: Value, fun: string): number | undefined {
  if (limit === null) return undefined;
  try {
    return Number(pyInt(limit));
  } catch (error) {
    if (!(error instanceof PythonError)) throw error;
    ctx.log.error(`file.${fun}: 'limit' value must be numeric`);
    return undefined;
  }
}

async function listBackups(ctx: ModuleContext, path: string, limit: Value): Promise<Dict> {
  const count = limitOf(ctx, limit, 'list_backups');
  const folder = joinPath(await backupRoot(ctx), dirName(path).slice(1));
  if (!isDir(folder)) return new Map();
  const found = backupsOf(folder, listFolder(folder), baseName(path)).slice(0, count);
  return new Map(found.map(({ entry }, i) => [i, entry]));
}

async function listBackupsBelow(ctx: ModuleContext, path: string, limit: Value): Promise<Dict> {
  const count = limitOf(ctx, limit, 'list_backups_dir');
  const folder = joinPath(await backupRoot(ctx), dirName(path).slice(1));
  if (!isDir(folder)) return new Map();
  const names = listFolder(folder).sort();
  const files = [...new Set(names.map((name) => name.split('_')[0] ?? ''))];
  return new Map(
    files.map((file) => [
      file,
      new Map<Value, Value>(
        backupsOf(folder, names, file)
          .slice(0, count)
          .map(({ entry }, i) => [i, entry]),
      ),
    ]),
  );
}

/** The backup of a number, or Salt's sentence why there is none. */
async function chooseBackup(ctx: ModuleContext, path: string, id: string): Promise<string | Dict> {
  const refused = (comment: string): Dict => dict({ result: false, comment });
  const text = id;
  const number = /^\d+$/.test(text) ? Number(text) : undefined;
  if (number === undefined || String(number) !== text) return refused(`Invalid backup_id '${text}'`);
  const entry = (await listBackups(ctx, path, null)).get(number);
  const place = isDict(entry) ? entry.get('Location') : undefined;
  return typeof place === 'string' ? place : refused(`backup_id '${text}' does not exist for ${path}`);
}

async function restore(ctx: ModuleContext, path: string, id: string): Promise<Dict> {
  const place = await chooseBackup(ctx, path, id);
  if (typeof place !== 'string') return place;
  keepBackup(ctx, path, await backupRoot(ctx));
  try {
    copyContent(place, path);
  } catch (error) {
    return dict({ result: false, comment: `Unable to restore ${place} to ${path}: ${osErrorText(error)}` });
  }
  return dict({ result: true, comment: `Successfully restored ${place} to ${path}` });
}

async function remove(ctx: ModuleContext, path: string, id: string): Promise<Dict> {
  const place = await chooseBackup(ctx, path, id);
  if (typeof place !== 'string') return place;
  try {
    unlinkSync(place);
  } catch (error) {
    return dict({ result: false, comment: `Unable to remove ${place}: ${osErrorText(error)}` });
  }
  return dict({ result: true, comment: `Successfully removed ${place}` });
}

const LIMIT = opt(param.value({ type: 'int', doc: 'At most so many.' }), null);
const LIST = { path: P.path, limit: LIMIT } as const;
const ONE = { path: P.path, backup_id: P.backup_id } as const;
const ENTRIES = 'mapping of number to `{Backup Time, Size, Location}`, 0 is the latest';
const DONE = '`{result, comment}`';

/** Functions about backups. */
export const backupFunctions = {
  list_backups: defineFunction({
    doc: 'Lists the copies of a file that were kept when it was replaced (backup: minion).',
    params: LIST,
    returns: ENTRIES,
    examples: ["salt '*' file.list_backups /foo/bar/baz.txt"],
    run: (ctx, { path, limit }) => listBackups(ctx, path, limit),
  }),
  list_backup: defineFunction({
    doc: 'Another name of file.list_backups.',
    params: LIST,
    pythonName: 'list_backups',
    returns: ENTRIES,
    run: (ctx, { path, limit }) => listBackups(ctx, path, limit),
  }),
  list_backups_dir: defineFunction({
    doc: 'Lists the copies of all files in the folder of a path.',
    params: LIST,
    returns: `mapping of file name to a ${ENTRIES}`,
    examples: ["salt '*' file.list_backups_dir /foo/bar/baz/"],
    run: (ctx, { path, limit }) => listBackupsBelow(ctx, path, limit),
  }),
  restore_backup: defineFunction({
    doc: 'Puts a copy back; the file as it is now is kept as another copy.',
    params: ONE,
    returns: DONE,
    examples: ["salt '*' file.restore_backup /foo/bar/baz.txt 0"],
    run: (ctx, { path, backup_id }) => restore(ctx, path, backup_id),
  }),
  delete_backup: defineFunction({
    doc: 'Removes a copy.',
    params: ONE,
    returns: DONE,
    examples: ["salt '*' file.delete_backup /var/cache/salt/minion/file_backup/home/foo/bar/baz.txt 0"],
    run: (ctx, { path, backup_id }) => remove(ctx, path, backup_id),
  }),
  remove_backup: defineFunction({
    doc: 'Another name of file.delete_backup.',
    params: ONE,
    pythonName: 'delete_backup',
    returns: DONE,
    run: (ctx, { path, backup_id }) => remove(ctx, path, backup_id),
  }),
};
