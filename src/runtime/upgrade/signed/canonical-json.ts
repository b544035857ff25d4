/**
 * The one text of a value that is signed: OLPC's canonical JSON, as The Update Framework has it. Keys are sorted, there
 * is no white space, numbers are whole, and of a text only `"` and `\` are escaped.
 */

/** What can be signed. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** @throws Error for a number that is not whole */
export function canonicalJson(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new Error(`${value} cannot be signed: it is no whole number`);
    return String(value);
  }
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${entries.map(([key, each]) => `${text(key)}:${canonicalJson(each)}`).join(',')}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function text(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
