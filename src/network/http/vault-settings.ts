/** The option `vault`, in the words of 3006 (salt/modules/vault.py) and of 3007 (salt/utils/vault/), as one. */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** Vault was not asked, or did not do it. Neither secret nor token is in the message. */
export class VaultError extends BrineError {
  static override readonly errorCode: ErrorCode = 'vault-failed';
  override readonly name = 'VaultError';
}

const DEFAULT_WRAP_TTL = '30s';
/** What 3007 tells minions where nothing says otherwise (salt/utils/vault/factory.py, 3007.8). */
const TOLD_CACHE = {
  backend: 'session',
  clear_attempt_revocation: 60,
  clear_on_unauthorized: true,
  config: 3600,
  expire_events: false,
  kv_metadata: 'connection',
  secret: 'ttl',
};
const TOLD_LIFECYCLE = { minimum_ttl: 10, renew_increment: null };
/** Words of a token that may be configured, and asked for where that is allowed. */
const TOKEN_PARAMS = ['ttl', 'period', 'explicit_max_ttl', 'num_uses', 'no_default_policy', 'renewable'];

const DEFAULT_POLICIES = ['saltstack/minion/{minion}', 'saltstack/minions'];

/** What the option says. */
export interface VaultSettings {
  /** Empty when it does not say. */
  readonly url: string;
  readonly verify: Value | undefined;
  readonly namespace: string | undefined;
  /** `method`, `token`, `role_id`, `secret_id` … as they are written. */
  readonly auth: Dict;
  /** Where AppRole is mounted. */
  readonly approleMount: string;
  readonly location: 'local' | 'master' | undefined;
  /** `session` keeps what masters give for one job, `disk` in a file. */
  readonly backend: string;
  readonly policies: {
    readonly patterns: readonly string[];
    readonly cacheSeconds: number;
    readonly refreshPillar: boolean | undefined;
  };
  /** Tokens that a master gives to minions. */
  readonly issue: {
    readonly uses: Value | undefined;
    readonly ttl: Value | undefined;
    readonly allowsOverride: boolean;
    readonly roleName: string | undefined;
    /** How long a wrapping is good, in Vault's words; undefined for tokens without one. */
    readonly wrapTtl: string | undefined;
    /** Further words for Vault (`vault:issue:token:params`). */
    readonly params: Dict;
  };
  /** What minions of 3007 are told to keep, and how to renew (`vault:cache`, `vault:auth:token_lifecycle`). */
  readonly told: { readonly cache: Dict; readonly lifecycle: Dict };
  /** To unseal with. */
  readonly keys: readonly string[];
}

const mapping = (value: Value | undefined): Dict => (isDict(value) ? value : new Map());
const text = (value: Value | undefined): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : pyStr(value);
const texts = (value: Value | undefined): string[] | undefined =>
  Array.isArray(value) ? value.map(pyStr) : typeof value === 'string' ? [value] : undefined;

/** Reads the option. @throws VaultError when it is missing, or asks for what is not served */
export function vaultSettings(option: Value | undefined): VaultSettings {
  if (!isDict(option))
    throw new VaultError('the option `vault` is missing: give its url and auth, see the guide to sdb.');
  const [server, auth] = [mapping(option.get('server')), mapping(option.get('auth'))];
  const location = text(option.get('config_location'));
  if (location !== undefined && location !== 'local' && location !== 'master')
    throw new VaultError(`vault:config_location is ${location}, and there are local and master.`);
  return {
    url: text(server.get('url') ?? option.get('url')) ?? '',
    verify: server.get('verify') ?? option.get('verify'),
    namespace: text(server.get('namespace') ?? option.get('namespace')),
    auth,
    approleMount: text(auth.get('approle_mount')) ?? 'approle',
    location,
    backend: text(mapping(option.get('cache')).get('backend') ?? auth.get('token_backend')) ?? 'session',
    policies: policiesOf(option),
    issue: issueOf(option, auth),
    told: {
      cache: new Map([...dict(TOLD_CACHE), ...mapping(option.get('cache'))]),
      lifecycle: new Map([...dict(TOLD_LIFECYCLE), ...mapping(auth.get('token_lifecycle'))]),
    },
    keys: texts(option.get('keys')) ?? [],
  };
}

function policiesOf(option: Dict): VaultSettings['policies'] {
  const given = option.get('policies');
  const named = mapping(given);
  const refresh = named.get('refresh_pillar') ?? option.get('policies_refresh_pillar');
  return {
    patterns: texts(isDict(given) ? named.get('assign') : given) ?? DEFAULT_POLICIES,
    cacheSeconds: toNumber(named.get('cache_time') ?? option.get('policies_cache_time')) ?? 60,
    refreshPillar: typeof refresh === 'boolean' ? refresh : undefined,
  };
}

function issueOf(option: Dict, auth: Dict): VaultSettings['issue'] {
  const issue = mapping(option.get('issue'));
  const kind = text(issue.get('type'));
  if (kind !== undefined && kind !== 'token')
    throw new VaultError(`vault:issue:type is ${kind}, and masters give tokens only: set it to token.`);
  const token = mapping(issue.get('token'));
  const params = mapping(token.get('params'));
  return {
    uses: params.get('num_uses') ?? auth.get('uses'),
    ttl: params.get('explicit_max_ttl') ?? auth.get('ttl'),
    allowsOverride:
      (issue.get('allow_minion_override_params') ?? auth.get('allow_minion_override') ?? false) === true,
    roleName: text(token.get('role_name') ?? option.get('role_name')),
    wrapTtl: wrapTtlOf(issue.get('wrap')),
    params: onlyParams(params),
  };
}

/** `30s`, or seconds as a number; what is false asks for no wrapping. */
function wrapTtlOf(given: Value | undefined): string | undefined {
  if (given === undefined) return DEFAULT_WRAP_TTL;
  return truthy(given) ? pyStr(given) : undefined;
}

/** Those that say anything. */
export function onlyParams(given: Dict): Dict {
  return new Map(
    TOKEN_PARAMS.flatMap((name): [Value, Value][] => {
      const value = given.get(name);
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
}
