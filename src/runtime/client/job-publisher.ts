/**
 * Publish requests of a local program to the master beside it (salt/client/__init__.py `LocalClient.pub`, 3006.16;
 * docs/internals/wire-protocol.md#commands-in-the-clear).
 */
import { isClustered } from '../../config/cluster.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import type { Clock } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import { isMasterFailure } from '../../network/channel/master-failure.ts';
import { readSsl } from '../../config/ssl.ts';
import { masterTransports } from '../../config/master-transports.ts';
import type { RequestClient } from '../../network/transport/transport.ts';
import { requestClient } from '../../network/transport/transports.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { PROTOCOL_VERSION } from '../../formats/wire/envelope.ts';
import { AUTHENTICATED } from '../../formats/wire/budget.ts';
import { decode, encode, type Encodable } from '../../formats/wire/msgpack.ts';
import { CLIENT_TEXTS, ClientError, MasterDownError, NoMinionsError, NotAuthorisedError } from './errors.ts';
import { loginFields, type Login } from './login.ts';
import { missingKey, userCredentials, type UserCredentials } from './user-key.ts';

const REPLY_BYTES_MAX = 256 * 1024 * 1024;
/** Time for the master to answer a publish request. */
const PUBLISH_TIMEOUT_MS = 15_000;
/** A master that is silently gone is noticed within twice this. */
const HEARTBEAT_MS = 10_000;

/** A job to publish. */
export interface PublishOptions {
  readonly tgt: Value;
  readonly tgtType: string;
  readonly fun: string | readonly string[];
  readonly arg: readonly Value[];
  /** Returners for the minions, comma-separated. */
  readonly ret?: string;
  readonly jid?: string;
  readonly timeoutMs: number;
  readonly kwargs?: Dict;
  /** Who asks, for a program that publishes in the names of several; else it is the client's. */
  readonly login?: Login;
}

/** A published job. */
export interface PublishedJob {
  readonly jid: string;
  readonly minions: readonly string[];
  /** Names of a list target that have no accepted key. */
  readonly missing: readonly string[];
  /** Expected minions that are known to be away, and since when (UTC). Only a Brine master knows. */
  readonly lost: ReadonlyMap<string, string>;
  /**
   * Expected minions that have never identified themselves: real Salt minions, or ones that were never here. Only a
   * Brine master knows.
   */
  readonly strange?: readonly string[];
  /** Since when (UTC) none of them can have been connected, where that is certain. Only a Brine master knows. */
  readonly unseenSince?: string;
  /** Whether minions may be on their way to another master of a cluster. */
  readonly isClustered?: boolean;
  /**
   * Those that are away or strange and have not even authenticated since their keys were accepted. Only a Brine master
   * knows.
   */
  readonly newcomers?: readonly string[];
  /** Undefined when the master has no syndics. */
  readonly syndics?: SyndicsOfJob;
}

/** The masters below that a job goes to, too. */
export interface SyndicsOfJob {
  /** Syndics that tell when they have named all minions that they expect. */
  readonly reporting: readonly string[];
  /** Whether there may be others, which do not tell; they are given this time to name theirs. */
  readonly hasOthers: boolean;
  /** `syndic_wait` */
  readonly waitMs: number;
}

/** What the client is made of. */
export interface LocalClientDeps {
  readonly opts: MasterOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * What is shown instead of the user's key; told later by {@link JobPublisher.logInWith} where it has to be asked for.
   */
  readonly login?: Login;
  /** True for a program that stays: it looks for the event bus as long as it is away. */
  readonly stays?: boolean;
  /** Told of each job as a span, from its publication until nobody waits for it any longer. */
  readonly tracer?: Tracer | undefined;
}

/** Sends `publish` to the master and reads its reply. */
export class JobPublisher {
  readonly #deps: LocalClientDeps;
  readonly #requester: RequestClient;
  #login: Login | undefined;
  /** What a request names so that the program hears of its job, where it may not hear the whole bus. */
  listener: string | undefined;

  constructor(deps: LocalClientDeps) {
    this.#deps = deps;
    this.#login = deps.login;
    const { clock, random } = deps;
    const [{ name, opts }] = masterTransports(deps.opts);
    const ssl = name === 'zeromq' ? undefined : readSsl(opts.raw('ssl'));
    this.#requester = requestClient(name, {
      address: () => ({ host: localAddress(opts.get('interface')), port: opts.get('ret_port') }),
      messageBytesMax: REPLY_BYTES_MAX,
      pendingMax: 1000,
      heartbeatMs: HEARTBEAT_MS,
      reconnectMs: { min: 20, max: 500 },
      ...(ssl === undefined ? {} : { ssl }),
      clock,
      random,
    });
  }

  open(): void {
    this.#requester.open();
  }

  close(): void {
    this.#requester.close();
  }

  /** @throws ClientError with Salt's text, NoMinionsError when nobody matches, MasterDownError without an answer */
  async publish(options: PublishOptions): Promise<PublishedJob> {
    return this.#withSyndics(await this.#requestTwice(options), options);
  }

  /** Shows this from now on instead of the user's key. */
  logInWith(login: Login): void {
    this.#login = login;
  }

  /** Asks again after a refusal: the master may have written new keys since we read ours. */
  async #requestTwice(options: PublishOptions): Promise<Value> {
    const { opts, env } = this.#deps;
    const login = options.login ?? this.#login;
    if (login !== undefined) return this.#requestAs(login, options);
    const credentials = userCredentials(opts, env);
    const reply = await this.#request(options, credentials);
    if (!isAuthenticationFailure(reply)) return reply;
    const newer = userCredentials(opts, env);
    const missing = newer.key.reveal() === '' ? missingKey(opts, newer.keyUser) : undefined;
    if (missing !== undefined) throw new NotAuthorisedError(`Authentication error occurred. ${missing}`);
    return newer.key.reveal() === credentials.key.reveal() ? reply : this.#request(options, newer);
  }

  #withSyndics(reply: Value, options: PublishOptions): PublishedJob {
    const { opts } = this.#deps;
    const job = { ...readReply(reply, options), isClustered: isClustered(opts) };
    if (!opts.get('order_masters')) return job;
    const told = readSyndics(reply);
    const waitMs = opts.get('syndic_wait') * 1000;
    return { ...job, syndics: { ...(told ?? { reporting: [], hasOthers: true }), waitMs } };
  }

  /**
   * Salt compat: the key goes along where this program may read it. The login counts all the same (salt/master.py
   * `publish`, 3006.16), but only programs that have a key may send requests that are large.
   */
  #requestAs(login: Login, options: PublishOptions): Promise<Value> {
    const { opts, env } = this.#deps;
    const kwargs: Dict = new Map([...(options.kwargs ?? []), ...loginFields(login)]);
    return this.#request({ ...options, kwargs }, userCredentials(opts, env));
  }

  async #request(options: PublishOptions, { user, key }: UserCredentials): Promise<Value> {
    const { tgt, tgtType, fun, arg, ret = '', jid = '', timeoutMs, kwargs = new Map() } = options;
    const load: Encodable = {
      cmd: 'publish',
      tgt,
      fun: fun as Encodable,
      arg: arg as Encodable,
      key: key.reveal(),
      tgt_type: tgtType,
      ret,
      jid,
      kwargs,
      user,
      ...(this.listener === undefined ? {} : { listener: this.listener }),
      to: this.#deps.opts.get('order_masters') ? Math.ceil(timeoutMs / 1000) : undefined,
    };
    return this.command(load);
  }

  /**
   * Sends a command in the clear. @returns the reply @throws MasterDownError without an answer @throws ClientError when
   * the master fails at it
   */
  async command(load: Encodable): Promise<Value> {
    const reply = await this.#ask(load);
    if (isMasterFailure(reply))
      throw new ClientError(`The master failed at a request: ${pyStr(reply)}. Its log says why.`, {
        code: 'master-failed',
      });
    return reply;
  }

  async #ask(load: Encodable): Promise<Value> {
    const body = encode({ enc: 'clear', load, version: PROTOCOL_VERSION }, 'network');
    try {
      return decode(await this.#requester.request(body, PUBLISH_TIMEOUT_MS), 'network', AUTHENTICATED);
    } catch (cause) {
      throw new MasterDownError(CLIENT_TEXTS.noAnswer, { cause, code: 'master-not-responding' });
    }
  }
}

/** Programs on the master's host reach it at the loopback address when it listens everywhere. */
function localAddress(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}

function isAuthenticationFailure(reply: Value): boolean {
  const error = isDict(reply) ? reply.get('error') : undefined;
  return error !== undefined && isDict(error) && error.get('name') === 'AuthenticationError';
}

/** What was not allowed; the master says no more than that. Who has not shown who he is learns nothing. */
function refusedWhat(name: Value | undefined, { fun, tgt, tgtType }: PublishOptions): string {
  if (name !== 'AuthorizationError') return '';
  const functions = typeof fun === 'string' ? fun : fun.join(', ');
  return ` The master does not allow ${functions} on ${pyStr(tgt)} (${tgtType}): see publisher_acl or external_auth there.`;
}

function readReply(reply: Value, options: PublishOptions): PublishedJob {
  if (reply === '') throw new NotAuthorisedError(CLIENT_TEXTS.authentication);
  if (!isDict(reply)) throw new ClientError(refusalText(reply));
  const error = reply.get('error');
  if (error !== undefined && isDict(error)) {
    const name = error.get('name');
    throw new NotAuthorisedError(`${String(error.get('message') ?? name)}${refusedWhat(name, options)}`);
  }
  if (typeof error === 'string') throw new ClientError(error);
  const load = reply.get('load');
  if (load === undefined || !isDict(load)) throw new ClientError(refusalText(reply));
  const { jid, minions, missing } = {
    jid: load.get('jid'),
    minions: texts(load.get('minions')),
    missing: texts(load.get('missing')),
  };
  if (typeof jid !== 'string') throw noJob(load);
  const lost = load.get('lost');
  const since = isDict(lost) ? [...lost].map(([id, at]): [string, string] => [String(id), String(at)]) : [];
  const strange = load.get('strange');
  const unseenSince = load.get('unseen_since');
  const unseen = typeof unseenSince === 'string' ? { unseenSince } : {};
  const more = Array.isArray(strange) ? { strange: texts(strange), ...unseen } : {};
  const newcomers = texts(load.get('newcomers'));
  return { jid, minions, missing, lost: new Map(since), newcomers, ...more };
}

/** What a Brine master says of its syndics. */
function readSyndics(reply: Value): { reporting: string[]; hasOthers: boolean } | undefined {
  const load = isDict(reply) ? reply.get('load') : undefined;
  const syndics = isDict(load) ? load.get('syndics') : undefined;
  if (!isDict(syndics)) return undefined;
  return { reporting: texts(syndics.get('reporting')), hasOthers: texts(syndics.get('others')).length > 0 };
}

function noJob(load: Dict): ClientError {
  const error = String(load.get('error') ?? '');
  // the master says why a target cannot be understood behind a colon; that says more than "no minions"
  const fault = /^Master could not resolve minions for target .*?: (.+)$/s.exec(error)?.[1];
  if (load.get('minions') !== undefined) return new NoMinionsError(CLIENT_TEXTS.noMinions, fault);
  return new ClientError(error || 'The master assigned no job id.');
}

function refusalText(reply: Value): string {
  return `The master did not understand the request: ${typeof reply === 'string' ? reply : 'an unexpected reply'}.`;
}

function texts(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
