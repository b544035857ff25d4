/** What `file.managed`, and the states that are made of it, can be given. */
import { param } from '../../../runtime/loader/params.ts';
import { opt, P } from '../../shared/file-params.ts';
import { OWNER_PARAMS, S, type ArgsOf } from './params.ts';

/** The parameters of `file.managed`. */
export const MANAGED_PARAMS = {
  name: S.file_name,
  source: opt({ ...S.source, type: 'str or list' }, null),
  source_hash: opt(S.source_hash, ''),
  source_hash_name: opt(S.source_hash_name, null),
  keep_source: opt(S.keep_source, true),
  ...OWNER_PARAMS,
  mode: opt({ ...S.mode, doc: `${P.mode.doc} \`keep\` takes the mode of the source.` }, null),
  attrs: opt(S.attrs, null),
  template: opt(param.textIfGiven(S.template), null),
  makedirs: opt(S.makedirs, false),
  dir_mode: opt(S.dir_mode, null),
  context: opt(S.context, null),
  replace: opt(param.flag({ doc: 'False: a file that is there keeps its content.' }), true),
  defaults: opt(S.defaults, null),
  backup: opt(S.backup, ''),
  show_changes: opt(S.show_changes, true),
  create: opt(S.create, true),
  contents: opt(
    param.value({ type: 'str or list', doc: 'The content; of a list each member is a line.' }),
    null,
  ),
  tmp_dir: opt(param.textIfGiven({ doc: 'Folder of the file that check_cmd is given.' }), ''),
  tmp_ext: opt(param.textIfGiven({ doc: 'End of the name of the file that check_cmd is given.' }), ''),
  contents_pillar: opt(
    param.value({ type: 'str or list', doc: 'The content is in the pillar, under this key or these keys.' }),
    null,
  ),
  contents_grains: opt(
    param.value({ type: 'str or list', doc: 'The content is in the grains, under this key or these keys.' }),
    null,
  ),
  contents_newline: opt(param.flag({ doc: 'The content ends with a line end.' }), true),
  contents_delimiter: opt(
    param.value({ type: 'str', doc: 'What parts the keys of pillar and grains.' }),
    ':',
  ),
  encoding: opt(S.encoding, null),
  encoding_errors: opt(S.encoding_errors, 'strict'),
  allow_empty: opt(param.flag({ doc: 'False: content that is empty is an error.' }), true),
  follow_symlinks: opt(param.flag({ doc: 'A link stays, and what it points to is managed.' }), true),
  check_cmd: opt(
    param.textIfGiven({
      doc: 'A command that is run with the path of the new file behind it, before that takes its place.',
    }),
    null,
  ),
  skip_verify: opt(S.skip_verify, false),
  selinux: opt(param.mapping({ doc: 'The SELinux context: seuser, serole, setype, serange.' }), null),
  win_owner: opt(param.value({ type: 'str', doc: 'For Windows; without effect here.' }), null),
  win_perms: opt(param.value({ type: 'dict', doc: 'For Windows; without effect here.' }), null),
  win_deny_perms: opt(param.value({ type: 'dict', doc: 'For Windows; without effect here.' }), null),
  win_inheritance: opt(param.flag({ doc: 'For Windows; without effect here.' }), true),
  win_perms_reset: opt(param.flag({ doc: 'For Windows; without effect here.' }), false),
  verify_ssl: opt(S.verify_ssl, true),
  use_etag: opt(S.use_etag, false),
} as const;

/** The arguments of `file.managed`. */
export type ManagedArguments = ArgsOf<typeof MANAGED_PARAMS>;
