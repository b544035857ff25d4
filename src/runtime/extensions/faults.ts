/** Errors of custom code, in words that lead to the place. */

/** What is wrong, with the line of the file when Node tells it. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'ExtensionError') return error.message;
  return `${error.name}: ${error.message}${placeOf(error)}`;
}

/** ` (file:line)` of the user's code that an error comes from; empty when it cannot be told. */
export function placeOf(error: Error): string {
  const places = [
    ...(error.stack ?? '').matchAll(/^(?:\s+at .*?\(?)?(\/[^()\s]*\.[cm]?[jt]s:\d+)(?::\d+)?\)?$/gm),
  ];
  const own = places
    .map((match) => match[1] ?? '')
    .find((place) => !place.startsWith(`${import.meta.dirname}/`));
  return own === undefined ? '' : ` (${own})`;
}
