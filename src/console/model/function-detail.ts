/** Descriptions of functions, out of what `sys.doc` and `sys.argspec` return. */
import type { FunctionDetail, Param } from './contract.ts';

/** What `sys.argspec` returns for one function. */
export interface Argspec {
  readonly args?: readonly unknown[] | null;
  readonly defaults?: readonly unknown[] | null;
  readonly varargs?: unknown;
  readonly kwargs?: unknown;
}

/** Whether a text is the name of a function: its module's, and its own. */
export function isFunctionName(text: string): boolean {
  return /^\w+(\.\w+)+$/.test(text);
}

/** A function as the form needs it; without an argspec everything goes into one line. */
export function detailOf(name: string, doc: string, spec: Argspec | undefined): FunctionDetail {
  const text = dedented(doc);
  const at = text.search(/^ *CLI Examples?:/m);
  const examples =
    at < 0
      ? ''
      : text
          .slice(at)
          .replace(/^ *CLI Examples?:+\s*/, '')
          .replace(/^\.\. code-block.*$/m, '');
  const args = (spec?.args ?? []).filter((arg) => typeof arg === 'string');
  const defaults = spec?.defaults ?? [];
  const required = args.length - defaults.length;
  const types = typesIn(text);
  const params = args.map((arg, nth): Param => {
    const about = types.get(arg);
    const shared = { name: arg, type: about?.type ?? '', doc: about?.doc ?? '', keyword_only: false };
    return nth < required
      ? { ...shared, required: true }
      : { ...shared, required: false, default: defaults[nth - required] };
  });
  return {
    name,
    summary: text.split('\n')[0] ?? '',
    changes: null,
    allowed: true,
    doc: at < 0 ? text : text.slice(0, at).trimEnd(),
    examples: examples
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    params,
    varargs:
      spec === undefined || (spec.varargs !== null && spec.varargs !== undefined && spec.varargs !== false),
    kwargs:
      spec === undefined || (spec.kwargs !== null && spec.kwargs !== undefined && spec.kwargs !== false),
    // neither is said by Salt: nothing is known of what comes back, and any arguments may do
    returns: '',
    schema: {},
  };
}

/** Lines without the indentation that all but the first have. */
function dedented(doc: string): string {
  const lines = doc
    .replace(/^\s*\n/, '')
    .trimEnd()
    .split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const least = Math.min(...indents, 40);
  return lines
    .map((line) => line.slice(Math.min(least, /^ */.exec(line)?.[0].length ?? 0)))
    .join('\n')
    .trim();
}

/** `name (type)`, with its default behind a colon, and what stands below it. */
function typesIn(text: string): Map<string, { type: string; doc: string }> {
  const out = new Map<string, { type: string; doc: string }>();
  for (const [, name = '', type = '', doc = ''] of text.matchAll(
    /^(\w+) \(([\w |,]+)\)(?: : .*)?\n((?: +.*\n?)*)/gm,
  ))
    out.set(name, { type, doc: doc.replace(/\s+/g, ' ').trim() });
  return out;
}
