/** Reading os-release and the other files by which distributions name themselves. */
import { splitWords } from '../../../../python/shell-words.ts';
import type { GrainsContext } from '../context.ts';
import type { GrainsHost } from '../host.ts';

/** The assignments of an os-release file. `NAME`, `ID` and `PRETTY_NAME` are always there. */
export type OsRelease = ReadonlyMap<string, string>;

/** Parses an os-release file's text (freedesktop.org's os-release(5), as Python's platform module reads it). */
function parseOsRelease(text: string): OsRelease {
  const out = new Map([
    ['NAME', 'Linux'],
    ['ID', 'linux'],
    ['PRETTY_NAME', 'Linux'],
  ]);
  for (const line of text.split(/\r?\n/)) {
    const match = /^([a-zA-Z0-9_]+)=(["']?)(.*)\2$/.exec(line);
    if (match) out.set(match[1] ?? '', (match[3] ?? '').replace(/\\([\\$"'`])/g, '$1'));
  }
  return out;
}

/** The machine's os-release, or undefined when it has none. */
export function readOsRelease(host: GrainsHost): OsRelease | undefined {
  const text = host.readText('/etc/os-release') ?? host.readText('/usr/lib/os-release');
  return text === undefined ? undefined : parseOsRelease(text);
}

/** The `lsb_distrib_*` grains of /etc/lsb-release. */
export function readLsbRelease(host: GrainsHost): Map<string, string> {
  const out = new Map<string, string>();
  for (const line of (host.readText('/etc/lsb-release') ?? '').split('\n')) {
    const match = /^(DISTRIB_(?:ID|RELEASE|CODENAME|DESCRIPTION))=(?:'|")?([\p{L}\p{N}_\s.-]+)(?:'|")?/u.exec(
      line,
    );
    if (match) out.set(`lsb_${(match[1] ?? '').toLowerCase()}`, (match[2] ?? '').trimEnd());
  }
  return out;
}

/** What a CPE name says, as far as grains use it. */
export interface CpeName {
  readonly vendor: string;
  readonly version: string | undefined;
}

/** Parses os-release's `CPE_NAME` in the spellings that are in use; undefined for anything else. */
export function parseCpeName(text: string): CpeName | undefined {
  const parts = text.split(':');
  if (parts.length <= 4 || parts[0] !== 'cpe') return undefined;
  if (parts[1]?.startsWith('/')) return { vendor: parts[2] ?? '', version: parts[4] };
  const known = parts[1] === '2.3' && (parts.length === 6 || (parts.length > 7 && parts.length <= 13));
  if (!known) return undefined;
  const value = (x: string | undefined): string | undefined => (x === '*' ? undefined : x);
  return { vendor: value(parts[3]) ?? '', version: value(parts[5]) };
}

/** Name, version and code name by the older conventions (3006.16 takes them from Python's distro package). */
export interface DistroFacts {
  readonly name: string;
  readonly version: string;
  readonly codename: string;
}

interface ReleaseLine {
  readonly name?: string;
  readonly version?: string;
  readonly codename?: string;
}

/** Takes apart a line such as `CentOS Linux release 7.9.2009 (Core)`. */
function parseReleaseLine(line: string): ReleaseLine {
  const text = line.trim();
  // read from its end, because only there the parts can be told apart
  const match = /^(?:[^)]*\)(.*)\()? *(?:STL )?([\d.+\-a-z]*\d) *(?:esaeler *)?(.+)/.exec(reversed(text));
  if (!match) return text === '' ? {} : { name: text };
  return {
    name: reversed(match[3] ?? ''),
    ...(match[2] ? { version: reversed(match[2]) } : {}),
    ...(match[1] ? { codename: reversed(match[1]) } : {}),
  };
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

const NOT_RELEASE_FILES = new Set([
  'debian_version',
  'iredmail-release',
  'lsb-release',
  'oem-release',
  'os-release',
  'plesk-release',
  'system-release',
]);

function readReleaseFile(host: GrainsHost): ReleaseLine {
  const names = host
    .list('/etc')
    .filter((x) => /^\w+[-_](release|version)$/.test(x) && !NOT_RELEASE_FILES.has(x));
  for (const name of names.sort()) {
    if (host.stat(`/etc/${name}`)?.kind !== 'file') continue;
    const [first = ''] = (host.readText(`/etc/${name}`) ?? '').split('\n');
    const facts = parseReleaseLine(first);
    if (facts.name !== undefined) return facts;
  }
  return {};
}

async function readLsbProgram(ctx: GrainsContext): Promise<Map<string, string>> {
  const out = new Map<string, string>();
  const result = await ctx.run(['lsb_release', '-a']);
  if (result?.retcode !== 0) return out;
  for (const line of result.stdout.split('\n')) {
    const [key = '', ...rest] = line.trim().split(':');
    if (rest.length > 0) out.set(key.replaceAll(' ', '_').toLowerCase(), rest.join(':').trim());
  }
  return out;
}

/**
 * The assignments with lower-case keys, as a shell would read the file; lines that no shell could read are left out.
 */
function shellAssignments(text: string): Map<string, string> {
  const out = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (line.trimStart().startsWith('#')) continue;
    for (const word of shellWords(line)) {
      const at = word.indexOf('=');
      if (at > 0) out.set(word.slice(0, at).toLowerCase(), word.slice(at + 1));
    }
  }
  return out;
}

function shellWords(line: string): string[] {
  try {
    return splitWords(line);
  } catch {
    return [];
  }
}

function bestVersion(candidates: readonly string[]): string {
  const dots = (text: string): number => text.split('.').length;
  return candidates.reduce((best, x) => (best === '' || dots(x) > dots(best) ? x : best), '');
}

/** Asks every older source; slow, because it may run `lsb_release`, so call it only when os-release left a gap. */
export async function readDistroFacts(ctx: GrainsContext): Promise<DistroFacts> {
  const { host } = ctx;
  const os = shellAssignments(host.readText('/etc/os-release') ?? host.readText('/usr/lib/os-release') ?? '');
  const lsb = await readLsbProgram(ctx);
  const file = readReleaseFile(host);
  const id = os.get('id') ?? lsb.get('distributor_id') ?? '';
  const isDebian = id.toLowerCase() === 'debian' || (os.get('id_like') ?? '').split(/\s+/).includes('debian');
  const version = bestVersion([
    os.get('version_id') ?? '',
    lsb.get('release') ?? '',
    file.version ?? '',
    parseReleaseLine(os.get('pretty_name') ?? '').version ?? '',
    parseReleaseLine(lsb.get('description') ?? '').version ?? '',
    isDebian ? (host.readText('/etc/debian_version') ?? '').trim() : '',
  ]);
  const inVersion = /\((\D+)\)|,\s*(\D+)/.exec(os.get('version') ?? '');
  const codename =
    os.get('version_codename') ??
    os.get('ubuntu_codename') ??
    (inVersion ? inVersion[1] || inVersion[2] : undefined);
  return {
    name: unquoted(os.get('name') || lsb.get('distributor_id') || file.name || ''),
    version: unquoted(version),
    codename: unquoted(codename ?? (lsb.get('codename') || file.codename || '')),
  };
}

function unquoted(text: string): string {
  return text.replace(/^"+|"+$/g, '').replace(/^'+|'+$/g, '');
}
