/**
 * Log-ins of browsers at a provider of OpenID Connect. What is under way is kept here, by an id that only the browser has, in a cookie: the
 * answer of the provider counts in the browser that has asked, once, and for ten minutes. Whether it lets anybody in is the master's decision.
 */
import { createHash } from 'node:crypto';
import { BrineError } from '../../../errors/errors.ts';
import { BoundedMap } from '../../../host/bounded-map.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Random } from '../../../host/random.ts';
import { authorizationUrl, begin, redeem, type Begun } from '../../../network/oidc/code-flow.ts';
import { IdTokenError, namedBy } from '../../../network/oidc/id-token.ts';
import { Provider } from '../../../network/oidc/provider.ts';
import { readOidcSettings } from '../../../network/oidc/settings.ts';
import { dict, isDict, type Dict } from '../../../python/values/value.ts';
import type { MasterLink } from '../master-link.ts';
import { ApiFault } from './fault.ts';

/** Seconds from the beginning of a log-in to the answer of the provider. */
export const LOGIN_SECONDS = 600;
/** Log-ins under way; the oldest is given up for another one. */
const UNDER_WAY_MAX = 10_000;
const ID_BYTES = 32;

/** What the provider sends a browser back with. */
export interface ProviderAnswer {
  readonly state: string | undefined;
  readonly code: string | undefined;
  readonly error: string | undefined;
  /** Who answers (RFC 9207), where the provider says so. */
  readonly iss: string | undefined;
}

/** What log-ins need. */
export interface OidcLoginsDeps {
  readonly link: MasterLink;
  readonly clock: Clock;
  readonly random: Random;
}

interface UnderWay extends Begun {
  readonly sinceMs: number;
}

/** Begins and ends them. */
export class OidcLogins {
  readonly #deps: OidcLoginsDeps;
  readonly #underWay = new BoundedMap<string, UnderWay>(UNDER_WAY_MAX);
  #provider: Provider | undefined;

  constructor(deps: OidcLoginsDeps) {
    this.#deps = deps;
  }

  /** What people are shown; undefined where `external_auth` has no `oidc`. */
  get name(): string | undefined {
    return this.#configured()?.settings.name;
  }

  /** Begins one. @returns the id for the browser, and where to send it @throws ApiFault */
  async begin(): Promise<{ id: string; url: string }> {
    const { random, clock } = this.#deps;
    const begun = begin(random);
    const url = await asked(authorizationUrl(this.#required(), begun));
    const id = random.bytes(ID_BYTES).toString('hex');
    this.#underWay.set(digestOf(id), { ...begun, sinceMs: clock.monotonicMs() });
    return { id, url: url.href };
  }

  /**
   * Ends one. @param id that the browser shows
   * @returns what the master is to be shown @throws ApiFault `login-failed` for whatever does not fit
   */
  async finish(id: string | undefined, answer: ProviderAnswer): Promise<Dict> {
    const { clock } = this.#deps;
    const provider = this.#required();
    const begun = this.#take(id);
    if (begun === undefined)
      throw failed(
        'This browser has begun no log-in, or it has taken more than ten minutes, or was ended before.',
      );
    if (answer.state === undefined || digestOf(answer.state) !== digestOf(begun.state))
      throw failed('The answer is not to the log-in that this browser has begun (state).');
    if (answer.iss !== undefined && answer.iss !== provider.settings.issuer)
      throw failed('The answer is of another provider (iss).');
    if (answer.error !== undefined || answer.code === undefined)
      throw failed(`The provider says no: ${(answer.error ?? 'no code').slice(0, 100)}.`);
    const token = await asked(redeem(provider, answer.code, begun));
    const { username } = await asked(namedBy(token, begun.secret, provider, clock));
    return dict({ eauth: 'oidc', username, password: `${token}:${begun.secret}` });
  }

  #take(id: string | undefined): Begun | undefined {
    if (id === undefined) return undefined;
    const digest = digestOf(id);
    const found = this.#underWay.get(digest);
    this.#underWay.delete(digest);
    if (found === undefined || this.#deps.clock.monotonicMs() - found.sinceMs > LOGIN_SECONDS * 1000)
      return undefined;
    return found;
  }

  #required(): Provider {
    const provider = this.#configured();
    if (provider !== undefined) return provider;
    throw new ApiFault('not-served', 'external_auth of the master has no oidc.');
  }

  #configured(): Provider | undefined {
    const { link, clock } = this.#deps;
    const systems = link.opts.raw('external_auth');
    const config = isDict(systems) ? systems.get('oidc') : undefined;
    if (!isDict(config)) return undefined;
    return (this.#provider ??= new Provider(readOidcSettings(config), clock));
  }
}

/** What the provider gets wrong is no fault of ours. */
async function asked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof IdTokenError) throw failed(`What the provider sends is refused: ${error.message}.`);
    if (error instanceof BrineError) throw failed(`The provider could not be asked: ${error.message}`);
    throw error;
  }
}

function failed(message: string): ApiFault {
  return new ApiFault('login-failed', message);
}

/** Comparing digests takes a time that says nothing of what they are of. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
