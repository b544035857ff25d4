/**
 * Tokens of external authentication: what is kept of one, and where (salt/auth/__init__.py `mk_token`, salt/tokens/,
 * 3006.16).
 */
import { createHash, getHashes } from 'node:crypto';
import type { Random } from '../../host/random.ts';
import type { Dict } from '../../python/values/value.ts';

/** Keeps tokens. What a token stands for is a mapping in Salt's form: `start`, `expire`, `name`, `eauth`, `token` … */
export interface TokenStore {
  /** @throws what the store says when it cannot be written */
  write(token: string, data: Dict): Promise<void>;
  /** Undefined for a token that is not there, or that cannot be read. */
  read(token: string): Promise<Dict | undefined>;
  remove(token: string): Promise<boolean>;
  list(): Promise<string[]>;
  close(): Promise<void>;
}

/** Random bytes of which a token is the hash; as Salt's. */
const RANDOM_BYTES = 512;
/** What a token looks like, whatever the hash: a name of a file that leads nowhere. */
const TOKEN = /^[0-9a-f]{32,128}$/;

/** True for what can be a token; nothing else reaches a store. */
export function isToken(text: unknown): text is string {
  return typeof text === 'string' && TOKEN.test(text);
}

/** A new token: the hash of 512 random bytes, by `hash_type`. */
export function newToken(hashType: string, random: Random): string {
  const algorithm = getHashes().includes(hashType) ? hashType : 'sha256';
  return createHash(algorithm).update(random.bytes(RANDOM_BYTES)).digest('hex');
}
