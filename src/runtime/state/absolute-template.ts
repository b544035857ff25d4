/**
 * Templates that are imported by a path of this machine, as `{% from "/srv/shared/map.jinja" import x %}` (3006.16
 * salt/utils/jinja.py).
 */
import { readFileSync } from 'node:fs';
import type { FoundFile } from '../../formats/jinja/index.ts';
import { isFile } from '../../python/paths.ts';
import { decodeUtf8 } from '../../python/values/text.ts';

/** @returns whether a name is such a path; any other one starts at the top of the file server */
export function isAbsoluteTemplate(name: string): boolean {
  return name.startsWith('/');
}

/** @returns the file, undefined when there is none, or none that is text in UTF-8 */
export function readAbsoluteTemplate(path: string): FoundFile | undefined {
  const text = isFile(path) ? decodeUtf8(readFileSync(path)) : undefined;
  return text === undefined ? undefined : { text, path };
}
