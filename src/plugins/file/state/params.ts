/** What the parameters of the states of `file` mean: those of the functions of `file`, and what only states have. */
import { opt, P, pathOf, textArgument } from '../../shared/file-params.ts';
import { isDir } from '../../../python/paths.ts';
import { SaltInvocationError } from '../../../errors/errors.ts';
import { normalizeMode } from '../module/stats.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { ParamSpec, TypedArguments } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { truthy, type Value } from '../../../python/values/value.ts';

/**
 * Reads the mode of a state; `keep` is what sources have. Salt compat: Salt finds out that it is none after the file
 * was written, and in test mode promises it.
 * @throws SaltInvocationError for what is no number in octal digits
 */
export function modeOf(value: Value): string | null {
  const digits = normalizeMode(value);
  if (digits === null || digits === 'keep' || /^[0-7]+$/.test(digits)) return digits;
  throw new SaltInvocationError(`'${pyStr(value)}' is no mode: give it in octal digits, as in '0644'`);
}

/**
 * Reads the path of a file that a state makes or changes. Salt compat: of one that ends in a slash Salt says in test
 * mode that it would be created.
 * @throws SaltInvocationError for one that names a folder which is not there
 */
function filePathOf(value: Value): string {
  const path = pathOf(value);
  if (path.length > 1 && path.endsWith('/') && !isDir(path))
    throw new SaltInvocationError(
      `${path} ends in a slash, which names a folder; leave the slash out for a file`,
    );
  return path;
}

/** A mode that another one stands in for when it is false in Python. */
export interface WantedMode {
  readonly digits: string | null;
  readonly isGiven: boolean;
}

/** Reads a mode that another one may stand in for. */
export function wantedMode(value: Value): WantedMode {
  return { digits: modeOf(value), isGiven: truthy(value) };
}

const STATE = {
  name: param.by(pathOf, P.name),
  file_name: param.by(filePathOf, P.name),
  mode: param.by(modeOf, P.mode),
  follow_symlinks: param.flag(P.follow_symlinks),
  skip_verify: param.flag(P.skip_verify),
  use_etag: param.flag(P.use_etag),
  makedirs: param.flag({ doc: 'Create missing parent folders.' }),
  backup: param.value({ type: 'str', doc: '`minion` keeps a copy of the old file, see file.list_backups.' }),
  dir_mode: param.by(modeOf, { type: 'str', doc: 'The mode of folders that are created.' }),
  file_mode: param.value({ type: 'str', doc: 'The mode of files.' }),
  force: param.flag({ doc: 'Remove what is in the way.' }),
  backupname: param.textOrNone({ doc: 'What is in the way is renamed to this.' }),
  target: param.by(textArgument, { type: 'str', doc: 'What the link points to.' }),
  show_changes: param.flag({ doc: 'Show the differences.' }),
  create: param.flag({ doc: 'Create the file when it is missing.' }),
  encoding: param.value({ type: 'str', doc: 'The encoding of the file; UTF-8 when there is none.' }),
  encoding_errors: param.value({
    type: 'str',
    doc: 'What becomes of characters that do not fit the encoding: strict, ignore or replace.',
  }),
  keep_source: param.flag({ doc: 'Leave the fetched source in the cache.' }),
  clean: param.flag({ doc: 'Remove what no state has put there; see require.' }),
  require: param.value({ type: 'list', doc: 'Files of these states are not removed by clean.' }),
  exclude_pat: param.value({
    type: 'str or list',
    doc: 'Paths that are left alone: globs, or `E@` and an expression.',
  }),
  include_pat: param.value({
    type: 'str or list',
    doc: 'Only these paths: globs, or `E@` and an expression.',
  }),
  sources: param.value({ type: 'list', doc: 'Several sources, one behind the other.' }),
  source_hashes: param.value({ type: 'list', doc: 'The hashes of the sources.' }),
  text: param.value({ type: 'str or list', doc: 'The text.' }),
  edit_backup: param.value({
    type: 'str or bool',
    doc: 'End of the name of a copy of the old file; false for none.',
  }),
  ignore_if_missing: param.flag({ doc: 'Succeed when the file is missing.' }),
  append_if_not_found: param.flag({ doc: 'Add it at the end when it is not there.' }),
  prepend_if_not_found: param.flag({ doc: 'Add it at the start when it is not there.' }),
} as const satisfies Readonly<Record<string, ParamSpec>>;

/** Parameters by name, without defaults. */
export const S = { ...P, ...STATE } as const;

/** Parameters for user and group, left alone by default. */
export const OWNER_PARAMS = {
  user: opt({ ...S.user, account: 'user' }, null),
  group: opt({ ...S.group, account: 'group' }, null),
} as const;

/** Parameters for texts that come out of templates (append, prepend, blockreplace). */
export const TEXT_SOURCE_PARAMS = {
  source: opt(param.valueIfGiven(S.source), null),
  source_hash: opt(param.valueIfGiven(S.source_hash), null),
  template: opt(S.template, 'jinja'),
  sources: opt(param.valueIfGiven(S.sources), null),
  source_hashes: opt(param.valueIfGiven(S.source_hashes), null),
  defaults: opt(param.mapping(S.defaults), null),
  context: opt(param.mapping(S.context), null),
} as const;

/** The arguments that a description of parameters stands for. */
export type ArgsOf<T extends Readonly<Record<string, ParamSpec>>> = TypedArguments<T>;
