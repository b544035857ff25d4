/** The comment that says who manages a file (3006.16 salt/modules/slsutil.py `banner`). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { fill } from '../../outputters/text-wrap.ts';
import { rstrip, strip, textLength } from '../../../python/values/text.ts';

const TITLE = 'THIS FILE IS MANAGED BY SALT - DO NOT EDIT';
const TEXT =
  'The contents of this file are managed by Salt. Any changes to this file may be overwritten automatically and without warning.';

/** How a banner looks; `undefined` for what is left out. */
export interface BannerStyle {
  readonly width: number;
  readonly commentchar: string;
  readonly borderchar: string;
  readonly blockstart: string | undefined;
  readonly blockend: string | undefined;
  readonly title: string | undefined;
  readonly text: string | undefined;
  readonly newline: boolean;
}

/** Python's `str.center`: an odd blank goes to the left where the width is odd. */
function centre(line: string, width: number): string {
  const pad = width - textLength(line);
  if (pad <= 0) return line;
  const left = Math.floor(pad / 2) + (pad & width & 1);
  return ' '.repeat(left) + line + ' '.repeat(pad - left);
}

/** @throws CommandExecutionError when it is too narrow */
export function banner(style: BannerStyle): string {
  const { width, commentchar, borderchar, blockstart, blockend, newline } = style;
  const [leftEdge, rightEdge] = [rstrip(commentchar), strip(commentchar)];
  const [left, right] = [`${leftEdge} `, ` ${rightEdge}`];
  const inner = width - textLength(left) - textLength(right);
  if (inner <= 0) throw new CommandExecutionError('Width is too small to render banner');
  const repeat = (text: string, count: number): string => text.repeat(Math.max(0, count));
  const border =
    commentchar +
    repeat([...borderchar].slice(0, 1).join(''), width - textLength(leftEdge) - textLength(rightEdge)) +
    rightEdge;
  const spacer = commentchar + repeat(' ', width - textLength(commentchar) * 2) + commentchar;
  const lines = (text: string): string[] =>
    strip(text) === '' ? [] : fill(text, { width: inner, indent: '' }).split('\n');
  const block = [
    ...(blockstart === undefined ? [] : [blockstart]),
    border,
    spacer,
    ...lines(style.title ?? TITLE).map((line) => left + centre(line, inner) + right),
    spacer,
    ...lines(style.text ?? TEXT).map((line) => left + line + repeat(' ', inner - textLength(line)) + right),
    border,
    ...(blockend === undefined ? [] : [blockend]),
  ];
  return block.join('\n') + (newline ? '\n' : '');
}
