/**
 * The clients that low data may name, and whether they may be used (salt/netapi/__init__.py `NetapiClient`, 3006.16).
 */
import { SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { NotAuthorisedError } from '../../runtime/client/errors.ts';
import { CLIENT_FIELD } from '../../runtime/client/login.ts';
import { loginKey } from '../../runtime/access/login-key.ts';
import type { LocalCalls } from './local-calls.ts';
import type { LoginLimits } from './login-limits.ts';
import type { MasterCalls } from './master-calls.ts';
import type { MasterLink } from './master-link.ts';
import type { TurnPool } from './turns.ts';

/** All clients that Salt has, as `GET /` lists them. */
export const CLIENT_NAMES: readonly string[] = [
  ...['local', 'local_async', 'local_batch', 'local_subset', 'runner', 'runner_async'],
  ...['ssh', 'wheel', 'wheel_async'],
];

/** What is known of whoever sends low data. */
export interface LowDataSender {
  readonly address: string;
  /** Aborted when he has gone. */
  readonly signal: AbortSignal;
  /** Called when a call is good as far as can be told here. @throws when its answer could not be sent */
  readonly beforeCall: () => void;
}

/** What running needs. */
export interface ClientsDeps {
  readonly link: MasterLink;
  readonly local: LocalCalls;
  readonly master: MasterCalls;
  readonly limits: LoginLimits;
  readonly turns: TurnPool;
  /**
   * Of these turns those that calls with a name and a password may have: whoever guesses leaves the others to those who
   * have a token.
   */
  readonly guests: TurnPool;
}

/** Runs low data. */
export class Clients {
  readonly #deps: ClientsDeps;

  constructor(deps: ClientsDeps) {
    this.#deps = deps;
  }

  /**
   * Runs all chunks, one after the other.
   * @param lowstate what was sent
   * @param prepare makes a call of one of them, when it is its turn
   * @returns what they return: one value for each, of a batch one for each minion
   */
  async runAll(
    lowstate: readonly Value[],
    prepare: (chunk: Value) => Dict,
    caller: LowDataSender,
  ): Promise<Value[]> {
    const out: Value[] = [];
    for (const chunk of lowstate) {
      const low = prepare(chunk);
      const { turns, guests } = this.#deps;
      const call = (): Promise<Value[]> => turns.take(() => this.run(low, caller), caller.signal);
      out.push(...(await (low.has('token') ? call() : guests.take(call, caller.signal))));
    }
    return out;
  }

  /** @throws SaltInvocationError, NotAuthorisedError, MasterDownError, BadCallError, HttpFault */
  async run(low: Dict, caller: LowDataSender): Promise<Value[]> {
    this.#deps.link.requireMaster();
    const client = this.requireClient(low.get('client'));
    if (!low.has('token') && !low.has('eauth'))
      throw new NotAuthorisedError('No authentication credentials given');
    if (truthy(low.get('raw_shell')) && !this.#deps.link.opts.get('netapi_allow_raw_shell'))
      throw new NotAuthorisedError('Raw shell option not allowed.');
    caller.beforeCall();
    if (low.has('token')) return this.#dispatch(client, low, caller.signal);
    const his: Dict = new Map(low).set(CLIENT_FIELD, caller.address);
    const run = (): Promise<Value[]> => this.#dispatch(client, his, caller.signal);
    return this.#deps.limits.attempt(caller.address, loginKeyOf(low), run, isLoginFailure);
  }

  /** @throws SaltInvocationError for a client that there is not, or that is not enabled */
  requireClient(given: Value | undefined): string {
    const client = CLIENT_NAMES.find((name) => name === given);
    if (client === undefined)
      throw new SaltInvocationError(`Invalid client specified: '${pyStr(given ?? null)}'`);
    if (!this.#deps.link.opts.get('netapi_enable_clients').includes(client))
      throw new SaltInvocationError(
        `Client disabled: '${client}'. Add to 'netapi_enable_clients' master config option to enable.`,
      );
    return client;
  }

  async #dispatch(client: string, low: Dict, signal: AbortSignal): Promise<Value[]> {
    const { local, master } = this.#deps;
    switch (client) {
      case 'local':
        return [await local.run(low, signal)];
      case 'local_async':
        return [await local.start(low)];
      case 'local_batch':
        return local.runInBatches(low, signal);
      case 'local_subset':
        return [await local.runOnSome(low, signal)];
      case 'runner':
        return [await master.runner(low, signal)];
      case 'runner_async':
        return [await master.startRunner(low)];
      case 'wheel':
        return [await master.wheel(low)];
      case 'wheel_async':
        return [master.startWheel(low)];
      default:
        throw new SaltInvocationError('The client ssh is not served: there is no salt-ssh.');
    }
  }
}

/** Under which name the log-in with these credentials is counted: the one under which the master counts it. */
export function loginKeyOf(credentials: Dict): string {
  const [eauth, name] = ['eauth', 'username'].map((field) => credentials.get(field));
  return loginKey(typeof eauth === 'string' ? eauth : '', typeof name === 'string' ? name : '');
}

/** A wrong name or password, and not a right that is missing. */
export function isLoginFailure(error: unknown): boolean {
  return error instanceof NotAuthorisedError && !error.message.startsWith('Authorization error');
}
