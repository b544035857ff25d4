/** One request to HashiCorp Vault. */
import { parseJson, toJson } from '../../formats/json/text.ts';
import type { Clock } from '../../host/clock.ts';
import type { Secret } from '../../host/secret.ts';
import { sendHttp, urlOption, verifyOption } from './client.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Value } from '../../python/values/value.ts';
import { VaultError } from './vault-settings.ts';

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** How Vault may be asked; LIST is GET with `list=true`, as Vault's interface allows. */
export type VaultMethod = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'LIST';

/** An answer of Vault. */
export interface VaultAnswer {
  readonly status: number;
  /** What its JSON says; null for an answer without a body. */
  readonly data: Value;
}

/** With what, and how often, Vault may be asked. */
export interface VaultConnection {
  readonly url: string;
  readonly token: Secret;
  readonly namespace: string | undefined;
  readonly verify: Value | undefined;
  /** How often the token may still be used; undefined for no limit. */
  uses?: number;
}

/** Where Vault is, and how its certificate is checked. */
export interface VaultPlace extends Pick<VaultConnection, 'url' | 'namespace' | 'verify'> {
  readonly clock: Clock;
}

/** Sends one request. @throws VaultError for a path that leads out of itself; HttpError when Vault is not reached */
export async function askVault(
  { url, namespace, verify, clock }: VaultPlace,
  {
    method,
    path,
    body,
    token,
    wrapTtl,
  }: {
    readonly method: VaultMethod;
    readonly path: string;
    readonly body?: Value;
    readonly token?: Secret;
    /** Has the answer wrapped, for so long. */
    readonly wrapTtl?: string | undefined;
  },
): Promise<VaultAnswer> {
  const parts = path.replace(/^\/+/, '').split('/');
  if (parts.some((part) => part === '.' || part === '..'))
    throw new VaultError(`the path ${path} leads out of itself.`);
  const base = urlOption(url, 'vault:url').href.replace(/\/+$/, '');
  const isList = method === 'LIST';
  const { status, text } = await sendHttp({
    method: isList ? 'GET' : method,
    url: new URL(`${base}/v1/${parts.map(encodeURIComponent).join('/')}${isList ? '?list=true' : ''}`),
    headers: new Map([
      ['content-type', 'application/json'],
      ...(token === undefined ? [] : [['x-vault-token', token.reveal()] as const]),
      ...(namespace === undefined ? [] : [['x-vault-namespace', namespace] as const]),
      ...(wrapTtl === undefined ? [] : [['x-vault-wrap-ttl', wrapTtl] as const]),
    ]),
    ...(body === undefined ? {} : { body: toJson(body) }),
    timeoutMs: TIMEOUT_MS,
    verify: verifyOption(verify),
    tlsSettings: { ca: 'verify of the option vault' },
    clock,
    answerBytesMax: ANSWER_BYTES_MAX,
    agent: 'salt-sdb',
  });
  return { status, data: bodyOf(text) };
}

/** The reasons that an answer gives, in brackets; '' for none. */
export function reasonsOf(data: Value): string {
  const errors = isDict(data) ? data.get('errors') : undefined;
  return Array.isArray(errors) && errors.length > 0 ? ` (${errors.map(pyStr).join(', ')})` : '';
}

function bodyOf(text: string): Value {
  try {
    return text === '' ? null : parseJson(text);
  } catch {
    return null;
  }
}
