/**
 * Changing the sources that apt is configured with (3006.16 salt/modules/aptpkg.py `mod_repo`, `del_repo`). Files that a change does
 * not concern, and lines that are no sources, stay as they are.
 */
import { rmSync, statSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { writeFileAtomic } from '../../../host/files.ts';
import { baseName, dirName } from '../../../python/paths.ts';
import { findProgram } from '../../../host/which.ts';
import { isTrue } from '../../../python/conversions.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { withoutCredentials } from '../../../python/values/masked.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { runStdout } from '../program.ts';
import { addKey, keyPlace, repoKeys, type KeyPlace } from './apt-keys.ts';
import { callApt, refreshLists } from './apt.ts';
import {
  MAIN_FILE,
  notUnderstood,
  wrongFormat,
  parseSource,
  sourceDict,
  sourceLines,
  sourceText,
  findSource,
  type AptSource,
  type SourceLine,
} from './apt-sources.ts';

const UBUNTUS: readonly Value[] = ['Ubuntu', 'Mint', 'neon'];

const bare = (uri: string): string => uri.replace(/\/+$/, '');

/** Writes the files that have changed. @returns how many sources each of them has now */
function save(before: readonly SourceLine[], after: readonly SourceLine[]): Map<string, number> {
  const textOf = (lines: readonly SourceLine[], file: string): string =>
    lines
      .filter((line) => line.file === file)
      .map(({ text }) => (text.endsWith('\n') ? text : `${text}\n`))
      .join('');
  const files = new Set([...before, ...after].map(({ file }) => file));
  const counts = new Map<string, number>();
  for (const file of files) {
    const text = textOf(after, file);
    if (text === textOf(before, file)) continue;
    counts.set(file, after.filter((line) => line.file === file && line.text.trim() !== '').length);
    const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
    writeFileAtomic(file, text, { mode });
  }
  return counts;
}

const lineOf = (source: AptSource): SourceLine => ({ file: source.file, text: sourceText(source), source });

/** `pkg.del_repo`: takes components away, and the source with the last of them. @returns a sentence for each file */
export async function deleteRepository(ctx: ModuleContext, repo: string, kwargs: Dict): Promise<string> {
  const wanted = parseSource(ppaLine(ctx, repo, kwargs) ?? repo);
  const before = sourceLines();
  const touched = new Set<string>();
  const after = before.flatMap((line) => {
    const { source } = line;
    if (source === undefined || wanted === undefined || !isSame(source, wanted)) return [line];
    const shares = source.comps.some((comp) => wanted.comps.includes(comp));
    if (!shares && source.comps.length + wanted.comps.length > 0) return [line];
    touched.add(source.file);
    const comps = source.comps.filter((comp) => !wanted.comps.includes(comp));
    return comps.length === 0 ? [] : [lineOf({ ...source, comps })];
  });
  if (touched.size === 0)
    throw new CommandExecutionError(`Repo ${repo} doesn't exist in the sources.list(s)`);
  save(before, after);
  let out = '';
  for (const file of touched) {
    const isEmpty = !after.some((line) => line.file === file);
    if (isEmpty && file.includes('sources.list.d/')) {
      rmSync(file, { force: true });
      out += `File ${file} containing repo '${repo}' has been removed.`;
    } else out += `Repo '${repo}' has been removed from ${file}.\n`;
  }
  await refreshLists(ctx, 0, false);
  return out;
}

function isSame(a: AptSource, b: AptSource): boolean {
  return (
    a.type === b.type &&
    a.architectures.join(',') === b.architectures.join(',') &&
    bare(a.uri) === bare(b.uri) &&
    a.dist === b.dist
  );
}

/** The line of a `ppa:` on systems that have them. */
function ppaLine(ctx: ModuleContext, repo: string, kwargs: Dict): string | undefined {
  if (!repo.startsWith('ppa:') || !UBUNTUS.includes(ctx.grains.get('os') ?? '')) return undefined;
  const [owner = '', name = ''] = repo.slice(4).split('/');
  const dist = pyStr(ctx.grains.get('oscodename') ?? '');
  const auth = kwargs.get('ppa_auth');
  if (truthy(auth))
    return `deb https://${pyStr(auth ?? '')}@private-ppa.launchpad.net/${owner}/${name}/ubuntu ${dist} main`;
  return `deb http://ppa.launchpad.net/${owner}/${name}/ubuntu ${dist} main`;
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
  const wanted = parseSource(repo);
  if (truthy(kwargs.get('consolidate'))) consolidate();
  const before = sourceLines();
  if (wanted === undefined) throw new SaltInvocationError(notUnderstood(repo));
  const fault = wrongFormat(pyStr(kwargs.get('file') ?? ''));
  if (fault !== undefined) throw new SaltInvocationError(fault);
  const usesAptKey = aptkey && findProgram('apt-key') !== undefined;
  const isTrusted = /\[[^\]]*\btrusted=yes\b/.test(wanted.line);
  if (!usesAptKey && wanted.signedBy === '' && !isTrusted)
    throw new SaltInvocationError("missing 'signedby' option when apt-key is missing");
  await addKeys(ctx, wanted, { kwargs, saltenv, usesAptKey });
  const asked = askedFor(wanted, kwargs);
  const old = before.find(({ source }) => source !== undefined && isMeant(source, { wanted, asked, kwargs }));
  const changed = changedSource(old?.source, { wanted, asked, kwargs });
  const after =
    old === undefined
      ? [...before, lineOf(changed)]
      : before.map((line) => (line === old ? lineOf(changed) : line));
  save(before, after);
  if (refresh) await refreshLists(ctx, 0, false);
  return new Map([[repo, changedDict(changed)]]);
}

function changedDict(source: AptSource): Dict {
  return dict({
    architectures: [...source.architectures],
    comps: [...source.comps],
    disabled: source.disabled,
    file: source.file,
    type: source.type,
    uri: source.uri,
    line: source.line,
    signedby: source.signedBy,
  });
}

/** Components and architectures: those of the line, or of the keywords. */
interface Asked {
  readonly comps: readonly string[];
  /** Of line and keywords together. */
  readonly allComps: readonly string[];
  readonly architectures: readonly string[];
}

function askedFor(wanted: AptSource, kwargs: Dict): Asked {
  const list = (name: string): string[] | undefined => {
    const value = kwargs.get(name);
    return value === undefined
      ? undefined
      : pyStr(value)
          .split(',')
          .map((word) => word.trim());
  };
  const comps = list('comps');
  return {
    comps: comps ?? wanted.comps,
    allComps: [...new Set([...wanted.comps, ...(comps ?? [])])],
    architectures: list('architectures') ?? wanted.architectures,
  };
}

interface Change {
  readonly wanted: AptSource;
  readonly asked: Asked;
  readonly kwargs: Dict;
}

function isMeant(source: AptSource, { wanted, asked, kwargs }: Change): boolean {
  const isSameSource =
    source.type === wanted.type && bare(source.uri) === bare(wanted.uri) && source.dist === wanted.dist;
  const isNamed = source.dist === kwargs.get('dist') && source.type === kwargs.get('type');
  if (!isSameSource && !isNamed) return false;
  return (
    source.comps.length === 0 ||
    asked.allComps.some((comp) => source.comps.includes(comp)) ||
    asked.architectures.join(',') !== source.architectures.join(',')
  );
}

function changedSource(old: AptSource | undefined, { wanted, asked, kwargs }: Change): AptSource {
  const base = old ?? wanted;
  const text = (name: 'file' | 'dist', fallback: string): string => {
    const value = kwargs.get(name);
    return value === undefined ? fallback : pyStr(value);
  };
  const comments = kwargs.get('comments');
  const source: AptSource = {
    ...base,
    uri: wanted.uri,
    line: wanted.line.endsWith('\n') ? wanted.line : `${wanted.line}\n`,
    comps: asked.comps,
    architectures: asked.architectures,
    signedBy: wanted.signedBy,
    file: text('file', old?.file ?? MAIN_FILE),
    dist: text('dist', base.dist),
    comment:
      comments === undefined
        ? base.comment
        : (Array.isArray(comments) ? comments : [comments]).map(pyStr).join(' ').trim(),
    disabled: kwargs.has('disabled')
      ? isTrue(kwargs.get('disabled'))
      : kwargs.has('enabled')
        ? !isTrue(kwargs.get('enabled'))
        : base.disabled,
  };
  const isRenamed = kwargs.has('uri') && kwargs.get('uri') !== wanted.uri;
  return isRenamed || (old !== undefined && old.uri !== wanted.uri)
    ? { ...source, line: sourceText(source) }
    : source;
}

/** All sources into one file, each once; the other files are removed (`consolidate=True`). */
function consolidate(): void {
  const before = sourceLines();
  const kept = new Map<string, AptSource>();
  for (const { source } of before) {
    if (source === undefined) continue;
    const key = JSON.stringify([source.architectures, source.disabled, source.type, source.uri, source.dist]);
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
  if (!UBUNTUS.includes(ctx.grains.get('os') ?? ''))
    throw new CommandExecutionError(`cannot parse "ppa:" style repo definitions: ${repo}`);
  // Salt compat: without the program Salt asks launchpad.net itself
  if (findProgram('apt-add-repository') === undefined || kwargs.has('ppa_auth'))
    throw new CommandExecutionError(
      `${repo} needs the program apt-add-repository (package software-properties-common); private ones have to be given as a line`,
    );
  const known = findSource(ppaLine(ctx, repo, kwargs) ?? repo);
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
  source: AptSource,
  { kwargs, saltenv, usesAptKey }: KeyOrder,
): Promise<void> {
  const folder = source.signedBy === '' ? null : dirName(source.signedBy);
  const place = keyPlace(ctx, usesAptKey, folder);
  const none = { path: null, text: null, keyserver: null, keyid: null, keyfile: null, saltenv };
  if (kwargs.has('keyid')) {
    const [ids, server] = [kwargs.get('keyid') ?? null, kwargs.get('keyserver') ?? null];
    if (!truthy(ids) || !truthy(server))
      throw new PythonError('NameError', 'both keyserver and keyid options required.');
    for (const id of (Array.isArray(ids) ? ids : [ids]).map(keyId))
      await receiveKey(
        ctx,
        { ...none, keyserver: server, keyid: id, keyfile: baseName(source.signedBy) },
        place,
      );
  } else if (kwargs.has('key_url')) {
    const url = pyStr(kwargs.get('key_url') ?? '');
    const cached = await ctx.functions.call('cp.cache_file', [url, saltenv]);
    if (!truthy(cached)) throw new CommandExecutionError(`Error: file not found: ${withoutCredentials(url)}`);
    const keyfile = source.signedBy === '' ? null : baseName(source.signedBy);
    if (usesAptKey) {
      const out = await runStdout(ctx, ['apt-key', 'add', pyStr(cached)]);
      if (!out.toUpperCase().startsWith('OK'))
        throw new CommandExecutionError(`Error: failed to add key from ${withoutCredentials(url)}`);
    } else if (place === undefined || !(await addKey(ctx, { ...none, path: pyStr(cached), keyfile }, place)))
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
