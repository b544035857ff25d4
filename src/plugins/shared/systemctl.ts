/** Talking to systemd. Follows 3006.16 salt/modules/systemd_service.py. */
import { accessSync, constants } from 'node:fs';
import { CommandExecutionError } from '../../errors/errors.ts';
import { listFolder } from '../../host/file-operations.ts';
import { globPaths } from '../../host/glob.ts';
import { readTextIfExists } from '../../host/files.ts';
import { baseName, isLink, joinPath } from '../../python/paths.ts';
import { findProgram } from '../../host/which.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { fnmatch } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { truthy, type DictInit, type Value } from '../../python/values/value.ts';
import { runAll, runText, type Ended } from './program.ts';
import { hasScope, isSystemdBooted, systemdVersion } from './systemd-host.ts';
import { settingFlag } from './settings.ts';

const UNIT_TYPES = 'service socket device mount automount swap target path timer'.split(' ');
const UNIT_FOLDERS = ['/lib/systemd/system', '/usr/lib/systemd/system', '/etc/systemd/system'];
const INIT_FOLDER = '/etc/init.d';
const SOME_STATUS_IS_KNOWN = 231;

/** Another root folder; empty for this system. */
export function below(path: string, root: string): string {
  return root === '' ? path : joinPath(root, path.replace(/^\/+/, ''));
}

/** A unit's full name: without a known ending it is a service. */
export function unitName(name: string): string {
  return UNIT_TYPES.some((type) => name.endsWith(type)) ? name : `${name}.service`;
}

/** True when there is systemd, but this machine was not started by it. */
export function isOffline(): boolean {
  return !isSystemdBooted() && findProgram('systemctl') !== undefined;
}

/** How `systemctl` is called. */
export interface CallOptions {
  readonly name?: string;
  readonly root?: string;
  readonly noBlock?: boolean;
  /** In a scope of its own, so that it outlives the minion's service. */
  readonly inScope?: boolean;
}

async function commandLine(
  ctx: ModuleContext,
  words: readonly string[],
  options: CallOptions,
): Promise<string[]> {
  const argv: string[] = [];
  if (options.inScope === true && (await usesScope(ctx)))
    argv.push(findProgram('systemd-run') ?? '', '--scope');
  argv.push(findProgram('systemctl') ?? 'systemctl');
  if (options.noBlock === true) argv.push('--no-block');
  if (options.root !== undefined && options.root !== '') argv.push('--root', options.root);
  argv.push(...words);
  if (options.name !== undefined) argv.push(unitName(options.name));
  return words.includes('status') ? [...argv, '-n', '0'] : argv;
}

async function usesScope(ctx: ModuleContext): Promise<boolean> {
  return (await hasScope(ctx)) && (await settingFlag(ctx, ['systemd.scope', true]));
}

/** The words that put a program into a scope of its own; none where there are no scopes. */
export async function scopeWords(ctx: ModuleContext): Promise<string[]> {
  return (await usesScope(ctx)) ? ['systemd-run', '--scope'] : [];
}

/** Runs `systemctl`. */
export async function systemctl(
  ctx: ModuleContext,
  words: readonly string[],
  options: CallOptions = {},
  keywords: DictInit = {},
): Promise<Ended> {
  return runAll(ctx, await commandLine(ctx, words, options), keywords);
}

/** The output of `systemctl`, line by line. */
export async function systemctlLines(
  ctx: ModuleContext,
  words: readonly string[],
  root = '',
): Promise<string[]> {
  const argv = await commandLine(ctx, ['--full', '--no-legend', '--no-pager', ...words], { root });
  return splitLines(await runText(ctx, argv, { ignore_retcode: true }));
}

/** `systemctl daemon-reload`. @throws CommandExecutionError */
export async function reloadUnits(ctx: ModuleContext): Promise<true> {
  const { retcode, stdout } = await systemctl(
    ctx,
    ['--system', 'daemon-reload'],
    {},
    { redirect_stderr: true },
  );
  if (retcode !== 0) throw new CommandExecutionError(`Problem performing systemctl daemon-reload: ${stdout}`);
  return true;
}

function status(ctx: ModuleContext, name: string): Promise<Ended> {
  return systemctl(ctx, ['status'], { name }, { redirect_stderr: true, ignore_retcode: true });
}

/** Whether there is a unit. @throws CommandExecutionError when that cannot be told */
export async function isKnownUnit(ctx: ModuleContext, name: string): Promise<boolean> {
  if (isOffline())
    throw new CommandExecutionError(
      `Cannot run in offline mode. Failed to get information on unit '${name}'`,
    );
  const { retcode, stdout } = await status(ctx, name);
  const version = await systemdVersion(ctx);
  if (version !== undefined && version >= SOME_STATUS_IS_KNOWN) return retcode >= 0 && retcode < 4;
  const output = stdout.toLowerCase();
  if (output.includes('could not be found')) return false;
  const loaded = /^\s+loaded:\s+(\S+)/m.exec(output)?.[1];
  if (loaded === undefined) throw new CommandExecutionError(`Failed to get information on unit '${name}'`);
  return loaded !== 'not-found';
}

/** Reads unit files anew when one was added or changed. */
export async function checkUnitChanges(ctx: ModuleContext, name: string): Promise<void> {
  const isCustom = isReadable(joinPath('/etc/systemd/system', unitName(name)));
  if (
    (isCustom && !(await isKnownUnit(ctx, name))) ||
    (await status(ctx, name)).stdout.toLowerCase().includes("'systemctl daemon-reload'")
  )
    await reloadUnits(ctx);
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** The unit's name as Salt lists it (services without their ending); undefined for what is no unit. */
export function listedName(fullName: string): string | undefined {
  const at = fullName.lastIndexOf('.');
  const type = fullName.slice(at + 1);
  if (at < 0 || !UNIT_TYPES.includes(type)) return undefined;
  return type === 'service' ? fullName.slice(0, at) : fullName;
}

/** Names of all units that have a file. */
export function unitsWithFile(root: string): Set<string> {
  const out = new Set<string>();
  for (const folder of UNIT_FOLDERS.map((path) => below(path, root))) {
    if (!isReadable(folder) || isLink(folder)) continue;
    for (const name of listFolder(folder).map(listedName)) if (name !== undefined) out.add(name);
  }
  return out;
}

/** Names of the scripts in /etc/init.d that have no unit. */
export function initScripts(root: string, units = unitsWithFile(root)): string[] {
  const folder = below(INIT_FOLDER, root);
  let names: string[];
  try {
    names = listFolder(folder);
  } catch {
    return [];
  }
  return names.filter((name) => {
    try {
      accessSync(joinPath(folder, name), constants.X_OK);
      return !units.has(name);
    } catch {
      return false;
    }
  });
}

/** Whether a script of /etc/init.d is started at the machine's start. */
export async function isScriptEnabled(ctx: ModuleContext, name: string, root: string): Promise<boolean> {
  const level = await runLevel(ctx);
  const found = globPaths(below(`/etc/rc${level}.d/S*${name}`, root), fnmatch);
  return found.some((path) => {
    const file = baseName(path);
    return file.startsWith('S') && /^\d{0,2}$/.test(file.slice(1, file.length - name.length));
  });
}

async function runLevel(ctx: ModuleContext): Promise<string> {
  const program = findProgram('runlevel');
  const output = program === undefined ? '' : await runText(ctx, [program], { ignore_retcode: true });
  return output.trim().split(/\s+/)[1] ?? defaultRunLevel();
}

function defaultRunLevel(): string {
  const upstart = /^env DEFAULT_RUNLEVEL=(.*)$/m.exec(
    readTextIfExists('/etc/init/rc-sysinit.conf') ?? '',
  )?.[1];
  if (upstart === undefined) return '2';
  const inittab = /^[^#:]*:([^:]*):initdefault/m.exec(readTextIfExists('/etc/inittab') ?? '')?.[1];
  return inittab ?? upstart.trim();
}

/** Error output without the line about the scope. */
export function withoutScope(message: string): string {
  return splitLines(message)
    .filter((line) => !line.endsWith('.scope'))
    .join('\n')
    .trim();
}

/** Text of a root argument. */
export function rootOf(root: Value): string {
  return truthy(root) ? pyStr(root) : '';
}
