/** Logging in and out, who one is, and what one may. */
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, isDict, toNumber, type Value } from '../../../../python/values/value.ts';
import { beginSession } from '../begin-session.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { ApiFault } from '../fault.ts';
import { isoTime } from '../job-views.ts';
import type { RightsQuestion, UserStanding } from '../rights.ts';
import { openRoute, route, type Route } from '../route.ts';
import type { Need, Operation } from '../need.ts';
import {
  anything,
  component,
  dictionary,
  flag,
  list,
  mapping,
  nullable,
  object,
  oneOf,
  optional,
  text,
  type SchemaType,
} from '../schema.ts';

const QUESTIONS_MAX = 200;

/** Who somebody is. */
const me = component(
  'Me',
  object({
    user: text(),
    groups: list(text()),
    eauth: text({ description: 'the authentication system; `api-token` for API tokens' }),
    kind: oneOf(['session', 'api-token', 'token']),
    expires: nullable(text({ format: 'date-time' })),
    full: flag('may do everything'),
    rules: list(
      object({
        rule: anything('in the forms of external_auth'),
        source: text({ description: 'where it stands' }),
      }),
    ),
    can: mapping(flag(), 'for every operation of this interface, whether it is offered'),
  }),
);
type Me = SchemaType<typeof me>;

const login = component(
  'Login',
  object({
    eauth: text({ minLength: 1, maxLength: 64, description: 'a system of external_auth' }),
    username: text({ minLength: 1, maxLength: 1024 }),
    password: text({ maxLength: 1024 }),
  }),
);

const question = component(
  'Question',
  object({
    client: oneOf(['local', 'runner', 'wheel']),
    fun: text({ minLength: 1, maxLength: 200 }),
    tgt: optional(anything('for local: the target; default *')),
    tgt_type: optional(text({ maxLength: 32 })),
    arg: optional(list(anything())),
    kwarg: optional(dictionary()),
  }),
);

/** The routes. */
export const sessionRoutes: readonly Route[] = [
  openRoute({
    id: 'session.options',
    method: 'GET',
    path: '/session/options',
    summary: 'How one can log in.',
    answer: component(
      'LoginOptions',
      object({
        eauths: list(text(), { description: 'systems of external_auth that take a name and a password' }),
        oidc: nullable(
          object({
            name: text(),
            href: text({ description: 'where a browser goes to log in, below the base of this interface' }),
          }),
        ),
      }),
    ),
    run: ({ deps }) => Promise.resolve(loginOptions(deps)),
  }),
  openRoute({
    id: 'session.login',
    method: 'POST',
    path: '/session',
    summary: 'Begins a session.',
    doc: 'The answer has the token of the session, for `Authorization: Bearer`, and sets the cookie `session_id` for browsers.',
    body: login,
    status: 201,
    answer: object({ token: text(), me }),
    faults: ['login-failed', 'too-many-attempts', 'master-down'],
    run: async ({ deps, exchange, body }) => {
      const { eauth, username, password } = body;
      const id = await beginSession(deps, dict({ eauth, username, password }), exchange.address);
      exchange.cookie = id;
      return { token: id, me: await meOf(deps, sessionCaller(deps, id)) };
    },
  }),
  route({
    id: 'session.me',
    method: 'GET',
    path: '/session',
    summary: 'Who one is, and what one may.',
    answer: me,
    run: ({ deps, caller }) => meOf(deps, caller),
  }),
  route({
    id: 'session.logout',
    method: 'DELETE',
    path: '/session',
    summary: 'Ends the session.',
    doc: 'API tokens are ended with `DELETE /tokens/{name}`.',
    run: ({ deps, exchange, caller }) => {
      if (caller.sessionId === undefined)
        throw new ApiFault('bad-request', 'A token is no session: there is nothing to log out of.');
      deps.sessions.end(caller.sessionId);
      exchange.cookie = 'over';
      return Promise.resolve(undefined);
    },
  }),
  route({
    id: 'session.may',
    method: 'POST',
    path: '/session/may',
    summary: 'Whether one may call functions with these arguments on these targets. Nothing is called.',
    body: object({ questions: list(question, { maxItems: QUESTIONS_MAX }) }),
    answer: object({
      answers: list(object({ allowed: flag(), reason: nullable(text()) }), {
        description: 'in the order of the questions',
      }),
    }),
    run: async ({ deps, caller, body }) => {
      const { decisions } = await deps.rights.ask(caller, body.questions.map(asked));
      return {
        answers: decisions.map(({ allowed, reason, fault }) => ({
          allowed,
          reason: allowed ? null : (reason ?? fault?.message ?? null),
        })),
      };
    },
  }),
];

function loginOptions({ link, oidc }: Deps): {
  eauths: string[];
  oidc: { name: string; href: string } | null;
} {
  const systems = link.opts.raw('external_auth');
  const names = isDict(systems) ? [...systems.keys()].map(pyStr) : [];
  const { name } = oidc;
  return {
    eauths: names.filter((each) => each !== 'oidc').sort(),
    oidc: name === undefined ? null : { name, href: 'session/oidc' },
  };
}

/** Whoever has just begun a session. */
function sessionCaller({ sessions }: Pick<Deps, 'sessions'>, id: string): Caller {
  const session = sessions.find(id);
  if (session === undefined)
    throw new ApiFault('not-logged-in', 'The session has ended just now. Log in again.');
  return { kind: 'session', token: session.token, session, sessionId: id };
}

async function meOf({ rights, operations, link }: Deps, caller: Caller): Promise<Me> {
  const needs = new Map<string, Need>();
  for (const { offered } of operations) if (typeof offered === 'object') needs.set(keyOf(offered), offered);
  const asked = [...needs.values()];
  const standing = await rights.ask(caller, asked);
  const granted = new Set(asked.filter((_, at) => standing.decisions[at]?.allowed === true).map(keyOf));
  const mayRunJobs = standing.isFull || standing.rules.some(({ rule }) => isForJobs(rule));
  const isOffered = ({ offered }: Operation): boolean => {
    if (offered === 'some job') return mayRunJobs;
    return offered === undefined || granted.has(keyOf(offered));
  };
  return {
    user: standing.user,
    groups: standing.groups,
    eauth: caller.kind === 'api-token' ? 'api-token' : standing.eauth,
    kind: caller.kind,
    expires: await expiryOf(caller, link),
    full: standing.isFull,
    rules: standing.rules,
    can: new Map(operations.map((each) => [each.id, isOffered(each)])),
  };
}

async function expiryOf(caller: Caller, link: Deps['link']): Promise<string | null> {
  if (caller.session !== undefined) return isoTime(caller.session.expire * 1000);
  if (caller.kind === 'api-token') return null;
  const data = await link.tokenData(caller.token.reveal(), 0);
  const expire = toNumber(data?.get('expire'));
  return expire === undefined ? null : isoTime(expire * 1000);
}

function keyOf({ client, fun }: Need): string {
  return `${client} ${fun}`;
}

/** A rule for functions of minions. */
function isForJobs(rule: UserStanding['rules'][number]['rule']): boolean {
  const first: Value | undefined = isDict(rule) ? [...rule.keys()][0] : rule;
  return typeof first === 'string' && !first.startsWith('@');
}

function asked({ client, fun, tgt, tgt_type, arg = [], kwarg }: SchemaType<typeof question>): RightsQuestion {
  const last: Value[] =
    kwarg === undefined || kwarg.size === 0 ? [] : [new Map<Value, Value>([...kwarg, ['__kwarg__', true]])];
  return {
    client,
    fun,
    args: [...arg, ...last],
    ...(tgt === undefined ? {} : { tgt }),
    ...(tgt_type === undefined ? {} : { tgtType: tgt_type }),
  };
}
