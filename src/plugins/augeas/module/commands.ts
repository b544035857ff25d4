/** Commands that change: `set`, `setm`, `mv`, `ins`, `rm` (3006.16 salt/modules/augeas_cfg.py `execute`). */
import { splitWords } from '../../../python/shell-words.ts';
import { pathWord, valueWord } from './tool.ts';

type Method = 'set' | 'setm' | 'move' | 'insert' | 'remove';

const METHODS: ReadonlyMap<string, Method> = new Map([
  ['set', 'set'],
  ['setm', 'setm'],
  ['mv', 'move'],
  ['move', 'move'],
  ['ins', 'insert'],
  ['insert', 'insert'],
  ['rm', 'remove'],
  ['remove', 'remove'],
]);

const ARGUMENTS: Readonly<Record<Method, readonly number[]>> = {
  set: [1, 2],
  setm: [2, 3],
  move: [2],
  insert: [3],
  remove: [1],
};

/** A command, taken apart: its words as they were given. */
export interface AugeasCommand {
  readonly method: Method;
  readonly words: readonly string[];
}

/** Why a text is no command. */
export interface NoCommand {
  readonly error: string;
}

/** Takes a command apart. */
export function readCommand(text: string): AugeasCommand | NoCommand {
  const wrong = { error: `Invalid formatted command, see debug log for details: ${text}` };
  const at = text.indexOf(' ');
  if (at < 0) return wrong;
  const [name, rest] = [text.slice(0, at), text.slice(at + 1)];
  const method = METHODS.get(name);
  if (method === undefined) return { error: `Command ${name} is not supported (yet)` };
  const misread = { error: `Invalid formatted command, see debug log for details: ${rest}` };
  const words = wordsOf(rest);
  if (words === undefined || !ARGUMENTS[method].includes(words.length)) return misread;
  if (method === 'insert' && words[1] !== 'before' && words[1] !== 'after') return misread;
  return { method, words };
}

function wordsOf(text: string): string[] | undefined {
  try {
    return splitWords(text);
  } catch {
    return undefined;
  }
}

/** The path that a command is about. */
export function pathOf({ method, words }: AugeasCommand): string {
  return words[method === 'insert' ? 2 : 0] ?? '';
}

/** A path within a context, as Salt makes it. */
function inContext(path: string, context: string): string {
  if (context === '' || path.startsWith(context)) return path;
  const rest = path.replace(/^\/+/, '');
  return rest === '' ? context : `${context}${context.endsWith('/') ? '' : '/'}${rest}`;
}

/** A command as augtool takes it. @param context what stands before its path; empty for nothing */
export function commandLine({ method, words }: AugeasCommand, context: string): string {
  const [first = '', second = '', third] = words;
  const path = (text: string): string => pathWord(inContext(text, context));
  if (method === 'insert') return `insert ${valueWord(first)} ${second} ${path(third ?? '')}`;
  if (method === 'remove') return `rm ${path(first)}`;
  if (method === 'move') return `mv ${path(first)} ${pathWord(second)}`;
  if (method === 'setm') {
    const value = third === undefined ? '' : ` ${valueWord(third)}`;
    return `setm ${path(first)} ${pathWord(second)}${value}`;
  }
  return words.length < 2 ? `set ${path(first)}` : `set ${path(first)} ${valueWord(second)}`;
}
