/**
 * The one place that decides whether somebody may do something. Whoever asks has found out before who it is; what comes
 * of a refusal (the audit line, the event, the reply) is for whoever asks. `docs/internals/security.md` says who asks.
 */
import { areFunctionsBlacklisted, isUserBlacklisted, type Blacklist } from './blacklist.ts';
import { decideLocal } from './local-rules.ts';
import { decideMaster } from './master-rules.ts';
import type { Decision, Question, Rights } from './question.ts';

/** Who asks. */
export interface Asker {
  readonly user: string;
  readonly rights: Rights;
}

/**
 * @param blacklist the option `publisher_acl_blacklist`, which stands above all rights
 * @returns the rules that allow it (none for full rights, which need none), or the reason of the refusal
 */
export function decide({ user, rights }: Asker, question: Question, blacklist?: Blacklist): Decision {
  if (isUserBlacklisted(blacklist, user))
    return refused('publisher_acl_blacklist refuses this user everything');
  if (question.client === 'local' && areFunctionsBlacklisted(blacklist, question.funs, question.args))
    return refused('publisher_acl_blacklist refuses one of the functions to everybody');
  if (rights.kind === 'full') return { allowed: true, rules: [] };
  if (question.client !== 'local') return decideMaster(rights.rules, question);
  const [field] = question.beyondRules ?? [];
  if (field !== undefined) return refused(`${field} is only for those who may do everything`);
  return decideLocal(rights.rules, question);
}

function refused(reason: string): Decision {
  return { allowed: false, reason };
}
