/** External authentication in a worker: its code is read when somebody first logs in, or shows a token. */
import { isOwnAddress } from '../../../host/own-addresses.ts';
import { truthy } from '../../../python/values/value.ts';
import { systemRandom } from '../../../host/random.ts';
import type { PythonSinglesDeps } from '../../../runtime/extensions/python-singles.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { ConfiguredAuthDeps } from '../../../plugins/registry/auth/configured.ts';
import type { MasterMinionDeps } from '../../runner/master-minion.ts';
import type { RoleContext } from '../roles/role.ts';
import type { ExternalLogins } from './logins.ts';

/** External authentication that is opened when it is needed. */
export interface LazyLogins {
  /** Undefined without `external_auth`. */
  readonly open: () => Promise<ExternalLogins | undefined>;
  readonly close: () => Promise<void>;
}

/** @param useOnce has a name taken once among several masters, where there are several */
export function externalLogins(
  { opts, clock, log }: RoleContext,
  useOnce?: ConfiguredAuthDeps['useOnce'],
): LazyLogins {
  let opened: Promise<{ logins: ExternalLogins; close: () => Promise<void> }> | undefined;
  const make = async (): Promise<{ logins: ExternalLogins; close: () => Promise<void> }> => {
    const [{ ExternalLogins: Made }, { ConfiguredAuth }, { openOwnAuth }, { openTokens }, { Throttle }] =
      await Promise.all([
        import('./logins.ts'),
        import('../../../plugins/registry/auth/configured.ts'),
        import('../../../plugins/shared/auth/own-auth.ts'),
        import('../../../storage/tokens/open.ts'),
        import('./throttle.ts'),
      ]);
    const ended = new AbortController();
    const functions = masterFunctions({ opts: opts.toDict(), clock, log, signal: ended.signal });
    const own = await openOwnAuth(opts.toDict(), { clock, log, functions });
    const auth = new ConfiguredAuth({ opts: opts.toDict(), clock, log, custom: own.find, useOnce });
    const tokens = openTokens(opts.toDict());
    const random = systemRandom;
    const throttle = new Throttle(clock, random, isOwnAddress);
    return {
      logins: new Made({ opts, auth, tokens, throttle, clock, random, log }),
      close: async () => {
        await Promise.all([auth.close(), tokens.close()]);
        ended.abort();
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

/** Execution functions on the master's machine, for systems that call some; they are made when one is asked for. */
function masterFunctions(
  parts: Pick<MasterMinionDeps, 'opts' | 'clock' | 'log' | 'signal'>,
): NonNullable<PythonSinglesDeps['functions']> {
  let made: Promise<ModuleContext> | undefined;
  const functions = async (): Promise<ModuleContext['functions']> => {
    made ??= import('../../runner/master-minion.ts').then(({ masterMinion }) =>
      masterMinion({
        ...parts,
        id: pyStr(parts.opts.get('id') ?? ''),
        jid: '',
        fun: '',
        random: systemRandom,
      }),
    );
    return (await made).functions;
  };
  return {
    has: async (name) => (await (await functions()).find(name))?.spec !== undefined,
    find: async (name) => (await (await functions()).find(name))?.spec,
    call: async (name, args, kwargs) => (await functions()).call(name, args, new Map(kwargs)),
  };
}
