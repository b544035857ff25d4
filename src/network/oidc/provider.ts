/**
 * A provider of OpenID Connect: what it says of itself (OpenID Connect Discovery 1.0), and the keys it signs with, each
 * kept for a while.
 */
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { BrineError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { sendHttp, type HttpRequest } from '../http/client.ts';
import { checkAddress, type OidcSettings } from './settings.ts';

const TIMEOUT_MS = 10_000;
const DESCRIPTION_MS = 3_600_000;
const KEYS_MS = 600_000;
/** A token that names an unknown key has the keys read anew, not more often than this. */
const KEYS_AGAIN_MS = 30_000;
const ANSWER_BYTES_MAX = 256 * 1024;
const KEYS_MAX = 100;

/** What a provider says of itself. */
export interface Description {
  readonly authorization: URL;
  readonly token: URL;
  readonly keys: URL;
  /** How a client may show its secret. */
  readonly secretMethods: readonly string[];
}

type Kept<T> = { readonly atMs: number; readonly value: Promise<T> };

/** A provider. */
export class Provider {
  readonly settings: OidcSettings;
  readonly #clock: Clock;
  #description: Kept<Description> | undefined;
  #keys: Kept<ReturnType<typeof createLocalJWKSet>> | undefined;

  constructor(settings: OidcSettings, clock: Clock) {
    this.settings = settings;
    this.#clock = clock;
  }

  /** @throws UnreachableError, and BrineError for a description that cannot be used */
  async description(): Promise<Description> {
    this.#description =
      this.#current(this.#description, DESCRIPTION_MS) ?? this.#begin(() => this.#describe());
    return this.#description.value.catch((error: unknown) => {
      this.#description = undefined;
      throw error;
    });
  }

  /**
   * The keys that it signs with.
   * @param again a token names one that is not among those known
   * @throws as `description`
   */
  async keys(again = false): Promise<ReturnType<typeof createLocalJWKSet>> {
    const kept = this.#current(this.#keys, again ? KEYS_AGAIN_MS : KEYS_MS);
    this.#keys = kept ?? this.#begin(() => this.#readKeys());
    return this.#keys.value.catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
  }

  /** Sends a request to the provider. @returns the JSON of its answer, a mapping */
  async send(
    request: Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>,
  ): Promise<{ status: number; json: Readonly<Record<string, unknown>> }> {
    const { caFile } = this.settings;
    const { status, text } = await sendHttp({
      ...request,
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
      clock: this.#clock,
      agent: 'salt',
      ...(caFile === undefined ? {} : { verify: caFile }),
      tlsSettings: { ca: 'external_auth:oidc:^ca_file' },
    });
    return { status, json: mappingIn(text, request.url.host) };
  }

  #current<T>(kept: Kept<T> | undefined, lastsMs: number): Kept<T> | undefined {
    return kept !== undefined && this.#clock.monotonicMs() - kept.atMs < lastsMs ? kept : undefined;
  }

  #begin<T>(work: () => Promise<T>): Kept<T> {
    return { atMs: this.#clock.monotonicMs(), value: work() };
  }

  async #describe(): Promise<Description> {
    const { issuer } = this.settings;
    const json = await this.#get(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`));
    if (json['issuer'] !== issuer)
      throw new BrineError(
        'The provider names itself otherwise than external_auth:oidc:^issuer does; the two must be the same to the letter.',
      );
    const methods = json['token_endpoint_auth_methods_supported'];
    return {
      authorization: addressIn(json, 'authorization_endpoint'),
      token: addressIn(json, 'token_endpoint'),
      keys: addressIn(json, 'jwks_uri'),
      secretMethods: Array.isArray(methods)
        ? methods.filter((method) => typeof method === 'string')
        : ['client_secret_basic'],
    };
  }

  async #readKeys(): Promise<ReturnType<typeof createLocalJWKSet>> {
    const { keys: url } = await this.description();
    const { keys } = await this.#get(url);
    if (!Array.isArray(keys) || keys.length > KEYS_MAX)
      throw new BrineError(`What ${url.host} answers at jwks_uri is not a set of keys.`);
    return createLocalJWKSet({ keys: keys as JSONWebKeySet['keys'] });
  }

  async #get(url: URL): Promise<Readonly<Record<string, unknown>>> {
    const { status, json } = await this.send({ method: 'GET', url });
    if (status !== 200)
      throw new BrineError(`${url.host} answers ${status} where it should describe itself.`);
    return json;
  }
}

function addressIn(json: Readonly<Record<string, unknown>>, name: string): URL {
  const given = json[name];
  if (typeof given !== 'string') throw new BrineError(`The provider does not say its ${name}.`);
  return checkAddress(`the provider's ${name}`, given);
}

function mappingIn(text: string, host: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json))
      return json as Readonly<Record<string, unknown>>;
  } catch {
    // said below
  }
  throw new BrineError(`What ${host} has answered is not a mapping in JSON.`);
}
