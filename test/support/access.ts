/** Questions to the module that decides, in short. */
import { given } from '../../src/runtime/access/auth-list.ts';
import { decide } from '../../src/runtime/access/decide.ts';
import type { LocalQuestion } from '../../src/runtime/access/question.ts';
import type { MasterOptions } from '../../src/config/master-options.ts';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { Access, type Logins } from '../../src/programs/master/auth/access.ts';
import { Audit } from '../../src/programs/master/auth/audit.ts';
import type { UserAuth } from '../../src/programs/master/auth/user-auth.ts';
import { ApiTokens } from '../../src/storage/tokens/api-tokens.ts';
import type { Value } from '../../src/python/values/value.ts';

/** Whether a list of rules allows a job. */
export function isAllowed(rules: Value[], question: Omit<LocalQuestion, 'client'>): boolean {
  const rights = { kind: 'limited', rules: given(rules, 'a test') } as const;
  return decide({ user: 'somebody', rights }, { ...question, client: 'local' }).allowed;
}

/** What decides on requests in the clear; without `logins` there is no external authentication. */
export function accessFor(opts: MasterOptions, users: UserAuth, logins?: Logins): Access {
  return new Access({
    opts,
    users,
    logins: () => Promise.resolve(logins),
    apiTokens: new ApiTokens(opts.get('pki_dir')),
    clock: systemClock,
    audit: new Audit(() => undefined, silentLogger, systemClock),
  });
}
