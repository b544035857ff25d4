/** `/login`, `/logout` and `/token` (salt/netapi/rest_cherrypy/app.py, 3006.16). */
import { Secret } from '../../../host/secret.ts';
import type { Logger } from '../../../host/log.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { NotAuthorisedError } from '../../../runtime/client/errors.ts';
import { CLIENT_FIELD } from '../../../runtime/client/login.ts';
import { tokenFailure } from '../../../runtime/client/token-failure.ts';
import { mayLogIn } from '../api-acl.ts';
import { isLoginFailure, loginKeyOf, type Clients } from '../clients.ts';
import { HttpFault } from '../http-fault.ts';
import type { LoginLimits } from '../login-limits.ts';
import { BadCallError } from '../low.ts';
import type { MasterLink } from '../master-link.ts';
import { permissionsOf } from '../permissions.ts';
import type { Call, ActionAnswer, Resource } from '../resource.ts';
import type { Sessions } from '../sessions.ts';
import { WELCOME } from './low-data.ts';

/** What logging in needs. */
export interface LoginDeps {
  readonly link: MasterLink;
  readonly sessions: Sessions;
  readonly limits: LoginLimits;
  readonly clients: Clients;
  /** `api_acl` */
  readonly acl: Value;
  readonly log: Logger;
}

const WRONG = 'Could not authenticate using provided credentials';
const SHARED = { sessions: true, auth: false, readsBody: true, checksAddress: true } as const;

/** `/login`. */
export function loginResource(deps: LoginDeps): Resource {
  return {
    ...SHARED,
    get: {
      run: ({ exchange }) => {
        exchange.set('WWW-Authenticate', 'Session');
        return Promise.resolve({ value: dict({ status: null, return: 'Please log in' }) });
      },
    },
    post: { takesAny: 'query', run: (call) => logIn(deps, call) },
  };
}

async function logIn(deps: LoginDeps, call: Call): Promise<ActionAnswer> {
  const { link, sessions, acl, log } = deps;
  link.requireMaster();
  const given = Array.isArray(call.lowstate) ? call.lowstate[0] : call.lowstate;
  if (!isDict(given)) throw new BadCallError('Credentials are a mapping with username, password and eauth.');
  const { address } = call.exchange;
  if (!mayLogIn(acl, given.get('username') ?? null, address, log)) throw new HttpFault(401);
  call.requireAcceptable();
  const made = await makeToken(deps, given, address);
  const [start, expire] = [made.get('start') ?? null, made.get('expire') ?? null];
  const user = pyStr(made.get('name') ?? '');
  const eauth = made.get('eauth') ?? null;
  const id = sessions.begin({
    token: new Secret(pyStr(made.get('token') ?? '')),
    user,
    expire: toNumber(expire) ?? 0,
  });
  call.exchange.cookie = id;
  call.exchange.set('X-Auth-Token', id);
  const rules = link.opts.raw('external_auth');
  const perms = made.get('auth_list') ?? permissionsOf(isDict(rules) ? rules.get(eauth) : undefined, made);
  return { value: dict({ return: [dict({ token: id, expire, start, user, eauth, perms })] }) };
}

/**
 * Has the master make a token for credentials.
 * @throws NotAuthorisedError for credentials that do not hold, HttpFault 500 when none can be kept
 */
export async function makeToken(
  { link, limits }: Pick<LoginDeps, 'link' | 'limits'>,
  given: Dict,
  address: string,
  wrong = WRONG,
): Promise<Dict> {
  // nobody is asked who names no system: Salt's own client knows that this fails
  if (!given.has('eauth')) throw new NotAuthorisedError(wrong);
  const load: Dict = new Map(given);
  for (const name of ['token', 'client', 'fun']) load.delete(name);
  load.set('cmd', 'mk_token').set(CLIENT_FIELD, address);
  const ask = async (): Promise<Dict> => {
    const reply = await link.command(load);
    const failure = tokenFailure(reply);
    if (failure !== undefined) throw new HttpFault(500, failure);
    if (!isDict(reply) || typeof reply.get('token') !== 'string') throw new NotAuthorisedError(wrong);
    return reply;
  };
  const key = loginKeyOf(given);
  limits.requireFewTokens(key);
  const made = await limits.attempt(address, key, ask, isLoginFailure);
  limits.madeToken(key);
  return made;
}

/** `/logout`. */
export function logoutResource({ sessions }: Pick<LoginDeps, 'sessions'>): Resource {
  return {
    ...SHARED,
    auth: true,
    get: WELCOME,
    post: {
      run: ({ exchange, sessionId }) => {
        sessions.end(sessionId);
        exchange.cookie = 'over';
        return Promise.resolve({ value: dict({ return: 'Your token has been cleared' }) });
      },
    },
  };
}

/**
 * `/token`: tokens of external authentication, for `/run`. Salt compat: Salt has the runner `auth.mk_token` make them,
 * whose return everybody on the event bus can read. Here the master is asked as `salt -T` asks it; the client `runner`
 * must be enabled all the same.
 */
export function tokenResource(deps: LoginDeps): Resource {
  return {
    ...SHARED,
    get: WELCOME,
    post: {
      sessions: false,
      takesAny: 'query',
      run: async (call) => {
        const { lowstate } = call;
        if (isDict(lowstate) || lowstate === '') throw new HttpFault(400, 'Lowstates must be a list');
        if (!Array.isArray(lowstate))
          throw new BadCallError(
            'Credentials are a list of mappings, each with username, password and eauth.',
          );
        const all = lowstate.map(completeCredentials);
        deps.link.requireMaster();
        deps.clients.requireClient('runner');
        call.requireAcceptable();
        const out: Value[] = [];
        for (const each of all) {
          if (!mayLogIn(deps.acl, each.get('username') ?? null, call.exchange.address, deps.log))
            throw new HttpFault(401);
          out.push(await makeToken(deps, each, call.exchange.address, failureOf(each)));
        }
        return { value: out };
      },
    },
  };
}

function failureOf(given: Dict): string {
  return `Authentication failure of type "eauth" occurred for user ${pyStr(given.get('username') ?? null)}.`;
}

function completeCredentials(given: Value): Dict {
  if (!isDict(given)) throw new BadCallError('Credentials are a mapping with username, password and eauth.');
  const isComplete = ['username', 'password', 'eauth'].every((name) => given.has(name));
  if (!isComplete) throw new HttpFault(400, 'Require "username", "password", and "eauth" params');
  return given;
}
