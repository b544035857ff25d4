// Which folder of `src` may import which, as ARCHITECTURE.md says it: read by the lint rule that marks an import where
// it is written, and by the test that holds the document against the files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.mjs';

/** Folders of `src` that hold folders of one kind; each folder in them has an entry of its own in the map. */
const GROUPS = new Set(['formats', 'network', 'plugins', 'programs', 'runtime', 'storage']);
const PLUGIN_KINDS = new Set([
  ...readdirSync(join(root, 'src/plugins/registry')),
  ...['grains', 'outputters', 'shared'],
]);
/** What the subjects of plug-ins stand on. */
const BELOW_SUBJECTS = new Set(['shared', 'registry', 'outputters']);
/**
 * Subjects that are made of others: each line is one that may go, and none may come without a reason that holds for
 * years.
 */
export const SUBJECTS_OF_SUBJECTS = new Map([
  ['auth', ['pam']],
  ['config', ['sdb']],
  ['queue', ['cluster']],
  ['saltcheck', ['state']],
  ['sdb', ['http']],
  ['state', ['pillar']],
  ['tls', ['x509']],
  ['virtualenv', ['pip']],
]);

/**
 * Which kind of plug-in a file is: the first file name or folder behind the subject that is a kind, else the subject.
 * @param path below `src/plugins`: `file/state/copy.ts` and `file/state.ts` are both `state`
 * @returns undefined for a file of no kind
 */
export function kindOf(path) {
  const [subject = '', ...rest] = path.split('/');
  const words = rest.flatMap((part) =>
    part
      .replace(/\.tsx?$/, '')
      .split('.')
      .slice(-1),
  );
  const isCore = subject === 'grains' && rest[0] === 'core';
  return [...(isCore ? ['grains'] : []), ...words, subject].find((word) => PLUGIN_KINDS.has(word));
}

/**
 * The entry of the map that a file belongs to: `host`, `formats/yaml`, `plugins:state`; a file at the top is its own.
 * @param path below `src`
 */
export function folderOf(path) {
  const [top = '', below = '', deeper] = path.split('/');
  if (top === 'plugins') {
    const kind = kindOf(path.slice('plugins/'.length));
    return kind === undefined ? path : `plugins:${kind}`;
  }
  return GROUPS.has(top) && deeper !== undefined ? `${top}/${below}` : top;
}

/** The entries of the map: folder to what it may import. */
export function entriesOfTheMap() {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const entries = text.matchAll(
    /^- `([\w:/-]+)`:.*\n(?: {2}(?!-).*\n)*(?: {2}- imports: ((?:.*\n)(?: {4}.*\n)*))?/gm,
  );
  return new Map([...entries].map(([, folder = '', imports = '']) => [folder, importsOf(imports)]));
}

/** The names of `errors, formats/data`; `nothing` is none. */
function importsOf(text) {
  return text.split(/[,\s]+/).filter((name) => name !== '' && name !== 'nothing');
}

/**
 * The subjects that an import between plug-ins joins; what all subjects share, and the registry, which names every
 * plug-in, are none.
 * @param from, to files below `src`
 */
export function joinedSubjects(from, to) {
  if (!from.startsWith('plugins/') || !to.startsWith('plugins/')) return undefined;
  const [subject, other] = [from, to].map((path) => path.split('/')[1] ?? '');
  if (subject === other || subject === 'registry' || BELOW_SUBJECTS.has(other)) return undefined;
  return [subject, other];
}

/**
 * What is wrong with an import.
 * @param entries of the map
 * @param from, to files below `src`
 * @returns undefined when it is allowed
 */
export function wrongImport(entries, from, to) {
  const [folder, target] = [folderOf(from), folderOf(to)];
  if (folder !== target && !folder.endsWith('.ts') && !entries.get(folder)?.includes(target))
    return `${folder} may not import ${target}: ARCHITECTURE.md says what it may.`;
  const [subject, other] = joinedSubjects(from, to) ?? [];
  if (subject === undefined || SUBJECTS_OF_SUBJECTS.get(subject)?.includes(other)) return undefined;
  return `The subject ${subject} may not import ${other}: what both need goes to plugins/shared, else it is called by name.`;
}
