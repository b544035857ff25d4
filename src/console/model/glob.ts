/** Globs on names, for what is filtered in the browser: `*`, `?`, `[a-z]`, several of them with commas between. */

/** Whether a name matches; without any glob everything does. A word without a wildcard matches anywhere in the name. */
export function globFilter(text: string): (name: string) => boolean {
  const globs = text
    .split(',')
    .map((glob) => glob.trim())
    .filter((glob) => glob !== '')
    .map((glob) => pattern(/[*?]|\[[^\]]+\]/.test(glob) ? glob : `*${glob}*`));
  if (globs.length === 0) return () => true;
  return (name) => globs.some((glob) => glob.test(name));
}

function pattern(glob: string): RegExp {
  const source = glob.replace(/\*+|\?|\[!?[^\]]+\]|[^]/g, (piece) => {
    if (piece.startsWith('*')) return '[^]*?';
    if (piece === '?') return '[^]';
    if (piece.length > 2 && piece.startsWith('['))
      return piece
        .replace(/^\[!/, '[^')
        .replace(/\\/g, '\\\\')
        .replace(/(?<!^)\[/g, '\\[');
    return piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  });
  try {
    return new RegExp(`^${source}$`, 'i');
  } catch {
    return /(?!)/;
  }
}
