/** Python's `str.format` with positional fields, as the text form of `state_tabular` uses it. */
import { formatFixed } from '../../python/values/number-format.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { center, padLeft, padRight, textLength } from '../../python/values/text.ts';
import { isDict, toNumber, type Value } from '../../python/values/value.ts';
import { entry, unsuited } from './outputter.ts';

const FIELD = /\{\{|\}\}|\{(\d+)((?:\[[^\]]+\])*)(?:!([rsa]))?(?::([^{}]*))?\}|[{}]/g;
const SPEC = /^(?:(.)?([<>^]))?(\d+)?(?:\.(\d+))?([sdf])?$/su;

/**
 * Fills `{0}`, `{6[start_time]!s:>7}` and the like in.
 * @throws UnsuitedDataError for fields that are missing and for what is not supported here
 */
export function pythonFormat(format: string, args: readonly Value[]): string {
  return format.replace(
    FIELD,
    (all: string, index?: string, keys?: string, conversion?: string, spec?: string) => {
      if (all === '{{' || all === '}}') return all.charAt(0);
      if (index === undefined) return unsuited(`stray ${all} in a format`);
      let value: Value = args[Number(index)] ?? null;
      for (const [, key = ''] of (keys ?? '').matchAll(/\[([^\]]+)\]/g)) {
        value = isDict(value) ? entry(value, key) : unsuited(`no ${key} in a format's argument`);
      }
      if (conversion !== undefined) value = conversion === 's' ? pyStr(value) : pyRepr(value);
      return formatField(value, spec ?? '');
    },
  );
}

function formatField(value: Value, spec: string): string {
  const match = SPEC.exec(spec) ?? unsuited(`format '${spec}' is not supported`);
  const [, fill = ' ', align, width = '0', precision, type] = match;
  const number = toNumber(value);
  let text = pyStr(value);
  if (type === 'f' && number !== undefined) text = formatFixed(number, Number(precision ?? 6));
  else if (precision !== undefined) text = [...text].slice(0, Number(precision)).join('');
  const side = align ?? (number === undefined ? '<' : '>');
  return pad(text, Number(width), side, fill);
}

function pad(text: string, width: number, side: string, fill: string): string {
  const padded =
    side === '<' ? padRight(text, width) : side === '>' ? padLeft(text, width) : center(text, width);
  if (fill === ' ' || padded === text) return padded;
  const before = padded.length - padded.trimStart().length - (text.length - text.trimStart().length);
  const after = textLength(padded) - textLength(text) - before;
  return fill.repeat(before) + text + fill.repeat(after);
}
