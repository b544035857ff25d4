/**
 * Arguments as people type them on Salt's command line: words, `name=value`, values in YAML's plainest forms or JSON.
 */

/** What was typed. */
export interface CommandWords {
  readonly arg: readonly unknown[];
  readonly kwarg: Readonly<Record<string, unknown>>;
  /** What is wrong with it; undefined when nothing is. */
  readonly problem?: string;
}

/** Reads a line of arguments. */
export function readArguments(line: string): CommandWords {
  const split = splitWords(line);
  if (typeof split === 'string') return { arg: [], kwarg: {}, problem: split };
  const arg: unknown[] = [];
  const kwarg = new Map<string, unknown>();
  for (const { text, quoted } of split) {
    const match = /^([A-Za-z_]\w*)=([^]*)$/.exec(text);
    if (match !== null) kwarg.set(match[1] as string, readValue(match[2] as string));
    else arg.push(quoted ? text : readValue(text));
  }
  return { arg, kwarg: Object.fromEntries(kwarg) };
}

/** One value: a number, `True`, `None`, a list or mapping in JSON, or the text itself. */
export function readValue(text: string): unknown {
  const plain = text.trim();
  if (/^(true|True|TRUE)$/.test(plain)) return true;
  if (/^(false|False|FALSE)$/.test(plain)) return false;
  if (/^(null|None|~)$/.test(plain)) return null;
  // a number whose text would change is a text: a version 1.10, an octal mode 0644
  if (/^-?(0|[1-9]\d{0,14})$/.test(plain)) return Number(plain);
  if (/^-?(0|[1-9]\d{0,14})\.\d*[1-9]$/.test(plain)) return Number(plain);
  if (/^[[{"]/.test(plain)) {
    try {
      return JSON.parse(plain) as unknown;
    } catch {
      return text;
    }
  }
  return text;
}

interface Word {
  readonly text: string;
  /** It began with a quotation mark, and is a text whatever it looks like. */
  readonly quoted: boolean;
}

/** @returns what is wrong, as a sentence, or the words */
function splitWords(line: string): Word[] | string {
  const words: Word[] = [];
  let text = '';
  let isWord = false;
  let isQuoted = false;
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (depth === 0 && (char === "'" || char === '"')) {
      const end = closing(line, at);
      if (end < 0) return `The quotation mark at position ${at + 1} is not closed.`;
      isQuoted ||= !isWord;
      isWord = true;
      text += line.slice(at + 1, end).replace(/\\(["\\])/g, char === '"' ? '$1' : '\\$1');
      at = end;
    } else if (depth === 0 && /\s/.test(char)) {
      if (isWord) words.push({ text, quoted: isQuoted });
      [text, isWord, isQuoted] = ['', false, false];
    } else {
      if (char === '[' || char === '{') depth++;
      if ((char === ']' || char === '}') && depth > 0) depth--;
      isWord = true;
      text += char;
    }
  }
  if (isWord) words.push({ text, quoted: isQuoted });
  return words;
}

function closing(line: string, at: number): number {
  const mark = line.charAt(at);
  for (let end = at + 1; end < line.length; end++) {
    if (mark === '"' && line.charAt(end) === '\\') end++;
    else if (line.charAt(end) === mark) return end;
  }
  return -1;
}

/** A value as it is typed: the way back from `readValue`. */
export function writeValue(value: unknown): string {
  if (typeof value === 'string') {
    const isPlain = value !== '' && readValue(value) === value && !/[\s'"]/.test(value);
    return isPlain ? value : JSON.stringify(value);
  }
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  return JSON.stringify(value);
}

/**
 * The quotation marks of a named value are gone before it is read: a text that looks like something else has them
 * twice.
 */
function writeNamed(value: unknown): string {
  const text = writeValue(value);
  return typeof value === 'string' && text !== value && readValue(value) !== value
    ? `'${text.replaceAll("'", '\\u0027')}'`
    : text;
}

/** Arguments as one line. */
export function writeArguments(arg: readonly unknown[], kwarg: Readonly<Record<string, unknown>>): string {
  const named = Object.entries(kwarg).map(([name, value]) => `${name}=${writeNamed(value)}`);
  return [...arg.map(writeValue), ...named].join(' ');
}
