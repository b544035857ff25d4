/**
 * `salt-run -a` and with a token: the master runs the function, in the name of whoever logs in (salt/runner.py `run`,
 * `cmd_sync`, 3006.16).
 */
import { systemClock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import type { EventBusReader } from '../../network/events/bus-client.ts';
import { whileWaiting, type Waits } from '../../runtime/client/waits.ts';
import { loginFields } from '../../runtime/client/login.ts';
import { OwnEvents } from '../../runtime/client/own-events.ts';
import { JobPublisher } from '../../runtime/client/job-publisher.ts';
import { isRunReturn, refusalIn, ReturnsOfRuns } from '../../runtime/client/master-runs.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { ClientProgram } from '../program/client-program.ts';
import { checkLogin, findLogin } from '../program/login.ts';
import type { CommandIo } from '../terminal/io.ts';

/** What is to be run. */
export interface RemoteCall {
  readonly fun: string;
  /** The arguments; keywords in a mapping with `__kwarg__` at the end. */
  readonly arg: readonly Value[];
  /** Only starts it. */
  readonly isAsync: boolean;
}

/**
 * Has the master run a function.
 * @returns the data of its `ret` event, or of its start with `isAsync`; 'key' when there is nothing to log in with
 * @throws NotAuthorisedError, MasterDownError
 */
export async function runRemotely(
  { opts, merged, logging }: ClientProgram,
  { io, waits }: { readonly io: CommandIo; readonly waits: Waits },
  { fun, arg, isAsync }: RemoteCall,
): Promise<Dict | 'key'> {
  await checkLogin({ opts, merged });
  const deps = { opts, env: io.env, clock: systemClock, random: systemRandom };
  const requests = new JobPublisher(deps);
  requests.open();
  const returns = new ReturnsOfRuns();
  const events = new OwnEvents(opts, systemRandom);
  let bus: EventBusReader | undefined;
  try {
    const login = await findLogin({ opts, merged, logging }, io, (load) => requests.command(load));
    if (login === undefined) return 'key';
    if (!isAsync)
      bus = await events.connect(
        isRunReturn,
        (event) => returns.add(event),
        () => returns.end(),
      );
    const asked = requests.command(
      new Map<Value, Value>([
        ['cmd', 'runner'],
        ['fun', fun],
        ['kwarg', argumentsOf(arg)],
        ...loginFields(login),
        ...(events.listener === undefined ? [] : ([['listener', events.listener]] as const)),
      ]),
    );
    const reply = await whileWaiting(waits, 'waiting for the master', asked);
    if (!isDict(reply) || typeof reply.get('tag') !== 'string') throw refusalIn(reply);
    if (isAsync) return reply;
    return await whileWaiting(
      waits,
      `the master is running ${fun}`,
      returns.of(`${String(reply.get('tag'))}/ret`),
    );
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
