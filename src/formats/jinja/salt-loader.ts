/** Finding templates by name as Salt does (3006.16 salt/utils/jinja.py `SaltCacheLoader`). */
import type { LoadedTemplate, TemplateLoader } from './environment.ts';
import { TemplateNotFoundError } from './errors.ts';
import type { TValue } from './model.ts';

/** A file that was found. */
export interface FoundFile {
  readonly text: string;
  /** The path that errors name. */
  readonly path: string;
}

/** Reads a file below the roots by its path in them; undefined when there is none. */
export type ReadTemplate = (path: string) => FoundFile | undefined | Promise<FoundFile | undefined>;

/**
 * A loader for names that start at the top of the file tree, or, with `./` and `../`, at the folder of the template
 * that was loaded last. Names that leave the tree find nothing.
 */
export function saltLoader(read: ReadTemplate): TemplateLoader {
  return (name, globals) => {
    const first = name.split('/', 1)[0];
    const isRelative = first === '.' || first === '..';
    const base = globals.get('tpldir');
    if (name.startsWith('salt://'))
      throw lost(name, 'templates are named from the top of the file roots, without salt://');
    if (isRelative && typeof base !== 'string')
      throw lost(name, 'this template has no folder that a relative name could start at');
    const path = isRelative ? normalPath(`${String(base)}/${name}`) : name;
    if (path.split('/', 1)[0] === '..') throw lost(name, 'it would leave the file roots');
    const folder = isRelative ? String(base) : path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
    const data = new Map<string, TValue>([
      ['tplfile', isRelative ? name : path],
      ['tpldir', folder === '' ? '.' : folder],
      ['tpldot', folder.replaceAll('/', '.')],
    ]);
    const loaded = (found: FoundFile | undefined): LoadedTemplate | undefined => {
      if (!found && path.startsWith('/'))
        throw lost(
          name,
          'a name with a slash in front is a path of the whole machine, and no such template can be read',
        );
      return found && { source: found.text, path: found.path, globals: data };
    };
    const found = read(path);
    return found instanceof Promise ? found.then(loaded) : loaded(found);
  };
}

/** Salt only says the name. */
function lost(name: string, reason: string): Error {
  return new TemplateNotFoundError(`${name}: ${reason}`);
}

/** Python's `posixpath.normpath`. */
function normalPath(path: string): string {
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && out.length > 0 && out.at(-1) !== '..') out.pop();
    else out.push(part);
  }
  return (path.startsWith('/') ? '/' : '') + out.join('/') || '.';
}
