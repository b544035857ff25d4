/**
 * The master as one run of `salt-call` sees it: authenticated once with the patience of a command, then asked for
 * pillar, events and the like. A daemon's patience is in `programs/minion/master-connection.ts`.
 */
import { requestLimits } from '../../programs/minion/request-limits.ts';
import {
  authenticate,
  type AuthClient,
  type MinionCredentials,
} from '../../network/channel/client/authenticate.ts';
import { FingerprintError } from '../../network/channel/client/master-key.ts';
import { RequestChannel } from '../../network/channel/client/request-channel.ts';
import type { MinionOptions } from '../../config/minion-options.ts';
import { readSsl } from '../../config/ssl.ts';
import { AuthenticationError, BrineError, UnreachableError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { systemNames } from '../../host/dns.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { extraMinionData } from '../../runtime/pillar/extra-minion-data.ts';
import { rejectionAdvice } from '../../programs/minion/admission.ts';
import { addressName, type MasterAddress } from '../../programs/minion/master-address.ts';
import { MasterDiscovery } from '../../programs/minion/masters/discover.ts';
import { inPlannedOrder, planMasters } from '../../programs/minion/masters/plan.ts';
import type { RequestClient } from '../../network/transport/transport.ts';
import { requestClient } from '../../network/transport/transports.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';

const MESSAGE_BYTES_MAX = 256 * 1024 * 1024;
const PENDING_MAX = 1000;

/** The sentence with which Salt's salt-call gives up, on standard output. */
export const NOT_AUTHENTICATED =
  'Minion failed to authenticate with the master, has the minion key been accepted?';

/** The sentence with which it gives up on a master that does not answer, on standard error. */
export const NO_ANSWER =
  'Unable to sign_in to master: Attempt to authenticate with the salt master failed with timeout error';

const CODES = { pending: 'key-pending', rejected: 'key-rejected', silent: 'master-not-responding' } as const;
const EXIT_CODES = { pending: 2, rejected: 77, silent: 1 } as const;

/** No master has let this minion in. */
export class NotAdmittedError extends BrineError {
  override readonly name = 'NotAdmittedError';
  override readonly exitCode: number;
  readonly kind: keyof typeof EXIT_CODES;

  constructor(kind: NotAdmittedError['kind'], message: string) {
    super(message, { code: CODES[kind] });
    this.kind = kind;
    this.exitCode = EXIT_CODES[kind];
  }
}

/** What a link is made of. */
export interface MasterLinkDeps {
  readonly opts: MinionOptions;
  readonly client: AuthClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Whether `--timeout` was given: then it bounds the whole authentication, not one attempt. */
  readonly hasTimeout: boolean;
  /** Calls a function of the minion, for `master_type: func`. */
  readonly call: (fun: string) => Promise<Value>;
}

/**
 * Authenticates with the first of the configured masters that lets this minion in. Several are asked once each, in the
 * order that a minion has for them, and those that were silent again, so that one that is away costs little.
 * @throws NotAdmittedError, AuthenticationError when a master cannot be trusted
 */
export async function connectMaster(deps: MasterLinkDeps): Promise<MasterLink> {
  const { opts, random, clock, log } = deps;
  const plan = await planMasters(opts, log, deps.call);
  const discovery = new MasterDiscovery({ opts, random, clock, log, names: systemNames });
  const found = await discovery.addresses(plan.entries);
  const tries = deps.hasTimeout ? 1 : Math.max(1, opts.get('auth_tries'));
  let addresses = inPlannedOrder(plan, found, random);
  if (addresses.length === 0) throw new UnreachableError('No master could be resolved.');
  const [only] = addresses;
  if (only !== undefined && addresses.length === 1)
    return admitted(only, deps, tries).catch((error: unknown) => {
      throw withAddress(only, error);
    });
  const failures = new Map<MasterAddress, BrineError>();
  for (let round = 0; round < tries && addresses.length > 0; round++) {
    const silent: MasterAddress[] = [];
    for (const address of addresses) {
      try {
        return await admitted(address, deps, 1);
      } catch (error) {
        if (!(error instanceof BrineError)) throw error;
        failures.set(address, error);
        const line = `Master ${addressName(address)} could not be reached, trying next master (if any): ${error.message}`;
        if (round === 0) log.warning(line);
        else log.info(line);
        if (isSilent(error)) silent.push(address);
      }
    }
    addresses = silent;
  }
  throw noneOf(failures);
}

/** The errors of one exchange do not say with whom it was. */
function withAddress(address: MasterAddress, error: unknown): unknown {
  if (!(error instanceof AuthenticationError) || error instanceof FingerprintError) return error;
  const message = `The master at ${addressName(address)}: ${error.message}`;
  return new AuthenticationError(message, { cause: error, code: error.errorCode });
}

function isSilent(error: Error): boolean {
  return error instanceof NotAdmittedError && error.kind === 'silent';
}

/** What all masters said. A refusal, which somebody can mend, says more than silence. */
function noneOf(failures: ReadonlyMap<MasterAddress, BrineError>): BrineError {
  const errors = [...failures.values()];
  const weighty = errors.find((error) => !isSilent(error)) ?? errors[0];
  const lines = [...failures].map(([address, { message }]) => `${addressName(address)}: ${message}`);
  const message = ['No master has let this minion in:', ...lines].join('\n');
  if (weighty instanceof NotAdmittedError) return new NotAdmittedError(weighty.kind, message);
  if (weighty instanceof FingerprintError) return new FingerprintError(message);
  return new AuthenticationError(message, { cause: weighty });
}

async function admitted(address: MasterAddress, deps: MasterLinkDeps, tries: number): Promise<MasterLink> {
  const link = new MasterLink(address, deps);
  try {
    await link.authenticate(tries);
    return link;
  } catch (error) {
    link.close();
    throw error;
  }
}

/** One master. */
export class MasterLink {
  readonly address: MasterAddress;
  readonly requests: RequestChannel;
  readonly #deps: MasterLinkDeps;
  readonly #requester: RequestClient;
  #credentials: MinionCredentials | undefined;

  constructor(address: MasterAddress, deps: MasterLinkDeps) {
    this.address = address;
    this.#deps = deps;
    const { opts, client, clock, random } = deps;
    const ssl = opts.get('transport') === 'zeromq' ? undefined : readSsl(opts.raw('ssl'));
    this.#requester = requestClient(opts.get('transport'), {
      address: () => address,
      messageBytesMax: MESSAGE_BYTES_MAX,
      pendingMax: PENDING_MAX,
      reconnectMs: { min: 50, max: 1000 },
      ...(ssl === undefined ? {} : { ssl }),
      clock,
      random,
    });
    this.requests = new RequestChannel({
      client,
      requester: this.#requester,
      credentials: () => this.#current(),
      renew: () => this.authenticate(),
      clock,
      random,
    });
  }

  /** Asks until the master answers or the patience is over; every answer but a yes is final. */
  async authenticate(tries = this.#tries): Promise<MinionCredentials> {
    const { opts, client, log } = this.#deps;
    const timeoutMs = Math.max(1, opts.get('auth_timeout')) * 1000;
    for (let attempt = 1; ; attempt++) {
      try {
        const outcome = await authenticate(client, this.#requester, timeoutMs);
        if (outcome.kind !== 'accepted') throw refusal(outcome.kind, client.id);
        this.#credentials = outcome.credentials;
        return outcome.credentials;
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        if (attempt >= tries) throw this.#silence(error);
        log.warning(`${error.message} Trying again (${attempt} of ${tries}).`);
      }
    }
  }

  /** The pillar of this minion. @throws UnreachableError, AuthenticationError */
  pillar(grains: Dict): Promise<Dict> {
    const { opts, client } = this.#deps;
    const load = dict({
      cmd: '_pillar',
      id: client.id,
      grains,
      saltenv: opts.raw('saltenv') ?? null,
      pillarenv: opts.raw('pillarenv') ?? null,
      pillar_override: {},
      extra_minion_data: extraMinionData(opts.toDict()),
      ver: '2',
    });
    return this.requests.pillar(load, requestLimits(opts));
  }

  close(): void {
    this.#requester.close();
  }

  get #tries(): number {
    return this.#deps.hasTimeout ? 1 : Math.max(1, this.#deps.opts.get('auth_tries'));
  }

  async #current(): Promise<MinionCredentials> {
    return this.#credentials ?? this.authenticate();
  }

  #silence({ message }: UnreachableError): NotAdmittedError {
    const { host, port } = this.address;
    return new NotAdmittedError(
      'silent',
      `The master at ${host}:${port} did not answer the authentication: ${message} ` +
        'Is it running, and are master and master_port right? salt-call --local needs no master.',
    );
  }
}

function refusal(kind: 'pending' | 'rejected' | 'full', id: string): BrineError {
  if (kind === 'full')
    return new AuthenticationError(
      'The master has as many minions as max_minions allows; this one was turned away.',
    );
  if (kind === 'pending')
    return new NotAdmittedError(
      kind,
      `The Salt Master has cached the public key for this node. Accept it on the master with: salt-key -a ${id}`,
    );
  return new NotAdmittedError(
    kind,
    `The Salt Master has rejected this minion's public key!\n${rejectionAdvice(id)}`,
  );
}
