/** The parts that a buildout has installed, as it keeps them in `.installed.cfg`. */
import { readTextIfExists } from '../../../host/files.ts';
import { joinPath } from '../../../python/paths.ts';
import { dict, type Dict } from '../../../python/values/value.ts';

/** What is kept of each part, by its name. */
export function installedParts(folder: string): ReadonlyMap<string, string> {
  const text = readTextIfExists(joinPath(folder, '.installed.cfg')) ?? '';
  const sections = text.split(/^(?=\[[^\]\n]+\]\s*$)/m);
  return new Map(
    sections.flatMap((section): [string, string][] => {
      const name = /^\[([^\]\n]+)\]/.exec(section)?.[1];
      return name === undefined || name === 'buildout' ? [] : [[name, section.trim()]];
    }),
  );
}

/** What has become of the parts. */
export function partChanges(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Dict {
  const changes = dict();
  for (const [name, text] of after)
    if (before.get(name) !== text) changes.set(name, before.has(name) ? 'updated' : 'installed');
  for (const name of before.keys()) if (!after.has(name)) changes.set(name, 'removed');
  return changes;
}
