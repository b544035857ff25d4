/** Renderers by name: which there are, and what each of the others needs. */
import { FURTHER_RENDERER_NAMES } from './renderer-names.generated.ts';

/** Those that every program has loaded, and `py`, with what `sys.renderer_doc` says. */
export const USUAL_RENDERERS: ReadonlyMap<string, string> = new Map([
  ['gpg', 'Decrypts texts that were encrypted with GPG, wherever they stand in the data.'],
  ['jinja', 'Renders templates of Jinja2 to text.'],
  ['json', 'Reads JSON.'],
  ['py', 'Runs the function `run` of a file in Python, which gives the data.'],
  ['text', 'Hands text on as it is.'],
  ['yaml', 'Reads YAML as Salt does.'],
]);

/** Those that are built in. */
export const RENDERERS: readonly string[] = [...USUAL_RENDERERS.keys(), ...FURTHER_RENDERER_NAMES].sort();

/** Those that run in Python, where their engine can be imported. */
export const PYTHON_RENDERERS: readonly string[] = ['aws_kms', 'cheetah', 'genshi', 'mako', 'wempy'];

/** Languages for states, whose files run in Python. */
export const STATE_RENDERERS: readonly string[] = ['pydsl', 'pyobjects'];

/** Salt's own, where an installed Salt is used (`salt_python`). */
export const SALTS_RENDERERS: readonly string[] = ['dson'];
