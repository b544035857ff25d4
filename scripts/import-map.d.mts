/** Subjects that are made of others. */
export const SUBJECTS_OF_SUBJECTS: ReadonlyMap<string, readonly string[]>;

/** Which kind of plug-in a file below `src/plugins` is. */
export function kindOf(path: string): string | undefined;

/** The entry of the map that a file below `src` belongs to. */
export function folderOf(path: string): string;

/** The entries of the map in ARCHITECTURE.md: folder to what it may import. */
export function entriesOfTheMap(): Map<string, string[]>;

/** The subjects that an import between plug-ins joins. */
export function joinedSubjects(from: string, to: string): readonly [string, string] | undefined;

/** What is wrong with an import between two files below `src`. */
export function wrongImport(
  entries: ReadonlyMap<string, readonly string[]>,
  from: string,
  to: string,
): string | undefined;
