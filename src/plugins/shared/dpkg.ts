/** Asking dpkg. Follows 3006.16 salt/modules/dpkg_lowpkg.py and salt/modules/aptpkg.py. */
import { statSync } from 'node:fs';
import { CommandExecutionError } from '../../errors/errors.ts';
import { readTextIfExists } from '../../host/files.ts';
import { pathExists } from '../../python/paths.ts';
import { findProgram } from '../../host/which.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { compareText } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { runAll, runStdout, runText } from './program.ts';
import { addVersion, type Versions } from './packages.ts';

/**
 * True on Debian and what comes from it, unless the configuration's own grains name another family. Asks the machine,
 * not its grains, which `salt-call` collects only when needed.
 */
export function hasDpkg(opts: Dict): boolean {
  const told = opts.get('grains');
  const family = isDict(told) ? told.get('os_family') : undefined;
  return (
    (family ?? 'Debian') === 'Debian' &&
    pathExists('/etc/debian_version') &&
    findProgram('dpkg-query') !== undefined
  );
}

/** Packages by what has become of them. */
export interface DebPackages {
  readonly installed: Map<string, string[]>;
  /** Removed, but for their configuration. */
  readonly removed: Map<string, string[]>;
  /** Installed, and to be purged. */
  readonly purgeDesired: Map<string, string[]>;
}

/** Packages of another architecture carry it in their name. */
function nameWithArch(ctx: ModuleContext, name: string, arch: string): string {
  const isForeign =
    ctx.grains.get('cpuarch') === 'x86_64' &&
    ctx.grains.get('osarch') === 'amd64' &&
    arch !== 'all' &&
    arch !== 'amd64';
  return isForeign ? `${name}:${arch}` : name;
}

/** All packages that dpkg knows. */
export async function debPackages(ctx: ModuleContext): Promise<DebPackages> {
  const format = '${Status} ${Package} ${Version} ${Architecture}\n';
  const argv = ['dpkg-query', '--showformat', format, '-W'];
  const output = await runStdout(ctx, argv, { output_loglevel: 'trace' });
  const out: DebPackages = { installed: new Map(), removed: new Map(), purgeDesired: new Map() };
  for (const line of splitLines(output)) {
    const [want = '', , status = '', given, version, arch] = line.split(/\s+/);
    if (given === undefined || version === undefined || arch === undefined) continue;
    const name = nameWithArch(ctx, given, arch);
    if (
      (want.includes('install') || want.includes('hold')) &&
      status.includes('installed') &&
      !want.includes('deinstall')
    )
      addVersion(out.installed, name, version);
    else if (want.includes('deinstall')) addVersion(out.removed, name, version);
    else if (want.includes('purge') && status === 'installed') addVersion(out.purgeDesired, name, version);
  }
  return out;
}

/** The packages that count as installed. */
export async function installedDebs(ctx: ModuleContext): Promise<Versions> {
  const { installed, purgeDesired } = await debPackages(ctx);
  return new Map([...purgeDesired, ...installed]);
}

/** What dpkg is to do with packages: `{hold: [names], install: […]}`. */
export async function selections(ctx: ModuleContext, pattern: Value): Promise<Map<string, string[]>> {
  const argv = ['dpkg', '--get-selections', pattern === null || pattern === '' ? '*' : pattern];
  const out = new Map<string, string[]>();
  for (const line of splitLines(await runStdout(ctx, argv, { output_loglevel: 'trace' }))) {
    const [name = '', state = ''] = line.trim().split(/\s+/);
    if (state === '') continue;
    out.set(state, [...(out.get(state) ?? []), name]);
  }
  return out;
}

/** Names of installed packages by names and globs; a text when dpkg does not know one. */
async function packageNames(ctx: ModuleContext, names: readonly Value[]): Promise<string[] | string> {
  const argv = ['dpkg-query', '-f=${db:Status-Status}\t${binary:Package}\n', '-W', ...names];
  const { retcode, stdout, stderr } = await runAll(ctx, argv);
  if (retcode !== 0) {
    ctx.log.error(`Error:  ${stderr}`);
    return `Error:  ${stderr}`;
  }
  const rows = splitLines(stdout).map((line) => line.split('\t'));
  return rows.filter(([status]) => status === 'installed').map(([, name = '']) => name);
}

/** `lowpkg.list_pkgs` */
export async function listLow(ctx: ModuleContext, names: readonly Value[]): Promise<Value> {
  const argv = ['dpkg-query', '-f=${db:Status-Status}\t${binary:Package}\t${Version}\n', '-W', ...names];
  const { retcode, stdout, stderr } = await runAll(ctx, argv);
  if (retcode !== 0) {
    ctx.log.error(`Error:  ${stderr}`);
    return `Error:  ${stderr}`;
  }
  const rows = splitLines(stdout).map((line) => line.split('\t'));
  const installed = rows.filter(([status]) => status === 'installed');
  return new Map(installed.map(([, name = '', version = '']) => [name, version]));
}

/** `lowpkg.file_list` */
export async function fileList(ctx: ModuleContext, names: readonly Value[]): Promise<Value> {
  const packages = await packageNames(ctx, names);
  if (typeof packages === 'string') return packages;
  const files = new Set<string>();
  for (const name of packages)
    for (const path of splitLines(await runText(ctx, ['dpkg', '-L', name]))) files.add(path);
  return dict({ errors: [], files: [...files].sort(compareText) });
}

/** `lowpkg.file_dict` */
export async function fileDict(ctx: ModuleContext, names: readonly Value[]): Promise<Value> {
  const packages = await packageNames(ctx, names);
  if (typeof packages === 'string') return packages;
  const out: Dict = new Map();
  for (const name of packages) out.set(name, splitLines(await runText(ctx, ['dpkg', '-L', name])));
  return dict({ errors: [], packages: out });
}

/** Fields of `lowpkg.info` and dpkg's names of them; the description, of several lines, comes last. */
const INFO_FIELDS = [
  ...[
    ['package', 'Package'],
    ['revision', 'binary:Revision'],
    ['architecture', 'Architecture'],
  ],
  ...[
    ['maintainer', 'Maintainer'],
    ['summary', 'Summary'],
    ['source', 'source:Package'],
    ['version', 'Version'],
  ],
  ...[
    ['section', 'Section'],
    ['installed_size', 'Installed-size'],
    ['size', 'Size'],
    ['MD5', 'MD5sum'],
  ],
  ...[
    ['SHA1', 'SHA1'],
    ['SHA256', 'SHA256'],
    ['origin', 'Origin'],
    ['homepage', 'Homepage'],
  ],
  ['status', 'db:Status-Abbrev'],
] as const;
const END = '*/~^\\*';
const LEFT_OUT = new Set([
  'installed_size',
  'depends',
  'recommends',
  'provides',
  'replaces',
  'conflicts',
  'bugs',
  'task',
]);

/** `lowpkg.info`. @throws CommandExecutionError when dpkg does not know one and `failhard` holds */
export async function packageInfo(
  ctx: ModuleContext,
  names: readonly Value[],
  failhard: boolean,
): Promise<Dict> {
  const fields = INFO_FIELDS.map(([key, name]) => `${key}:\${${name}}\\n`).join('');
  const format = `${fields}description:\${Description}\\n\\n*/~^\\\\*\\n`;
  const { retcode, stdout, stderr } = await runAll(ctx, ['dpkg-query', '-W', `-f=${format}`, ...names]);
  const out: Dict = new Map();
  if (retcode !== 0) {
    if (failhard) throw new CommandExecutionError(`Error getting packages information: ${stderr}`);
    return out;
  }
  for (const text of stdout.split(`\n${END}`).filter((part) => part.trim() !== '')) {
    const at = text.indexOf('\ndescription:');
    const entry: Dict = new Map();
    for (const line of text
      .slice(0, at)
      .split('\n')
      .map((raw) => raw.trim())) {
      const colon = line.indexOf(':');
      if (colon > 0 && colon < line.length - 1 && !LEFT_OUT.has(line.slice(0, colon)))
        entry.set(line.slice(0, colon), line.slice(colon + 1));
      if (line.startsWith('package:')) addInstallDate(entry, line.slice(colon + 1));
    }
    const name = pyStr(entry.get('package') ?? '');
    entry.set('description', text.slice(at + '\ndescription:'.length));
    const licence = licenceOf(name);
    if (licence !== '') entry.set('license', licence);
    out.set(name, entry);
  }
  return out;
}

function addInstallDate(entry: Dict, name: string): void {
  const facts = /[/\0]/.test(name)
    ? undefined
    : statSync(`/var/lib/dpkg/info/${name}.list`, { throwIfNoEntry: false });
  if (facts === undefined) return;
  const seconds = Math.trunc(facts.mtimeMs / 1000);
  entry.set('install_date', `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`);
}

function licenceOf(name: string): string {
  if (/[/\0]/.test(name)) return '';
  const lines = splitLines(readTextIfExists(`/usr/share/doc/${name}/copyright`) ?? '');
  const found = lines.filter((line) => line.startsWith('License:')).map((line) => line.slice(8).trim());
  return [...new Set(found)].sort(compareText).join(', ');
}

/** `lowpkg.bin_pkg_info` of a file on this machine. @throws CommandExecutionError */
export async function debFileInfo(ctx: ModuleContext, path: string): Promise<Dict> {
  const { retcode, stdout, stderr } = await runAll(ctx, ['dpkg', '-I', path], { output_loglevel: 'trace' });
  if (retcode !== 0)
    throw new CommandExecutionError(`Unable to get info for ${path}${stderr === '' ? '' : `: ${stderr}`}`);
  const field = (name: string): string | undefined =>
    new RegExp(`^\\s*${name}[ ]*:.*?(\\S+)\\s*$`, 'm').exec(stdout)?.[1];
  const fields = { name: field('Package'), version: field('Version'), arch: field('Architecture') };
  const missing = Object.entries(fields)
    .filter(([, value]) => value === undefined)
    .map(([name]) => name);
  if (missing.length > 0) throw new CommandExecutionError(`Unable to get ${missing.join(', ')} for ${path}`);
  const { name = '', version = '', arch = '' } = fields;
  return dict({ name: nameWithArch(ctx, name, arch), version, arch });
}
