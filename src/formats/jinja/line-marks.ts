/**
 * Templates whose text remembers the lines of the source it came from: for finding a place of the rendered text again
 * in the template. Salt has nothing like it; Jinja tells lines for its own errors only.
 */
import { compileBody } from './compile.ts';
import type { Tokens } from './lexer.ts';
import { tokenize } from './lexer.ts';
import type { JinjaOptions } from './options.ts';
import { parseTokens } from './parse.ts';
import type { Compiled } from './template.ts';

/** Private characters around the number of a line; no text of a site has them in this order. */
const [BEGIN, END] = ['\uf8f0', '\uf8f1'];
const MARK = /\uf8f0(\d+)\uf8f1/g;

/** Compiles a template so that {@link takeMarks} finds its lines in what it renders. @throws TemplateSyntaxError */
export function compileWithMarks(source: string, options: JinjaOptions): Compiled {
  return compileBody(parseTokens(marked(tokenize(source, options))));
}

function marked({ tokens, fault }: Tokens): Tokens {
  const withMarks = tokens.map((token) =>
    token.type === 'data' ? { ...token, value: markLines(token.value, token.line) } : token,
  );
  return { tokens: withMarks, fault };
}

function markLines(text: string, first: number): string {
  return text
    .split('\n')
    .map((line, index) => `${BEGIN}${first + index}${END}${line}`)
    .join('\n');
}

/**
 * Takes the marks out of a rendered text.
 * @returns the text, and for each of its lines the line of the source it came from, both counted from 1; index 0 is
 *   line 1
 */
export function takeMarks(rendered: string): { readonly text: string; readonly lines: readonly number[] } {
  const lines: number[] = [];
  let last = 1;
  for (const line of rendered.split('\n')) {
    const numbers = Array.from(line.matchAll(MARK), (match) => Number(match[1]));
    lines.push(numbers[0] ?? last);
    last = numbers.at(-1) ?? last;
  }
  return { text: rendered.replaceAll(MARK, ''), lines };
}
