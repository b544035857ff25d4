/**
 * The names that may stand inside of options with a list or a mapping. Whoever reads such an option passes over a name
 * that it does not know; a name with a slip in it would pass for one that is served.
 */
import { didYouMean } from '../errors/did-you-mean.ts';
import { pyStr } from '../python/values/repr.ts';
import { isDict, type Value } from '../python/values/value.ts';
import type { NamesInside } from './option.ts';

/** `jinja_env`, `jinja_sls_env`: formats/jinja/options.ts. */
export const SETTINGS_OF_TEMPLATES: NamesInside = {
  noun: 'setting of templates',
  names: [
    ...['block_start_string', 'block_end_string', 'variable_start_string', 'variable_end_string'],
    ...['comment_start_string', 'comment_end_string', 'line_statement_prefix', 'line_comment_prefix'],
    ...['trim_blocks', 'lstrip_blocks', 'newline_sequence', 'keep_trailing_newline'],
  ],
  otherwise: 'it is passed over',
  isAnyCase: true,
};

/** `disabled_requisites`: runtime/state/keywords.ts. */
export const REQUISITE_NAMES: NamesInside = {
  noun: 'requisite',
  names: [
    ...['onchanges', 'onchanges_any', 'onfail', 'onfail_any', 'onfail_all', 'onfail_stop', 'prereq'],
    ...['prerequired', 'watch', 'watch_any', 'require', 'require_any', 'listen', 'onchanges_in'],
    ...['onfail_in', 'prereq_in', 'watch_in', 'require_in', 'listen_in'],
  ],
  otherwise: 'it switches nothing off',
};

/** @returns what is said of names in the value of an option that there are not; undefined when all are known */
export function nameNotThere(inside: NamesInside, value: Value): string | undefined {
  const given = isDict(value)
    ? [...value.keys()]
    : Array.isArray(value)
      ? value
      : value === null
        ? []
        : [value];
  const wrong = given.map(pyStr).filter((name) => name !== '' && !isKnown(inside, name));
  const [first] = wrong;
  if (first === undefined) return undefined;
  const hint = wrong.length === 1 ? didYouMean(first, inside.names, 1).trim() : '';
  const known = hint === '' ? `there are ${inside.names.join(', ')}` : hint;
  return `there is no ${inside.noun} '${wrong.join("', '")}', ${inside.otherwise}; ${known}`;
}

function isKnown({ names, isAnyCase }: NamesInside, name: string): boolean {
  return names.includes(isAnyCase === true ? name.toLowerCase() : name);
}
