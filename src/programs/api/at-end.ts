/** What is done when an answer has ended. */
import type { ServerResponse } from 'node:http';
import { messageOf } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';

/**
 * Calls back when an answer has ended, however. What goes wrong in it is written to the log, and costs nobody else
 * anything.
 */
export function atEnd(response: ServerResponse, log: Logger, run: () => void): void {
  response.once('close', () => {
    try {
      run();
    } catch (error) {
      log.error(`Something went wrong after an answer had ended: ${messageOf(error)}`, error);
    }
  });
}

/** Aborted when an answer has ended: there is nobody to work for any more. */
export function signalOfEnd(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}
