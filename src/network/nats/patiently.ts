/** Asking NATS again where an answer is only late: on a busy machine, or while its servers choose a leader. */

/** Each try takes as long as the connection's time limit. */
const TRIES = 30;

/**
 * Asks until there is an answer. Only for what may be asked twice.
 * @throws what is thrown, other than that there was no answer in time, and that when there was none for long
 */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TimeoutError') || left <= 0) throw error;
    }
  }
}
