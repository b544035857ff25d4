/** Values of arguments that a run would fail on: paths, sources and lists. */
import { isDict, type Value } from '../../python/values/value.ts';
import { argument, type Declared, type DeclaredArgument } from './declared.ts';
import type { RenderedSource } from './render-source.ts';
import type { Source } from './source.ts';
import { isUncertain } from './unknown.ts';

/** Finds a file or a folder below the roots. @returns whether it is there */
export type HasPath = (path: string, source: Source) => boolean;

/** Functions whose name is a path from the root; `~` is the home of the account. */
const PATHS = new Set(
  [
    ...['absent', 'append', 'blockreplace', 'comment', 'copy', 'directory', 'exists', 'keyvalue', 'line'],
    ...[
      'managed',
      'missing',
      'mknod',
      'patch',
      'prepend',
      'recurse',
      'rename',
      'replace',
      'serialize',
      'symlink',
      'hardlink',
    ],
    ...['tidied', 'touch', 'uncomment'],
  ].map((name) => `file.${name}`),
);
/** Arguments that are lists of packages. */
const LISTS: ReadonlySet<string> = new Set(['pkgs', 'sources']);

/** Tells what is wrong with the values of a state. */
export function checkValues(rendered: RenderedSource, state: Declared, hasPath: HasPath): void {
  const full = `${state.module}.${state.fun ?? ''}`;
  for (const arg of state.args) {
    if (arg.name === 'names' || (state.module === 'pkg' && LISTS.has(arg.name)))
      checkList(rendered, full, arg);
    if (arg.name === 'source') checkSource(rendered, full, arg, hasPath);
  }
  if (PATHS.has(full)) checkPaths(rendered, full, state);
}

function checkList(rendered: RenderedSource, full: string, { name, value, path }: DeclaredArgument): void {
  if (Array.isArray(value) || value === null || (typeof value === 'string' && isUncertain(value))) return;
  // a mapping of names reads as its keys, one of packages is a package with a version
  if (isDict(value) && name !== 'pkgs' && name !== 'sources') return;
  const hint = typeof value === 'string' ? ` Write ${name}: [${value.slice(0, 60)}].` : '';
  rendered.tell('wrong-type', { path }, `${full} needs a list as '${name}'.${hint}`);
}

function checkSource(
  rendered: RenderedSource,
  full: string,
  { value, path }: DeclaredArgument,
  hasPath: HasPath,
): void {
  const items: readonly Value[] = Array.isArray(value) ? value : [value];
  const texts = items.map((item) => (isDict(item) ? (item.keys().next().value ?? null) : item));
  const missing = texts.filter(
    (text): text is string =>
      typeof text === 'string' &&
      text.startsWith('salt://') &&
      !text.includes('?') &&
      !isUncertain(text) &&
      !hasPath(text.slice('salt://'.length).replace(/^\|/, '').replace(/\/+$/, ''), rendered.source),
  );
  // of several sources one is enough
  if (missing.length === 0 || missing.length < texts.length) return;
  rendered.tell('missing-source', { path }, `${full}: ${missing.join(', ')} is in none of the roots.`);
}

function checkPaths(rendered: RenderedSource, full: string, state: Declared): void {
  const name = argument(state, 'name');
  const names = argument(state, 'names');
  const given: readonly (readonly [Value, Declared['path']])[] =
    names !== undefined && Array.isArray(names.value)
      ? names.value.map((item, at) => [
          isDict(item) ? (item.keys().next().value ?? null) : item,
          [...names.path, at],
        ])
      : [[name?.value ?? state.id, name?.path ?? state.path]];
  for (const [text, path] of given) {
    if (typeof text !== 'string' || isUncertain(text) || /^([/~]|[A-Za-z]:[\\/])/.test(text)) continue;
    rendered.tell('relative-path', { path }, `${full} needs a path from the root, and '${text}' is none.`);
  }
}
