/**
 * Log-ins of browsers at a provider of OpenID Connect. What is under way is kept by the browser, in a cookie that is
 * sealed with a key of this process: whoever begins many takes nobody's place. The answer of the provider counts in the
 * browser that has asked, once, and for ten minutes. Whether it lets anybody in is the master's decision.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
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
/** Log-ins that have ended within that time; they cannot be ended again. */
const ENDED_MAX = 10_000;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Longer ones are none of ours. */
const SEALED_MAX = 1_000;

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
  readonly #ended = new BoundedMap<string, true>(ENDED_MAX);
  readonly #key: Uint8Array;
  #provider: Provider | undefined;

  constructor(deps: OidcLoginsDeps) {
    this.#deps = deps;
    this.#key = deps.random.bytes(KEY_BYTES);
  }

  /** What people are shown; undefined where `external_auth` has no `oidc`. */
  get name(): string | undefined {
    return this.#configured()?.settings.name;
  }

  /** Begins one. @returns what the browser keeps, and where to send it @throws ApiFault */
  async begin(): Promise<{ kept: string; url: string }> {
    const { random, clock } = this.#deps;
    const begun = begin(random);
    const url = await asked(authorizationUrl(this.#required(), begun));
    return { kept: this.#seal({ ...begun, sinceMs: clock.monotonicMs() }), url: url.href };
  }

  /**
   * Ends one. @param kept what the browser shows
   * @returns what the master is to be shown @throws ApiFault `login-failed` for whatever does not fit
   */
  async finish(kept: string | undefined, answer: ProviderAnswer): Promise<Dict> {
    const { clock } = this.#deps;
    const provider = this.#required();
    const begun = this.#take(kept);
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

  #take(kept: string | undefined): Begun | undefined {
    const found = kept === undefined || kept.length > SEALED_MAX ? undefined : this.#open(kept);
    if (found === undefined || this.#deps.clock.monotonicMs() - found.sinceMs > LOGIN_SECONDS * 1000)
      return undefined;
    const digest = digestOf(found.state);
    if (this.#ended.peek(digest) === true) return undefined;
    this.#ended.set(digest, true);
    return found;
  }

  #seal(underWay: UnderWay): string {
    const iv = this.#deps.random.bytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv);
    const { state, secret, verifier, sinceMs } = underWay;
    const text = [state, secret, verifier, String(sinceMs)].join(' ');
    return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** @returns undefined for what was not sealed here */
  #open(kept: string): UnderWay | undefined {
    const bytes = Buffer.from(kept, 'base64url');
    if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const text =
        decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      const [state = '', secret = '', verifier = '', sinceMs] = text.split(' ');
      return { state, secret, verifier, sinceMs: Number(sinceMs) };
    } catch {
      return undefined;
    }
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
