/**
 * A connection to Vault that is kept in a file, where and as Salt keeps it: `salt_vault_token` in the folder `cachedir`
 * (salt/utils/vault.py, 3006.16).
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson, toJson } from '../../formats/json/text.ts';
import type { Clock } from '../../host/clock.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { Secret } from '../../host/secret.ts';
import { dict, isDict, toNumber, type Dict } from '../../python/values/value.ts';
import type { VaultConnection } from './vault-request.ts';

/** A token is not used in the last seconds of its time. */
const SAFETY_SECONDS = 10;
const USUAL_SECONDS = 3600;

/** Where the file of a folder is. */
export function keptVaultPath(cachedir: string): string {
  return join(cachedir, 'salt_vault_token');
}

/** A new connection, for how long it is good, and whether the file may have it. */
export interface GivenConnection {
  readonly connection: VaultConnection;
  readonly isKept: boolean;
  readonly leaseSeconds?: number;
  readonly issuedSeconds?: number;
}

/** Keeps a connection from one use to the next. */
export class KeptVaultConnection {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #obtain: () => Promise<GivenConnection>;
  #given: GivenConnection | undefined;

  constructor(
    { cachedir, clock }: { readonly cachedir: string; readonly clock: Clock },
    obtain: () => Promise<GivenConnection>,
  ) {
    this.#path = keptVaultPath(cachedir);
    this.#clock = clock;
    this.#obtain = obtain;
  }

  /** The kept one, else a new one. @throws what getting one throws */
  async get(): Promise<VaultConnection> {
    const kept = this.#given?.connection ?? this.#read();
    if (kept !== undefined) return kept;
    this.#given = await this.#obtain();
    this.#write();
    return this.#given.connection;
  }

  /** After a use: a token without further ones is forgotten. */
  used(connection: VaultConnection): void {
    if ((connection.uses ?? 1) <= 0) this.forget();
    else if (this.#given?.isKept === true) this.#write();
  }

  forget(): void {
    const wasKept = this.#given?.isKept !== false;
    this.#given = undefined;
    if (wasKept) rmSync(this.#path, { force: true });
  }

  #read(): VaultConnection | undefined {
    let facts: Dict = new Map();
    try {
      const read = parseJson(readTextIfExists(this.#path) ?? '{}');
      if (isDict(read)) facts = read;
    } catch {
      // a file that is none is written anew
      return undefined;
    }
    const [url, token, namespace] = [facts.get('url'), facts.get('token'), facts.get('namespace')];
    if (typeof url !== 'string' || typeof token !== 'string') return undefined;
    const leaseSeconds = toNumber(facts.get('lease_duration') ?? facts.get('ttl')) ?? USUAL_SECONDS;
    const issuedSeconds = toNumber(facts.get('issued')) ?? 0;
    if (issuedSeconds + leaseSeconds - SAFETY_SECONDS < this.#clock.nowMs() / 1000) {
      this.forget();
      return undefined;
    }
    const uses = facts.get('unlimited_use_token') === true ? undefined : toNumber(facts.get('uses'));
    const connection: VaultConnection = {
      url,
      token: new Secret(token),
      namespace: typeof namespace === 'string' ? namespace : undefined,
      verify: facts.get('verify') ?? undefined,
      ...(uses === undefined ? {} : { uses }),
    };
    this.#given = { connection, isKept: true, leaseSeconds, issuedSeconds };
    return connection;
  }

  #write(): void {
    const given = this.#given;
    if (given === undefined || !given.isKept) return;
    const { connection, leaseSeconds = USUAL_SECONDS, issuedSeconds } = given;
    const { url, token, namespace, verify, uses } = connection;
    const facts = dict({
      url,
      token: token.reveal(),
      verify: verify ?? null,
      namespace: namespace ?? null,
      uses: uses ?? 0,
      lease_duration: leaseSeconds,
      issued: issuedSeconds ?? Math.round(this.#clock.nowMs() / 1000),
      unlimited_use_token: uses === undefined,
    });
    this.#given = { ...given, issuedSeconds: toNumber(facts.get('issued')) ?? 0 };
    writeFileAtomic(this.#path, toJson(facts), { mode: 0o600 });
  }
}
