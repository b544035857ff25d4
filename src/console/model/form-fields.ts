/** Which arguments of a function stand in its form at once, and which behind "More options". */
import type { FunctionDetail, Param } from './contract.ts';

/** Parameters that have fields of their own; a function with more has the others in the line. */
export const FIELDS_MOST = 40;
/** Forms of so many fields are shown as a whole: there is little to hide in them. */
const SHORT = 7;
/** Shown at once at least; functions have first what matters most. */
const USUAL_LEAST = 4;
/** What people set often, whatever the function. */
const WELL_KNOWN: ReadonlySet<string> = new Set([
  ...['name', 'names', 'pkgs', 'version', 'refresh', 'mods', 'pillar', 'test'],
  ...['cwd', 'runas', 'env', 'timeout', 'shell', 'source', 'mode', 'recurse'],
]);

/** Two parts of the parameters, each in the function's own order. */
export interface FormFields {
  readonly usual: readonly Param[];
  readonly more: readonly Param[];
}

/** Those that must be given, that the function's own examples name, and that are well known come first. */
export function fieldsOf(detail: FunctionDetail): FormFields {
  const params = detail.params.slice(0, FIELDS_MOST);
  if (params.length <= SHORT) return { usual: params, more: [] };
  const named = new Set(
    detail.examples.flatMap((example) => [...example.matchAll(/(?:^|\s)(\w+)=/g)].map(([, name]) => name)),
  );
  const isUsual = ({ name, required }: Param): boolean => required || named.has(name) || WELL_KNOWN.has(name);
  const usual = new Set(params.filter(isUsual));
  for (const param of params) if (usual.size < USUAL_LEAST) usual.add(param);
  const more = params.filter((param) => !usual.has(param));
  return { usual: params.filter((param) => usual.has(param)), more };
}
