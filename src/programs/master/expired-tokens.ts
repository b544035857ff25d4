/** Tokens whose time is over are forgotten (salt/daemons/masterapi.py `clean_expired_tokens`, 3006.16). */
import type { MasterOptions } from '../../config/master-options.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { toNumber } from '../../python/values/value.ts';
import { openTokens } from '../../storage/tokens/open.ts';

/** One round. In Redis they end by themselves. */
export async function forgetExpiredTokens(
  opts: MasterOptions,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<void> {
  if (opts.get('external_auth').size === 0 || opts.get('eauth_tokens') !== 'localfs') return;
  const tokens = openTokens(opts.toDict());
  try {
    const now = clock.nowMs() / 1000;
    for (const token of await tokens.list()) {
      const data = await tokens.read(token);
      const expire = toNumber(data?.get('expire') ?? null);
      if (expire === undefined || expire < now || !data?.has('eauth') || !data.has('name'))
        await tokens.remove(token);
    }
  } catch (error) {
    log.error('Tokens whose time is over could not be forgotten; the next round tries again.', error);
  } finally {
    await tokens.close();
  }
}
