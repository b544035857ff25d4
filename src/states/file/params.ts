/** What the parameters of the states of `file` mean: those of the functions of `file`, and what only states have. */
import { opt, P } from '../../modules/file/params.ts';
import type { ParamSpec } from '../../loader/module.ts';
import type { Value } from '../../values/value.ts';

const STATE = {
  name: P.name,
  makedirs: { type: 'bool', doc: 'Create missing parent folders.' },
  backup: { type: 'str', doc: '`minion` keeps a copy of the old file, see file.list_backups.' },
  dir_mode: { type: 'str', doc: 'The mode of folders that are created.' },
  file_mode: { type: 'str', doc: 'The mode of files.' },
  force: { type: 'bool', doc: 'Remove what is in the way.' },
  backupname: { type: 'str', doc: 'What is in the way is renamed to this.' },
  target: { type: 'str', doc: 'What the link points to.' },
  show_changes: { type: 'bool', doc: 'Show the differences.' },
  create: { type: 'bool', doc: 'Create the file when it is missing.' },
  encoding: { type: 'str', doc: 'The encoding of the file; UTF-8 when there is none.' },
  encoding_errors: {
    type: 'str',
    doc: 'What becomes of characters that do not fit the encoding: strict, ignore or replace.',
  },
  keep_source: { type: 'bool', doc: 'Leave the fetched source in the cache.' },
  clean: { type: 'bool', doc: 'Remove what no state has put there; see require.' },
  require: { type: 'list', doc: 'Files of these states are not removed by clean.' },
  exclude_pat: { type: 'str or list', doc: 'Paths that are left alone: globs, or `E@` and an expression.' },
  include_pat: { type: 'str or list', doc: 'Only these paths: globs, or `E@` and an expression.' },
  sources: { type: 'list', doc: 'Several sources, one behind the other.' },
  source_hashes: { type: 'list', doc: 'The hashes of the sources.' },
  text: { type: 'str or list', doc: 'The text.' },
  edit_backup: { type: 'str or bool', doc: 'End of the name of a copy of the old file; false for none.' },
  ignore_if_missing: { type: 'bool', doc: 'Succeed when the file is missing.' },
  append_if_not_found: { type: 'bool', doc: 'Add it at the end when it is not there.' },
  prepend_if_not_found: { type: 'bool', doc: 'Add it at the start when it is not there.' },
} as const satisfies Readonly<Record<string, ParamSpec>>;

/** Parameters by name, without defaults. */
export const S = { ...P, ...STATE } as const;

/** Parameters for user and group, left alone by default. */
export const OWNER_PARAMS = { user: opt(S.user, null), group: opt(S.group, null) } as const;

/** Parameters for texts that come out of templates (append, prepend, blockreplace). */
export const TEXT_SOURCE_PARAMS = {
  source: opt(S.source, null),
  source_hash: opt(S.source_hash, null),
  template: opt(S.template, 'jinja'),
  sources: opt(S.sources, null),
  source_hashes: opt(S.source_hashes, null),
  defaults: opt(S.defaults, null),
  context: opt(S.context, null),
} as const;

/** The arguments that a description of parameters stands for. */
export type ArgsOf<T extends Readonly<Record<string, ParamSpec>>> = { readonly [K in keyof T]: Value };
