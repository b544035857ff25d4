/** Which etcd the functions of `etcd` speak with (3006.16 salt/utils/etcd_util.py `_get_etcd_opts`, `get_conn`). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { EtcdClient, etcdOptions } from '../../../network/http/etcd-client.ts';
import { isDict, truthy, type Dict } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import type { EtcdConnection, EtcdKeys } from './keys.ts';
import { SecondEtcd } from './second.ts';
import { ThirdEtcd } from './third.ts';

/** The parameter that takes what says where etcd is: host, port, username, password, ca, client_key, client_cert. */
export const CONNECTION = 'kwargs';

/** The profile as a parameter. */
export const PROFILE = {
  profile: param.textIfGiven({
    default: null,
    doc: 'The profile: the option, in the configuration or the pillar, that has etcd.host and its like.',
  }),
} as const;

/** Options that a call may replace. */
const REPLACEABLE = ['host', 'port', 'username', 'password', 'ca', 'client_key', 'client_cert'];
/** Options of version 3 that a call may only switch on. */
const SWITCHES = ['encode_keys', 'encode_values', 'raw_keys', 'raw_values'];

/**
 * The etcd of a call. What the configuration says goes before the pillar, and that before the master's options in the
 * pillar. Salt compat: a profile that is nowhere is an error; Salt asks 127.0.0.1.
 * @param given keywords of the call
 * @throws CommandExecutionError for a profile that is nowhere, ConfigError for options that are no address
 */
function etcdOf(
  ctx: ModuleContext,
  profile: string | undefined,
  given: Dict,
): Omit<EtcdConnection, 'isStrict'> {
  const fromMaster = ctx.pillar.get('master');
  const all: Dict = new Map([...(isDict(fromMaster) ? fromMaster : []), ...ctx.pillar, ...ctx.opts]);
  const found = profile === undefined ? all : all.get(profile);
  if (!isDict(found))
    throw new CommandExecutionError(
      `There is no profile ${profile ?? ''}: neither the configuration nor the pillar has an option of that name with etcd.host and its like`,
    );
  const options = new Map(etcdOptions(found));
  for (const name of [...REPLACEABLE, ...SWITCHES]) {
    const value = given.get(name) ?? null;
    if (truthy(value)) options.set(name, value);
  }
  for (const [name, value] of options) if (!truthy(value) && REPLACEABLE.includes(name)) options.delete(name);
  return { client: new EtcdClient(options, ctx.clock), options };
}

/**
 * The keys of the etcd that a call names.
 * @param isStrict what Salt gives None for, and logs, is thrown: a server that is not reached, or refuses
 * @throws as {@link etcdOf}
 */
export function keysOf(
  ctx: ModuleContext,
  profile: string | undefined,
  given: Dict,
  isStrict = false,
): EtcdKeys {
  const etcd = { ...etcdOf(ctx, profile, given), isStrict };
  return etcd.client.isSecondVersion ? new SecondEtcd(ctx, etcd) : new ThirdEtcd(ctx, etcd);
}
