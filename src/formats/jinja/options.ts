/** The options of Jinja's environment that Salt passes through (`jinja_env`, `jinja_sls_env`). */
import { isDict, truthy, type Value } from '../../python/values/value.ts';

/** How templates are read, and what undefined values do. */
export interface JinjaOptions {
  readonly blockStart: string;
  readonly blockEnd: string;
  readonly variableStart: string;
  readonly variableEnd: string;
  readonly commentStart: string;
  readonly commentEnd: string;
  readonly lineStatementPrefix: string | null;
  readonly lineCommentPrefix: string | null;
  readonly trimBlocks: boolean;
  readonly lstripBlocks: boolean;
  readonly newlineSequence: string;
  readonly keepTrailingNewline: boolean;
  /** StrictUndefined: undefined values cannot be used. Off with `allow_undefined`. */
  readonly strict: boolean;
}

export const DEFAULT_OPTIONS: JinjaOptions = {
  blockStart: '{%',
  blockEnd: '%}',
  variableStart: '{{',
  variableEnd: '}}',
  commentStart: '{#',
  commentEnd: '#}',
  lineStatementPrefix: null,
  lineCommentPrefix: null,
  trimBlocks: false,
  lstripBlocks: false,
  newlineSequence: '\n',
  keepTrailingNewline: false,
  strict: true,
};

/** The names that `jinja_env` takes. */
export const ENVIRONMENT_OPTIONS: ReadonlyMap<string, keyof JinjaOptions> = new Map([
  ['block_start_string', 'blockStart'],
  ['block_end_string', 'blockEnd'],
  ['variable_start_string', 'variableStart'],
  ['variable_end_string', 'variableEnd'],
  ['comment_start_string', 'commentStart'],
  ['comment_end_string', 'commentEnd'],
  ['line_statement_prefix', 'lineStatementPrefix'],
  ['line_comment_prefix', 'lineCommentPrefix'],
  ['trim_blocks', 'trimBlocks'],
  ['lstrip_blocks', 'lstripBlocks'],
  ['newline_sequence', 'newlineSequence'],
  ['keep_trailing_newline', 'keepTrailingNewline'],
]);

/**
 * Jinja's options out of Salt's (3006.16 salt/utils/templates.py `render_jinja_tmpl`).
 * @param opt looks an option up by Salt's name
 * @param isSls whether an SLS is rendered, which has its own set
 * @param unknown told the names that are not options of Jinja
 */
export function jinjaOptions(
  opt: (name: string) => Value | undefined,
  isSls: boolean,
  unknown: (name: string) => void = () => undefined,
): JinjaOptions {
  const out: Record<string, string | boolean | null> = {};
  if (truthy(opt('jinja_trim_blocks'))) out['trimBlocks'] = true;
  if (truthy(opt('jinja_lstrip_blocks'))) out['lstripBlocks'] = true;
  const given = opt(isSls ? 'jinja_sls_env' : 'jinja_env');
  for (const [key, value] of isDict(given) ? given : []) {
    const name = ENVIRONMENT_OPTIONS.get(String(key).toLowerCase());
    if (name === undefined) unknown(String(key));
    else if (typeof DEFAULT_OPTIONS[name] === 'boolean') out[name] = truthy(value);
    else if (typeof value === 'string' || value === null) out[name] = value;
  }
  return { ...DEFAULT_OPTIONS, ...out, strict: !truthy(opt('allow_undefined')) };
}
