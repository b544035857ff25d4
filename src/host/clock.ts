/** Time, as a part that is handed in, so that tests and the simulator can own it. */

/** A pending timer. */
export interface Timer {
  cancel(): void;
}

/** The only source of time and of waiting. */
export interface Clock {
  /** Wall clock, milliseconds since 1970 with a fraction where the system has one. */
  nowMs(): number;
  /** A clock that never jumps, milliseconds. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`. A timer does not keep the process alive when `background` is set. */
  after(delayMs: number, run: () => void, options?: { background?: boolean }): Timer;
  /** Calls `run` every `periodMs` until cancelled. */
  every(periodMs: number, run: () => void, options?: { background?: boolean }): Timer;
  /** Resolves after `delayMs`; resolves early, without an error, when `signal` is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** The operating system's clock. */
export const systemClock: Clock = {
  nowMs: () => performance.timeOrigin + performance.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run, options) {
    const handle = setTimeout(run, delayMs);
    if (options?.background) handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
  every(periodMs, run, options) {
    const handle = setInterval(run, periodMs);
    if (options?.background) handle.unref();
    return { cancel: () => clearInterval(handle) };
  },
  sleep(delayMs, signal) {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const handle = setTimeout(finish, delayMs);
      function finish(): void {
        clearTimeout(handle);
        signal?.removeEventListener('abort', finish);
        resolve();
      }
      signal?.addEventListener('abort', finish, { once: true });
    });
  },
};
