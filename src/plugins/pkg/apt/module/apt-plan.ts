/**
 * What becomes of apt's sources: from a line and keywords (`pkg.mod_repo`, `pkgrepo.managed`) to the source that is
 * wanted, the one that is there, and what it will be. A source stays in the format of its file.
 */
import { isTrue } from '../../../../python/conversions.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { fieldName, fieldValue, isOfEntry, isOn, isSameOption } from './apt-options.ts';
import {
  aptSources,
  architecturesOf,
  bareUri,
  findSource,
  isStanzaFile,
  MAIN_FILE,
  notUnderstood,
  parseSource,
  signedBy,
  sourceDict,
  sourceText,
  type AptSource,
} from './apt-sources.ts';
import { blockValue, Stanza } from '../../module/deb822.ts';

function listOf(value: Value): string[] {
  const items = Array.isArray(value) ? value.map(pyStr) : pyStr(value).split(',');
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

/** The options of a line with those of the keywords `architectures`, `signedby` and `trusted`. */
function wantedOptions(given: AptSource['options'], keywords: Dict): Map<string, string> {
  const options = new Map(given);
  const architectures = keywords.get('architectures') ?? null;
  if (architectures !== null && listOf(architectures).length > 0)
    options.set('arch', listOf(architectures).join(','));
  const key = pyStr(keywords.get('signedby') ?? '').trim();
  if (key !== '') options.set('signed-by', key.includes('\n') ? blockValue(key) : key);
  const trusted = keywords.get('trusted') ?? null;
  if (trusted !== null) options.set('trusted', isTrue(trusted) || isOn(pyStr(trusted)) ? 'yes' : 'no');
  return options;
}

/** The source that a line and keywords describe; undefined for what is no source. */
export function wantedSource(line: string, keywords: Dict): AptSource | undefined {
  const parsed = parseSource(line);
  if (parsed === undefined) return undefined;
  const given = (name: string): Value => keywords.get(name) ?? null;
  const text = (name: string, fallback: string): string =>
    given(name) === null ? fallback : pyStr(given(name));
  const comments = given('comments');
  return {
    ...parsed,
    uri: text('uri', parsed.uri),
    dist: text('dist', parsed.dist),
    comps: given('comps') === null ? parsed.comps : listOf(given('comps')),
    options: wantedOptions(parsed.options, keywords),
    file: text('file', MAIN_FILE),
    comment:
      comments === null
        ? parsed.comment
        : (Array.isArray(comments) ? comments : [comments])
            .map((comment) => pyStr(comment).replace(/^#+\s*/, ''))
            .join(' ')
            .trim(),
    disabled:
      given('disabled') !== null
        ? isTrue(given('disabled'))
        : given('enabled') !== null
          ? !isTrue(given('enabled'))
          : parsed.disabled,
  };
}

const UBUNTUS: readonly Value[] = ['Ubuntu', 'Mint', 'neon'];

/** Whether this system has sources that are named `ppa:owner/name`. */
export const hasPpas = (grains: Dict): boolean => UBUNTUS.includes(grains.get('os') ?? '');

/**
 * The line that is meant: of a `ppa:`, on systems that have them, the one that is configured, or as Salt writes it.
 * Newer releases of Ubuntu write another host than older ones.
 */
export function namedLine(grains: Dict, repo: string, keywords: Dict): string {
  if (!repo.startsWith('ppa:') || !hasPpas(grains)) return repo;
  const [owner = '', name = ''] = repo.slice(4).split('/');
  const rest = `/${owner}/${name}/ubuntu ${pyStr(grains.get('oscodename') ?? '')} main`;
  const auth = keywords.get('ppa_auth') ?? '';
  if (truthy(auth)) return `deb https://${pyStr(auth)}@private-ppa.launchpad.net${rest}`;
  const hosts = [
    'http://ppa.launchpad.net',
    'https://ppa.launchpadcontent.net',
    'http://ppa.launchpadcontent.net',
  ];
  const lines = hosts.map((host) => `deb ${host}${rest}`);
  return lines.find((line) => configuredSource(line, keywords) !== undefined) ?? lines[0] ?? repo;
}

/** The configured source that a line and keywords mean: as it will be, or as it was before. */
export function configuredSource(
  line: string,
  keywords: Dict,
  sources: readonly AptSource[] = aptSources(),
): AptSource | undefined {
  const wanted = wantedSource(line, keywords);
  const asWritten = parseSource(line);
  if (wanted === undefined || asWritten === undefined) return undefined;
  return findSource(sources, wanted) ?? findSource(sources, asWritten);
}

/** What a source of a stanza becomes: what is not named stays as it is there. */
export function plannedInStanza(found: AptSource, wanted: AptSource, keywords: Dict): AptSource {
  const isSameList =
    wanted.comps.length === found.comps.length && wanted.comps.every((comp) => found.comps.includes(comp));
  const options = new Map(found.options);
  for (const [name, value] of wanted.options)
    if (!isSameOption(name, options.get(name), value)) options.set(name, value);
  const isSwitched = ['enabled', 'disabled'].some((key) => (keywords.get(key) ?? null) !== null);
  const planned: AptSource = {
    ...found,
    type: wanted.type,
    uri: bareUri(wanted.uri) === bareUri(found.uri) ? found.uri : wanted.uri,
    dist: wanted.dist,
    comps: isSameList ? found.comps : wanted.comps,
    options,
    disabled: isSwitched ? wanted.disabled : found.disabled,
    comment: (keywords.get('comments') ?? null) === null ? found.comment : wanted.comment,
  };
  return { ...planned, line: sourceText({ ...planned, comment: '' }) };
}

/** Why a source cannot be written where it is to stand. */
export function unwritable(source: AptSource): string | undefined {
  if (!isStanzaFile(source.file))
    return signedBy(source).includes('\n')
      ? `signedby is a key, which has no place in the line of a source; name a file that ends in .sources, or the path of the key`
      : undefined;
  if (!/\s/.test(source.uri)) return undefined;
  return `${source.uri} has blanks, which an address in a file in the format deb822 cannot have; name a file that ends in .list`;
}

/**
 * The source that a line and keywords of `pkgrepo.managed` describe, as Salt shows it, and as it will stand where it
 * is. Follows 3006.16 salt/modules/aptpkg.py `_expand_repo_def`.
 * @returns a sentence for what is no source, or cannot be written
 */
export function describedSource(line: string, keywords: Dict): Dict | string {
  const wanted = wantedSource(line, keywords);
  if (wanted === undefined) return notUnderstood(line);
  const found = configuredSource(line, keywords);
  if (found?.stanza !== undefined) return sourceDict(plannedInStanza(found, wanted, keywords));
  const placed = { ...wanted, file: found?.file ?? wanted.file };
  return unwritable(placed) ?? sourceDict(shown(placed));
}

function shown(wanted: AptSource): AptSource {
  if (!isStanzaFile(wanted.file)) return { ...wanted, line: sourceText({ ...wanted, comment: '' }) };
  return { ...wanted, stanza: newStanza(wanted), line: sourceText({ ...wanted, comment: '' }) };
}

/** The stanza of a source that is new. */
export function newStanza(source: AptSource): Stanza {
  const fields: [string, string][] = [
    ['Types', source.type],
    ['URIs', source.uri],
    ['Suites', source.dist],
  ];
  const stanza = fields.reduce((made, [name, value]) => made.with(name, value), Stanza.of([]));
  return withOwn(stanza, source).withComment(source.comment.trim());
}

/** A stanza with the components, options and the switch of a source. */
function withOwn(stanza: Stanza, source: AptSource): Stanza {
  const own = withOptions(stanza.with('Components', source.comps.join(' ')), source.options);
  return source.disabled ? own.with('Enabled', 'no') : own.with('Enabled', '');
}

function withOptions(stanza: Stanza, options: AptSource['options']): Stanza {
  return [...options].reduce(
    (made, [name, value]) => made.with(fieldName(name), fieldValue(name, value)),
    stanza,
  );
}

/**
 * The stanzas that stand for one when one source of it changes. The others of it stay as they are, in a stanza of their
 * own if need be. What apt wants to be the same for all entries of a release changes for all types.
 */
export function changedStanzas(found: AptSource, planned: AptSource): Stanza[] {
  if (found.stanza === undefined) return [];
  const stanza = found.comment === planned.comment ? found.stanza : found.stanza.withComment(planned.comment);
  const changed = [...planned.options].filter(([name, value]) => found.options.get(name) !== value);
  const ofRelease = new Map(changed.filter(([name]) => !isOfEntry(name)));
  const ofEntry = new Map(changed.filter(([name]) => isOfEntry(name)));
  const types = typesOf(stanza);
  const first: Split =
    ofRelease.size === 0 ? { rest: [], taken: stanza } : apart(stanza, { ...found, types });
  const released = withOptions(first.taken, ofRelease);
  const isSame =
    ofEntry.size === 0 &&
    found.type === planned.type &&
    found.uri === planned.uri &&
    found.dist === planned.dist &&
    found.comps === planned.comps &&
    found.disabled === planned.disabled;
  if (isSame) return [...first.rest, released];
  const second = apart(released, { ...found, types: [found.type] });
  const own = second.taken
    .with('Types', planned.type)
    .with('URIs', planned.uri)
    .with('Suites', planned.dist)
    .with('Components', planned.comps.join(' '));
  const switched =
    found.disabled === planned.disabled ? own : own.with('Enabled', planned.disabled ? 'no' : '');
  return [...first.rest, ...second.rest, withOptions(switched, ofEntry)];
}

/** The stanzas that are left of one when a source of it goes. */
export const stanzasWithout = (gone: AptSource): readonly Stanza[] =>
  gone.stanza === undefined ? [] : apart(gone.stanza, { ...gone, types: [gone.type] }).rest;

interface Split {
  readonly rest: readonly Stanza[];
  readonly taken: Stanza;
}

const typesOf = (stanza: Stanza): string[] => (stanza.get('Types') ?? '').split(/\s+/);

/** Takes types of one address and suite out of a stanza; the comment above stays with what is left. */
function apart(
  stanza: Stanza,
  { types, uri, dist }: Pick<AptSource, 'uri' | 'dist'> & { readonly types: readonly string[] },
): Split {
  const others = (name: string, taken: readonly string[]): string =>
    (stanza.get(name) ?? '')
      .split(/\s+/)
      .filter((word) => !taken.includes(word))
      .join(' ');
  const ofSuite = stanza.with('Suites', dist);
  const ofAddress = ofSuite.with('URIs', uri);
  const left: [Stanza, name: string, others: string][] = [
    [stanza, 'Suites', others('Suites', [dist])],
    [ofSuite, 'URIs', others('URIs', [uri])],
    [ofAddress, 'Types', others('Types', types)],
  ];
  const rest = left
    .filter(([, , words]) => words !== '')
    .map(([base, name, words]) => base.with(name, words))
    .map((part, place) => (place === 0 ? part : part.withComment('')));
  const taken = ofAddress.with('Types', types.join(' '));
  return { rest, taken: rest.length === 0 ? stanza : taken.withComment('') };
}

/** As a mapping of `pkg.mod_repo`. */
export function changedDict(source: AptSource): Dict {
  return dict({
    architectures: architecturesOf(source),
    comps: [...source.comps],
    disabled: source.disabled,
    file: source.file,
    type: source.type,
    uri: source.uri,
    line: source.line,
    signedby: signedBy(source),
  });
}
