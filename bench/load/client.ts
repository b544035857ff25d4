/** The measuring side of the load process. */
import { fork, type ChildProcess } from 'node:child_process';
import type { LoadAnswer, LoadOrder } from './messages.ts';

/** The argument with which this very program runs as a load process. */
export const LOAD_ROLE = '--load-process';

/** A running load process. */
export class LoadClient {
  readonly #child: ChildProcess;

  constructor(program: string) {
    this.#child = fork(program, [LOAD_ROLE], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /** @throws Error with the load process's message, or when it ended */
  order(order: LoadOrder): Promise<Extract<LoadAnswer, { ok: true }>> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error('The load process ended unexpectedly.'));
      this.#child.once('exit', ended);
      this.#child.once('message', (answer: LoadAnswer) => {
        this.#child.off('exit', ended);
        if (answer.ok) resolve(answer);
        else reject(new Error(answer.error));
      });
      this.#child.send(order);
    });
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }
}
