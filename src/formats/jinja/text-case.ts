/** Python's upper and lower case of whole texts. */

/** `str.capitalize()`. */
export function pyCapitalize(text: string): string {
  const [first = '', ...rest] = text;
  return first.toUpperCase() + rest.join('').toLowerCase();
}

/** `str.title()`: a letter after anything that has no case is great. */
export function pyTitle(text: string): string {
  let after = false;
  let out = '';
  for (const char of text) {
    const isCased = char.toUpperCase() !== char.toLowerCase();
    out += isCased ? (after ? char.toLowerCase() : char.toUpperCase()) : char;
    after = isCased;
  }
  return out;
}

/** `str.swapcase()`. */
export function pySwapCase(text: string): string {
  return [...text]
    .map((char) => (char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase()))
    .join('');
}
