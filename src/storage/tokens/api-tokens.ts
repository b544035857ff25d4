/**
 * API tokens: credentials of programs, which live until they are revoked or their time is over. Not Salt's, but ours. A
 * file for each in `<pki_dir>/api_tokens`, beside the keys; in it stands the hash of the secret only. Whoever asks
 * reads the file, so that a token that is revoked is of no use from then on, in no process.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson, toJson } from '../../formats/json/text.ts';
import { syncFolder } from '../../host/disk-sync.ts';
import { makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import type { Random } from '../../host/random.ts';
import { isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';

/** What a token is, without its secret. */
export interface ApiToken {
  /** By which people name it. */
  readonly name: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** Undefined for one that lives until it is revoked. */
  readonly expires: number | undefined;
  readonly createdBy: string;
  /** Names of the option `roles`. */
  readonly roles: readonly string[];
  /** Rules of its own, in the forms of `external_auth`. */
  readonly rules: readonly Value[];
}

const FOLDER = 'api_tokens';
/** What a name may look like: it becomes the name of a file. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const TOKEN = /^brine\.([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.([0-9a-f]{64})$/;
const SECRET_BYTES = 32;
/** Files that are looked at. */
const TOKENS_MAX = 10_000;

/** True for what may be an API token. */
export function isApiToken(text: unknown): text is string {
  return typeof text === 'string' && TOKEN.test(text);
}

/** True for what can be the name of one. */
export function isApiTokenName(name: string): boolean {
  return NAME.test(name);
}

/** Where they are. */
export function apiTokensFolder(pkiDir: string): string {
  return join(pkiDir, FOLDER);
}

/** The API tokens of a master. */
export class ApiTokens {
  readonly #folder: string;

  constructor(pkiDir: string) {
    this.#folder = apiTokensFolder(pkiDir);
  }

  /**
   * Makes a token.
   * @returns the token itself, which nobody can find out afterwards; undefined when there is one of that name
   */
  create(token: ApiToken, random: Random): string | undefined {
    const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('hex');
    makeDirectory(this.#folder, 0o700);
    const path = safeJoin(this.#folder, token.name);
    const fresh = `${path}.${Buffer.from(random.bytes(8)).toString('hex')}`;
    writeFileAtomic(fresh, `${toJson(recordOf(token, hashOf(secret)))}\n`, { mode: 0o600, durable: true });
    try {
      linkSync(fresh, path); // fails where the name is taken, whoever comes first
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
      throw error;
    } finally {
      rmSync(fresh, { force: true });
    }
    syncFolder(this.#folder);
    return `brine.${token.name}.${secret}`;
  }

  /** What a token stands for; undefined for one that is not there, or whose time is over. */
  check(text: string, nowSeconds: number): ApiToken | undefined {
    const [, name = '', secret = ''] = TOKEN.exec(text) ?? [];
    const found = name === '' ? undefined : this.#read(name);
    const isRight = timingSafeEqual(
      Buffer.from(hashOf(secret), 'hex'),
      Buffer.from(found?.hash ?? hashOf(''), 'hex'),
    );
    if (found === undefined || !isRight) return undefined;
    const { expires } = found.token;
    return expires === undefined || nowSeconds < expires ? found.token : undefined;
  }

  /** @returns false when there is none of that name */
  revoke(name: string): boolean {
    if (!NAME.test(name) || !readdirSyncOrNone(this.#folder).includes(name)) return false;
    rmSync(safeJoin(this.#folder, name));
    syncFolder(this.#folder);
    return true;
  }

  /** All of them by name, those whose time is over among them. */
  list(): ApiToken[] {
    return readdirSyncOrNone(this.#folder)
      .filter((name) => NAME.test(name))
      .slice(0, TOKENS_MAX)
      .sort()
      .flatMap((name) => this.#read(name)?.token ?? []);
  }

  #read(name: string): { token: ApiToken; hash: string } | undefined {
    try {
      return readRecord(name, parseJson(readFileSync(safeJoin(this.#folder, name), 'utf8')));
    } catch {
      return undefined; // not there, or not ours
    }
  }
}

function recordOf({ name, created, expires, createdBy, roles, rules }: ApiToken, hash: string): Dict {
  return new Map<Value, Value>([
    ['name', name],
    ['hash', hash],
    ['created', created],
    ['expires', expires ?? null],
    ['created_by', createdBy],
    ['roles', [...roles]],
    ['rules', [...rules]],
  ]);
}

function readRecord(name: string, data: Value): { token: ApiToken; hash: string } | undefined {
  if (!isDict(data) || data.get('name') !== name) return undefined;
  const [hash, expires, createdBy] = [data.get('hash'), data.get('expires'), data.get('created_by')];
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const until = toNumber(expires ?? null);
  // what is neither a time nor nothing was not written by us, and lets nobody in
  if (expires !== null && until === undefined) return undefined;
  return {
    hash,
    token: {
      name,
      created: toNumber(data.get('created') ?? null) ?? 0,
      expires: until,
      createdBy: typeof createdBy === 'string' ? createdBy : '',
      roles: listOf(data.get('roles')).filter((role) => typeof role === 'string'),
      rules: listOf(data.get('rules')),
    },
  };
}

function listOf(value: Value | undefined): Value[] {
  return Array.isArray(value) ? value : [];
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function readdirSyncOrNone(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
