/** Asking HashiCorp Vault, as the options `vault` of the configuration say (salt/utils/vault.py, 3006.16). */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Value } from '../../python/values/value.ts';
import { VaultError, vaultSettings, type VaultSettings } from './vault-settings.ts';
import { KeptVaultConnection } from './vault-kept.ts';
import { logIn } from './vault-login.ts';
import {
  askVault,
  reasonsOf,
  type VaultAnswer,
  type VaultConnection,
  type VaultMethod,
} from './vault-request.ts';

export { VaultError } from './vault-settings.ts';

/** Where the values of a path are. */
export interface VaultEngine {
  /** The path to ask for, below `v1/`. */
  readonly dataPath: string;
  /** Where facts about the secrets are; the same for version 1. */
  readonly metadataPath: string;
  /** Where versions are destroyed; undefined for version 1. */
  readonly destroyPath: string | undefined;
  readonly isSecondVersion: boolean;
}

/** Where connections come from, and are kept from one use to the next. */
export interface ConnectionSource {
  /** One that is kept, else a new one. @throws VaultError */
  get(): Promise<VaultConnection>;
  /** After a use of a token whose uses are counted. */
  used(connection: VaultConnection): void;
  /** Forgets the one that is kept. */
  forget(): void;
}

/** What Vault is asked with. */
export interface VaultDeps {
  /** The option `vault`. */
  readonly options: Value | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Instead of the option: a token that the master gives. */
  readonly source?: ConnectionSource;
  /** Where what can be had once only is kept: the token that the option has in a wrapping. */
  readonly cachedir?: string;
}

/** Vault for one use; the connection is got when it is first needed. */
export class VaultClient {
  readonly #deps: VaultDeps;
  readonly #source: ConnectionSource;
  readonly #isOfMaster: boolean;
  #connection: Promise<VaultConnection> | undefined;

  constructor(deps: VaultDeps) {
    this.#deps = deps;
    this.#isOfMaster = deps.source !== undefined;
    this.#source = deps.source ?? ofOption(deps);
  }

  /** Which engine has a path. One that Vault does not tell of counts as version 1, as in Salt. @throws VaultError */
  async engineOf(path: string): Promise<VaultEngine> {
    const { status, data } = await this.ask('GET', `sys/internal/ui/mounts/${path.replace(/^\/+/, '')}`);
    const facts = isDict(data) ? data.get('data') : undefined;
    const first = { dataPath: path, metadataPath: path, destroyPath: undefined, isSecondVersion: false };
    if (!isDict(facts)) {
      this.#deps.log.warning(
        `Vault does not say what is at ${path} (${status}); it is asked as version 1 of the key-value engine.`,
      );
      return first;
    }
    const options = facts.get('options');
    const isSecondVersion =
      (facts.get('type') ?? 'kv') === 'kv' && isDict(options) && pyStr(options.get('version') ?? '1') === '2';
    if (!isSecondVersion) return first;
    const of = (kind: string): string => secondPath(path, pyStr(facts.get('path') ?? path), kind);
    return {
      dataPath: of('data'),
      metadataPath: of('metadata'),
      destroyPath: of('destroy'),
      isSecondVersion,
    };
  }

  /**
   * Asks with the token; where a token of the master's is refused, once more with a new one.
   * @param path below `v1/`
   * @throws VaultError when Vault is not reached or gives no token
   */
  async ask(method: VaultMethod, path: string, body?: Value): Promise<VaultAnswer> {
    const answer = await this.#once(method, path, body);
    if (answer.status !== 403 || !this.#isOfMaster) return answer;
    this.#source.forget();
    this.#connection = undefined;
    return this.#once(method, path, body);
  }

  /** What a good answer says. @throws VaultError naming path and status for any other */
  required({ status, data }: VaultAnswer, what: 'read' | 'written', path: string): Value {
    if (status >= 200 && status < 300) return data;
    const hint = status === 403 ? '; does the policy of the token allow it?' : '.';
    throw new VaultError(
      `the secret ${path} cannot be ${what}: Vault answers ${status}${reasonsOf(data)}${hint}`,
    );
  }

  async #once(method: VaultMethod, path: string, body?: Value): Promise<VaultAnswer> {
    const connection = await this.#connected();
    const { clock } = this.#deps;
    const asked = { method, path, token: connection.token, ...(body === undefined ? {} : { body }) };
    const answer = await askVault({ ...connection, clock }, asked);
    if (connection.uses !== undefined && !path.startsWith('sys/')) {
      connection.uses--;
      if (connection.uses <= 0) this.#connection = undefined;
      this.#source.used(connection);
    }
    return answer;
  }

  #connected(): Promise<VaultConnection> {
    if (this.#connection !== undefined) return this.#connection;
    const connected = this.#source.get();
    this.#connection = connected;
    // what failed is tried again
    connected.catch(() => {
      if (this.#connection === connected) this.#connection = undefined;
    });
    return connected;
  }
}

/** The connection that the option describes. @throws VaultError */
function ofOption({ options, clock, cachedir }: VaultDeps): ConnectionSource {
  const settings: VaultSettings = vaultSettings(options);
  if (settings.location === 'master')
    throw new VaultError(
      'vault:config_location is master, and only functions of minions ask masters for tokens: set it to local, with vault:url and vault:auth.',
    );
  const get = (): Promise<VaultConnection> => logIn(settings, clock);
  if (settings.auth.get('method') === 'wrapped_token' && cachedir !== undefined)
    return new KeptVaultConnection({ cachedir, clock }, async () => ({
      connection: await get(),
      isKept: true,
    }));
  return { get, used: () => undefined, forget: () => undefined };
}

/** `kv/app` at the mount `kv/` as `kv/data/app`. */
function secondPath(path: string, mount: string, kind: string): string {
  const [bare, base] = [path, mount].map((text) => text.replace(/^\/+|\/+$/g, ''));
  const inside =
    bare?.startsWith(base ?? '') === true ? bare.slice((base ?? '').length).replace(/^\//, '') : (bare ?? '');
  const rest = inside.replace(/^(data|metadata)(\/|$)/, '');
  return rest === '' ? `${base}/${kind}` : `${base}/${kind}/${rest}`;
}
