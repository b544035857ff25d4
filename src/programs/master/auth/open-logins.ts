/** External authentication in a worker: its code is read when somebody first logs in, or shows a token. */
import { truthy } from '../../../python/values/value.ts';
import { systemRandom } from '../../../host/random.ts';
import type { RoleContext } from '../roles/role.ts';
import type { ExternalLogins } from './logins.ts';

/** External authentication that is opened when it is needed. */
export interface LazyLogins {
  /** Undefined without `external_auth`. */
  readonly open: () => Promise<ExternalLogins | undefined>;
  readonly close: () => Promise<void>;
}

/** @param context of the worker */
export function externalLogins({ opts, clock, log }: RoleContext): LazyLogins {
  let opened: Promise<{ logins: ExternalLogins; close: () => Promise<void> }> | undefined;
  const make = async (): Promise<{ logins: ExternalLogins; close: () => Promise<void> }> => {
    const [{ ExternalLogins: Made }, { ConfiguredAuth }, { openOwnAuth }, { openTokens }, { Throttle }] =
      await Promise.all([
        import('./logins.ts'),
        import('../../../plugins/auth/configured.ts'),
        import('../../../plugins/auth/own-auth.ts'),
        import('../../../storage/tokens/open.ts'),
        import('./throttle.ts'),
      ]);
    const own = await openOwnAuth(opts.toDict(), { clock, log });
    const auth = new ConfiguredAuth({ opts: opts.toDict(), clock, log, custom: own.find });
    const tokens = openTokens(opts.toDict());
    const random = systemRandom;
    const throttle = new Throttle(clock, random);
    return {
      logins: new Made({ opts, auth, tokens, throttle, clock, random, log }),
      close: async () => {
        await Promise.all([auth.close(), tokens.close()]);
        own.close();
      },
    };
  };
  return {
    open: async () =>
      truthy(opts.raw('external_auth') ?? null) ? (await (opened ??= make())).logins : undefined,
    close: async () => (await opened)?.close(),
  };
}
