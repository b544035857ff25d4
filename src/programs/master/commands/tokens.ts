/** `mk_token` and `get_token`: tokens for whoever logs in (salt/master.py `mk_token`, `get_token`, 3006.16). */
import type { ClearHandler } from '../../../network/channel/door.ts';
import { spokenError } from '../../../host/disk-refusal.ts';
import type { Logger } from '../../../host/log.ts';
import type { Audit } from '../auth/audit.ts';
import type { ExternalLogins } from '../auth/logins.ts';
import { errorReply } from './error-reply.ts';

/** What the two commands need. */
export interface TokenHandlersDeps {
  /** Undefined where there is no external authentication. */
  readonly logins: () => Promise<ExternalLogins | undefined>;
  readonly audit: Audit;
  readonly log: Logger;
}

const NOT_KEPT = errorReply(
  'TokenError',
  "The master could not keep a token for this log-in. The master's log says why; log in again when that is mended.",
);

/** The two commands. */
export function tokenHandlers({ logins, audit, log }: TokenHandlersDeps): [string, ClearHandler][] {
  const make: ClearHandler = async (load, from) => {
    const made = await (await logins())?.makeToken(load, from).catch((error: unknown) => {
      log.error(`A token could not be kept: ${spokenError(error)}`);
      return 'not kept' as const;
    });
    if (made === undefined) return '';
    // Salt compat: Salt answers as if the password were wrong, and whoever logs in looks for the fault in the wrong
    // place
    if (made === 'not kept') return NOT_KEPT;
    if (!('error' in made)) return made;
    const eauth = load.get('eauth');
    const { user, type, reason } = made;
    const named = typeof eauth === 'string' ? { eauth } : {};
    audit.refused({ user, type, reason, ...named, client: 'token', funs: [], from });
    return '';
  };
  // Salt compat: whoever has a token is told what it stands for
  const get: ClearHandler = async (load) =>
    load.has('token') ? ((await (await logins())?.tokenData(load.get('token'))) ?? {}) : false;
  return [
    ['mk_token', make],
    ['get_token', get],
  ];
}
