/**
 * What may be said of an error to whom it concerns: the reason, the file and the line, and never the lines of the file
 * around it, because those are secrets as often as not.
 */
import { RenderError } from '../../formats/jinja/index.ts';
import { messageOf } from '../../errors/errors.ts';
import { YamlError } from '../../formats/yaml/load.ts';
import { PythonError } from '../../python/exceptions.ts';

/** An error of rendering without the excerpt that Salt adds. @param path the file that was rendered */
export function safeSentence(error: unknown, path: string): string {
  const cause = error instanceof Error && !(error instanceof PythonError) ? error.cause : error;
  if (cause instanceof RenderError) {
    const reason = withoutData(cause.reason);
    return cause.line === undefined
      ? `${reason}, included from ${path}`
      : `${reason}; line ${cause.line} of ${path}`;
  }
  if (cause instanceof PythonError) return `${cause.type}: ${cause.message}${placeIn(cause, path)}`;
  if (cause instanceof YamlError)
    return `${cause.reason}; line ${cause.line}, column ${cause.column} of ${path}`;
  return `${withoutData(messageOf(error))} in ${path}`;
}

/** Where in a file in Python it went wrong. */
function placeIn({ trace = '' }: PythonError, path: string): string {
  const frame = `File "${path}", line `;
  const at = trace.lastIndexOf(frame);
  return at < 0 ? ` in ${path}` : `; line ${parseInt(trace.slice(at + frame.length), 10)} of ${path}`;
}

/** The sentence without excerpts and without the text that could not be loaded. */
function withoutData(text: string): string {
  return text
    .replace(/\n---\n[^]*$/, '')
    .replace(/(Encountered error loading yaml: [^\n]*)\n[^]*$/, '$1')
    .replace(/(Unable to load (?:json|yaml) from) [^]*$/, '$1 the given text')
    .replace(/^\n+|\n+$/g, '')
    .replace(/\n(\S+)\((\d+)\):$/, ' in $1, line $2');
}
