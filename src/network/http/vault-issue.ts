/** Tokens that a master gives to its minions (salt/runners/vault.py `generate_token`, 3006.16). */
import type { Clock } from '../../host/clock.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { logIn } from './vault-login.ts';
import { askVault, reasonsOf } from './vault-request.ts';
import { VaultError, type VaultSettings } from './vault-settings.ts';

/** For whom, and with what. */
export interface IssueOrder {
  readonly minionId: string;
  readonly policies: readonly string[];
  /** What the minion asks for, which `allow_minion_override` lets count. */
  readonly uses?: Value;
  readonly ttl?: Value;
  readonly jid: string;
  readonly user: string;
}

/**
 * Has Vault make a token.
 * @returns `token`, `url`, `uses`, `lease_duration` and what else the minion needs, as Salt's runner does
 * @throws VaultError when the option is not whole, no policy is left, or Vault refuses
 */
export async function issueToken(settings: VaultSettings, clock: Clock, order: IssueOrder): Promise<Dict> {
  const { issue, backend } = settings;
  if (order.policies.length === 0) throw new VaultError('No policies matched minion');
  const chosen = (asked: Value | undefined, own: Value | undefined): Value | undefined =>
    issue.allowsOverride && asked !== undefined && asked !== null ? asked : own;
  const uses = toNumber(chosen(order.uses, issue.uses) ?? 1) ?? 1;
  const ttl = chosen(order.ttl, issue.ttl);
  const connection = await logIn(settings, clock);
  const body = dict({
    policies: [...order.policies],
    num_uses: uses,
    meta: {
      'saltstack-jid': order.jid,
      'saltstack-minion': order.minionId,
      'saltstack-user': order.user,
    },
    ...(ttl === undefined || ttl === null ? {} : { explicit_max_ttl: pyStr(ttl) }),
  });
  const path = ['auth/token/create', ...(issue.roleName === undefined ? [] : [issue.roleName])].join('/');
  const { token } = connection;
  const { status, data } = await askVault({ ...connection, clock }, { method: 'POST', path, body, token });
  const auth = isDict(data) ? data.get('auth') : undefined;
  if (status !== 200 || !isDict(auth))
    throw new VaultError(
      `Vault makes no token for ${order.minionId}: it answers ${status}${reasonsOf(data)}`,
    );
  const out = dict({
    token: auth.get('client_token') ?? null,
    lease_duration: auth.get('lease_duration') ?? null,
    renewable: auth.get('renewable') ?? null,
    issued: Math.round(clock.nowMs() / 1000),
    url: settings.url,
    verify: settings.verify ?? null,
    token_backend: backend,
    namespace: settings.namespace ?? null,
  });
  return uses >= 0 ? out.set('uses', uses) : out;
}
