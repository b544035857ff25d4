/**
 * What a line asks pip for: `name[extra]>=1.2; marker`, an address or a path. Follows pip 23.0.1
 * (`parse_req_from_line`) and the packaging 21 in it (`Requirement`).
 */
import { baseName, absPath, isDir, isFile, joinPath, normPath, pathExists } from '../paths.ts';
import { pyRepr } from '../values/repr.ts';
import type { VersionSpec } from './version.ts';

/** A requirement. */
export interface Requirement {
  /** Undefined where only the package itself, which is still to be fetched, says its name. */
  readonly name: string | undefined;
  readonly specs: readonly VersionSpec[];
}

/** Why a line is no requirement. */
export class InvalidRequirement extends Error {
  override readonly name = 'InvalidRequirement';
}

const SCHEMES: ReadonlySet<string> = new Set(
  `http https file ftp ssh git hg bzr sftp svn git+http git+https git+ssh git+git git+file hg+file hg+http hg+https hg+ssh hg+static-http
  svn+ssh svn+http svn+https svn+svn svn+file bzr+http bzr+https bzr+ssh bzr+sftp bzr+ftp bzr+lp bzr+file`.split(
    /\s+/,
  ),
);
const ARCHIVES = [
  '.zip',
  '.whl',
  '.tar.bz2',
  '.tbz',
  '.tar.gz',
  '.tgz',
  '.tar',
  '.tar.xz',
  '.txz',
  '.tlz',
  '.tar.lz',
  '.tar.lzma',
];
const NAMED = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?\s*(.*)$/s;
const EXTRAS =
  /^\s*(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\s*(?:,\s*[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\s*)*)?$/;
const SPEC = /^(?:(===)\s*(\S+)|(~=)\s*([^,;\s)]+)|(==|!=|<=|>=|<|>)\s*([^,;\s)]*))$/;
const WHEEL = /^([^\s-]+?)-([^\s-]*?)(?:-\d[^-]*?)?-[^\s-]+?-[^\s-]+?-[^\s-]+?\.whl$/;

/** True for an address of a scheme that pip knows. */
function isAddress(text: string): boolean {
  const at = text.indexOf(':');
  return at >= 0 && SCHEMES.has(text.slice(0, at).toLowerCase());
}

const looksLikePath = (text: string): boolean => text.includes('/') || text.startsWith('.');

/**
 * Whether a text names a file or a folder, existing or not.
 * @throws InvalidRequirement for a folder without a package
 */
function isPlace(text: string): boolean {
  const path = absPath(text).replace(/\[[^\]]*\]$/, '');
  if (looksLikePath(text) && isDir(path)) {
    if (['setup.py', 'pyproject.toml'].some((name) => isFile(joinPath(path, name)))) return true;
    throw new InvalidRequirement(
      `Directory ${pyRepr(text)} is not installable. Neither 'setup.py' nor 'pyproject.toml' found.`,
    );
  }
  if (!ARCHIVES.some((end) => path.toLowerCase().endsWith(end))) return false;
  if (isFile(path)) return true;
  const [before = ''] = text.split('@');
  return !text.includes('@') || looksLikePath(before);
}

/** The path of an address without what follows it, percent signs read. */
function pathOfAddress(address: string): string {
  const [path = ''] = address.replace(/^[^:]*:(?:\/\/[^/?#]*)?/, '').split(/[?#]/);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function nameOfWheel(file: string): string {
  const found = WHEEL.exec(file);
  if (found === null) throw new InvalidRequirement(`${file} is not a valid wheel filename.`);
  const [, name = '', version = ''] = found.map((text) => text.replaceAll('_', '-'));
  return `${name}==${version}`;
}

/** The requirement that an address or a path stands for; undefined where it does not say. */
function ofPlace(text: string): string | undefined {
  const path = isAddress(text) ? pathOfAddress(text) : normPath(text);
  if (path.endsWith('.whl')) return nameOfWheel(baseName(path));
  return isAddress(text) ? /[#&]egg=([^&]*)/.exec(text)?.[1] : undefined;
}

function specsOf(text: string): VersionSpec[] | undefined {
  const inner = /^\((.*)\)$/s.exec(text)?.[1] ?? text;
  if (inner.trim() === '') return text === '' ? [] : undefined;
  const specs = inner.split(',').map((one): VersionSpec | undefined => {
    const found = SPEC.exec(one.trim());
    if (found === null) return undefined;
    const [operator = '', version = ''] = found.slice(1).filter((group) => group !== undefined);
    return [operator, version];
  });
  return specs.some((spec) => spec === undefined) ? undefined : specs.filter((spec) => spec !== undefined);
}

function parseNamed(text: string): Requirement | undefined {
  const [, name, extras = '', rest = ''] = NAMED.exec(text) ?? [];
  if (name === undefined || !EXTRAS.test(extras)) return undefined;
  if (rest.startsWith('@')) {
    const address = /^@\s*([^ ]+)\s*$/.exec(rest)?.[1];
    return address !== undefined && /^(?:file:|[^:/]+:\/\/[^/])/.test(address)
      ? { name, specs: [] }
      : undefined;
  }
  const specs = specsOf(rest.trim());
  return specs === undefined ? undefined : { name, specs };
}

/** What may be meant by a line that is no requirement. */
function hintFor(text: string): string {
  if (text.includes('/'))
    return `It looks like a path.${pathExists(text) ? ' The path does exist. ' : ` File '${text}' does not exist.`}`;
  const isAssignment = text.includes('=') && !/===|~=|==|!=|<=|>=/.test(text) && !/[<>]/.test(text);
  return isAssignment ? '= is not a valid operator. Did you mean == ?' : '';
}

/**
 * Reads a line.
 * @throws InvalidRequirement in pip's words
 */
export function parseRequirement(line: string): Requirement {
  const separator = isAddress(line) ? '; ' : ';';
  const text = (line.split(separator)[0] ?? '').trim();
  const isElsewhere = isAddress(text) || isPlace(text);
  const asked = isElsewhere ? ofPlace(text) : text;
  if (asked === undefined || (isElsewhere && asked === '')) return { name: undefined, specs: [] };
  const found = parseNamed(asked);
  if (found !== undefined) return found;
  const hint = hintFor(asked);
  throw new InvalidRequirement(
    `Invalid requirement: ${pyRepr(asked)}${hint === '' ? '' : `\nHint: ${hint}`}`,
  );
}

/** The one spelling of all spellings of a package's name: `My_Package` and `my.package` are `my-package`. */
export function packageKey(name: string): string {
  return name.replace(/[-_.]+/g, '-').toLowerCase();
}
