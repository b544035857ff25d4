/** The sources that apt is configured with (one line each). Follows 3006.16 salt/modules/aptpkg.py `SourceEntry`. */
import { readdirSync } from 'node:fs';
import { readTextIfExists } from '../../../host/files.ts';
import { isFile, joinPath } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Dict } from '../../../python/values/value.ts';
import { linesOf } from '../file/text.ts';

/** One source. */
export interface AptSource {
  readonly file: string;
  readonly line: string;
  readonly disabled: boolean;
  readonly type: string;
  readonly uri: string;
  readonly dist: string;
  readonly comps: readonly string[];
  readonly architectures: readonly string[];
  readonly signedBy: string;
  /** What stands behind a `#`. */
  readonly comment: string;
}

/** The file that sources are in unless another is named. */
export const MAIN_FILE = '/etc/apt/sources.list';
const FOLDER = '/etc/apt/sources.list.d';
const TYPES = ['deb', 'deb-src', 'rpm', 'rpm-src'];

/** A line: its type, options, address, distribution and components. The name of a disc is in brackets of its own, with blanks in it. */
const SOURCE =
  /^(\S+)\s+(?:\[([^\]]*)\]\s*)?(cdrom:\[[^\]]*\]\S*|(?!cdrom:\[)[^\s[]\S*)\s+(\S+)(?:\s+(.*))?$/;
const OPTIONS = /^(?:#\s*)?\S+\s+\[([^\]]*=[^\]]*)\]/;
const isAddress = (uri: string): boolean => /^[a-z0-9+.-]+:./i.test(uri) || uri.startsWith('{');

/** Takes a line apart; undefined for what is no source. */
export function parseSource(line: string, file = MAIN_FILE): AptSource | undefined {
  let text = line.trim();
  const disabled = text.startsWith('#');
  if (disabled) text = text.slice(1);
  const hash = text.indexOf('#');
  const comment = hash > 0 ? text.slice(hash + 1) : '';
  if (hash > 0) text = text.slice(0, hash);
  const [, type = '', options = '', uri = '', dist = '', comps = ''] = SOURCE.exec(text.trim()) ?? [];
  if (!TYPES.includes(type) || !isAddress(uri)) return undefined;
  const given = options.trim().split(/\s+/);
  const option = (name: string): string | undefined =>
    given.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  return {
    file,
    line,
    disabled,
    type,
    uri,
    dist,
    comps: comps.split(/\s+/).filter((comp) => comp !== ''),
    architectures: option('arch')?.split(',') ?? [],
    signedBy: option('signed-by') ?? '',
    comment,
  };
}

/**
 * Why a file is none that lines of sources may be written into: apt reads a `.sources` file as deb822, stops over a line there, and the
 * line would not be found again.
 */
export function wrongFormat(file: string): string | undefined {
  if (!file.endsWith('.sources')) return undefined;
  return `${file} is a file in the format deb822, which Brine does not write; name one that ends in .list, or manage it with file.managed`;
}

/** What is said of a line that is no source. */
export const notUnderstood = (line: string): string =>
  `Name ${line} is not valid. This must be the complete repo entry as seen in the sources file`;

function sourceFiles(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith('.list'))
    .map((name) => joinPath(folder, name))
    .filter(isFile);
}

/** A line of a file of sources: a source, or what else stands there. */
export interface SourceLine {
  readonly file: string;
  readonly text: string;
  readonly source: AptSource | undefined;
}

/** All lines of all files, so that they can be written again. */
export function sourceLines(): SourceLine[] {
  return [MAIN_FILE, ...sourceFiles(FOLDER)].flatMap((file) =>
    linesOf(readTextIfExists(file) ?? '').map((text) => ({ file, text, source: parseSource(text, file) })),
  );
}

/** The line that says what a source is, with the options of its old line that are not changed. */
export function sourceText(source: AptSource): string {
  const given = (OPTIONS.exec(source.line.trim())?.[1] ?? '').split(/\s+/).filter((word) => word !== '');
  const options = new Map(given.map((word) => [word.split('=', 1)[0] ?? '', word]));
  if (source.architectures.length > 0) options.set('arch', `arch=${source.architectures.join(',')}`);
  if (source.signedBy !== '') options.set('signed-by', `signed-by=${source.signedBy}`);
  const words = [
    ...(source.disabled ? ['#'] : []),
    source.type,
    ...(options.size > 0 ? [`[${[...options.values()].join(' ')}]`] : []),
    source.uri,
    source.dist,
    ...source.comps,
    ...(source.comment === '' ? [] : [`#${source.comment}`]),
  ];
  return `${words.join(' ')}\n`;
}

/** All sources, disabled ones included. */
export function aptSources(): AptSource[] {
  return [MAIN_FILE, ...sourceFiles(FOLDER)].flatMap((file) =>
    linesOf(readTextIfExists(file) ?? '').flatMap((line) => parseSource(line, file) ?? []),
  );
}

/** A source as Salt shows it. */
export function sourceDict(source: AptSource): Dict {
  return dict({
    file: source.file,
    comps: [...source.comps],
    disabled: source.disabled,
    dist: source.dist,
    type: source.type,
    uri: source.uri,
    line: source.line.trim(),
    architectures: [...source.architectures],
    signedby: source.signedBy,
  });
}

/** The configured source that a line describes. */
export function findSource(line: string): AptSource | undefined {
  const wanted = parseSource(line);
  if (wanted === undefined) return undefined;
  const bare = (uri: string): string => uri.replace(/\/+$/, '');
  return aptSources().find(
    ({ type, uri, dist, comps }) =>
      type === wanted.type &&
      bare(uri) === bare(wanted.uri) &&
      dist === wanted.dist &&
      (wanted.comps.length === 0 || wanted.comps.some((comp) => comps.includes(comp))),
  );
}

/**
 * The source that a line and keywords of `pkgrepo.managed` describe, as Salt shows it; undefined for what is no source.
 * Follows 3006.16 salt/modules/aptpkg.py `_expand_repo_def`.
 */
export function describedSource(line: string, keywords: Dict): Dict | undefined {
  const parsed = parseSource(line);
  if (parsed === undefined) return undefined;
  const text = (name: string, fallback: string): string =>
    keywords.has(name) ? pyStr(keywords.get(name) ?? null) : fallback;
  const list = (name: string, fallback: readonly string[]): readonly string[] =>
    keywords.has(name)
      ? text(name, '')
          .split(',')
          .map((word) => word.trim())
      : fallback;
  const source: AptSource = {
    ...parsed,
    uri: text('uri', parsed.uri),
    dist: text('dist', parsed.dist),
    comps: list('comps', parsed.comps),
    architectures: list('architectures', parsed.architectures),
    signedBy: text('signedby', parsed.signedBy),
    disabled: keywords.has('disabled') ? truthy(keywords.get('disabled')) : parsed.disabled,
    comment: '',
  };
  return sourceDict({ ...source, line: sourceText(source) });
}
