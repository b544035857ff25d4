/**
 * Log-ins and tokens of external authentication (salt/auth/__init__.py `LoadAuth`, 3006.16): whether they hold, which
 * rules come of them, and new tokens.
 */
import type { MasterOptions } from '../../../config/master-options.ts';
import { messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import { LaneFullError } from '../../../host/lanes.ts';
import type { Logger } from '../../../host/log.ts';
import { rareLog } from '../../../host/rare-lines.ts';
import type { Random } from '../../../host/random.ts';
import { Secret } from '../../../host/secret.ts';
import type { AuthBackend, Credentials } from '../../../plugins/shared/auth/backend.ts';
import type { ConfiguredAuth } from '../../../plugins/registry/auth/configured.ts';
import { CLIENT_FIELD } from '../../../runtime/client/login.ts';
import { loginKey } from '../../../runtime/access/login-key.ts';
import { isDict, float, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import { given, rulesOf, type Identity } from '../../../runtime/access/auth-list.ts';
import { rulesOfRoles } from '../../../runtime/access/roles.ts';
import type { GivenRule } from '../../../runtime/access/question.ts';
import { isToken, newToken, type TokenStore } from '../../../storage/tokens/token-store.ts';
import { countedLines } from '../counted-log.ts';
import { loginFailure, type Logins } from './access.ts';
import type { LoginFailure, Requester } from './requester.ts';
import type { Throttle } from './throttle.ts';

/** Longer names and passwords are none. */
const TEXT_MAX = 1024;

/** What log-ins need. */
export interface ExternalLoginsDeps {
  readonly opts: MasterOptions;
  readonly auth: ConfiguredAuth;
  readonly tokens: TokenStore;
  readonly throttle: Throttle;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Somebody whose password was right. */
interface LoggedIn {
  readonly eauth: string;
  readonly backend: AuthBackend;
  readonly credentials: Credentials;
  readonly identity: Identity;
}

/** Serves log-ins and tokens. */
export class ExternalLogins implements Logins {
  readonly #deps: ExternalLoginsDeps;
  /** What a flood of log-ins brings about is not written each time. */
  readonly #tell: (name: string, text: string) => void;

  constructor(deps: ExternalLoginsDeps) {
    this.#deps = { ...deps, log: rareLog(deps.log, deps.clock) };
    this.#tell = countedLines(deps.log, 'error');
  }

  async byEauth(credentials: Dict, from: string): Promise<Requester | LoginFailure> {
    const found = await this.#logIn(credentials, from);
    if ('error' in found) return found;
    const { eauth, identity } = found;
    const rules = await this.#rulesOf(found);
    return {
      type: 'eauth',
      user: identity.name,
      identity: { ...identity, eauth },
      rights: { kind: 'limited', rules },
    };
  }

  async byToken(credentials: Dict): Promise<Requester | LoginFailure> {
    const { opts, auth } = this.#deps;
    const data = await this.tokenData(credentials.get('token'));
    if (data === undefined || auth.entries(textOf(data.get('eauth'))) === undefined)
      return loginFailure('token', UNKNOWN, 'the token is not known, or no longer');
    const identity = { name: textOf(data.get('name')), groups: textsOf(data.get('groups')) };
    const eauth = textOf(data.get('eauth'));
    const kept = data.get('auth_list');
    const rules =
      opts.get('keep_acl_in_token') && Array.isArray(kept)
        ? given(kept, 'the token')
        : await this.#expandedRules(eauth, identity);
    return {
      type: 'token',
      user: identity.name,
      identity: { ...identity, eauth },
      rights: { kind: 'limited', rules },
    };
  }

  /**
   * What a token stands for; undefined for none, and for one that is over, which is removed. Nobody guesses 256 random
   * bits: what is no token is answered at once.
   */
  async tokenData(token: Value | undefined): Promise<Dict | undefined> {
    const { tokens, clock } = this.#deps;
    if (!isToken(token)) return undefined;
    const data = await tokens.read(token);
    if (data === undefined) return undefined;
    if ((toNumber(data.get('expire') ?? null) ?? 0) >= clock.nowMs() / 1000) return data;
    await tokens.remove(token);
    return undefined;
  }

  /**
   * Makes a token for whoever logs in.
   * @returns what it stands for, the token among it; a failure when the log-in does not hold
   */
  async makeToken(load: Dict, from: string): Promise<Dict | LoginFailure> {
    const found = await this.#logIn(load, from);
    if ('error' in found) return found;
    const { opts, tokens, clock, random } = this.#deps;
    const { eauth, backend, credentials, identity } = found;
    const now = clock.nowMs() / 1000;
    const data: Dict = new Map<Value, Value>([
      ['start', float(now)],
      ['expire', float(now + this.#lifetime(load, found))],
      ['name', identity.name],
      ['eauth', eauth],
    ]);
    if (opts.get('keep_acl_in_token'))
      data.set('auth_list', (await this.#ownAcl(backend, credentials)) ?? null);
    if (identity.groups.length > 0) data.set('groups', [...identity.groups]);
    const token = newToken(opts.get('hash_type'), random);
    data.set('token', token);
    await tokens.write(token, data);
    return data;
  }

  /** `token_expire`, or what was asked for where `token_expire_user_override` lets him ask. */
  #lifetime(load: Dict, { eauth, identity }: LoggedIn): number {
    const { opts } = this.#deps;
    const standard = opts.get('token_expire');
    const override = opts.get('token_expire_user_override');
    const names = isDict(override) ? override.get(eauth) : undefined;
    const isAllowed = override === true || (Array.isArray(names) && names.includes(identity.name));
    const wanted = toNumber(load.get('token_expire') ?? null);
    return isAllowed && wanted !== undefined && Number.isFinite(wanted) ? wanted : standard;
  }

  async #logIn(load: Dict, from: string): Promise<LoggedIn | LoginFailure> {
    const { auth, throttle } = this.#deps;
    const [eauth, username, password] = ['eauth', 'username', 'password'].map((name) => load.get(name));
    const name = typeof username === 'string' ? username : UNKNOWN;
    const backend = typeof eauth === 'string' ? auth.backend(eauth) : undefined;
    const credentials = readCredentials(username, password, backend?.passwordMax ?? TEXT_MAX);
    try {
      const asker = { from, client: textOf(load.get(CLIENT_FIELD)) };
      const found = await throttle.attempt(loginKey(textOf(eauth), name), asker, async () => {
        if (backend === undefined || credentials === undefined) return undefined;
        return (await this.#isRight(backend, credentials, textOf(eauth))) ? credentials : undefined;
      });
      if (found === undefined || backend === undefined)
        return loginFailure(
          'eauth',
          name,
          backend === undefined ? `external_auth names no such system` : WRONG,
        );
      const groups = (await this.#groups(backend, found)) ?? [];
      return { eauth: textOf(eauth), backend, credentials: found, identity: { name, groups } };
    } catch (error) {
      if (error instanceof LaneFullError)
        return loginFailure('eauth', name, 'too many log-ins of this name are waiting');
      throw error;
    }
  }

  async #isRight(backend: AuthBackend, credentials: Credentials, eauth: string): Promise<boolean> {
    try {
      return await backend.authenticate(credentials);
    } catch (error) {
      this.#tell(eauth, `The authentication system ${eauth} could not be asked: ${messageOf(error)}`);
      return false;
    }
  }

  async #groups(backend: AuthBackend, credentials: Credentials): Promise<readonly string[] | undefined> {
    try {
      return await backend.groups?.(credentials);
    } catch (error) {
      this.#deps.log.error(`The groups of ${credentials.username} could not be found: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** The rules that the system itself keeps, or `eauth_acl_module`. */
  async #ownAcl(backend: AuthBackend, credentials: Credentials): Promise<Value | undefined> {
    const { auth, log, opts } = this.#deps;
    const asked = opts.get('eauth_acl_module') === '' ? backend : auth.aclModule();
    try {
      return (await asked?.acl?.(credentials)) ?? undefined;
    } catch (error) {
      log.error(`The rules of ${credentials.username} could not be found: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #rulesOf({ eauth, backend, credentials, identity }: LoggedIn): Promise<GivenRule[]> {
    const own = await this.#ownAcl(backend, credentials);
    if (own !== undefined) {
      const roles = rulesOfRoles(this.#deps.opts.get('roles'), identity);
      return [
        ...given(own, `the rules that ${this.#deps.opts.get('eauth_acl_module') || eauth} keeps`),
        ...roles,
      ];
    }
    return this.#expandedRules(eauth, identity);
  }

  /**
   * The rules of the configuration, with those that only the system understands put into words that the others do.
   *
   * Salt compat: Salt leaves them as they are for tokens.
   */
  async #expandedRules(eauth: string, identity: Identity): Promise<GivenRule[]> {
    const { auth, log } = this.#deps;
    const rules = this.#configuredRules(eauth, identity);
    const backend = auth.backend(eauth);
    if (backend?.processAcl === undefined) return rules;
    const expanded: GivenRule[] = [];
    for (const { rule, source } of rules) {
      try {
        expanded.push(...given(await backend.processAcl([rule]), source));
      } catch (error) {
        log.error(`A rule of ${source} could not be expanded, and allows nothing: ${messageOf(error)}`);
      }
    }
    return expanded;
  }

  #configuredRules(eauth: string, identity: Identity): GivenRule[] {
    const { auth, opts } = this.#deps;
    const options = { source: `external_auth ${eauth}`, permissive: opts.get('permissive_acl') };
    return [
      ...rulesOf(auth.entries(eauth) ?? new Map(), identity, options),
      ...rulesOfRoles(opts.get('roles'), identity),
    ];
  }
}

const UNKNOWN = 'UNKNOWN';
const WRONG = 'the name and the password do not belong together';

function readCredentials(
  username: Value | undefined,
  password: Value | undefined,
  passwordMax: number,
): Credentials | undefined {
  if (typeof username !== 'string' || username === '' || username.length > TEXT_MAX) return undefined;
  if (typeof password !== 'string' || password.length > passwordMax) return undefined;
  return { username, password: new Secret(password) };
}

function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
