/**
 * The error of YAML text that cannot be used. Its words stand where it is thrown: those about characters in `load.ts`,
 * about tokens in `scanner.ts` and `scan-*.ts`, about the grammar in `parser.ts`, about values in `construct.ts` and
 * `scalar.ts`.
 */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';

/** A place in a text, both counted from 1. */
export interface YamlPosition {
  readonly line: number;
  readonly column: number;
}

/** Which step refused the text, as PyYAML's exception classes tell them apart. */
export type YamlErrorKind = 'reader' | 'scanner' | 'parser' | 'composer' | 'constructor';

/** What a {@link YamlError} is made of. */
export interface YamlErrorDetails {
  readonly kind: YamlErrorKind;
  /** what is wrong: `found conflicting ID 'x'` */
  readonly reason: string;
  readonly at: YamlPosition;
  /** what was being done: `while constructing a mapping` */
  readonly context?: string;
  readonly contextAt?: YamlPosition;
  /** name shown for the text, usually a path */
  readonly source: string;
}

/**
 * YAML text that cannot be used. The message has the form of PyYAML's `str(error)`: an optional line of context with
 * its place, the reason, and the place of the reason.
 */
export class YamlError extends BrineError {
  static override readonly errorCode: ErrorCode = 'yaml-invalid';
  override readonly name = 'YamlError';
  readonly kind: YamlErrorKind;
  readonly reason: string;
  /** line of the reason, from 1 */
  readonly line: number;
  /** column of the reason, from 1 */
  readonly column: number;
  /** what was being done, where known */
  readonly context: string | undefined;
  readonly source: string;

  constructor(deps: YamlErrorDetails, options?: ErrorOptions) {
    super(describe(deps), options);
    this.kind = deps.kind;
    this.reason = deps.reason;
    this.line = deps.at.line;
    this.column = deps.at.column;
    this.context = deps.context;
    this.source = deps.source;
  }
}

function describe({ reason, at, context, contextAt, source }: YamlErrorDetails): string {
  const place = (p: YamlPosition): string => `  in "${source}", line ${p.line}, column ${p.column}`;
  const lines: string[] = [];
  if (context !== undefined) lines.push(context);
  if (contextAt && (contextAt.line !== at.line || contextAt.column !== at.column))
    lines.push(place(contextAt));
  lines.push(reason, place(at));
  return lines.join('\n');
}

/** Line and column, both from 1, of an offset into a text. CR LF, CR and LF each end a line. */
export function positionAt(text: string, offset: number): YamlPosition {
  const end = Math.min(Math.max(offset, 0), text.length);
  let line = 1;
  let start = 0;
  for (let i = 0; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) {
      line++;
      start = i + 1;
    }
  }
  return { line, column: [...text.slice(start, end)].length + 1 };
}
