/** What the parameters of `file` mean: described once, because most functions share them. */
import { ArgumentError } from '../../errors/errors.ts';
import { expandUser } from '../../host/expand-user.ts';
import type { ParamSpec } from '../../runtime/loader/module.ts';
import { pyCount } from '../../python/conversions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, pyTypeName, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { flagBits } from './regex.ts';

/** Parameters by name, without defaults. */
export const P = {
  path: param.by(pathOf, { type: 'str', doc: 'The path; `~` at its start is a home folder.' }),
  /** The same for functions that take it as it stands. */
  plainPath: param.by(textArgument, { type: 'str', doc: 'The path; `~` at its start is a home folder.' }),
  name: param.by(pathOf, { type: 'str', doc: 'The path; `~` at its start is a home folder.' }),
  src: param.by(pathOf, { type: 'str', doc: 'The path that is there; `~` at its start is a home folder.' }),
  dst: param.by(pathOf, { type: 'str', doc: 'The new path; `~` at its start is a home folder.' }),
  user: param.value({ type: 'str or int', doc: 'The owner: a name or a user id.' }),
  group: param.value({ type: 'str or int', doc: 'The group: a name or a group id.' }),
  uid: param.value({ type: 'int', doc: 'A user id.' }),
  gid: param.value({ type: 'int or str', doc: 'A group id, or a name.' }),
  mode: param.value({
    type: 'str',
    doc: 'Permission bits in octal digits; quote them, so that the leading zero stays.',
  }),
  attrs: param.value({
    type: 'str',
    doc: 'The attributes (see chattr) that the file is to have, and no others.',
  }),
  form: param.text({ doc: 'The hash: md5, sha1, sha224, sha256, sha384, sha512 and those of OpenSSL.' }),
  follow_symlinks: param.flag({ doc: 'Look at what a symbolic link points to, not at the link.' }),
  pattern: param.by(textArgument, { type: 'str', doc: 'A regular expression in Python syntax.' }),
  regex: param.by(textArgument, { type: 'str', doc: 'A regular expression in Python syntax.' }),
  flags: param.by(flagBits, {
    type: 'int, str or list',
    doc: "Flags of the expression: names such as IGNORECASE and MULTILINE, or Python's numbers added up.",
  }),
  backup: param.value({
    type: 'str or bool',
    doc: 'End of the name of a copy that is kept of the old file; false for none.',
  }),
  bufsize: param.value({ type: 'int or str', doc: 'Without effect: the whole file is read.' }),
  dry_run: param.flag({ doc: 'Change nothing, only tell what would change.' }),
  show_changes: param.flag({ doc: 'Return the differences, not only whether there are any.' }),
  content: param.text({ doc: 'The text.' }),
  char: param.text({ doc: 'The characters that begin a comment.' }),
  saltenv: param.value({ type: 'str', doc: 'The environment of the file server.' }),
  source: param.value({
    type: 'str',
    doc: 'Where the file comes from: salt://, http(s)://, file:// or an absolute path.',
  }),
  source_hash: param.value({
    type: 'str',
    doc: 'What the source has to be: a hash, `<type>=<hash>`, or the address of a file with hashes.',
  }),
  source_hash_name: param.value({ type: 'str', doc: 'The name of the file in a file with hashes.' }),
  source_sum: param.mapping({ doc: 'The hash of the source: `{hash_type, hsum}`.' }),
  sfn: param.textIfGiven({ doc: 'Where the source lies on the minion.' }),
  template: param.value({ type: 'str', doc: 'The template engine that renders the source.' }),
  context: param.value({ type: 'dict', doc: 'Variables for the template.' }),
  defaults: param.value({ type: 'dict', doc: 'Variables for the template that the context does not have.' }),
  contents: param.value({ type: 'str', doc: 'The content of the file, in place of a source.' }),
  skip_verify: param.flag({ doc: 'Do not check a remote source against a hash.' }),
  verify_ssl: param.flag({ doc: 'Check the certificate of an https server.' }),
  use_etag: param.flag({ doc: 'Ask an http server whether the file has changed by its ETag.' }),
  keep_mode: param.flag({ doc: 'Give the file the mode of its source.' }),
  makedirs: param.flag({ doc: 'Create missing parent folders.' }),
  limit: param.text({ doc: 'A regular expression that chooses lines.' }),
  seuser: param.value({ type: 'str', doc: 'The SELinux user.' }),
  serole: param.value({ type: 'str', doc: 'The SELinux role.' }),
  setype: param.value({ type: 'str', doc: 'The SELinux type.' }),
  serange: param.value({ type: 'str', doc: 'The SELinux range.' }),
  ret: param.value({
    type: 'dict',
    doc: 'The return of a state that is completed; without one a new one is made.',
  }),
  major: param.value({ type: 'int', doc: 'Major number of the device.' }),
  minor: param.value({ type: 'int', doc: 'Minor number of the device.' }),
  backup_id: param.text({ type: 'int', doc: 'The number of the copy, as file.list_backups counts.' }),
} as const satisfies Readonly<Record<string, ParamSpec>>;

/** A parameter with a default. */
export function opt<S extends ParamSpec, const D extends Value>(
  spec: S,
  value: D,
): S & { readonly default: D } {
  return { ...spec, default: value };
}

/** The SELinux parameters, all optional. */
export const SELINUX_PARAMS = {
  seuser: opt(P.seuser, null),
  serole: opt(P.serole, null),
  setype: opt(P.setype, null),
  serange: opt(P.serange, null),
} as const;

/** A path argument, its home folder filled in. @throws ArgumentError in Python's words for anything but text */
export function pathOf(value: Value): string {
  return expandUser(textArgument(value));
}

/** A text that is written into a file; numbers count. @throws ArgumentError for None, lists and mappings */
export function writtenText(value: Value): string {
  if (value === null || Array.isArray(value) || isDict(value))
    throw new ArgumentError(`expected a text, not ${pyTypeName(value)}`);
  return pyStr(value);
}

/** How deep to go, also as a text; undefined, all the way, for None. @throws PythonError for what is no number */
export function depthOf(value: Value): number | undefined {
  return value === null ? undefined : pyCount(value);
}

/** A text argument. @throws ArgumentError in Python's words for anything but text */
export function textArgument(value: Value): string {
  if (typeof value === 'string') return value;
  throw new ArgumentError(`expected str, bytes or os.PathLike object, not ${pyTypeName(value)}`);
}
