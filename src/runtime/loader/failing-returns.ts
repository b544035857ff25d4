/**
 * Returns by which a function says that it has not done what it was asked for. Many of Salt's functions raise no error
 * then and set no return code: `cp.get_file` of a missing file gives an empty text, `service.start` False. The return
 * stays as Salt's, but whoever looks at the exit code alone has to learn of it. A function declares here what its
 * answer looks like then; where False or an empty text is an answer of its own (`file.file_exists`, `pkg.version`), it
 * declares nothing.
 *
 * Salt compat: Salt's return code is 0 in all of these cases, and so is ours with `exit_codes: salt`.
 */
import { isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';

/**
 * One form of such a return:
 * - `false`: False, or a list of False and the reason
 * - `true`: True, where the function answers the wrong way round
 * - `none`: None
 * - `empty`: an empty text, list or mapping
 * - `text`: a text that is not empty, which says why not
 * - `list`: a list, which holds the reasons
 * - `within`: a list or mapping with False in it, or with a mapping whose `result` is False
 * - `error`: a mapping with `error`, `Error` or `Errors`, or whose `res` or `status` is False, or whose `retcode` is
 *   not 0; a text that begins with `Error`; also one level below, as where one job stands under its id
 */
export type FailingReturn = 'false' | 'true' | 'none' | 'empty' | 'text' | 'list' | 'within' | 'error';

/** How a function may declare it: by a form, or by looking at the return and the arguments. */
export type FailingRule = FailingReturn | ((value: Value, args: Readonly<Record<string, Value>>) => boolean);

/** The functions of one module by the forms of their failing returns. */
export type FailingFunctions = Readonly<Partial<Record<FailingReturn, readonly string[]>>>;

/** Whether a return says that the function has not done what it was asked for. */
export function isFailingReturn(
  rules: readonly FailingRule[],
  value: Value,
  args: Readonly<Record<string, Value>> = {},
): boolean {
  return rules.some((rule) => (typeof rule === 'function' ? rule(value, args) : FORMS[rule](value)));
}

/** The rule of a function that answers by one word of several, and else by what went wrong. */
export function textOtherThan(...done: readonly string[]): FailingRule {
  return (value) => typeof value === 'string' && !done.includes(value);
}

const FORMS: Readonly<Record<FailingReturn, (value: Value) => boolean>> = {
  false: (value) => value === false || (Array.isArray(value) && value.length === 2 && value[0] === false),
  true: (value) => value === true,
  none: (value) => value === null,
  empty: isEmpty,
  text: (value) => typeof value === 'string' && value !== '',
  list: (value) => Array.isArray(value),
  within: (value) => partsOf(value).some(isRefusal),
  error: (value) => saysError(value) || (isDict(value) && [...value.values()].some(hasError)),
};

function isEmpty(value: Value): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isDict(value) ? value.size === 0 : value === '';
}

function partsOf(value: Value): readonly Value[] {
  if (isDict(value)) return [...value.values()];
  return Array.isArray(value) ? value : [];
}

function isRefusal(value: Value): boolean {
  return value === false || (isDict(value) && value.get('result') === false);
}

function saysError(value: Value): boolean {
  if (typeof value === 'string') return /^error\b/i.test(value);
  if (!isDict(value)) return false;
  if (hasError(value) || value.get('res') === false || value.get('status') === false) return true;
  const retcode = value.get('retcode');
  return retcode !== undefined && (toNumber(retcode) ?? 1) !== 0;
}

function hasError(value: Value): boolean {
  return isDict(value) && ['error', 'Error', 'Errors'].some((key) => truthy(value.get(key)));
}

/**
 * The functions of a module with the rules that the module has for them.
 * @param failing the module's own declaration
 */
export function withFailingReturns<F extends { readonly failsWith?: readonly FailingRule[] }>(
  functions: Readonly<Record<string, F>>,
  failing: FailingFunctions | undefined,
): Readonly<Record<string, F>> {
  if (failing === undefined) return functions;
  const rules = new Map<string, FailingReturn[]>();
  for (const [form, names] of Object.entries(failing) as [FailingReturn, readonly string[]][])
    for (const name of names) rules.set(name, [...(rules.get(name) ?? []), form]);
  const ruled = Object.entries(functions).map(([name, spec]): [string, F] => {
    const own = rules.get(name);
    return [name, own === undefined ? spec : { ...spec, failsWith: [...(spec.failsWith ?? []), ...own] }];
  });
  return Object.fromEntries(ruled);
}

/**
 * Whether the codes of Salt are wanted, so that such a return counts as done.
 * @param opts the minion's, or the master's
 */
export function keepsSaltsCodes(opts: Dict): boolean {
  return opts.get('exit_codes') === 'salt';
}
