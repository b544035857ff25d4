/** Renderers by name: which there are, and what each of the others needs. */

/** Those that are built in. */
export const RENDERERS: readonly string[] = [
  ...['gpg', 'hjson', 'jinja', 'json', 'json5', 'msgpack', 'nacl', 'pass', 'py', 'stateconf', 'text', 'toml'],
  ...['yaml', 'yamlex'],
];

/** Those that run in Python, where their engine can be imported. */
export const PYTHON_RENDERERS: readonly string[] = ['aws_kms', 'cheetah', 'genshi', 'mako', 'wempy'];

/** Languages for states, whose files run in Python. */
export const STATE_RENDERERS: readonly string[] = ['pydsl', 'pyobjects'];

/** Salt's own, where an installed Salt is used (`salt_python`). */
export const SALTS_RENDERERS: readonly string[] = ['dson'];
