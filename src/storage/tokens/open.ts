/** The store that `eauth_tokens` names. */
import type { TokenStore } from './token-store.ts';
import { LocalTokens } from './localfs.ts';

/** The stores that there are. Salt has `rediscluster`, too; a master that asks for it does not start. */
export const TOKEN_STORES: ReadonlySet<string> = new Set(['localfs']);

/** What a store is made of. */
export interface TokenStoreSettings {
  /** `eauth_tokens` */
  readonly kind: string;
  /** `token_dir` */
  readonly folder: string;
}

/** Opens the store; it connects when it is first asked. */
export function openTokens({ folder }: TokenStoreSettings): TokenStore {
  return new LocalTokens(folder);
}
