/**
 * The names that may stand inside of options with a list or a mapping. Whoever reads such an option passes over a name
 * that it does not know; a name with a slip in it would pass for one that is served. The lists are those of their
 * readers, which a test compares.
 */
import { didYouMean } from '../errors/did-you-mean.ts';
import { pyStr } from '../python/values/repr.ts';
import { isDict, type Value } from '../python/values/value.ts';

interface NamesInside {
  /** What a name is, in the singular. */
  readonly noun: string;
  readonly names: readonly string[];
  readonly otherwise: string;
}

/** `jinja_env`, `jinja_sls_env`: formats/jinja/options.ts. */
const JINJA: NamesInside = {
  noun: 'setting of templates',
  names: [
    ...['block_start_string', 'block_end_string', 'variable_start_string', 'variable_end_string'],
    ...['comment_start_string', 'comment_end_string', 'line_statement_prefix', 'line_comment_prefix'],
    ...['trim_blocks', 'lstrip_blocks', 'newline_sequence', 'keep_trailing_newline'],
  ],
  otherwise: 'it is passed over',
};

/** By option. */
export const NAMES_INSIDE: ReadonlyMap<string, NamesInside> = new Map<string, NamesInside>([
  ['jinja_env', JINJA],
  ['jinja_sls_env', JINJA],
  [
    'module_executors',
    { noun: 'executor', names: ['direct_call', 'splay', 'sudo'], otherwise: 'every job fails with it' },
  ],
  [
    'disabled_requisites',
    {
      noun: 'requisite',
      names: [
        ...['onchanges', 'onchanges_any', 'onfail', 'onfail_any', 'onfail_all', 'onfail_stop', 'prereq'],
        ...['prerequired', 'watch', 'watch_any', 'require', 'require_any', 'listen', 'onchanges_in'],
        ...['onfail_in', 'prereq_in', 'watch_in', 'require_in', 'listen_in'],
      ],
      otherwise: 'it switches nothing off',
    },
  ],
]);

/** @returns what is said of names in the value of an option that there are not; undefined when all are known */
export function nameNotThere(option: string, value: Value): string | undefined {
  const inside = NAMES_INSIDE.get(option);
  if (inside === undefined) return undefined;
  const given = isDict(value)
    ? [...value.keys()]
    : Array.isArray(value)
      ? value
      : value === null
        ? []
        : [value];
  const wrong = given.map(pyStr).filter((name) => name !== '' && !isKnown(option, inside, name));
  const [first] = wrong;
  if (first === undefined) return undefined;
  const hint = wrong.length === 1 ? didYouMean(first, inside.names, 1).trim() : '';
  const known = hint === '' ? `there are ${inside.names.join(', ')}` : hint;
  return `there is no ${inside.noun} '${wrong.join("', '")}', ${inside.otherwise}; ${known}`;
}

/** Names of settings of templates are taken in any case. */
function isKnown(option: string, { names }: NamesInside, name: string): boolean {
  return names.includes(option.startsWith('jinja') ? name.toLowerCase() : name);
}
