/** Tokens that a master gives to its minions (salt/runners/vault.py `generate_token`, 3006.16). */
import type { Clock } from '../../host/clock.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { logIn } from './vault-login.ts';
import { askVault, reasonsOf } from './vault-request.ts';
import { onlyParams, VaultError, type VaultSettings } from './vault-settings.ts';

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
  const words = dict({
    num_uses: uses,
    ...(ttl === undefined || ttl === null ? {} : { explicit_max_ttl: pyStr(ttl) }),
  });
  const auth = await created(settings, clock, { order, words, field: 'auth' });
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

/** What a minion of 3007 asks for. */
export interface ConfigOrder extends Pick<IssueOrder, 'minionId' | 'policies' | 'jid' | 'user'> {
  /** Words of a token, which `allow_minion_override_params` lets count. */
  readonly params: Value;
}

/**
 * The configuration of Vault for a minion, with a token, in a wrapping unless `vault:issue:wrap` is False
 * (salt/runners/vault.py `get_config`, 3007.8).
 * @param hasToken false for the configuration alone
 */
export async function issueConfig(
  settings: VaultSettings,
  clock: Clock,
  order: ConfigOrder,
  hasToken: boolean,
): Promise<Dict> {
  const { told } = settings;
  const auth = dict({ method: 'token', token_lifecycle: told.lifecycle });
  const config = dict({
    auth,
    cache: told.cache,
    server: serverOf(settings),
    wrap_info_nested: [],
  });
  if (!hasToken) return config;
  const { token, uses, isWrapped } = await tokenFor(settings, clock, order);
  auth.set('token', token);
  if (isWrapped)
    config.set('wrap_info_nested', ['auth:token']).set('misc_data', dict({ 'token:num_uses': uses }));
  return config;
}

/** A token for a minion that has the configuration (salt/runners/vault.py `generate_new_token`, 3007.8). */
export async function issueNewToken(
  settings: VaultSettings,
  clock: Clock,
  order: ConfigOrder,
): Promise<Dict> {
  const { token, uses, isWrapped } = await tokenFor(settings, clock, order);
  const answer = dict({ server: serverOf(settings), auth: isWrapped ? {} : token });
  return isWrapped ? new Map([...answer, ...token, ['misc_data', dict({ num_uses: uses })]]) : answer;
}

function serverOf({ url, namespace, verify }: VaultSettings): Dict {
  return dict({ url, namespace: namespace ?? null, verify: verify ?? null });
}

async function tokenFor(
  settings: VaultSettings,
  clock: Clock,
  order: ConfigOrder,
): Promise<{ readonly token: Dict; readonly uses: Value; readonly isWrapped: boolean }> {
  const { issue } = settings;
  if (order.policies.length === 0) throw new VaultError('No policies matched minion.');
  const asked = issue.allowsOverride && isDict(order.params) ? onlyParams(order.params) : [];
  const words = new Map([...dict({ num_uses: issue.uses ?? 1 }), ...issue.params, ...asked]);
  const uses = words.get('num_uses') ?? 1;
  const { wrapTtl } = issue;
  const field = wrapTtl === undefined ? 'auth' : 'wrap_info';
  const given = await created(settings, clock, { order, words, field, wrapTtl });
  const part = (name: string): Value => given.get(name) ?? null;
  if (wrapTtl !== undefined) {
    const since = typeof part('creation_time') === 'string' ? Date.parse(pyStr(part('creation_time'))) : NaN;
    const info = dict({
      token: part('token'),
      ttl: part('ttl'),
      creation_time: Math.round((Number.isNaN(since) ? clock.nowMs() : since) / 1000),
      creation_path: part('creation_path'),
    });
    return { token: dict({ wrap_info: info }), uses, isWrapped: true };
  }
  const [issued, seconds] = [Math.round(clock.nowMs() / 1000), toNumber(part('lease_duration')) ?? 0];
  const token = dict({
    client_token: part('client_token'),
    renewable: part('renewable'),
    lease_duration: seconds,
    num_uses: given.get('num_uses') ?? uses,
    creation_time: issued,
    expire_time: issued + seconds,
  });
  return { token, uses, isWrapped: false };
}

/**
 * Has Vault make a token.
 * @returns a part of its answer: the token, or its wrapping
 * @throws VaultError when it refuses
 */
async function created(
  settings: VaultSettings,
  clock: Clock,
  {
    order,
    words,
    field,
    wrapTtl,
  }: {
    readonly order: Pick<IssueOrder, 'minionId' | 'policies' | 'jid' | 'user'>;
    readonly words: Dict;
    readonly field: 'auth' | 'wrap_info';
    readonly wrapTtl?: string | undefined;
  },
): Promise<Dict> {
  const { roleName } = settings.issue;
  const connection = await logIn(settings, clock);
  const body = new Map<Value, Value>([
    ...words,
    ['policies', [...order.policies]],
    [
      'meta',
      dict({
        'saltstack-jid': order.jid,
        'saltstack-minion': order.minionId,
        'saltstack-user': order.user,
      }),
    ],
  ]);
  const path = ['auth/token/create', ...(roleName === undefined ? [] : [roleName])].join('/');
  const { token } = connection;
  const asked = { method: 'POST', path, body, token, wrapTtl } as const;
  const { status, data } = await askVault({ ...connection, clock }, asked);
  const part = isDict(data) ? data.get(field) : undefined;
  if (status === 200 && isDict(part)) return part;
  throw new VaultError(`Vault makes no token for ${order.minionId}: it answers ${status}${reasonsOf(data)}`);
}
