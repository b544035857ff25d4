/**
 * How a minion gets its master to let it in: one attempt, or as many as it takes, each wait random below its limit
 * (salt/crypt.py `AsyncAuth`, salt/minion.py `resolve_dns`, 3006.16).
 */
import type { ErrorCode } from '../../errors/codes.ts';
import {
  authenticate,
  type AuthClient,
  type MinionCredentials,
  MasterFailedError,
} from '../../network/channel/client/authenticate.ts';
import { FingerprintError } from '../../network/channel/client/master-key.ts';
import type { MinionOptions } from '../../config/minion-options.ts';
import { AuthenticationError, BrineError, UnreachableError, messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { NameService } from '../../host/dns.ts';
import type { Logger } from '../../host/log.ts';
import { rareLines, type RareLines } from '../../host/rare-lines.ts';
import type { Random } from '../../host/random.ts';
import type { RequestClient } from '../../network/transport/transport.ts';
import { addressName, type MasterAddress } from './master-address.ts';

/** Salt leaves a rejected minion this time before it ends, so that a service manager does not start it in a circle. */
const BEFORE_EXIT_MS = { min: 10_000, max: 20_000 };
/** Waits are random; this is the least. */
const SHORTEST_WAIT_MS = 50;
/**
 * Whoever starts a minion usually accepts its key at once, and runs something: at first the minion asks after this
 * time.
 */
const FIRST_PENDING_S = 2;
/** After `retry_dns_count` attempts the name is still looked up, but no more often than this. */
const HOPELESS_NAME_MS = 300_000;

/** The master refuses this minion for good: exit 77. */
class RejectedError extends BrineError {
  static override readonly errorCode: ErrorCode = 'key-rejected';
  override readonly name = 'RejectedError';
  override readonly exitCode = 77;
}

/** Whether an error means that this master will never let this minion in as it is. */
export function isForbidden(error: unknown): error is Error {
  return error instanceof RejectedError || error instanceof FingerprintError;
}

/** What admission needs. */
export interface AdmissionDeps {
  readonly address: MasterAddress;
  readonly opts: MinionOptions;
  readonly client: AuthClient;
  readonly requester: RequestClient;
  readonly names: NameService;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Whether the minion ends when this master forbids it to go on; not so while it has other masters. */
  readonly isOnly: () => boolean;
  /** Whether this master is still to be served; attempts end when it is not. */
  readonly isWanted?: () => boolean;
  /** Ends all waits. */
  readonly stop: AbortSignal;
  /** Told of each attempt, whether it was the one. */
  readonly attempted?: (isAccepted: boolean) => void;
}

/**
 * Authenticates again and again, with growing random waits, until the master accepts the key or the attempts are used
 * up.
 */
export class Admission {
  readonly #deps: AdmissionDeps;
  /** A master that is away, or does not let us in, is asked every few seconds, and spoken of once a minute. */
  readonly #error: RareLines;
  readonly #critical: RareLines;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#error = rareLines(deps.clock, (text, error) => deps.log.error(text, error));
    this.#critical = rareLines(deps.clock, (text, error) => deps.log.critical(text, error));
  }

  /** One attempt. @throws RejectedError, FingerprintError, AuthenticationError, UnreachableError */
  async once(): Promise<MinionCredentials> {
    const { client, opts, names, address, requester } = this.#deps;
    try {
      await names.check(address.host);
    } catch (cause) {
      throw new UnreachableError(`The name ${address.host} cannot be resolved: ${messageOf(cause)}.`, {
        cause,
      });
    }
    const outcome = await authenticate(client, requester, Math.max(1, opts.get('auth_timeout')) * 1000);
    if (outcome.kind === 'accepted') return outcome.credentials;
    if (outcome.kind === 'rejected')
      throw new RejectedError(
        `The Salt Master has rejected this minion's public key!\n${rejectionAdvice(client.id)}`,
      );
    if (outcome.kind === 'full')
      throw new AuthenticationError(
        'The master has as many minions as max_minions allows; this one was turned away.',
        { code: 'master-full' },
      );
    throw new AuthenticationError(
      `The key of ${client.id} is waiting to be accepted on the master. Accept it there with: salt-key -a ${client.id}`,
      { code: 'key-pending' },
    );
  }

  /**
   * Attempts until it is let in.
   * @throws RejectedError, FingerprintError: the minion must not go on; UnreachableError when it is stopping
   */
  async untilAccepted(): Promise<MinionCredentials> {
    const { opts, client, log, address, stop, attempted, requester } = this.#deps;
    const waits = new AcceptanceWait(opts);
    let silent = 0;
    for (;;) {
      await this.#untilResolved();
      if (stop.aborted) throw new UnreachableError('The minion is stopping.');
      if (this.#deps.isWanted?.() === false)
        throw new UnreachableError(`The minion has left the master ${address.host}.`);
      try {
        const timeoutMs = Math.max(1, opts.get('auth_timeout')) * 1000;
        const outcome = await authenticate(client, requester, timeoutMs);
        silent = 0;
        attempted?.(outcome.kind === 'accepted');
        if (outcome.kind === 'accepted') {
          this.#error.allOver();
          this.#critical.allOver();
          log.info(`Authentication with master at ${address.host} successful!`);
          return outcome.credentials;
        }
        await this.#notAccepted(outcome.kind, waits);
      } catch (error) {
        if (isForbidden(error) && this.#deps.isOnly()) throw error;
        attempted?.(false);
        await this.#failed(error as Error, ++silent, waits);
      }
    }
  }

  /** `retry_dns`: a name that leads nowhere is looked up again after a while. */
  async #untilResolved(): Promise<void> {
    const { opts, names, address, log, stop, attempted } = this.#deps;
    const seconds = opts.get('retry_dns');
    const limit = opts.get('retry_dns_count');
    for (let failures = 1; !stop.aborted; failures++) {
      try {
        return await names.check(address.host);
      } catch (error) {
        attempted?.(false);
        const isHopeless = typeof limit === 'number' && failures > limit;
        if (isHopeless && failures === limit + 1)
          log.error(
            `Master address: '${address.host}' could not be resolved. Invalid or unresolveable address. Set 'master' value in minion config.`,
          );
        else if (!isHopeless)
          this.#error(
            'name',
            `Master hostname: '${address.host}' not found or not responsive. Retrying within ${seconds} seconds${whoseDefault(address.host)}`,
            error,
          );
        // Salt compat: Salt gives such a master up for ever, and with `retry_dns: 0` takes 127.0.0.1 for it
        await this.#wait(isHopeless ? HOPELESS_NAME_MS : Math.max(1, seconds) * 1000);
      }
    }
  }

  async #notAccepted(kind: 'pending' | 'rejected' | 'full', waits: AcceptanceWait): Promise<void> {
    const { opts, client, clock, random, log, stop, address } = this.#deps;
    const where = addressName(address);
    const seconds = kind === 'pending' ? waits.nextPending() : waits.next();
    if (kind === 'pending') {
      this.#error(
        kind,
        `The Salt Master has cached the public key for this node, this salt minion asks again within ${seconds} seconds. ` +
          `Accept the key on the master ${where} with: salt-key -a ${client.id}`,
      );
    } else if (kind === 'full') {
      this.#error(
        kind,
        `The master ${where} has as many minions as max_minions allows; the next attempt is within ${seconds} seconds.`,
      );
    } else if (opts.get('rejected_retry') || !this.#deps.isOnly()) {
      this.#error(
        kind,
        `The Salt Master ${where} has rejected this minion's public key.\n${rejectionAdvice(client.id)}\nThe Salt Minion will attempt to re-authenicate.`,
      );
    } else {
      log.critical(
        `The Salt Master has rejected this minion's public key!\n${rejectionAdvice(client.id)}\nOr restart the Salt Master in open mode to clean out the keys. The Salt Minion will now exit.`,
      );
      const { min, max } = BEFORE_EXIT_MS;
      await clock.sleep(min + random.fraction() * (max - min), stop);
      throw new RejectedError(`The master has rejected the key of ${client.id}.`);
    }
    await this.#wait(seconds * 1000);
  }

  async #failed(error: Error, times: number, waits: AcceptanceWait): Promise<void> {
    const { opts, address, stop } = this.#deps;
    if (stop.aborted) return;
    const where = `${address.host}:${address.port}`;
    if (error instanceof MasterFailedError) {
      this.#error('failed', `The master at ${where} failed at the authentication. ${error.message}`, error);
      return this.#wait(waits.next() * 1000);
    }
    if (error instanceof AuthenticationError) {
      this.#critical(error.message, `The master at ${where} could not be trusted: ${error.message}`, error);
      return this.#wait(waits.next() * 1000);
    }
    this.#error(
      error.message,
      `The master at ${where} did not answer the authentication: ${error.message}`,
      error,
    );
    const limit = times < opts.get('auth_tries') ? 1 : Math.max(1, opts.get('random_reauth_delay'));
    await this.#wait(limit * 1000);
  }

  /** A random time below the limit, so that minions which lost their master together do not come back together. */
  #wait(limitMs: number): Promise<void> {
    const { clock, random, stop } = this.#deps;
    return clock.sleep(Math.max(SHORTEST_WAIT_MS, random.fraction() * limitMs), stop);
  }
}

/** `acceptance_wait_time`, growing by itself up to `acceptance_wait_time_max` when that is set. */
class AcceptanceWait {
  readonly #step: number;
  readonly #max: number;
  #seconds = 0;
  #pendingSeconds = FIRST_PENDING_S;

  constructor(opts: MinionOptions) {
    this.#step = opts.get('acceptance_wait_time');
    this.#max = opts.get('acceptance_wait_time_max');
  }

  next(): number {
    this.#seconds = this.#max > 0 ? Math.min(this.#max, this.#seconds + this.#step) : this.#step;
    return this.#seconds;
  }

  /** The same for a key that waits: at first less, growing by a second with each attempt. */
  nextPending(): number {
    return Math.min(this.next(), this.#pendingSeconds++);
  }
}

/** What somebody can do whose key a master does not take; it does not say which of the two reasons it has. */
export function rejectionAdvice(id: string): string {
  return (
    `To repair this issue, delete the public key for this minion on the Salt Master (salt-key -d ${id}). ` +
    `If another machine is a minion with the id ${id}, too, give this one an id of its own instead: salt-key -l denied on the master lists it.`
  );
}

/** Names of masters that nobody has to configure, with the option that is missing then. */
const DEFAULT_HOSTS: ReadonlyMap<string, string> = new Map([
  ['salt', 'the option master'],
  ['masterofmasters', 'the option syndic_master, in the configuration of the master beside this syndic'],
]);

/** What stands behind a name that leads nowhere and that may be nobody's choice. */
export function whoseDefault(host: string): string {
  const option = DEFAULT_HOSTS.get(host);
  return option === undefined ? '' : `. It is what stands for ${option}: name the master there`;
}
