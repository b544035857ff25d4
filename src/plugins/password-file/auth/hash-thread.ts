/**
 * Hashes of passwords are checked in a thread of their own: one of bcrypt takes a tenth of a second and more, in which
 * the process would do nothing else. There is one thread, which checks one hash at a time, so that log-ins take one
 * core at most, however many come.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BrineError, messageOf } from '../../../errors/errors.ts';
import type { Clock, Timer } from '../../../host/clock.ts';
import { verifyHash } from './crypt.ts';

/** Hashes that may wait; who comes when so many do is refused. */
const WAITING_MAX = 64;
/** A hash that takes longer was made to take longer than anybody waits. */
const HASH_MS_MAX = 10_000;
/** A thread that has nothing to do for so long is ended. */
const IDLE_MS = 60_000;

/** What the thread is asked. */
export interface HashQuestion {
  readonly password: string;
  readonly hash: string;
}

/** What it answers; neither field for a kind of hash that is not known. */
export interface HashAnswer {
  readonly isRight?: boolean;
  readonly error?: string;
}

interface Waiting extends HashQuestion {
  readonly resolve: (isRight: boolean | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** The thread, started when there is something to check. */
export class HashThread {
  readonly counters = { refused: 0 };
  readonly #clock: Clock;
  readonly #script: string;
  readonly #queue: Waiting[] = [];
  #current: Waiting | undefined;
  #worker: Worker | undefined;
  #timer: Timer | undefined;

  /**
   * @param script the program of the thread; where it is missing, as beside sources that are not built, hashes are
   *   checked in place
   */
  constructor(clock: Clock, script = join(import.meta.dirname, 'password-hashes.cjs')) {
    this.#clock = clock;
    this.#script = script;
  }

  /**
   * Whether a password has this hash.
   * @returns undefined for a kind of hash that is not known
   * @throws BrineError when too many wait, when it takes too long, or when the thread fails
   */
  async verify(password: string, hash: string): Promise<boolean | undefined> {
    if (!existsSync(this.#script)) return verifyHash(password, hash);
    if (this.#queue.length >= WAITING_MAX) {
      this.counters.refused++;
      throw new BrineError('too many passwords wait to be checked; try again later');
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ password, hash, resolve, reject });
      this.#next();
    });
  }

  close(): void {
    this.#end();
    for (const { reject } of this.#queue.splice(0)) reject(new BrineError('the master ends'));
  }

  #next(): void {
    if (this.#current !== undefined) return;
    this.#timer?.cancel();
    this.#current = this.#queue.shift();
    if (this.#current === undefined) {
      this.#timer = this.#clock.after(IDLE_MS, () => this.#end(), { background: true });
      return;
    }
    this.#timer = this.#clock.after(HASH_MS_MAX, () =>
      this.#failed('the hash takes longer to check than anybody waits: make it anew with a lower cost'),
    );
    const { password, hash } = this.#current;
    this.#worker ??= this.#start();
    this.#worker.postMessage({ password, hash } satisfies HashQuestion);
  }

  #start(): Worker {
    const worker = new Worker(this.#script);
    worker.unref();
    worker.on('message', ({ isRight, error }: HashAnswer) => {
      if (error !== undefined) return this.#answered((waiting) => waiting.reject(new BrineError(error)));
      this.#answered((waiting) => waiting.resolve(isRight));
    });
    const gone = (reason: string): void => {
      if (this.#worker === worker) this.#failed(reason);
    };
    worker.on('error', (error) => gone(messageOf(error)));
    worker.on('exit', (code) => gone(`the thread that checks passwords ended with ${code}`));
    return worker;
  }

  #answered(answer: (waiting: Waiting) => void): void {
    const current = this.#current;
    this.#current = undefined;
    if (current !== undefined) answer(current);
    this.#next();
  }

  #failed(reason: string): void {
    this.#end();
    this.#answered(({ reject }) => reject(new BrineError(reason)));
  }

  #end(): void {
    this.#timer?.cancel();
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}
