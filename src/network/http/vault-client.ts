/** Asking HashiCorp Vault, as the options `vault` of the configuration say (salt/utils/vault.py, 3006.16). */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';
import { parseJson, toJson } from '../../formats/json/text.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { Secret } from '../../host/secret.ts';
import { sendHttp, urlOption, verifyOption } from './client.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** An answer of Vault. */
export interface VaultAnswer {
  readonly status: number;
  /** What its JSON says; null for an answer without a body. */
  readonly data: Value;
}

/** Where the values of a path are. */
export interface VaultEngine {
  /** The path to ask for, below `v1/`. */
  readonly dataPath: string;
  readonly isSecondVersion: boolean;
}

/** Vault was not asked, or did not do it. Neither secret nor token is in the message. */
export class VaultError extends BrineError {
  static override readonly errorCode: ErrorCode = 'vault-failed';
  override readonly name = 'VaultError';
}

/** What Vault is asked with. */
export interface VaultDeps {
  /** The option `vault`. */
  readonly options: Value | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Vault for one use; the token is got when it is first needed, and kept no longer. */
export class VaultClient {
  readonly #deps: VaultDeps;
  readonly #options: Dict;
  #token: Promise<Secret> | undefined;

  constructor(deps: VaultDeps) {
    this.#deps = deps;
    const { options } = deps;
    if (!isDict(options))
      throw new VaultError('the option `vault` is missing: give its url and auth, see the guide to sdb.');
    this.#options = options;
    if (options.get('config_location') === 'master')
      throw new VaultError(
        'vault:config_location is master, and masters give no tokens here: set it to local, with vault:url and vault:auth.',
      );
  }

  /** Which engine has a path. One that Vault does not tell of counts as version 1, as in Salt. @throws VaultError */
  async engineOf(path: string): Promise<VaultEngine> {
    const { status, data } = await this.ask('GET', `sys/internal/ui/mounts/${path}`);
    const facts = isDict(data) ? data.get('data') : undefined;
    if (!isDict(facts)) {
      this.#deps.log.warning(
        `Vault does not say what is at ${path} (${status}); it is asked as version 1 of the key-value engine.`,
      );
      return { dataPath: path, isSecondVersion: false };
    }
    const options = facts.get('options');
    const isSecondVersion =
      (facts.get('type') ?? 'kv') === 'kv' && isDict(options) && pyStr(options.get('version') ?? '1') === '2';
    return {
      dataPath: isSecondVersion ? secondPath(path, pyStr(facts.get('path') ?? path)) : path,
      isSecondVersion,
    };
  }

  /** Asks with the token. @param path below `v1/` @throws VaultError when Vault is not reached or gives no token */
  async ask(method: 'GET' | 'POST', path: string, body?: Value): Promise<VaultAnswer> {
    const token = await (this.#token ??= this.#login());
    return this.#send(method, path, body, token);
  }

  /** What a good answer says. @throws VaultError naming path and status for any other */
  required({ status, data }: VaultAnswer, what: 'read' | 'written', path: string): Value {
    if (status >= 200 && status < 300) return data;
    const hint = status === 403 ? '; does the policy of the token allow it?' : '.';
    throw new VaultError(
      `the secret ${path} cannot be ${what}: Vault answers ${status}${reasons(data)}${hint}`,
    );
  }

  async #login(): Promise<Secret> {
    const auth = this.#options.get('auth');
    const words: Dict = isDict(auth) ? auth : new Map();
    const method = pyStr(words.get('method') ?? 'token');
    if (method === 'token') return new Secret(this.#required(words, 'token'));
    if (method !== 'approle')
      throw new VaultError(`vault:auth:method is ${method}, and there are token and approle.`);
    const secretId = words.get('secret_id');
    const login = dict({
      role_id: this.#required(words, 'role_id'),
      ...(secretId === undefined ? {} : { secret_id: secretId }),
    });
    const { status, data } = await this.#send('POST', 'auth/approle/login', login);
    const given = isDict(data) ? data.get('auth') : undefined;
    const token = isDict(given) ? given.get('client_token') : undefined;
    if (status !== 200 || typeof token !== 'string')
      throw new VaultError(
        `Vault gives no token for the role of vault:auth (it answers ${status}): see role_id and secret_id.`,
      );
    return new Secret(token);
  }

  #required(words: Dict, name: string): string {
    const value = words.get(name);
    if (typeof value === 'string' && value !== '') return value;
    throw new VaultError(`the option vault:auth:${name} is missing.`);
  }

  async #send(method: 'GET' | 'POST', path: string, body?: Value, token?: Secret): Promise<VaultAnswer> {
    if (path.split('/').some((part) => part === '.' || part === '..'))
      throw new VaultError(`the path ${path} leads out of itself.`);
    const base = urlOption(this.#options.get('url'), 'vault:url').href.replace(/\/+$/, '');
    const namespace = this.#options.get('namespace');
    const { status, text } = await sendHttp({
      method,
      url: new URL(`${base}/v1/${path.split('/').map(encodeURIComponent).join('/')}`),
      headers: new Map([
        ['content-type', 'application/json'],
        ...(token === undefined ? [] : [['x-vault-token', token.reveal()] as const]),
        ...(namespace === undefined || namespace === null
          ? []
          : [['x-vault-namespace', pyStr(namespace)] as const]),
      ]),
      ...(body === undefined ? {} : { body: toJson(body) }),
      timeoutMs: TIMEOUT_MS,
      verify: verifyOption(this.#options.get('verify')),
      clock: this.#deps.clock,
      answerBytesMax: ANSWER_BYTES_MAX,
      agent: 'salt-sdb',
    });
    return { status, data: bodyOf(text) };
  }
}

function reasons(data: Value): string {
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

/** `kv/app` at the mount `kv/` as `kv/data/app`. */
function secondPath(path: string, mount: string): string {
  const [bare, base] = [path, mount].map((text) => text.replace(/^\/+|\/+$/g, ''));
  const inside =
    bare?.startsWith(base ?? '') === true ? bare.slice((base ?? '').length).replace(/^\//, '') : (bare ?? '');
  const rest = inside.replace(/^(data|metadata)(\/|$)/, '');
  return rest === '' ? `${base}/data` : `${base}/data/${rest}`;
}
