/** API tokens: credentials of programs, with roles or rules of their own. */
import { faultOfRules } from '../../../../runtime/access/rule-forms.ts';
import { ApiTokens, isApiTokenName, type ApiToken } from '../../../../storage/tokens/api-tokens.ts';
import type { Deps } from '../deps.ts';
import { ApiFault } from '../fault.ts';
import { isoTime } from '../job-views.ts';
import { page, pageOf, pageQuery } from '../pages.ts';
import { route, type Route } from '../route.ts';
import {
  anything,
  component,
  flag,
  list,
  nullable,
  object,
  optional,
  text,
  type SchemaType,
} from '../schema.ts';

const tokenShape = {
  name: text(),
  created: nullable(text({ format: 'date-time' })),
  expires: nullable(text({ format: 'date-time' })),
  created_by: text(),
  roles: list(text()),
  rules: list(anything('in the forms of external_auth')),
  is_over: flag(),
} as const;
const token = component('Token', object(tokenShape));
const newToken = component(
  'NewToken',
  object({
    name: text({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' }),
    roles: optional(list(text({ maxLength: 200 }), { maxItems: 100 })),
    rules: optional(list(anything(), { maxItems: 1000 })),
    expire: optional(text({ pattern: '^[0-9]{1,10}[smhdw]?$', description: '90d, 12h, or seconds' })),
  }),
);
const NAME = { name: text({ minLength: 1, maxLength: 64 }) } as const;
const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
  ['w', 604_800],
]);

/** The routes. */
export const tokenRoutes: readonly Route[] = [
  route({
    id: 'tokens.list',
    method: 'GET',
    path: '/tokens',
    summary: 'The API tokens, without their secrets.',
    needs: { client: 'runner', fun: 'auth.token_list' },
    query: pageQuery,
    answer: page(token),
    faults: ['bad-cursor'],
    run: ({ deps, query }) => {
      const found = pageOf('tokens', tokensOf(deps).list(), query);
      const nowMs = deps.clock.nowMs();
      return Promise.resolve({ ...found, items: found.items.map((each) => viewOf(each, nowMs)) });
    },
  }),
  route({
    id: 'tokens.create',
    method: 'POST',
    path: '/tokens',
    summary: 'Makes an API token; its secret is shown this once.',
    doc: 'Whoever may call the runner auth.token_create may give a token any rules.',
    needs: { client: 'runner', fun: 'auth.token_create' },
    body: newToken,
    status: 201,
    answer: object({ token: text(), ...tokenShape }),
    faults: ['conflict', 'bad-call'],
    run: async ({ deps, caller, body }) => {
      const { user } = await deps.rights.ask(caller);
      const made = tokenOf(deps, body, user);
      const secret = tokensOf(deps).create(made, deps.random);
      if (secret === undefined)
        throw new ApiFault(
          'conflict',
          `There is an API token ${made.name} already: revoke it first, or take another name.`,
          {
            field: 'name',
          },
        );
      deps.log.info(`${user} has made the API token ${made.name}`);
      return { token: secret, ...viewOf(made, deps.clock.nowMs()) };
    },
  }),
  route({
    id: 'tokens.revoke',
    method: 'DELETE',
    path: '/tokens/{name}',
    summary: 'Ends an API token, at once.',
    needs: { client: 'runner', fun: 'auth.token_revoke' },
    params: NAME,
    faults: ['not-found'],
    run: ({ deps, params: { name } }) => {
      if (!isApiTokenName(name) || !tokensOf(deps).revoke(name))
        throw new ApiFault('not-found', `There is no API token ${name}.`);
      return Promise.resolve(undefined);
    },
  }),
];

function tokensOf({ files }: Pick<Deps, 'files'>): ApiTokens {
  return new ApiTokens(files.opts.get('pki_dir'));
}

/** @throws ApiFault `bad-call` for roles that there are not, and rules that cannot be understood */
function tokenOf(
  { files, clock }: Deps,
  { name, roles = [], rules = [], expire }: SchemaType<typeof newToken>,
  user: string,
): ApiToken {
  const there = files.opts.get('roles');
  const unknown = roles.find((role) => !there.has(role));
  if (unknown !== undefined)
    throw new ApiFault('bad-call', `There is no role ${unknown} in the option roles.`, { field: 'roles' });
  const fault = faultOfRules(rules);
  if (fault !== undefined)
    throw new ApiFault('bad-call', `The API token cannot be made: ${fault}.`, { field: 'rules' });
  if (roles.length === 0 && rules.length === 0)
    throw new ApiFault(
      'bad-call',
      'An API token without roles and rules could do nothing: give it roles or rules.',
    );
  const created = Math.floor(clock.nowMs() / 1000);
  const [, digits = '', unit = ''] = /^(\d+)([smhdw]?)$/.exec(expire ?? '') ?? [];
  const seconds = Number(digits) * (UNITS.get(unit) ?? 1);
  if (expire !== undefined && seconds <= 0)
    throw new ApiFault('bad-request', 'expire is no time: write 90d, 12h, or seconds.', { field: 'expire' });
  return {
    name,
    created,
    expires: expire === undefined ? undefined : created + seconds,
    createdBy: user,
    roles: [...roles],
    rules: [...rules],
  };
}

function viewOf(
  { name, created, expires, createdBy, roles, rules }: ApiToken,
  nowMs: number,
): SchemaType<typeof token> {
  return {
    name,
    created: isoTime(created * 1000),
    expires: expires === undefined ? null : isoTime(expires * 1000),
    created_by: createdBy,
    roles,
    rules,
    is_over: expires !== undefined && expires * 1000 <= nowMs,
  };
}
