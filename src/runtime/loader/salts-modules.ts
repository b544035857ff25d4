/**
 * Execution modules and functions that Salt has and Brine does not, so that a call of one is told from a slip of the
 * pen.
 */
import { MISSING_FUNCTIONS, MISSING_MODULES } from './salts-names.generated.ts';

/** How to have it all the same. */
const REMEDY = '; where a Salt is installed it is there with salt_python: True.';

/**
 * What is said of an execution function that was not found.
 * @param fun its full name, or a word without a dot
 * @param isSaltPython an installed Salt has been asked, too
 */
export function missingFunctionText(fun: string, isSaltPython = false): string {
  const remedy = isSaltPython ? '.' : REMEDY;
  const module = fun.split('.')[0] ?? '';
  if (fun.includes('.') && MISSING_MODULES.has(module))
    return `'${fun}' is not available here: Brine does not have Salt's module ${module}${remedy}`;
  if (MISSING_FUNCTIONS.has(fun))
    return `'${fun}' is not available here: Brine does not have this function of Salt${remedy}`;
  return `'${fun}' is not available.`;
}

/** Whether Salt has this execution function where Brine does not. @param fun its full name */
export function isSaltsFunction(fun: string): boolean {
  return MISSING_MODULES.has(fun.split('.')[0] ?? '') || MISSING_FUNCTIONS.has(fun);
}
