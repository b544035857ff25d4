/** The page of differences that each subject of plug-ins says of itself: `differences.md` in its folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The page below the repository. */
export const SUBJECTS_PATH = 'docs/differences/subjects.md';

const HEAD = `<!-- Written by scripts/generate-docs.ts, of differences.md in the folders of src/plugins. -->

# Single subjects: where Brine differs from Salt

One page of [the differences](../differences.md). Salt is 3006.16 where nothing else is said.
`;

/** What the subjects say, by the names of their folders. @param root the repository */
export function subjectDifferences(root: string): Map<string, string> {
  const plugins = join(root, 'src/plugins');
  return new Map(
    readdirSync(plugins)
      .map((subject) => [subject, join(plugins, subject, 'differences.md')] as const)
      .filter(([, file]) => existsSync(file))
      .map(([subject, file]) => [subject, readFileSync(file, 'utf8')]),
  );
}

/**
 * @param subjects name of the folder to the text of its file: tables, and what stands between them
 * @returns the page, in the order of the names
 */
export function renderSubjectDifferences(subjects: ReadonlyMap<string, string>): string {
  const sections = [...subjects]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([subject, text]) => `\n## \`${subject}\`\n\n${text.trim()}\n`);
  return HEAD + sections.join('');
}
