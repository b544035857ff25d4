/** Time in the browser: the one place that asks for it. */

/** Milliseconds since 1970. */
export function nowMs(): number {
  return Date.now();
}

/** Calls back once. @returns ends the waiting */
export function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** Calls back again and again. @returns ends it */
export function every(ms: number, call: () => void): () => void {
  const timer = setInterval(call, ms);
  return () => clearInterval(timer);
}

/** Resolves after a while, or at once when the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const stop = after(ms, resolve);
    signal.addEventListener('abort', () => {
      stop();
      resolve();
    });
  });
}
