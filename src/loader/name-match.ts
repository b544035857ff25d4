/** Python's fnmatch for names of functions and modules. */

/** Python's `fnmatch.translate` for one pattern: `*`, `?`, `[seq]`, `[!seq]`, everything else literal. */
export function globToRegExp(pattern: string): RegExp {
  let out = '';
  for (let i = 0; i < pattern.length; i += 1) {
    const char = pattern[i] as string;
    if (char === '*') out += '[^]*';
    else if (char === '?') out += '[^]';
    else if (char === '[') {
      const set = bracket(pattern, i);
      out += set?.source ?? '\\[';
      i = set?.end ?? i;
    } else out += char.replace(/[.+^${}()|\\\]/-]/, '\\$&');
  }
  return new RegExp(`^(?:${out})$`);
}

function bracket(pattern: string, start: number): { source: string; end: number } | undefined {
  let end = start + 1;
  if (pattern[end] === '!') end += 1;
  if (pattern[end] === ']') end += 1;
  end = pattern.indexOf(']', end);
  if (end < 0) return undefined;
  const body = pattern
    .slice(start + 1, end)
    .replaceAll('\\', '\\\\')
    .replaceAll('[', '\\[')
    .replaceAll(']', '\\]');
  const source = body.startsWith('!') ? `[^${body.slice(1)}]` : `[${body.replace(/^\^/, '\\^')}]`;
  return { source, end };
}

/** The names that a pattern matches, in their order. */
export function filterNames(names: Iterable<string>, pattern: string): string[] {
  const regex = globToRegExp(pattern);
  return [...names].filter((name) => regex.test(name));
}
