/** The question before keys are changed. */
import type { CommandIo } from '../terminal/io.ts';
import { readLine } from '../terminal/stdin.ts';

/** Ctrl-C at the question. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** Standard input ended before there was an answer. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** Calls back when the user wants to stop; returns how to unsubscribe. */
export type OnInterrupt = (stop: () => void) => () => void;

/** Ctrl-C of this process. */
export const onSigint: OnInterrupt = (stop) => {
  process.once('SIGINT', stop);
  return () => process.off('SIGINT', stop);
};

/**
 * Asks whether to go on. An answer that begins with y or Y is yes; an empty one is what `byDefault` says.
 * @throws InterruptedError, NoAnswerError
 */
export async function confirm(io: CommandIo, byDefault: boolean, onInterrupt: OnInterrupt): Promise<boolean> {
  const controller = new AbortController();
  const forget = onInterrupt(() => controller.abort(new InterruptedError()));
  try {
    io.stdout.write(byDefault ? 'Proceed? [n/Y] ' : 'Proceed? [N/y] ');
    const answer = await readLine(io.stdin, controller.signal);
    if (answer === undefined) throw new NoAnswerError('EOF when reading a line');
    return answer === '' ? byDefault : answer.toLowerCase().startsWith('y');
  } finally {
    forget();
  }
}
