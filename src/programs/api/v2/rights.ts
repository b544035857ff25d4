/**
 * Asking the master who somebody is and what he may (`brine_rights` and `brine_minions`,
 * src/programs/master/commands/rights.ts).
 */
import { isDict, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { MasterLink } from '../master-link.ts';
import type { Caller } from './caller.ts';
import { ApiFault } from './fault.ts';
import { ownerOf } from './owner.ts';
import type { Need } from './need.ts';

/** Something that somebody may or may not do. */
export interface RightsQuestion {
  readonly client: 'local' | 'runner' | 'wheel';
  readonly fun: string | readonly string[];
  /** With keywords in a mapping with `__kwarg__` at the end; for several functions a list for each. */
  readonly args?: readonly Value[];
  readonly tgt?: Value;
  readonly tgtType?: string;
}

/** What the master says to a question. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string | null;
  /** Whom the target reaches, and names in it that have no accepted key, where he may know. */
  readonly minions: readonly string[] | undefined;
  readonly missing: readonly string[];
  /** Why the question could not be asked: a target that is none. */
  readonly fault: { readonly message: string; readonly position: number | undefined } | undefined;
}

/** Who somebody is. */
export interface UserStanding {
  readonly user: string;
  readonly eauth: string;
  readonly groups: readonly string[];
  /** He may do everything. */
  readonly isFull: boolean;
  readonly rules: readonly { readonly rule: Value; readonly source: string }[];
  readonly decisions: readonly Decision[];
  /** Of the functions that were asked about, whether he may run them on some target. */
  readonly functions: readonly boolean[];
}

/** A minion with some of its grains. */
export type MinionGrains = ReadonlyMap<string, Dict>;

/** Asks the master. */
export class Rights {
  readonly #link: MasterLink;

  constructor(link: MasterLink) {
    this.#link = link;
  }

  /**
   * Who somebody is, and what he may.
   * @param isAttempt whether he is about to do it, so that a refusal is written to the master's log
   * @throws ApiFault `not-logged-in`, `not-served`; MasterDownError
   */
  async ask(
    caller: Caller,
    questions: readonly RightsQuestion[] = [],
    { isAttempt = false, functions = [] }: { isAttempt?: boolean; functions?: readonly string[] } = {},
  ): Promise<UserStanding> {
    const reply = await this.#command('brine_rights', caller, [
      ['questions', questions.map(written)],
      ['is_attempt', isAttempt],
      ['functions', [...functions]],
    ]);
    return readStanding(reply);
  }

  /** @throws ApiFault `not-allowed` unless he may call a function of the master */
  async require(caller: Caller, need: Need, args: readonly Value[] = []): Promise<UserStanding> {
    const standing = await this.ask(caller, [{ ...need, args }], { isAttempt: true });
    requireAllowed(standing.decisions[0], need);
    return standing;
  }

  /** Whether he may call a function of the master, and which jobs are his; nothing is written down when not. */
  async may(caller: Caller, need: Need): Promise<{ readonly owner: string; readonly allowed: boolean }> {
    const standing = await this.ask(caller, [need]);
    return { owner: ownerOf(standing), allowed: standing.decisions[0]?.allowed === true };
  }

  /**
   * The minions that a target reaches, with some of their grains.
   * @throws ApiFault `bad-target`, `not-allowed`
   */
  async minions(
    caller: Caller,
    { tgt, tgtType }: { readonly tgt: Value; readonly tgtType: string },
    grains: readonly string[],
  ): Promise<MinionGrains> {
    const reply = await this.#command('brine_minions', caller, [
      ['tgt', tgt],
      ['tgt_type', tgtType],
      ['grains', [...grains]],
    ]);
    refuseFault(faultIn(reply));
    const minions = reply.get('minions');
    if (!isDict(minions)) throw notServed();
    return new Map([...minions].map(([id, row]) => [pyStr(id), isDict(row) ? row : new Map()]));
  }

  async #command(cmd: string, caller: Caller, fields: readonly (readonly [string, Value])[]): Promise<Dict> {
    const load: Dict = new Map<Value, Value>([['cmd', cmd], ['token', caller.token.reveal()], ...fields]);
    const reply = await this.#link.command(load);
    if (!isDict(reply) || reply.size === 0) throw notServed();
    const error = reply.get('error');
    if (!isDict(error)) return reply;
    const [name, message] = [pyStr(error.get('name') ?? ''), pyStr(error.get('message') ?? '')];
    if (name === 'SaltInvocationError') throw new ApiFault('bad-request', message);
    if (cmd === 'brine_minions' && / for user /.test(message))
      throw new ApiFault(
        'not-allowed',
        'The master does not let you see minions: that takes the right to the runner cache.grains.',
        {
          details: { client: 'runner', fun: 'cache.grains' },
        },
      );
    throw new ApiFault('not-logged-in', 'The token is not known, or its time is over. Log in again.');
  }
}

/** @throws ApiFault `not-allowed` */
export function requireAllowed(
  decision: Decision | undefined,
  { client, fun }: Pick<RightsQuestion, 'client' | 'fun'>,
): void {
  if (decision?.allowed === true) return;
  refuseFault(decision?.fault);
  const what = client === 'local' ? 'the function' : `the ${client} function`;
  const names = typeof fun === 'string' ? fun : fun.join(', ');
  throw new ApiFault(
    'not-allowed',
    `The master does not let you call ${what} ${names}: ${decision?.reason ?? 'it gives no reason'}.`,
    { details: { client, fun } },
  );
}

/** @throws ApiFault `bad-target` */
export function refuseFault(fault: Decision['fault']): void {
  if (fault === undefined) return;
  const { message, position } = fault;
  throw new ApiFault('bad-target', message, position === undefined ? {} : { position });
}

function notServed(): ApiFault {
  return new ApiFault(
    'not-served',
    'The master beside this API does not know what the second version of the API asks it: it is no master of Brine, or an older one. Use the first version.',
  );
}

function written({ client, fun, args = [], tgt = '*', tgtType = 'glob' }: RightsQuestion): Dict {
  return new Map<Value, Value>([
    ['client', client],
    ['fun', typeof fun === 'string' ? fun : [...fun]],
    ['args', [...args]],
    ...(client === 'local'
      ? ([
          ['tgt', tgt],
          ['tgt_type', tgtType],
        ] as [Value, Value][])
      : []),
  ]);
}

function readStanding(reply: Dict): UserStanding {
  const texts = (value: Value | undefined): string[] => (Array.isArray(value) ? value.map(pyStr) : []);
  const listed = (name: string): Value[] => {
    const value = reply.get(name);
    return Array.isArray(value) ? value : [];
  };
  return {
    user: pyStr(reply.get('user') ?? ''),
    eauth: pyStr(reply.get('eauth') ?? ''),
    groups: texts(reply.get('groups')),
    isFull: reply.get('is_full') === true,
    rules: listed('rules').flatMap((each) =>
      isDict(each) ? [{ rule: each.get('rule') ?? null, source: pyStr(each.get('source') ?? '') }] : [],
    ),
    decisions: listed('answers').map((each) => readDecision(isDict(each) ? each : new Map())),
    functions: listed('functions').map((each) => each === true),
  };
}

function readDecision(answer: Dict): Decision {
  const [minions, missing, reason] = [answer.get('minions'), answer.get('missing'), answer.get('reason')];
  return {
    allowed: answer.get('allowed') === true,
    reason: typeof reason === 'string' ? reason : null,
    minions: Array.isArray(minions) ? minions.map(pyStr) : undefined,
    missing: Array.isArray(missing) ? missing.map(pyStr) : [],
    fault: faultIn(answer),
  };
}

function faultIn(answer: Dict): Decision['fault'] {
  const fault = answer.get('fault');
  return typeof fault === 'string'
    ? { message: fault, position: toNumber(answer.get('position')) }
    : undefined;
}
