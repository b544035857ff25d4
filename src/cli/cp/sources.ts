/** What `salt-cp` is told to copy: files and folders of this machine (salt/cli/cp.py, 3006.16). */
import type { ErrorCode } from '../../errors/codes.ts';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { BrineError } from '../../errors/errors.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import type { Dict } from '../../python/values/value.ts';

/** Exit code for a source that is not there. */
const NO_SOURCE = 42;

/** A source that cannot be copied; the message is all that is said. */
export class SourceError extends BrineError {
  static override readonly errorCode: ErrorCode = 'source-not-readable';
  override readonly name = 'SourceError';
  override readonly exitCode: number;
  /** Where Salt says it. */
  readonly stream: 'stdout' | 'stderr';

  constructor(message: string, exitCode: number, stream: 'stdout' | 'stderr') {
    super(message);
    this.exitCode = exitCode;
    this.stream = stream;
  }
}

/**
 * @throws SourceError for sources that are not there. Salt compat: Salt sends nothing in their place, and says nothing.
 */
export function requireSources(sources: readonly string[]): void {
  const missing = sources.find((path) => !existsSync(path));
  if (missing !== undefined) throw new SourceError(`${missing} does not exist`, NO_SOURCE, 'stderr');
}

/** The absolute path of a source, links followed. */
export function sourcePath(word: string): string {
  const path = resolve(word);
  return existsSync(path) ? realpathSync(path) : path;
}

/**
 * Whole files for one job: path to content.
 * @throws SourceError for a folder, and for a file that is not text
 */
export function readSources(sources: readonly string[]): Dict {
  const files: Dict = new Map();
  for (const path of sources) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true)
      throw new SourceError(
        `${path} is a directory, only files are supported in non-chunked mode. Use "--chunked" command line argument.`,
        1,
        'stdout',
      );
    if (stat?.isFile() !== true) continue;
    // Salt compat: Salt fails with a UnicodeDecodeError
    const text = decodeUtf8(readFileSync(path));
    if (text === undefined)
      throw new SourceError(`${path} is not a text file. Use "--chunked" to copy it.`, 1, 'stderr');
    files.set(path, text);
  }
  return files;
}

/** Files with their permission bits, and empty folders. */
export interface SourceTree {
  readonly files: ReadonlyMap<string, number>;
  readonly emptyFolders: readonly string[];
}

/** Walks the sources. @throws SourceError `x does not exist` */
export function walkSources(sources: readonly string[]): SourceTree {
  const files = new Map<string, number>();
  const emptyFolders = new Set<string>();
  for (const path of sources) walk(path, { files, emptyFolders }, new Set());
  return { files, emptyFolders: [...emptyFolders].sort() };
}

function walk(
  path: string,
  found: { readonly files: Map<string, number>; readonly emptyFolders: Set<string> },
  above: ReadonlySet<string>,
): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new SourceError(`${path} does not exist`, NO_SOURCE, 'stderr');
  if (stat.isFile()) found.files.set(path, stat.mode & 0o7777);
  if (!stat.isDirectory()) return;
  const identity = `${stat.dev}.${stat.ino}`;
  if (above.has(identity)) return; // a link to a folder above
  const names = readdirSync(path);
  if (names.length === 0) found.emptyFolders.add(path);
  for (const name of names) {
    const inner = join(path, name);
    // a link to nowhere inside a folder is left out
    if (lstatSync(inner).isSymbolicLink() && !existsSync(inner)) continue;
    walk(inner, found, new Set([...above, identity]));
  }
}

/** Where the files of a tree go. */
export class Destinations {
  readonly #sources: readonly string[];
  readonly #dest: string;
  readonly #isFolder: boolean;

  constructor(sources: readonly string[], dest: string, { files, emptyFolders }: SourceTree) {
    this.#sources = sources;
    this.#dest = dest;
    this.#isFolder = emptyFolders.length > 0 || files.size > 1 || /[\\/]$/.test(dest);
  }

  /** The path on the minion. */
  of(path: string): string {
    if (this.#sources.includes(path)) return this.#isFolder ? join(this.#dest, basename(path)) : this.#dest;
    const source = this.#sources.find((candidate) => path.startsWith(`${candidate}/`)) ?? dirname(path);
    return join(this.#dest, basename(source), relative(source, path));
  }
}
