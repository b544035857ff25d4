/** `salt-run -a` and with a token: the master runs the function, in the name of whoever logs in (salt/runner.py `run`, `cmd_sync`, 3006.16). */
import { masterSockets } from '../../config/master-sockets.ts';
import { systemClock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import { EventBusReader } from '../../network/events/bus-client.ts';
import type { BusEvent } from '../../network/events/framing.ts';
import { NotAuthorisedError } from '../../runtime/client/errors.ts';
import { loginFields } from '../../runtime/client/login.ts';
import { JobPublisher } from '../../runtime/client/job-publisher.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { ClientProgram } from '../program/client-program.ts';
import { findLogin } from '../program/login.ts';
import type { CommandIo } from '../terminal/io.ts';

/** What is to be run. */
export interface RemoteCall {
  readonly fun: string;
  /** The arguments; keywords in a mapping with `__kwarg__` at the end. */
  readonly arg: readonly Value[];
  /** Only starts it. */
  readonly isAsync: boolean;
}

/** Events kept until the job id is known. */
const EARLY_EVENTS_MAX = 10_000;

/**
 * Has the master run a function.
 * @returns the data of its `ret` event, or of its start with `isAsync`; 'key' when there is nothing to log in with
 * @throws NotAuthorisedError, MasterDownError
 */
export async function runRemotely(
  { opts, merged, logging }: ClientProgram,
  io: CommandIo,
  { fun, arg, isAsync }: RemoteCall,
): Promise<Dict | 'key'> {
  const deps = { opts, env: io.env, clock: systemClock, random: systemRandom };
  const requests = new JobPublisher(deps);
  requests.open();
  const returns = new ReturnsOfRuns();
  let bus: EventBusReader | undefined;
  try {
    const login = await findLogin({ opts, merged, logging }, io, (load) => requests.command(load));
    if (login === undefined) return 'key';
    if (!isAsync)
      bus = await EventBusReader.connect(
        masterSockets(opts).eventPub,
        (tag) => /^salt\/run\/\d+\/ret$/.test(tag),
        (event) => returns.add(event),
        () => returns.end(),
      );
    const reply = await requests.command(
      new Map<Value, Value>([
        ['cmd', 'runner'],
        ['fun', fun],
        ['kwarg', argumentsOf(arg)],
        ...loginFields(login),
      ]),
    );
    if (!isDict(reply) || typeof reply.get('tag') !== 'string') throw refusalIn(reply);
    return isAsync ? reply : await returns.of(`${String(reply.get('tag'))}/ret`);
  } finally {
    bus?.close();
    requests.close();
  }
}

function argumentsOf(arg: readonly Value[]): Dict {
  const last = arg[arg.length - 1];
  const hasKeywords = isDict(last) && last.has('__kwarg__');
  const keywords = hasKeywords ? [...last].filter(([name]) => name !== '__kwarg__') : [];
  return new Map<Value, Value>([
    ['arg', hasKeywords ? arg.slice(0, -1) : [...arg]],
    ['kwarg', new Map(keywords)],
  ]);
}

function refusalIn(reply: Value): NotAuthorisedError {
  const error = isDict(reply) ? reply.get('error') : undefined;
  const message = isDict(error) ? error.get('message') : undefined;
  return new NotAuthorisedError(typeof message === 'string' ? message : 'The master refused the function.');
}

/** The ends of runs, kept until it is known which is ours. */
class ReturnsOfRuns {
  readonly #found = new Map<string, Dict>();
  #waiting: { tag: string; resolve: (data: Dict) => void } | undefined;
  #isOver = false;

  add({ tag, data }: BusEvent): void {
    if (this.#waiting?.tag === tag) this.#waiting.resolve(data);
    else if (this.#found.size < EARLY_EVENTS_MAX) this.#found.set(tag, data);
  }

  /** The bus has gone away; what is waited for may never be heard. */
  end(): void {
    this.#isOver = true;
    this.#waiting?.resolve(LOST);
  }

  of(tag: string): Promise<Dict> {
    const early = this.#found.get(tag);
    if (early !== undefined) return Promise.resolve(early);
    if (this.#isOver) return Promise.resolve(LOST);
    return new Promise((resolve) => (this.#waiting = { tag, resolve }));
  }
}

const LOST: Dict = new Map<Value, Value>([
  [
    'return',
    'The connection to the master was lost; the function may go on. Its result is in the job cache.',
  ],
  ['success', false],
  ['retcode', 1],
]);
