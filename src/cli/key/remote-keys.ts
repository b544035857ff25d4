/**
 * `salt-key --auth`: the keys are shown and changed by the master, in the name of whoever logs in, by the wheel
 * functions `key.*` (KeyCLI._run_cmd in salt/key.py, 3006.16).
 *
 * Salt compat: Salt accepts and rejects nothing in this way, since it loses the names of the keys. Here they are sent.
 */
import type { CommandOutcome } from '../program/exit-codes.ts';
import type { ClientProgram } from '../program/client-program.ts';
import { systemClock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import { NotAuthorisedError } from '../../runtime/client/errors.ts';
import { JobPublisher } from '../../runtime/client/job-publisher.ts';
import { whileWaiting, type Waits } from '../../runtime/client/waits.ts';
import { loginFields, type Login } from '../../runtime/client/login.ts';
import { BrineError, UsageError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { idsOf } from '../../plugins/key/wheel/chosen-keys.ts';
import { sectionName, type KeyIds, type KeyTexts } from '../../storage/keys/manager.ts';
import { checkLogin, findLogin } from '../program/login.ts';
import type { CommandIo } from '../terminal/io.ts';
import { nothingMatches, unmatched } from './unmatched.ts';
import { type ChangeAction, type KeyAction, type ShowAction } from './action.ts';
import type { KeyDisplay } from './display.ts';
import { confirm, type OnInterrupt } from './prompt.ts';

/** What the command has at hand. */
export interface RemoteKeysDeps extends ClientProgram {
  readonly io: CommandIo;
  readonly display: KeyDisplay;
  readonly onInterrupt: OnInterrupt;
  readonly waits: Waits;
}

/** Calls a wheel function. @returns what it returned */
type Wheel = (fun: string, arg: readonly Value[], kwarg?: Dict) => Promise<Value>;

/**
 * Does what the command line asks for.
 * @returns undefined when there is nothing to log in with, so that the keys are for the user himself
 * @throws NotAuthorisedError, MasterDownError, what the function said
 */
export async function runRemoteKeys(
  action: KeyAction,
  deps: RemoteKeysDeps,
): Promise<CommandOutcome | undefined> {
  if (!('match' in action))
    throw new UsageError(
      'keys are made where they are used: leave --auth out for --gen-keys and --gen-signature',
    );
  const { opts, io } = deps;
  await checkLogin(deps);
  const requests = new JobPublisher({ opts, env: io.env, clock: systemClock, random: systemRandom });
  requests.open();
  try {
    const login = await findLogin(deps, io, (load) => requests.command(load));
    if (login === undefined) return undefined;
    const wheel = wheelOf(requests, login, deps.waits);
    if ('from' in action) return await changeKeys(action, wheel, deps);
    return await showKeys(action, wheel, deps);
  } finally {
    requests.close();
  }
}

function wheelOf(requests: JobPublisher, login: Login, waits: Waits): Wheel {
  return async (fun, arg, kwarg = new Map<Value, Value>()) => {
    const load = new Map<Value, Value>([
      ['cmd', 'wheel'],
      ['fun', fun],
      ['arg', [...arg]],
      ['kwarg', kwarg],
      ...loginFields(login),
    ]);
    const reply = await whileWaiting(waits, `waiting for the master to run ${fun}`, requests.command(load));
    const data = isDict(reply) ? reply.get('data') : undefined;
    if (!isDict(data)) throw refusalIn(reply);
    if (data.get('success') === false) throw new BrineError(pyStr(data.get('return') ?? ''));
    return data.get('return') ?? null;
  };
}

function refusalIn(reply: Value): BrineError {
  const error = isDict(reply) ? reply.get('error') : undefined;
  const message = isDict(error) ? error.get('message') : undefined;
  return new NotAuthorisedError(typeof message === 'string' ? message : 'The master refused the function.');
}

async function showKeys(
  action: ShowAction,
  wheel: Wheel,
  { display }: RemoteKeysDeps,
): Promise<CommandOutcome> {
  const { kind, match, only } = action;
  const found = await wheel(`key.${kind}`, [match]);
  if (kind !== 'list') {
    const texts = textsOf(found);
    if (only !== undefined) for (const section of texts.keys()) if (section !== only) texts.delete(section);
    await display.keys(texts);
    return unmatched(action, texts, display);
  }
  const ids = idsOf(found);
  ids.delete('local');
  await display.keys(ids);
  return 'done';
}

async function changeKeys(
  action: ChangeAction,
  wheel: Wheel,
  { io, display, merged, onInterrupt }: RemoteKeysDeps,
): Promise<CommandOutcome> {
  const { kind, from, match } = action;
  const matching = idsOf(await wheel('key.name_match', [match]));
  const chosen: KeyIds = new Map(
    [...matching].filter(([section]) => section !== 'local' && from.includes(section)),
  );
  if (chosen.size === 0) return nothingMatches(action, display);
  const done = kind === 'delete' ? 'deleted' : `${kind}ed`;
  display.line(`The following keys are going to be ${done}:`);
  await display.keys(chosen);
  if (!truthy(merged.get('yes') ?? null) && !(await confirm(io, kind !== 'delete', onInterrupt)))
    return 'declined';
  const ids = [...chosen.values()].flat();
  const named = [...chosen].map(([section, found]): [Value, Value] => [sectionName(section), found]);
  // of one state alone: an accepted key of the same id is another one
  if (action.isOfOneState) await wheel(`key.${kind}_dict`, [new Map(named)], includes(action));
  else await wheel(`key.${kind}`, [ids], includes(action));
  for (const id of ids) display.line(`Key for minion ${id} ${done}.`);
  return unmatched(action, chosen, display);
}

/** Keys of which states the function is to take besides those that wait. */
function includes({ kind, from }: ChangeAction): Dict {
  const others = { accept: ['rejected', 'denied'], reject: ['accepted', 'denied'], delete: [] } as const;
  return new Map(
    others[kind].filter((state) => from.includes(state)).map((state) => [`include_${state}`, true]),
  );
}

function textsOf(found: Value): KeyTexts {
  const out: KeyTexts = new Map();
  if (!isDict(found)) return out;
  for (const [folder, named] of found) {
    if (!isDict(named)) continue;
    const [section = 'local'] = idsOf(new Map([[folder, []]])).keys();
    out.set(section, new Map([...named].map(([id, text]) => [pyStr(id), pyStr(text)])));
  }
  return out;
}
