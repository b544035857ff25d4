/**
 * `brine_rights` and `brine_minions`: what a local program that acts for others, such as the API, asks before it shows
 * what it has read itself beside the master: who somebody is, what he may do, whom a target reaches, and a few grains
 * of those minions. Not Salt's, but ours; to the questions the same answers are given as to the calls themselves.
 */
import type { ClearHandler } from '../../../network/channel/door.ts';
import type { Encodable } from '../../../formats/wire/msgpack.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { decide } from '../../../runtime/access/decide.ts';
import { isAllowedSomewhere } from '../../../runtime/access/somewhere.ts';
import type { Question } from '../../../runtime/access/question.ts';
import { forecast } from '../../../runtime/targeting/forecast.ts';
import { parseTarget } from '../../../runtime/targeting/parse-target.ts';
import { TargetError } from '../../../runtime/targeting/target.ts';
import { isFailure, refusalOf, voucherOf, type Requester } from '../auth/requester.ts';
import type { PublishDeps } from './publish-deps.ts';
import { questionOf } from './publish-decision.ts';
import { readRequest } from './publish-request.ts';

/** Questions of one request, names of functions, and grains of one. */
const QUESTIONS_MAX = 500;
const NAMES_MAX = 10_000;
const GRAINS_MAX = 50;
/** Whoever may call this may see any minion's grains. */
const SEES_GRAINS = 'cache.grains';

/** What answering needs. */
export type RightsDeps = Pick<PublishDeps, 'access' | 'opts' | 'fleet'>;

/** A question that was read, and what its target reaches. */
interface Asked {
  readonly question: Question;
  readonly reach?: { readonly minions: readonly string[]; readonly missing: readonly string[] };
}

/** The two commands. */
export function rightsHandlers(deps: RightsDeps): [string, ClearHandler][] {
  return [
    ['brine_rights', (load, from) => rights(deps, load, from)],
    ['brine_minions', (load, from) => minions(deps, load, from)],
  ];
}

/**
 * @param load credentials; `questions`: mappings of `client`, `fun`, `args`, for jobs `tgt` and `tgt_type`;
 *   `is_attempt`: a refusal is one of somebody who tries, and written down; `functions`: names, which of those he may
 *   run on some target
 */
async function rights(deps: RightsDeps, load: Dict, from: string): Promise<Encodable> {
  const { access, opts } = deps;
  const given = load.get('questions') ?? [];
  const names = load.get('functions') ?? [];
  if (!Array.isArray(given) || !Array.isArray(names)) return BAD_SYNTAX;
  if (given.length > QUESTIONS_MAX || names.length > NAMES_MAX) return BAD_SYNTAX;
  const asker = await identify(deps, load, from);
  if ('error' in asker) return asker;
  const isAttempt = load.get('is_attempt') === true;
  const blacklist = opts.raw('publisher_acl_blacklist');
  const maySeeAll = decide(asker, { client: 'runner', fun: SEES_GRAINS, args: [] }, blacklist).allowed;
  const answers = given.map((each): Encodable => {
    const asked = isDict(each) ? readQuestion(deps, each) : FAULT;
    if ('fault' in asked) return asked;
    const { question, reach } = asked;
    const decision = isAttempt ? access.decide(asker, question, from) : decide(asker, question, blacklist);
    const shown = reach !== undefined && (decision.allowed || maySeeAll) ? { ...reach } : {};
    return decision.allowed
      ? { allowed: true, ...shown }
      : { allowed: false, reason: decision.reason, ...shown };
  });
  return {
    ...identityOf(asker),
    answers,
    functions: names.map((name) => typeof name === 'string' && isAllowedSomewhere(asker.rights, name)),
  };
}

/** @param load credentials; `tgt`, `tgt_type`; `grains`: names of the grains that are wanted */
async function minions(deps: RightsDeps, load: Dict, from: string): Promise<Encodable> {
  const grains = load.get('grains') ?? [];
  if (!Array.isArray(grains) || grains.length > GRAINS_MAX) return BAD_SYNTAX;
  const asker = await identify(deps, load, from);
  if ('error' in asker) return asker;
  const question: Question = { client: 'runner', fun: SEES_GRAINS, args: [] };
  if (!deps.access.decide(asker, question, from).allowed) return { error: refusalOf(asker) };
  const asked = readQuestion(
    deps,
    new Map<Value, Value>([...load, ['client', 'local'], ['fun', 'test.ping']]),
  );
  if ('fault' in asked) return asked;
  const wanted = new Set(grains.filter((name) => typeof name === 'string'));
  const dataOf = deps.fleet.select?.({ grains: wanted, pillar: new Set() }) ?? ((id) => deps.fleet.data(id));
  const found = new Map<Value, Value>();
  for (const id of asked.reach?.minions ?? []) {
    const all = dataOf(id)?.grains;
    const row: Dict = new Map();
    for (const name of wanted) if (all?.has(name) === true) row.set(name, all.get(name) ?? null);
    found.set(id, row);
  }
  return { minions: found, missing: [...(asked.reach?.missing ?? [])] };
}

const BAD_SYNTAX: Encodable = {
  error: { name: 'SaltInvocationError', message: 'The request is not of the form that this command takes.' },
};
const FAULT = { fault: 'The question is not of the form that this command takes.' };

async function identify(
  { access }: RightsDeps,
  load: Dict,
  from: string,
): Promise<Requester | { readonly error: { readonly name: string; readonly message: string } }> {
  const found = await access.identify(load, { client: 'runner', funs: [], from });
  return isFailure(found) ? { error: found.error } : found;
}

function identityOf(asker: Requester): Record<string, unknown> {
  const { type, user, rights: his, identity } = asker;
  return {
    type,
    user,
    eauth: voucherOf(asker) ?? '',
    groups: [...(identity?.groups ?? [])],
    is_full: his.kind === 'full',
    rules: his.kind === 'full' ? [] : his.rules.map(({ rule, source }) => ({ rule, source })),
  };
}

/** @returns a `fault`, with its `position` in the target where it is known, for a question that cannot be asked */
function readQuestion(
  { opts, fleet }: RightsDeps,
  asked: Dict,
): Asked | { readonly fault: string; readonly position?: number } {
  const [client, fun, args] = [asked.get('client'), asked.get('fun'), asked.get('args') ?? []];
  if (!Array.isArray(args)) return FAULT;
  if (client === 'runner' || client === 'wheel')
    return typeof fun === 'string' ? { question: { client, fun, args } } : FAULT;
  if (client !== 'local') return FAULT;
  const request = readRequest(
    new Map<Value, Value>([
      ['fun', fun ?? null],
      ['arg', args],
      ['tgt', asked.get('tgt') ?? '*'],
      ['tgt_type', asked.get('tgt_type') ?? 'glob'],
      ['kwargs', asked.get('kwargs') ?? new Map()],
      ['ret', ''],
      ['jid', ''],
    ]),
  );
  if (request === undefined) return FAULT;
  try {
    const target = parseTarget(request.tgt, request.tgtType, undefined, opts.get('nodegroups'));
    const predicted = forecast(target, fleet, { greedy: true });
    if (predicted.fault !== undefined) return faultOf(predicted.fault);
    const { minions: reached, missing } = predicted;
    return {
      question: questionOf({ opts, fleet }, request, predicted),
      reach: { minions: [...reached], missing: [...missing] },
    };
  } catch (error) {
    if (error instanceof TargetError) return faultOf(error);
    throw error;
  }
}

function faultOf(error: Error): { readonly fault: string; readonly position?: number } {
  const position = error instanceof TargetError ? error.position : undefined;
  return { fault: error.message, ...(position === undefined ? {} : { position }) };
}
