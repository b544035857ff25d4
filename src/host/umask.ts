/** The file mode creation mask of this process, for as long as something runs. */

/** Runs with another mask. The mask is the whole process's: only for processes that run one thing at a time. */
export async function withUmask<T>(umask: number | undefined, run: () => Promise<T>): Promise<T> {
  if (umask === undefined) return run();
  const before = process.umask(umask);
  try {
    return await run();
  } finally {
    process.umask(before);
  }
}
