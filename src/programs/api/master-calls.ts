/**
 * `runner`, `wheel` and their `_async`: functions of the master (salt/runner.py `RunnerClient`, salt/wheel/__init__.py
 * `WheelClient`, 3006.16).
 */
import { SaltInvocationError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { ClientError, NotAuthorisedError } from '../../runtime/client/errors.ts';
import { loginFields } from '../../runtime/client/login.ts';
import { isRunReturn, refusalIn, ReturnsOfRuns } from '../../runtime/client/master-runs.ts';
import { JidSource } from '../../storage/jobs/jid.ts';
import type { BusFeed } from './bus-feed.ts';
import { HttpFault } from './http-fault.ts';
import {
  BadCallError,
  CREDENTIALS,
  functionOf,
  keywordsOf,
  loginOf,
  parsedArguments,
  secondsOf,
} from './low.ts';
import type { MasterLink } from './master-link.ts';

/** What calling needs. */
export interface MasterCallsDeps {
  readonly link: MasterLink;
  readonly feed: BusFeed;
  /**
   * What is known of a runner function: the names of its parameters, that it takes any, or that there is none of this
   * name.
   */
  readonly runnerParameters: (fun: string) => Promise<ReadonlySet<string> | 'any' | 'none'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Fields of low data that are no arguments of a runner. */
const NO_ARGUMENTS: ReadonlySet<Value> = new Set([
  ...['client', 'fun', 'arg', 'kwarg', 'timeout', 'full_return', 'user', 'key'],
  ...CREDENTIALS,
]);

/** Calls functions of the master. */
export class MasterCalls {
  readonly #deps: MasterCallsDeps;
  readonly #jids: JidSource;

  constructor(deps: MasterCallsDeps) {
    this.#deps = deps;
    this.#jids = new JidSource(deps.clock);
  }

  /** `runner`. @returns what the function returns, with `full_return` the event that says so @throws HttpFault 504 */
  async runner(low: Dict, signal: AbortSignal): Promise<Value> {
    const { feed, link, clock } = this.#deps;
    const load = await this.#runnerLoad(low, 'runner');
    const returns = new ReturnsOfRuns();
    const stop = await feed.listen(
      isRunReturn,
      (event) => returns.add(event),
      () => returns.end(),
    );
    const over = new AbortController();
    try {
      const tag = `${tagOf(await link.command(load))}/ret`;
      const seconds = secondsOf(low.get('timeout'), link.opts.get('rest_timeout'));
      const late = clock.sleep(seconds * 1000, AbortSignal.any([over.signal, signal])).then(() => undefined);
      const data = await Promise.race([returns.of(tag), late]);
      if (data === undefined) throw new HttpFault(504);
      if (truthy(low.get('full_return')))
        return new Map<Value, Value>([
          ['data', data],
          ['tag', tag],
        ]);
      return data.get('return') ?? null;
    } finally {
      over.abort();
      stop();
    }
  }

  /** `runner_async`. */
  async startRunner(low: Dict): Promise<Value> {
    const reply = await this.#deps.link.command(await this.#runnerLoad(low, 'runner_async'));
    tagOf(reply);
    return reply;
  }

  /** `wheel`. */
  async wheel(low: Dict): Promise<Value> {
    functionOf(low, 'wheel');
    return this.#wheel(low);
  }

  /**
   * `wheel_async`. Salt compat: the call is under way when it is answered, and what becomes of it is on the event bus.
   */
  startWheel(low: Dict): Value {
    functionOf(low, 'wheel_async');
    const jid = this.#jids.next();
    const tag = `salt/wheel/${jid}`;
    this.#wheel(new Map([...low, ['__jid__', jid], ['__tag__', tag]])).catch((error: unknown) =>
      this.#deps.log.error(`The wheel function of ${tag} was not run`, error),
    );
    return new Map<Value, Value>([
      ['tag', tag],
      ['jid', jid],
    ]);
  }

  async #wheel(low: Dict): Promise<Value> {
    const load: Dict = new Map(low);
    load.delete('client');
    load.set('cmd', 'wheel');
    const reply = await this.#deps.link.command(load);
    if (isDict(reply) && reply.has('error')) throw errorIn(reply);
    return reply;
  }

  async #runnerLoad(low: Dict, client: string): Promise<Dict> {
    const fun = functionOf(low, client);
    const { args, kwargs } = parsedArguments(low.get('arg'));
    const named: Dict = new Map([
      ...kwargs,
      ...keywordsOf(low),
      ...[...low].filter(
        ([key]) => !NO_ARGUMENTS.has(key) || (key === 'timeout' && client === 'runner_async'),
      ),
    ]);
    const known = await this.#deps.runnerParameters(fun);
    if (known === 'none') throw new BadCallError(`The master has no runner function '${fun}'.`);
    // Salt compat: what the function has no parameter for is left out without a word
    if (known !== 'any') for (const name of named.keys()) if (!known.has(String(name))) named.delete(name);
    return new Map<Value, Value>([
      ['cmd', 'runner'],
      ['fun', fun],
      [
        'kwarg',
        new Map<Value, Value>([
          ['kwarg', named],
          ['arg', args],
        ]),
      ],
      ...loginFields(loginOf(low)),
    ]);
  }
}

function tagOf(reply: Value): string {
  const tag = isDict(reply) ? reply.get('tag') : undefined;
  if (typeof tag !== 'string') throw errorIn(reply);
  return tag;
}

/** What the master has answered instead, as Salt's client raises it (salt/utils/error.py `raise_error`). */
function errorIn(reply: Value): Error {
  const error = isDict(reply) ? reply.get('error') : undefined;
  const name = isDict(error) ? String(error.get('name')) : '';
  const refusal = refusalIn(reply);
  if (/Authenti|Authori/.test(name)) return new NotAuthorisedError(refusal.message);
  if (name === 'SaltInvocationError') return new SaltInvocationError(refusal.message);
  return new ClientError(refusal.message);
}
