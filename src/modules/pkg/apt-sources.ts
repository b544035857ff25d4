/** The sources that apt is configured with (one line each). Follows 3006.16 salt/modules/aptpkg.py `SourceEntry`. */
import { readdirSync } from 'node:fs';
import { readTextIfExists } from '../../host/files.ts';
import { isFile, joinPath } from '../../host/py-path.ts';
import { dict, type Dict } from '../../values/value.ts';
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
}

const MAIN_FILE = '/etc/apt/sources.list';
const FOLDER = '/etc/apt/sources.list.d';
const TYPES = ['deb', 'deb-src', 'rpm', 'rpm-src'];

/** Takes a line apart; undefined for what is no source. */
export function parseSource(line: string, file = MAIN_FILE): AptSource | undefined {
  let text = line.trim();
  const disabled = text.startsWith('#');
  if (disabled) text = text.slice(1);
  const hash = text.indexOf('#');
  if (hash > 0) text = text.slice(0, hash);
  const options = /\[([^\]]*)\]/.exec(text);
  const words = (options === null ? text : text.replace(options[0], ' ')).trim().split(/\s+/);
  const [type = '', uri, dist, ...comps] = words;
  if (!TYPES.includes(type) || uri === undefined || dist === undefined) return undefined;
  const given = (options?.[1] ?? '').trim().split(/\s+/);
  const option = (name: string): string | undefined =>
    given.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  return {
    file,
    line,
    disabled,
    type,
    uri,
    dist,
    comps,
    architectures: option('arch')?.split(',') ?? [],
    signedBy: option('signed-by') ?? '',
  };
}

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
