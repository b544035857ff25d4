/** Finds the files that a check is to look at, and from which folder each SLS is named. */
import { readdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { UsageError } from '../../errors/errors.ts';
import { finding, type Finding } from '../../runtime/sls-check/rules.ts';
import { slsName, type SourceRoot, type Source, type SourceKind } from '../../runtime/sls-check/source.ts';
import { readText } from './read-text.ts';

/** Files beyond which a tree is refused, and folders within folders. */
const FILES_MAX = 50_000;
const DEPTH_MAX = 40;
/** Folders that hold no SLS. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '__pycache__']);
/** What folders of pillar and of reactions are called, whatever they lie in. */
const PILLAR = /^(?:[\w-]+[-_.])?pillars?$|^pillar[-_.]/i;
const REACTOR = /^_?reactors?$/i;
/** Folders of the site's own modules. */
const OWN = /^_(?:states|modules|runners|wheel|renderers)$/;
/** Folders that are roots by their names, where no top file says so. */
const ROOT_NAMES = /^(?:pillars?|salt|file_roots|pillar_roots)$/i;

/** What was found. */
export interface Found {
  readonly sources: readonly Source[];
  /** Files that could not be read. */
  readonly findings: readonly Finding[];
  /** Every root of states and of pillar, and the folders where the search began. */
  readonly roots: readonly SourceRoot[];
  /** Folders that hold modules of the site's own: `_states`. */
  readonly ownFolders: readonly string[];
}

/** Roots that were named. */
export interface NamedRoots {
  readonly fileRoots: readonly string[];
  readonly pillarRoots: readonly string[];
}

/**
 * Finds files.
 * @param paths files and folders
 * @throws UsageError for a path or a root that does not exist, and for more files than anybody has
 */
export function findSources(paths: readonly string[], named: NamedRoots): Found {
  const finder = new SourceFinder(named);
  for (const path of paths) finder.add(path);
  return finder.found();
}

class SourceFinder {
  readonly #named: readonly SourceRoot[];
  readonly #sources = new Map<string, Source>();
  readonly #findings: Finding[] = [];
  readonly #roots = new Map<string, SourceRoot>();
  readonly #ownFolders = new Set<string>();
  /** Folders, and whether those in them are environments. */
  readonly #environments = new Map<string, boolean>();

  constructor({ fileRoots, pillarRoots }: NamedRoots) {
    const roots = (folders: readonly string[], kind: SourceRoot['kind']): SourceRoot[] =>
      folders.map((folder) => ({ folder: resolve(folder), kind }));
    this.#named = [...roots(fileRoots, 'state'), ...roots(pillarRoots, 'pillar')];
    for (const root of this.#named) {
      if (statOf(root.folder)?.isDirectory() !== true)
        throw new UsageError(`There is no folder ${root.folder}, which is named as a root.`);
      this.#addRoot(root);
    }
  }

  add(path: string): void {
    const stat = statOf(path);
    if (stat === undefined) throw new UsageError(`There is no file and no folder ${path}.`);
    if (stat.isDirectory()) {
      this.#addFolder(path, resolve(path), []);
      this.#addRoot({ folder: resolve(path), kind: 'state' });
    } else this.#addFile(path, resolve(path), resolve(dirname(path)));
  }

  found(): Found {
    return {
      sources: [...this.#sources.values()],
      findings: this.#findings,
      roots: [...this.#roots.values()],
      ownFolders: [...this.#ownFolders],
    };
  }

  /**
   * @param above the folders that it lies in, as they really are: a link that leads back to one of them is not followed
   */
  #addFolder(path: string, start: string, above: readonly string[]): void {
    const real = realpathSync(path);
    if (above.length > DEPTH_MAX || above.includes(real)) return;
    const entries = readdirSync(path).sort();
    for (const entry of entries) {
      const below = join(path, entry);
      const facts = statOf(below);
      if (facts?.isDirectory() === true) {
        if (OWN.test(entry)) this.#ownFolders.add(resolve(below));
        else if (!entry.startsWith('.') && !SKIPPED.has(entry))
          this.#addFolder(below, start, [...above, real]);
      } else if (/\.(?:sls|jinja)$/.test(entry)) this.#addFile(below, resolve(below), start);
    }
  }

  #addRoot(root: SourceRoot): void {
    if (this.#roots.has(root.folder)) return;
    this.#roots.set(root.folder, root);
    for (const name of namesIn(root.folder))
      if (OWN.test(name)) this.#ownFolders.add(join(root.folder, name));
  }

  #addFile(path: string, absolute: string, start: string): void {
    if (this.#sources.has(absolute)) return;
    if (this.#sources.size >= FILES_MAX)
      throw new UsageError(`There are more than ${FILES_MAX} files below these paths: name fewer.`);
    const text = readText(absolute);
    if (text === undefined) {
      const message = 'The file cannot be read, is larger than 16 MiB, or is no text in UTF-8.';
      this.#findings.push(finding('unreadable-file', path, { line: 1, column: 1 }, message));
      return;
    }
    const root = this.#rootOf(absolute, start);
    this.#addRoot(root);
    const name = relative(root.folder, absolute);
    const kind = kindOf(absolute, name, root);
    this.#sources.set(absolute, { path, name, root, text, kind, ...slsName(name) });
  }

  #holdsEnvironments(folder: string): boolean {
    const known = this.#environments.get(folder) ?? holdsEnvironments(folder);
    this.#environments.set(folder, known);
    return known;
  }

  /**
   * The folder from which a file is named: one that was told, else the nearest with a top file, else what names and
   * places suggest.
   */
  #rootOf(absolute: string, start: string): SourceRoot {
    const inside = this.#named.filter(({ folder }) => absolute.startsWith(`${folder}/`));
    const [longest] = inside.sort((a, b) => b.folder.length - a.folder.length);
    if (longest !== undefined) return longest;
    const above = foldersAbove(absolute, start);
    const folder =
      above.find((one) => hasTop(one)) ??
      above.find((one) => this.#holdsEnvironments(dirname(one))) ??
      above.find((one) => isRootByName(one)) ??
      start;
    // `pillar/base` is pillar, too
    const isPillar = above.slice(above.indexOf(folder)).some((one) => PILLAR.test(basename(one)));
    return { folder, kind: isPillar ? 'pillar' : 'state' };
  }
}

const hasTop = (folder: string): boolean => statOf(join(folder, 'top.sls'))?.isFile() === true;

/**
 * Whether folders are environments' (`salt/base`, `salt/dev`): `base` is among them, what they lie in has no top file,
 * and some have one, or `base` holds nothing but folders of SLS.
 */
function holdsEnvironments(folder: string): boolean {
  if (!isRootByName(folder) || hasTop(folder)) return false;
  const names = namesIn(folder);
  if (!names.includes('base')) return false;
  if (names.some((name) => hasTop(join(folder, name)))) return true;
  const inBase = namesIn(join(folder, 'base'));
  const isSls = (name: string): boolean => statOf(join(folder, 'base', name, 'init.sls')) !== undefined;
  return !inBase.some((name) => name.endsWith('.sls')) && inBase.some(isSls);
}

/** A folder with an `init.sls` is an SLS that is called `salt`, as in the formula of that name, and no root. */
function isRootByName(folder: string): boolean {
  return ROOT_NAMES.test(basename(folder)) && statOf(join(folder, 'init.sls')) === undefined;
}

/** The folders that a file lies in, the innermost first, up to where the search began. */
function foldersAbove(absolute: string, start: string): string[] {
  const folders = [dirname(absolute)];
  for (let last = dirname(absolute); last !== start && last !== dirname(last); last = dirname(last))
    folders.push(dirname(last));
  return folders;
}

function kindOf(absolute: string, name: string, root: SourceRoot): SourceKind {
  if (absolute.endsWith('.jinja')) return 'template';
  const folders = dirname(name).split('/');
  const isPillar = root.kind === 'pillar' || folders.some((folder) => PILLAR.test(folder));
  if (basename(name) === 'top.sls') return isPillar ? 'pillar-top' : 'top';
  if (isPillar) return 'pillar';
  return [...folders, basename(root.folder)].some((folder) => REACTOR.test(folder)) ? 'reactor' : 'state';
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // what was named is not there
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
