/** The store that `eauth_tokens` names. */
import { pyStr } from '../../python/values/repr.ts';
import type { Dict } from '../../python/values/value.ts';
import { LocalTokens } from './localfs.ts';
import { RedisTokens } from './redis.ts';
import type { TokenStore } from './token-store.ts';

/** The stores that there are; a master that asks for another one does not start. */
export const TOKEN_STORES: ReadonlySet<string> = new Set(['localfs', 'rediscluster']);

/** Opens the store; it connects when it is first asked. @param opts of the master */
export function openTokens(opts: Dict): TokenStore {
  const text = (name: string, standard: string): string => pyStr(opts.get(name) ?? standard);
  return text('eauth_tokens', 'localfs') === 'rediscluster'
    ? new RedisTokens({
        host: text('eauth_redis_host', 'localhost'),
        port: Number(text('eauth_redis_port', '6379')),
      })
    : new LocalTokens(text('token_dir', ''));
}
