/**
 * The thread of a worker that checks hashes of passwords, one after the other
 * (`plugins/password-file/auth/hash-thread.ts`).
 */
import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../../errors/errors.ts';
import { verifyHash } from '../../../plugins/password-file/auth/crypt.ts';
import type { HashAnswer, HashQuestion } from '../../../plugins/password-file/auth/hash-thread.ts';

/** Serves until it is ended. */
export function runPasswordHashes(): void {
  parentPort?.on('message', ({ password, hash }: HashQuestion) => {
    const answer = (text: HashAnswer): void => parentPort?.postMessage(text);
    verifyHash(password, hash).then(
      (isRight) => answer(isRight === undefined ? {} : { isRight }),
      (error: unknown) => answer({ error: messageOf(error) }),
    );
  });
}
