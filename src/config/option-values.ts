/**
 * Options that name one of a few things, and what a program does that is given another name: it goes on as Salt does,
 * but says so when it starts, because a name with a slip in it would otherwise pass for one that is served.
 */
import { pyStr } from '../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../python/values/value.ts';
import { nameNotThere } from './names-in-values.ts';
import type { OptionSpec } from './option.ts';
import { PYTHON_RENDERERS, RENDERERS, SALTS_RENDERERS, STATE_RENDERERS } from './renderer-names.ts';
import { noEffect, notYet, type Unserved } from './unserved.ts';

/** Renderers that are there, with the names of Salt 0.9 for two pipes. */
const KNOWN_RENDERERS: ReadonlySet<string> = new Set([
  ...RENDERERS,
  ...PYTHON_RENDERERS,
  ...STATE_RENDERERS,
  ...SALTS_RENDERERS,
  'yaml_jinja',
  'json_jinja',
]);

/** Switches of the option `features` that are read; the others are for the Python code of Salt. */
const FEATURES: ReadonlySet<string> = new Set(['enable_deprecated_module_search_path_priority']);

/**
 * @param spec the option's record
 * @param given all options of the files
 * @returns what a value of this option does not get; undefined when it is served, or the option takes more than a few
 *   names
 */
export function valueNotThere(
  option: string,
  spec: OptionSpec,
  value: Value,
  given: Dict,
): Unserved | undefined {
  if (option === 'renderer') return rendererNotThere(pyStr(value));
  if (option === 'features') return featuresNotRead(value);
  if (option === 'ssl') return sslNotUsed(value, given);
  const inside = spec.inside === undefined ? undefined : nameNotThere(spec.inside, value);
  if (inside !== undefined) return { ...noEffect(inside), concernsCommands: true };
  const { choices, otherwise } = spec;
  if (choices === undefined || value === null || choices.includes(pyStr(value))) return undefined;
  const names = choices.filter((name) => name !== '').join(', ');
  return noEffect(`there is no '${pyStr(value)}': ${otherwise ?? 'it is passed over'}; there are ${names}`);
}

/** Salt compat: Salt, too, speaks ZeroMQ without TLS whatever `ssl` says, and does not say so. */
function sslNotUsed(value: Value, given: Dict): Unserved | undefined {
  const transport = truthy(given.get('transport_opts')) ? 'several' : (given.get('transport') ?? null);
  const isUsed = transport !== null && transport !== 'zeromq';
  if (isUsed || value === null || value === false) return undefined;
  return noEffect('the transport zeromq does without TLS; set transport to tcp or ws');
}

function featuresNotRead(value: Value): Unserved | undefined {
  const others = isDict(value) ? [...value.keys()].map(pyStr).filter((name) => !FEATURES.has(name)) : [];
  if (others.length === 0) return undefined;
  return noEffect(`${others.join(', ')}: switches for the Python code of Salt`);
}

function rendererNotThere(pipe: string): Unserved | undefined {
  const missing = pipe
    .split('|')
    .map((step) => step.trim().split(' ', 1)[0] ?? '')
    .filter((name) => !KNOWN_RENDERERS.has(name));
  if (missing.length === 0) return undefined;
  const why =
    `without a custom renderer ${missing.join(', ')} every file fails that does not name others in its first line; ` +
    `there are ${RENDERERS.join(', ')}`;
  return { ...notYet(why), concernsCommands: true };
}
