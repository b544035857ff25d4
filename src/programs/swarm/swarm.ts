/** Many simulated minions of one master in one process. */
import type { RsaPrivateKey } from '../../network/crypto/rsa.ts';
import { openFilesMax } from '../../host/open-files.ts';
import { BrineError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import type { Job } from '../minion/job.ts';
import type { Answerer } from './answers.ts';
import { keyOf, swarmId } from './key-pairs.ts';
import { SharedPublications } from './shared-publications.ts';
import { newCounters, SimulatedMinion, type SwarmCounters } from './simulated-minion.ts';

/** Minions that join at the same time. */
const JOINING_MAX = 64;
/** Files that a process needs besides its minions' connections. */
const OTHER_FILES = 100;
const FILES_PER_MINION = 2;

/** What a swarm is. */
export interface SwarmOptions {
  readonly master: { readonly host: string; readonly port: number };
  readonly count: number;
  /** Before the number in each id. */
  readonly prefix: string;
  /** Shared among the minions in turn. */
  readonly keys: readonly RsaPrivateKey[];
  readonly answer: Answerer;
  readonly filtering?: boolean;
  /** Name of the transport; not set for zeromq. */
  readonly transport?: string;
  /** Called when a minion has joined. */
  readonly onJoined?: (joined: number) => void;
  readonly onError?: (id: string, error: unknown) => void;
  /** Told when the master has acknowledged a minion's answer to a job. */
  readonly onReturned?: (id: string, job: Job) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** Starts and stops simulated minions and adds up what they count. */
export class Swarm {
  readonly minions: readonly SimulatedMinion[];
  readonly counters: SwarmCounters = newCounters();
  readonly publications = new SharedPublications();
  readonly #options: SwarmOptions;

  /** @throws BrineError when this process may not have so many connections */
  constructor(options: SwarmOptions) {
    this.#options = options;
    checkOpenFiles(options.count, openFilesMax());
    const {
      master,
      answer,
      filtering = false,
      transport = 'zeromq',
      onError = () => undefined,
      onReturned = () => undefined,
      clock,
      random,
    } = options;
    this.minions = Array.from(
      { length: options.count },
      (_, index) =>
        new SimulatedMinion({
          id: swarmId(options.prefix, index),
          key: keyOf(options.keys, index),
          master,
          publications: this.publications,
          answer,
          counters: this.counters,
          filtering,
          transport,
          onError,
          onReturned,
          clock,
          random,
        }),
    );
  }

  /** Joins all, some at a time. @throws the first minion's error */
  async join(): Promise<void> {
    const waiting = this.minions[Symbol.iterator]();
    let joined = 0;
    const joinSome = async (): Promise<void> => {
      for (const minion of waiting) {
        await minion.join();
        this.#options.onJoined?.(++joined);
      }
    };
    await Promise.all(Array.from({ length: JOINING_MAX }, joinSome));
  }

  close(): void {
    for (const minion of this.minions) minion.close();
  }
}

/** @throws BrineError saying how to allow more */
export function checkOpenFiles(minions: number, filesMax: number): void {
  const needed = minions * FILES_PER_MINION + OTHER_FILES;
  if (needed <= filesMax) return;
  throw new BrineError(
    `${minions} simulated minions need ${needed} open files, and this process may have ${filesMax}. ` +
      `Allow more with: ulimit -n ${needed}`,
    { code: 'open-files-too-few' },
  );
}
