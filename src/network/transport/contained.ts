/** Listeners of connections whose mistakes cost their own connection and nobody else's. */

/**
 * A listener that throws nothing. What a listener throws would end the whole process, so that one message which nobody
 * has foreseen would cost everybody their connections.
 * @param end ends the connection that it listens to, with the reason
 */
export function contained<A extends readonly unknown[]>(
  listener: (...args: A) => void,
  end: (fault: Error) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      listener(...args);
    } catch (thrown) {
      end(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  };
}
