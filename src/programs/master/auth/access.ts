/**
 * Requests in the clear: who sends them, and whether he may (salt/auth/__init__.py `check_authentication`, 3006.16).
 * Every command in the clear asks here, twice: {@link Access.identify} finds out who it is, by a user's key, a token,
 * or a log-in; {@link Access.decide} has `runtime/access/decide.ts` say whether he may. Each decision against somebody
 * is written to the log and fired, once.
 */
import type { MasterOptions } from '../../../config/master-options.ts';
import { decide } from '../../../runtime/access/decide.ts';
import type { Decision, Question } from '../../../runtime/access/question.ts';
import { rulesOfToken } from '../../../runtime/access/roles.ts';
import { isApiToken, type ApiTokens } from '../../../storage/tokens/api-tokens.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Dict } from '../../../python/values/value.ts';
import type { Audit } from './audit.ts';
import { ERROR_NAMES, isFailure, type AuthType, type LoginFailure, type Requester } from './requester.ts';
import type { UserAuth } from './user-auth.ts';

/** What a request is for; for the audit. */
export interface Wanted {
  readonly client: Question['client'];
  readonly funs: readonly string[];
  /** The sender's address and port. */
  readonly from: string;
}

/** What is asked for tokens and log-ins. */
export interface Logins {
  /** @param credentials has `token` */
  byToken(credentials: Dict): Promise<Requester | LoginFailure>;
  /** @param credentials has `eauth`, `username`, `password` */
  byEauth(credentials: Dict, from: string): Promise<Requester | LoginFailure>;
}

/** What finding out and deciding needs. */
export interface AccessDeps {
  readonly opts: MasterOptions;
  readonly users: UserAuth;
  /** Undefined where there is no external authentication: every token and every log-in is refused. */
  readonly logins: () => Promise<Logins | undefined>;
  readonly apiTokens: ApiTokens;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** Says who a requester is, and what he may. */
export class Access {
  readonly #deps: AccessDeps;

  constructor(deps: AccessDeps) {
    this.#deps = deps;
  }

  /**
   * Who sends a request. A token is looked at before a log-in, a log-in before a key: whoever sends one is refused when
   * it does not hold, whatever else he sent.
   * @param credentials the mapping in which `token`, `eauth` with `username` and `password`, or `user` and `key` stand:
   *   the `kwargs` of `publish` for the first two, else the load
   */
  async identify(credentials: Dict, wanted: Wanted): Promise<Requester | LoginFailure> {
    const found = await this.#identify(credentials, wanted.from);
    if (isFailure(found)) {
      const eauth = credentials.get('eauth');
      this.#deps.audit.refused({
        ...wanted,
        user: found.user,
        type: found.type,
        reason: found.reason,
        ...(typeof eauth === 'string' ? { eauth } : {}),
      });
    }
    return found;
  }

  /** Whether he may. A refusal is told; what the sender is answered is for the caller. */
  decide(requester: Requester, question: Question, from: string): Decision {
    const decision = decide(requester, question, this.#deps.opts.raw('publisher_acl_blacklist'));
    if (!decision.allowed) this.refused(requester, question, from, decision.reason);
    return decision;
  }

  /** For a refusal that was decided elsewhere, such as a job id that is taken. */
  refused(requester: Requester, question: Question, from: string, reason: string): void {
    const { user, type, identity } = requester;
    this.#deps.audit.refused({
      user,
      type,
      ...(identity === undefined ? {} : { eauth: identity.eauth }),
      client: question.client,
      funs: question.client === 'local' ? question.funs : [question.fun],
      from,
      reason,
    });
  }

  /**
   * For a job that `publisher_acl_blacklist` refuses to everybody, before it is known who asks.
   * @param user the name that he gives
   */
  blacklisted(user: string | undefined, wanted: Wanted): void {
    const reason = 'publisher_acl_blacklist refuses the user or one of the functions to everybody';
    this.#deps.audit.refused({ ...wanted, user: user ?? UNKNOWN, type: 'user', reason });
  }

  async #identify(credentials: Dict, from: string): Promise<Requester | LoginFailure> {
    const token = credentials.get('token');
    if (isApiToken(token)) return this.#byApiToken(token);
    for (const type of ['token', 'eauth'] as const) {
      if (!credentials.has(type)) continue;
      const logins = await this.#deps.logins();
      if (logins === undefined) return loginFailure(type, userIn(credentials, 'username'), NOT_CONFIGURED);
      return type === 'token' ? logins.byToken(credentials) : logins.byEauth(credentials, from);
    }
    return this.#byKey(credentials);
  }

  #byApiToken(text: string): Requester | LoginFailure {
    const { opts, apiTokens, clock } = this.#deps;
    const token = apiTokens.check(text, clock.nowMs() / 1000);
    if (token === undefined)
      return loginFailure('token', UNKNOWN, 'the API token is not known, was revoked, or its time is over');
    return {
      type: 'token',
      user: `token:${token.name}`,
      rights: { kind: 'limited', rules: rulesOfToken(opts.get('roles'), token) },
    };
  }

  #byKey(load: Dict): Requester | LoginFailure {
    const user = userIn(load, 'user');
    const rights = this.#deps.users.check(load);
    return rights === undefined
      ? loginFailure('user', user, 'the key is not that of this user, or publisher_acl does not name him')
      : { type: 'user', user: user === UNKNOWN ? this.#deps.opts.get('user') : user, rights };
  }
}

const NOT_CONFIGURED = 'no external_auth is configured';
/** Salt's name for a user who gives none. */
const UNKNOWN = 'UNKNOWN';

function userIn(credentials: Dict, field: string): string {
  const user = credentials.get(field);
  return typeof user === 'string' && user !== '' ? user : UNKNOWN;
}

/** Salt's words for credentials that do not hold. */
export function loginFailure(type: AuthType, user: string, reason: string): LoginFailure {
  const base = `Authentication failure of type "${type}" occurred`;
  const message = { user: base, token: `${base}.`, eauth: `${base} for user ${user}.` }[type];
  return { error: { name: ERROR_NAMES[type], message }, user, type, reason };
}
