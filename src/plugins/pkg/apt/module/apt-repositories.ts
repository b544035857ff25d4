/**
 * Changing the sources that apt is configured with (3006.16 salt/modules/aptpkg.py `mod_repo`, `del_repo`). Files that
 * a change does not concern, and lines that are no sources, stay as they are.
 */
import { rmSync, statSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../../../errors/errors.ts';
import { writeFileAtomic } from '../../../../host/files.ts';
import { baseName, dirName } from '../../../../python/paths.ts';
import { findProgram } from '../../../../host/which.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { PythonError } from '../../../../python/exceptions.ts';
import { withoutCredentials } from '../../../../python/values/masked.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { runStdout } from '../../../shared/program.ts';
import { addKey, keyPlace, repoKeys, type KeyPlace } from './apt-keys.ts';
import { callApt, refreshLists } from './apt.ts';
import { isOn } from './apt-options.ts';
import {
  changedDict,
  changedStanzas,
  configuredSource,
  hasPpas,
  namedLine,
  newStanza,
  plannedInStanza,
  stanzasWithout,
  unwritable,
  wantedSource,
} from './apt-plan.ts';
import {
  architecturesOf,
  bareUri,
  isStanzaFile,
  MAIN_FILE,
  notUnderstood,
  parseSource,
  signedBy,
  sourceDict,
  sourcePieces,
  sourceText,
  stanzaPiece,
  type AptSource,
  type SourcePiece,
} from './apt-sources.ts';
import type { Stanza } from '../../module/deb822.ts';
import { cachedFile } from '../../../shared/served-files.ts';

/** Writes the files that have changed. */
function save(before: readonly SourcePiece[], after: readonly SourcePiece[]): void {
  const textOf = (pieces: readonly SourcePiece[], file: string): string =>
    pieces
      .filter((piece) => piece.file === file)
      .map(({ text }) => (text.endsWith('\n') ? text : `${text}\n`))
      .join('');
  const files = new Set([...before, ...after].map(({ file }) => file));
  for (const file of files) {
    const text = textOf(after, file);
    if (text === textOf(before, file)) continue;
    const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
    writeFileAtomic(
      file,
      isStanzaFile(file) ? text.replace(/\n{3,}/g, '\n\n').replace(/^\n+|\n(?=\n$)/g, '') : text,
      { mode },
    );
  }
}

const lineOf = (source: AptSource): SourcePiece => ({
  file: source.file,
  text: sourceText(source),
  sources: [source],
});

/** Stanzas as parts of a file, with an empty line between them. */
const stanzaPieces = (file: string, stanzas: readonly Stanza[]): SourcePiece[] =>
  stanzas.flatMap((stanza, place) => [
    ...(place === 0 ? [] : [{ file, text: '\n', sources: [] }]),
    stanzaPiece(file, stanza),
  ]);

/** `pkg.del_repo`: takes components away, and the source with the last of them. @returns a sentence for each file */
export async function deleteRepository(ctx: ModuleContext, repo: string, kwargs: Dict): Promise<string> {
  const line = namedLine(ctx.grains, repo, kwargs);
  const before = sourcePieces();
  const meant = [wantedSource(line, kwargs), parseSource(line)].filter((source) => source !== undefined);
  const wanted = meant.find((source) =>
    before.some(({ sources }) => sources.some((one) => isLosing(one, source))),
  );
  const touched = new Set<string>();
  const after = before.flatMap((piece) => {
    const source = piece.sources.find((one) => wanted !== undefined && isLosing(one, wanted));
    if (source === undefined || wanted === undefined) return [piece];
    touched.add(source.file);
    const comps = source.comps.filter((comp) => !wanted.comps.includes(comp));
    if (source.stanza === undefined) return comps.length === 0 ? [] : [lineOf({ ...source, comps })];
    const left = comps.length === 0 ? stanzasWithout(source) : changedStanzas(source, { ...source, comps });
    return stanzaPieces(source.file, left);
  });
  if (touched.size === 0)
    throw new CommandExecutionError(`Repo ${repo} doesn't exist in the sources.list(s)`);
  save(before, after);
  let out = '';
  for (const file of touched) {
    const isEmpty = !after.some((piece) => piece.file === file && piece.text.trim() !== '');
    if (isEmpty && file.includes('sources.list.d/')) {
      rmSync(file, { force: true });
      out += `File ${file} containing repo '${repo}' has been removed.`;
    } else out += `Repo '${repo}' has been removed from ${file}.\n`;
  }
  await refreshLists(ctx, 0, false);
  return out;
}

/** Whether a source loses components, or all of it. */
function isLosing(source: AptSource, wanted: AptSource): boolean {
  const isSame =
    source.type === wanted.type &&
    architecturesOf(source).join(',') === architecturesOf(wanted).join(',') &&
    bareUri(source.uri) === bareUri(wanted.uri) &&
    source.dist === wanted.dist;
  const shares = source.comps.some((comp) => wanted.comps.includes(comp));
  return isSame && (shares || source.comps.length + wanted.comps.length === 0);
}

/** What `pkg.mod_repo` is asked for. */
export interface RepositoryChange {
  readonly repo: string;
  readonly saltenv: Value;
  readonly aptkey: boolean;
}

/** `pkg.mod_repo`: changes a source, or adds one. @returns the line to what became of it */
export async function modifyRepository(
  ctx: ModuleContext,
  { repo: given, saltenv, aptkey }: RepositoryChange,
  kwargs: Dict,
): Promise<Dict> {
  const repo = given;
  const refresh = truthy(kwargs.get('refresh_db') ?? kwargs.get('refresh') ?? true);
  if (repo.startsWith('ppa:')) return addPpa(ctx, repo, { refresh, kwargs });
  if (truthy(kwargs.get('consolidate'))) consolidate();
  const before = sourcePieces();
  const wanted = wantedSource(repo, kwargs);
  if (wanted === undefined) throw new SaltInvocationError(notUnderstood(repo));
  const sources = before.flatMap((piece) => piece.sources);
  const old =
    configuredSource(repo, kwargs, sources) ??
    sources.find((source) => isMeant(source, { repo, wanted, kwargs }));
  const changed =
    old?.stanza === undefined
      ? changedLine(old, { repo, wanted, kwargs })
      : plannedInStanza(old, wanted, kwargs);
  const fault = unwritable(changed);
  if (fault !== undefined) throw new SaltInvocationError(fault);
  const usesAptKey = aptkey && findProgram('apt-key') !== undefined;
  const isTrusted = isOn(changed.options.get('trusted') ?? '');
  if (!usesAptKey && signedBy(changed) === '' && !isTrusted)
    throw new SaltInvocationError("missing 'signedby' option when apt-key is missing");
  await addKeys(ctx, signedBy(changed), { kwargs, saltenv, usesAptKey });
  save(before, piecesWith(before, old, changed));
  if (refresh) await refreshLists(ctx, 0, false);
  return new Map([[repo, changedDict(changed)]]);
}

/** All parts of all files after a source has changed, or come. */
function piecesWith(
  before: readonly SourcePiece[],
  old: AptSource | undefined,
  changed: AptSource,
): SourcePiece[] {
  if (old !== undefined) {
    const fresh =
      old.stanza === undefined ? [lineOf(changed)] : stanzaPieces(old.file, changedStanzas(old, changed));
    return before.flatMap((piece) => (piece.sources.includes(old) ? fresh : [piece]));
  }
  if (!isStanzaFile(changed.file)) return [...before, lineOf(changed)];
  const { file } = changed;
  return [...before, { file, text: '\n', sources: [] }, stanzaPiece(file, newStanza(changed))];
}

interface Change {
  readonly repo: string;
  readonly wanted: AptSource;
  readonly kwargs: Dict;
}

/** Whether a line is taken for the source although its components are others. */
function isMeant(source: AptSource, { repo, wanted, kwargs }: Change): boolean {
  const given = parseSource(repo) ?? wanted;
  const isSameSource =
    source.type === given.type && bareUri(source.uri) === bareUri(given.uri) && source.dist === given.dist;
  const isNamed = source.dist === kwargs.get('dist') && source.type === kwargs.get('type');
  if (source.stanza !== undefined || (!isSameSource && !isNamed)) return false;
  return (
    source.comps.length === 0 ||
    [...given.comps, ...wanted.comps].some((comp) => source.comps.includes(comp)) ||
    architecturesOf(wanted).join(',') !== architecturesOf(source).join(',')
  );
}

/** What a line becomes, or a new source. A line stays a line, whatever file is named. */
function changedLine(old: AptSource | undefined, { repo, wanted, kwargs }: Change): AptSource {
  const base = old ?? wanted;
  const file =
    old !== undefined && (!kwargs.has('file') || isStanzaFile(wanted.file)) ? old.file : wanted.file;
  const isSwitched = ['enabled', 'disabled'].some((key) => (kwargs.get(key) ?? null) !== null);
  const source: AptSource = {
    ...wanted,
    type: base.type,
    file,
    comment: (kwargs.get('comments') ?? null) === null ? base.comment : wanted.comment,
    disabled: isSwitched ? wanted.disabled : base.disabled,
    line: repo.endsWith('\n') ? repo : `${repo}\n`,
  };
  return old !== undefined && old.uri !== wanted.uri ? { ...source, line: sourceText(source) } : source;
}

/**
 * All lines into one file, each once; the other files of lines are removed (`consolidate=True`). Stanzas stay where
 * they are.
 */
function consolidate(): void {
  const before = sourcePieces().filter(({ file }) => !isStanzaFile(file));
  const kept = new Map<string, AptSource>();
  for (const source of before.flatMap(({ sources }) => sources)) {
    const key = JSON.stringify([
      architecturesOf(source),
      source.disabled,
      source.type,
      source.uri,
      source.dist,
    ]);
    const same = kept.get(key);
    const comps = [...new Set([...(same?.comps ?? []), ...source.comps])];
    kept.set(key, { ...(same ?? source), comps, file: MAIN_FILE });
  }
  save(before, [...kept.values()].map(lineOf));
  for (const file of new Set(before.map((line) => line.file)))
    if (file !== MAIN_FILE) rmSync(file, { force: true });
}

async function addPpa(
  ctx: ModuleContext,
  repo: string,
  { refresh, kwargs }: { readonly refresh: boolean; readonly kwargs: Dict },
): Promise<Dict> {
  if (!hasPpas(ctx.grains))
    throw new CommandExecutionError(`cannot parse "ppa:" style repo definitions: ${repo}`);
  // Salt compat: without the program Salt asks launchpad.net itself
  if (findProgram('apt-add-repository') === undefined || kwargs.has('ppa_auth'))
    throw new CommandExecutionError(
      `${repo} needs the program apt-add-repository (package software-properties-common); private ones have to be given as a line`,
    );
  const known = configuredSource(namedLine(ctx.grains, repo, kwargs), kwargs);
  if (known !== undefined) return new Map([[repo, sourceDict(known)]]);
  const words = ['apt-add-repository', '-y', repo];
  const ended = await callApt(ctx, words, { scope: false });
  if (ended.retcode !== 0) {
    const command = `['${words.join("', '")}']`;
    throw new CommandExecutionError(
      `Unable to add PPA '${repo.slice(4)}'. '${command}' exited with status ${ended.retcode}: '${ended.stderr}' `,
    );
  }
  if (refresh) await refreshLists(ctx, 0, false);
  return new Map([[repo, dict({ retcode: ended.retcode, stdout: ended.stdout, stderr: ended.stderr })]]);
}

interface KeyOrder {
  readonly kwargs: Dict;
  readonly saltenv: Value;
  readonly usesAptKey: boolean;
}

/** The keys of a source: by id from a server, from an address, or as text. */
async function addKeys(
  ctx: ModuleContext,
  signed: string,
  { kwargs, saltenv, usesAptKey }: KeyOrder,
): Promise<void> {
  const path = signed.startsWith('/') ? signed : '';
  const folder = path === '' ? null : dirName(path);
  const place = keyPlace(ctx, usesAptKey, folder);
  const none = { path: null, text: null, keyserver: null, keyid: null, keyfile: null, saltenv };
  if (kwargs.has('keyid')) {
    const [ids, server] = [kwargs.get('keyid') ?? null, kwargs.get('keyserver') ?? null];
    if (!truthy(ids) || !truthy(server))
      throw new PythonError('NameError', 'both keyserver and keyid options required.');
    for (const id of (Array.isArray(ids) ? ids : [ids]).map(keyId))
      await receiveKey(ctx, { ...none, keyserver: server, keyid: id, keyfile: baseName(path) }, place);
  } else if (kwargs.has('key_url')) {
    const url = pyStr(kwargs.get('key_url') ?? '');
    const cached = await cachedFile(ctx, [url, saltenv]);
    if (cached === undefined)
      throw new CommandExecutionError(`Error: file not found: ${withoutCredentials(url)}`);
    const keyfile = path === '' ? null : baseName(path);
    if (usesAptKey) {
      const out = await runStdout(ctx, ['apt-key', 'add', cached]);
      if (!out.toUpperCase().startsWith('OK'))
        throw new CommandExecutionError(`Error: failed to add key from ${withoutCredentials(url)}`);
    } else if (place === undefined || !(await addKey(ctx, { ...none, path: cached, keyfile }, place)))
      throw new CommandExecutionError(`Error: Could not add key: ${pyStr(cached)}`);
  } else if (kwargs.has('key_text')) {
    const text = kwargs.get('key_text') ?? '';
    const out = await runStdout(ctx, ['apt-key', 'add', '-'], { stdin: text });
    if (!out.toUpperCase().startsWith('OK'))
      throw new CommandExecutionError(`Error: failed to add key:\n${pyStr(text)}`);
  }
}

/** YAML makes numbers of some ids. */
function keyId(id: Value): string {
  return typeof id === 'number' || typeof id === 'bigint' ? `0x${id.toString(16)}` : pyStr(id);
}

async function receiveKey(
  ctx: ModuleContext,
  key: Parameters<typeof addKey>[1],
  place: KeyPlace | undefined,
): Promise<void> {
  const id = pyStr(key.keyid);
  if (place === undefined) throw new CommandExecutionError(`Error: Could not add key: ${id}`);
  if (!place.usesAptKey) {
    const known = await repoKeys(ctx, place);
    if (known !== false && known.has(id)) return;
    if (await addKey(ctx, key, place)) return;
    throw new CommandExecutionError(`Error: Could not add key: ${id}`);
  }
  const exported = await runStdout(ctx, ['apt-key', 'export', id]);
  if (exported.startsWith('-----BEGIN PGP')) return;
  const words = ['--batch', '--keyserver', pyStr(key.keyserver), '--logger-fd', '1', '--recv-keys', id];
  const { retcode, stdout } = await callApt(ctx, ['apt-key', 'adv', ...words], { scope: false });
  if (retcode !== 0) throw new CommandExecutionError(`Error: key retrieval failed: ${stdout}`);
}
