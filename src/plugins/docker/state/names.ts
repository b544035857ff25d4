/** Names that Docker gives nothing. */
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';

/** Why Docker takes a name for no container and no volume. @param what `A container` */
export function dockerNameRefusal(what: string, name: Value): string | undefined {
  return /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(pyStr(name))
    ? undefined
    : `${what} of Docker cannot be called ${pyRepr(name)}: names have letters, digits and _.- alone, the first a letter or a digit`;
}
