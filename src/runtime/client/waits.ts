/** What a program waits for just now, for whoever tells the person at the terminal. */

/** Something that is waited for. */
export interface Wait {
  /** What is waited for, and how far it is, in a few words. */
  text(): string;
}

/** Told of waits; one program may have several at a time. */
export interface Waits {
  /** A wait has begun. @returns ends it */
  begins(wait: Wait): () => void;
}

/** Names shown one by one. */
const NAMES_MAX = 5;

/** Some of the names, and how many more there are. */
export function someOf(names: Iterable<string>, count: number): string {
  const shown: string[] = [];
  for (const name of names) {
    if (shown.length === NAMES_MAX) break;
    shown.push(name);
  }
  return shown.join(', ') + (count > shown.length ? ` and ${count - shown.length} more` : '');
}

/** Waits for a promise, and tells of it. */
export async function whileWaiting<T>(waits: Waits | undefined, text: string, work: Promise<T>): Promise<T> {
  const end = waits?.begins({ text: () => text });
  try {
    return await work;
  } finally {
    end?.();
  }
}
