/** Which kind of plug-in a file of `src/plugins` is, as ARCHITECTURE.md says it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const KINDS: ReadonlySet<string> = new Set([
  ...readdirSync(join(ROOT, 'src/plugins/registry')),
  ...['grains', 'outputters', 'shared'],
]);

/**
 * The first file name or folder behind the subject that is a kind, else the subject.
 * @param path below `src/plugins`: `file/state/copy.ts` and `file/state.ts` are both `state`
 * @returns undefined for a file of no kind
 */
export function kindOf(path: string): string | undefined {
  const [subject = '', ...rest] = path.split('/');
  const words = rest.flatMap((part) =>
    part
      .replace(/\.tsx?$/, '')
      .split('.')
      .slice(-1),
  );
  const isCore = subject === 'grains' && rest[0] === 'core';
  return [...(isCore ? ['grains'] : []), ...words, subject].find((word) => KINDS.has(word));
}
