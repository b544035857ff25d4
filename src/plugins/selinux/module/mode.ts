/** Whether SELinux enforces its rules, now and at the next start (3006.16 salt/modules/selinux.py). */
import { writeFileSync } from 'node:fs';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { readTextIfExists } from '../../../host/files.ts';
import { readBytes, replaceFile } from '../../../host/file-operations.ts';
import { isDir, isFile } from '../../../python/paths.ts';
import { splitLines } from '../../../python/values/text.ts';
import { isInt, type Value } from '../../../python/values/value.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';

const CONFIG = '/etc/selinux/config';

/** The folder of the kernel's files; undefined where SELinux is off. */
export function selinuxFolder(): string | undefined {
  return ['/sys/fs/selinux', '/selinux'].find((folder) => isDir(folder) && isFile(`${folder}/enforce`));
}

/** Enforcing, Permissive or Disabled: what is now. */
export function currentMode(): string {
  const folder = selinuxFolder();
  const text = folder === undefined ? undefined : readTextIfExists(`${folder}/enforce`);
  if (text === undefined) return 'Disabled';
  return (splitLines(text)[0] ?? '').trim() === '0' ? 'Permissive' : 'Enforcing';
}

/** The same for the next start; null where nothing says it. */
export function configuredMode(): string | null {
  const line = splitLines(readTextIfExists(CONFIG) ?? '').find((each) => each.trim().startsWith('SELINUX='));
  if (line === undefined) return null;
  const mode = (line.split('=')[1] ?? '').trim().toLowerCase();
  return mode.charAt(0).toUpperCase() + mode.slice(1);
}

const BY_WORD: ReadonlyMap<string, number> = new Map([
  ['enforcing', 1],
  ['permissive', 0],
  ['disabled', 0],
]);

/**
 * Sets the mode, now and for the next start.
 * @returns what is now, or `Invalid mode …`
 * @throws CommandExecutionError
 */
export function setMode(ctx: ModuleContext, given: Value): string {
  const isNumber = isInt(given) || typeof given === 'boolean';
  const word = isNumber ? (Number(given) === 0 ? 'permissive' : 'enforcing') : pyStr(given).toLowerCase();
  const number = BY_WORD.get(word);
  if (number === undefined) return `Invalid mode ${pyStr(given)}`;
  const folder = selinuxFolder();
  if (folder !== undefined)
    attempt('write SELinux enforce', () => writeFileSync(`${folder}/enforce`, String(number)));
  const text = attempt('read SELinux config', () => readBytes(CONFIG).toString('utf8'));
  const changed = text.replace(/\nSELINUX=.*\n/g, `\nSELINUX=${word}\n`);
  attempt('write SELinux config', () => replaceFile(ctx.random, CONFIG, changed));
  return currentMode();
}

function attempt<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new CommandExecutionError(`Could not ${what} file: ${messageOf(cause)}`, { cause });
  }
}
