/**
 * `runner` and `wheel`: programs that call functions of the master over its request port (salt/master.py `runner`,
 * `wheel`, 3006.16). A runner goes on by itself, and the reply says under which tag its events are; a wheel function
 * has ended when the reply is sent. Nothing is fired, kept or started before the caller is found to be allowed it.
 */
import type { RunOrder } from '../../runner/run-order.ts';
import { runTag } from '../../runner/run-function.ts';
import type { ClearHandler } from '../../../network/channel/door.ts';
import type { Encodable } from '../../../formats/wire/msgpack.ts';
import { isListenerDigest } from '../../../network/events/event-door.ts';
import { tags } from '../../../network/events/tags.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { CLIENT_FIELD } from '../../../runtime/client/login.ts';
import type { MasterQuestion } from '../../../runtime/access/question.ts';
import type { Clock } from '../../../host/clock.ts';
import { isSafeJid, type JidSource } from '../../../storage/jobs/jid.ts';
import { isNearJid } from '../../../storage/jobs/job-days.ts';
import type { JobReader } from '../../../storage/jobs/job-store.ts';
import type { RunnerProcesses } from '../runner-processes.ts';

/** Who may call, and in whose name; or what the caller is told instead. */
export type ControlDecision =
  | { readonly user: string; readonly eauth?: string | undefined }
  | { readonly error: { readonly name: string; readonly message: string } };

/** What serving needs. */
export interface ControlDeps {
  /** Finds out who sends a request, and whether he may. @param from the sender's address */
  readonly decide: (load: Dict, call: MasterQuestion, from: string) => Promise<ControlDecision>;
  readonly runners: RunnerProcesses;
  readonly fireEvent: (tag: string, data: Dict) => void;
  /** Runs a wheel function here, with its events and its entry in the job cache. @returns what its `ret` event says */
  readonly wheel: (order: RunOrder) => Promise<Dict>;
  readonly jids: JidSource;
  readonly jobs: Pick<JobReader, 'job'>;
  readonly clock: Clock;
}

/** Fields of a request that say who sends it; no function sees them, nor does an event. */
const CREDENTIALS: readonly string[] = [
  ...['cmd', 'fun', 'key', 'token', 'eauth', 'username', 'password'],
  CLIENT_FIELD,
];
/** Wheel functions at a time in one worker. */
const WHEEL_AT_ONCE_MAX = 50;

const BAD_SYNTAX = refusal('SaltInvocationError', 'A command invocation error occurred: Check syntax.');
const TOO_MANY = refusal(
  'SaltMasterError',
  'Too many functions of this master are being run. Try again later.',
);
const JID_FAR = refusal('SaltInvocationError', '__jid__ is no job id of the present; leave it out.');
const JID_TAKEN = refusal('SaltInvocationError', 'There is a job with this __jid__ already.');

/**
 * What these return is for the terminal of whoever calls them alone: the event that would bring it over the network has
 * stars.
 */
const FOR_THE_TERMINAL: ReadonlySet<string> = new Set(['auth.token_create']);

function noTerminal(fun: string): Encodable {
  return refusal(
    'SaltInvocationError',
    `${fun} shows its token on a terminal only, and no token was made. Run it on the master's machine: salt-run ${fun} …`,
  );
}

function refusal(name: string, message: string): Encodable {
  return { error: { name, message } };
}

/** Serves `runner`. */
export function runnerHandler({ decide, runners, fireEvent, jids }: ControlDeps): ClearHandler {
  return async (load, from) => {
    const fun = load.get('fun');
    const low = load.get('kwarg') ?? new Map<Value, Value>();
    if (typeof fun !== 'string' || !isDict(low)) return BAD_SYNTAX;
    const decision = await decide(load, { client: 'runner', fun, args: argumentsOf(low) }, from);
    if ('error' in decision) return decision;
    if (FOR_THE_TERMINAL.has(fun)) return noTerminal(fun);
    const jid = jids.next();
    const listener = load.get('listener');
    if (isListenerDigest(listener)) fireEvent(tags.listening(jid), dict({ jid, listener }));
    return runners.take({ fun, low, jid, user: decision.user, eauth: decision.eauth })
      ? { tag: runTag('runner', jid), jid }
      : TOO_MANY;
  };
}

/** Serves `wheel`. */
export function wheelHandler({ decide, wheel, jids, jobs, clock }: ControlDeps): ClearHandler {
  let atOnce = 0;
  return async (load, from) => {
    const fun = load.get('fun');
    if (typeof fun !== 'string') return BAD_SYNTAX;
    const low: Dict = new Map(load);
    for (const name of CREDENTIALS) low.delete(name);
    const decision = await decide(load, { client: 'wheel', fun, args: argumentsOf(low) }, from);
    if ('error' in decision) return decision;
    if (atOnce >= WHEEL_AT_ONCE_MAX) return TOO_MANY;
    atOnce++;
    try {
      // Salt's client waits for events under a job id that it has chosen itself (salt/wheel/__init__.py `cmd_async`)
      const given = low.get('__jid__');
      if (isSafeJid(given) && !isNearJid(given, clock)) return JID_FAR;
      const jid = isSafeJid(given) ? given : jids.next();
      if (jid === given && (await jobs.job(jid)) !== undefined) return JID_TAKEN;
      const tag = runTag('wheel', jid);
      const data: Dict = new Map(await wheel({ fun, low, jid, user: decision.user, eauth: decision.eauth }));
      // Salt's reply does not bring them, while its events do
      for (const name of ['fun_args', 'retcode']) data.delete(name);
      return { tag, data: data.set('tag', tag) };
    } finally {
      atOnce--;
    }
  };
}

/** The arguments of low data, as rules look at them: in the new form, else everything that may be a parameter. */
function argumentsOf(low: Dict): Value[] {
  const [arg, kwarg] = [low.get('arg'), low.get('kwarg')];
  const isNew = arg !== undefined && kwarg !== undefined;
  const positional = isNew && Array.isArray(arg) ? arg : [];
  const named = isNew ? (isDict(kwarg) ? kwarg : new Map<Value, Value>()) : low;
  return named.size === 0
    ? positional
    : [...positional, new Map<Value, Value>([...named, ['__kwarg__', true]])];
}
