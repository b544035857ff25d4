/** The members of a tar archive, by the program `tar`, which knows more kinds of compression than Python. */
import { runProcess, type RunOptions } from '../../../host/process.ts';
import { ownEnvironment } from '../../../host/process.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import type { ArchiveMember } from './members.ts';

/** Most bytes of a listing; more is a bomb of members. */
export const LIST_BYTES_MAX = 256 * 1024 * 1024;

/** What makes `tar` list members so that every name can be told apart: quoted as in C, owners as numbers. */
const LIST = [
  '--verbose',
  '--absolute-names',
  '--numeric-owner',
  '--force-local',
  '--quoting-style=c',
  '--show-transformed-names',
];

/** How listing ended: the members, or what `tar` said. */
export type TarListing =
  { readonly members: readonly ArchiveMember[] } | { readonly members: undefined; readonly problem: string };

/**
 * Lists a tar archive whose compression `tar` finds out by itself.
 * @param path the archive; `-` for `stdin`
 * @param more options that change the names, such as `--strip-components=1`
 */
export function listTar(path: string, more: readonly string[] = [], stdin?: Uint8Array): Promise<TarListing> {
  return runListing(['tar', '--list', ...LIST, ...more, '-f', path], stdin === undefined ? {} : { stdin });
}

/**
 * Lists a tar archive with the words somebody would unpack it with, for what only they tell: a program that unpacks it.
 * @param words what is between `tar` and the end of the line, the archive included
 */
export function listTarLike(words: readonly string[]): Promise<TarListing> {
  return runListing(['tar', ...asListing(words), ...LIST], {});
}

async function runListing(argv: readonly string[], options: RunOptions): Promise<TarListing> {
  // tar says `link to` in the language of the user
  const env = new Map([...ownEnvironment(), ['LC_ALL', 'C']]);
  const ended = await runProcess(argv, { ...options, env, outputLimitBytes: LIST_BYTES_MAX });
  if (ended.droppedBytes > 0) return { members: undefined, problem: 'it has too many members' };
  if (ended.retcode !== 0) return { members: undefined, problem: ended.stderr.toString().trim() };
  return { members: readTarList(ended.stdout.toString('latin1')) };
}

/** A bundle of letters in the old style, or with a dash. */
const BUNDLE = /^-?[A-Za-z0-9]+$/;

/** Whether `tar` would unpack with these words. */
export function unpacks(words: readonly string[]): boolean {
  return words.some((word, i) =>
    word.startsWith('--')
      ? /^--(?:ge|get|extr?|extra|extrac|extract)$/.test(word)
      : (i === 0 || word.startsWith('-')) && BUNDLE.test(word) && word.includes('x'),
  );
}

/** The words to list with instead of those to unpack with. */
function asListing(words: readonly string[]): string[] {
  return words.flatMap((word, i) => {
    if (word.startsWith('--')) return unpacks([word]) ? ['--list'] : [word];
    return (i === 0 || word.startsWith('-')) && BUNDLE.test(word) ? [word.replace('x', 't')] : [word];
  });
}

/** Those of the words that give members other names, `--strip-components` and `--transform`, with their values. */
export function renamingWords(words: readonly string[]): string[] {
  return words.flatMap((word, i) => {
    if (!/^--(?:strip|transf|xf)/.test(word)) return [];
    const value = words[i + 1];
    return word.includes('=') || value === undefined ? [word] : [word, value];
  });
}

const KINDS: ReadonlyMap<string, ArchiveMember['kind']> = new Map([
  ['d', 'folder'],
  ['l', 'symlink'],
  ['h', 'hardlink'],
]);
const LINE =
  /^(.)\S*\s+\S+\s+(\d+)(?:,\d+)?\s[^"]*"((?:[^"\\]|\\.)*)"\/?(?: (?:->|link to) "((?:[^"\\]|\\.)*)")?/;

/** Reads what `tar` lists: one line for each member. */
function readTarList(text: string): ArchiveMember[] {
  const members: ArchiveMember[] = [];
  for (const line of text.split('\n')) {
    const [, letter = '', size = '0', quoted, target] = LINE.exec(line) ?? [];
    if (quoted === undefined) continue;
    const name = unquote(quoted);
    const kind = KINDS.get(letter) ?? 'file';
    const sizeBytes = kind === 'file' ? Number(size) : 0;
    members.push({ name, kind, sizeBytes, ...(target === undefined ? {} : { target: unquote(target) }) });
  }
  return members;
}

const ESCAPES: ReadonlyMap<string, number> = new Map(
  [...'abtnvfr'].map((letter, i) => [letter, [7, 8, 9, 10, 11, 12, 13][i] as number]),
);

/** A name in C's quotes, to text. */
function unquote(quoted: string): string {
  const bytes: number[] = [];
  for (const [, octal, escaped, plain] of quoted.matchAll(/\\([0-7]{3})|\\(.)|([\s\S])/g)) {
    if (octal !== undefined) bytes.push(parseInt(octal, 8));
    else if (escaped !== undefined) bytes.push(ESCAPES.get(escaped) ?? escaped.charCodeAt(0));
    else bytes.push((plain as string).charCodeAt(0));
  }
  const raw = Buffer.from(bytes);
  return decodeUtf8(raw) ?? raw.toString('latin1');
}
