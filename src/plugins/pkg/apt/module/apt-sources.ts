/**
 * The sources that apt is configured with: lines of `.list` files, and stanzas of `.sources` files. Follows 3006.16
 * salt/modules/aptpkg.py `SourceEntry` for the lines, and 3008 for the stanzas, which earlier Salts do not see.
 */
import { readdirSync } from 'node:fs';
import { readTextIfExists } from '../../../../host/files.ts';
import { isFile, joinPath } from '../../../../python/paths.ts';
import { dict, type Dict } from '../../../../python/values/value.ts';
import { linesOf } from '../../../shared/file-text.ts';
import { isOff, stanzaOptions } from './apt-options.ts';
import { stanzasOf, type Stanza } from '../../module/deb822.ts';

/** One source: what one line says, or one type, address and suite of a stanza. */
export interface AptSource {
  readonly file: string;
  readonly line: string;
  readonly disabled: boolean;
  readonly type: string;
  readonly uri: string;
  readonly dist: string;
  readonly comps: readonly string[];
  /** By their names in a line, in their order. */
  readonly options: ReadonlyMap<string, string>;
  /** What stands behind a `#`, or above a stanza. */
  readonly comment: string;
  /** What it is a part of in a `.sources` file. */
  readonly stanza?: Stanza;
}

/** The file that sources are in unless another is named. */
export const MAIN_FILE = '/etc/apt/sources.list';
const FOLDER = '/etc/apt/sources.list.d';
const TYPES = ['deb', 'deb-src', 'rpm', 'rpm-src'];

/**
 * A line: its type, options, address, distribution and components. The name of a disc is in brackets of its own, with
 * blanks in it.
 */
const SOURCE =
  /^(\S+)\s+(?:\[([^\]]*)\]\s*)?(cdrom:\[[^\]]*\]\S*|(?!cdrom:\[)[^\s[]\S*)\s+(\S+)(?:\s+(.*))?$/;
const isAddress = (uri: string): boolean => /^[a-z0-9+.-]+:./i.test(uri) || uri.startsWith('{');
const blanks = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** The address without slashes at its end. */
export const bareUri = (uri: string): string => uri.replace(/\/+$/, '');

/** The architectures of a source; none for all. */
export const architecturesOf = ({ options }: Pick<AptSource, 'options'>): string[] =>
  options.get('arch')?.split(',') ?? [];

/** The keys of a source: a path, or a block of text in a stanza; empty for none. */
export const signedBy = ({ options }: Pick<AptSource, 'options'>): string => options.get('signed-by') ?? '';

/** Whether sources are kept as stanzas in a file. */
export const isStanzaFile = (file: string): boolean => file.endsWith('.sources');

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
  return {
    file,
    line,
    disabled,
    type,
    uri,
    dist,
    comps: blanks(comps),
    options: new Map(
      blanks(options).map((word): [string, string] => {
        const [name = ''] = word.split('=', 1);
        return [name, word.slice(name.length + 1)];
      }),
    ),
    comment,
  };
}

/** What is said of a line that is no source. */
export const notUnderstood = (line: string): string =>
  `Name ${line} is not valid. This must be the complete repo entry as seen in the sources file`;

function namesBelow(recursive: boolean, ending: string): string[] {
  let names: string[];
  try {
    names = readdirSync(FOLDER, { recursive, encoding: 'utf8' });
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => joinPath(FOLDER, name))
    .filter(isFile);
}

/** A part of a file of sources: a line or a stanza with its sources, or what else stands there. */
export interface SourcePiece {
  readonly file: string;
  readonly text: string;
  readonly sources: readonly AptSource[];
}

function piecesOf(file: string): SourcePiece[] {
  const lines = linesOf(readTextIfExists(file) ?? '');
  if (!isStanzaFile(file))
    return lines.map((text) => ({ file, text, sources: [parseSource(text, file) ?? []].flat() }));
  return stanzasOf(lines).map((piece) =>
    typeof piece === 'string' ? { file, text: piece, sources: [] } : stanzaPiece(file, piece),
  );
}

/** A stanza as a part of its file. */
export function stanzaPiece(file: string, stanza: Stanza): SourcePiece {
  const words = (name: string): string[] => blanks(stanza.get(name) ?? '');
  const common = {
    file,
    stanza,
    disabled: isOff(stanza.get('Enabled') ?? 'yes'),
    comps: words('Components'),
    options: stanzaOptions(stanza),
    comment: stanza.comment,
  };
  const sources = words('Types').flatMap((type) =>
    words('URIs').flatMap((uri) =>
      words('Suites').map((dist): AptSource => {
        const source = { ...common, type, uri, dist, line: '' };
        return { ...source, line: sourceText({ ...source, comment: '' }) };
      }),
    ),
  );
  return { file, text: stanza.text, sources };
}

/** All parts of all files, so that they can be written again. */
export function sourcePieces(): SourcePiece[] {
  return [MAIN_FILE, ...namesBelow(true, '.list'), ...namesBelow(false, '.sources')].flatMap(piecesOf);
}

/** The line that says what a source is. A key that stands in its stanza is not in it. */
export function sourceText(source: AptSource): string {
  const options = [...source.options]
    .filter(([, value]) => !value.includes('\n'))
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`));
  const words = [
    ...(source.disabled ? ['#'] : []),
    source.type,
    ...(options.length > 0 ? [`[${options.join(' ')}]`] : []),
    source.uri,
    source.dist,
    ...source.comps,
    ...(source.comment === '' ? [] : [`#${source.comment}`]),
  ];
  return `${words.join(' ')}\n`;
}

/** All sources, disabled ones included. */
export const aptSources = (): AptSource[] => sourcePieces().flatMap(({ sources }) => sources);

/** A source as Salt shows it; one of a stanza as 3008 does, with the comment above it. */
export function sourceDict(source: AptSource): Dict {
  const { stanza } = source;
  const words = (name: string): string[] => blanks(stanza?.get(name) ?? '');
  const known = dict({
    file: source.file,
    comps: [...source.comps],
    disabled: source.disabled,
    dist: source.dist,
    type: source.type,
    uri: source.uri,
    line: source.line.trim(),
    architectures: architecturesOf(source),
    signedby: signedBy(source),
  });
  if (stanza === undefined) return known;
  return new Map([
    ...known,
    ...dict({
      enabled: !source.disabled,
      types: words('Types'),
      uris: words('URIs'),
      suites: words('Suites'),
      ...(source.comment === '' ? {} : { comments: source.comment }),
    }),
  ]);
}

/**
 * The configured source that is meant, of several the one with the same components before one that shares some, and one
 * that is switched on before one that is not.
 */
export function findSource(sources: readonly AptSource[], wanted: AptSource): AptSource | undefined {
  const { comps, type, dist } = wanted;
  const isSame = (source: AptSource): boolean =>
    source.comps.length === comps.length && comps.every((comp) => source.comps.includes(comp));
  const found = sources.filter(
    (source) =>
      source.type === type &&
      bareUri(source.uri) === bareUri(wanted.uri) &&
      source.dist === dist &&
      (comps.length === 0 || comps.some((comp) => source.comps.includes(comp))),
  );
  const rank = (source: AptSource): number => (isSame(source) ? 0 : 2) + (source.disabled ? 1 : 0);
  return found.toSorted((a, b) => rank(a) - rank(b))[0];
}
