/** The option `cluster`: which cluster of masters this one belongs to, and where its NATS servers are. */
import { ConfigError } from '../errors/errors.ts';
import { didYouMean } from '../errors/did-you-mean.ts';
import { Secret } from '../host/secret.ts';
import { pyStr } from '../python/values/repr.ts';
import type { Dict, Value } from '../python/values/value.ts';
import type { MasterOptions } from './master-options.ts';

/** A cluster as a master's configuration names it. */
export interface ClusterSettings {
  /** The cluster's name, which subjects and streams of NATS carry. */
  readonly id: string;
  /** The name of this master among its members. */
  readonly member: string;
  /** Where minions reach this master, `host` or `host:port`, as they are told; undefined when they are not. */
  readonly minionAddress?: string;
  /** How many NATS servers keep each message. */
  readonly replicas: number;
  /** Bytes of returns that wait on the disk while NATS is away; beyond them returns are not acknowledged. */
  readonly spoolBytesMax: number;
  /**
   * Each master has a key of its own, and minions trust the key that signs them (`master_sign_pubkey`); else all have
   * one key.
   */
  readonly hasOwnKeys: boolean;
  readonly nats: NatsSettings;
  /**
   * Where the NATS servers say how they are set up (`http` or `https` in their configuration); empty when that is not
   * known.
   */
  readonly natsMonitoring: readonly string[];
}

/** How NATS is reached. */
export interface NatsSettings {
  /** `tls://host:port` or `nats://host:port` */
  readonly servers: readonly string[];
  /** Path of a file of credentials (a JWT and its seed). */
  readonly credentials?: string;
  readonly user?: string;
  readonly password?: Secret;
  readonly token?: Secret;
  /** Paths of certificates, and of a key, in PEM. */
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
const MEMBER = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
const ADDRESS = /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]{0,252})(?::\d{1,5})?$/;
const REPLICAS = [1, 3, 5];
const SPOOL_BYTES_MAX = 1024 * 1024 * 1024;
const KNOWN = [
  'id',
  'member',
  'minion_address',
  'nats',
  'nats_monitoring',
  'replicas',
  'spool_bytes_max',
  'own_keys',
  'credentials',
  'user',
  'password',
  'token',
  'tls_ca',
  'tls_cert',
  'tls_key',
];

/** Whether a text can be the name of a member. */
export function isMemberName(text: string): boolean {
  return MEMBER.test(text);
}

/** Whether the configuration names a cluster, right or wrong. */
export function isClustered(opts: Pick<MasterOptions, 'get'>): boolean {
  return opts.get('cluster').size > 0;
}

/**
 * Reads the option.
 * @returns undefined for a master that stands alone
 * @throws ConfigError naming what is wrong
 */
export function clusterSettings(opts: Pick<MasterOptions, 'get' | 'raw'>): ClusterSettings | undefined {
  const value = opts.get('cluster');
  if (value.size === 0) return undefined;
  for (const key of value.keys()) requireKnown(String(key));
  const id = idOf(value, opts.raw('cluster_id') || null);
  const member = textOf(value, 'member') ?? String(opts.raw('id') ?? '');
  if (!isMemberName(member))
    throw new ConfigError(
      `cluster: member must be a name of letters, digits, '.', - and _, not ${pyStr(member)}. Without it the master's id counts.`,
    );
  const minionAddress = textOf(value, 'minion_address');
  if (minionAddress !== undefined && !ADDRESS.test(minionAddress))
    throw new ConfigError(
      `cluster: minion_address is a host, with a port where it is not 4506, such as master1:4506, not ${pyStr(minionAddress)}.`,
    );
  return {
    id,
    member,
    ...(minionAddress === undefined ? {} : { minionAddress }),
    replicas: replicasOf(value.get('replicas')),
    spoolBytesMax: bytesOf(value.get('spool_bytes_max')),
    hasOwnKeys: ownKeysOf(value.get('own_keys'), opts),
    nats: natsOf(value),
    natsMonitoring: monitoringOf(value.get('nats_monitoring')),
  };
}

/** @param salts the option `cluster_id` of Salt 3007, which says the same */
function idOf(value: Dict, salts: Value): string {
  const own = value.get('id') ?? null;
  const given = own ?? salts;
  if (typeof given !== 'string' || !NAME.test(given))
    throw new ConfigError(
      `${own === null && salts !== null ? 'cluster_id' : 'cluster: id'} must be a name of letters, digits, - and _, 32 at most, not ${pyStr(given)}.`,
    );
  if (salts === null || salts === given) return given;
  throw new ConfigError(
    `cluster: id is ${given}, and cluster_id is ${pyStr(salts)}. They name the same cluster: set one of them.`,
  );
}

function requireKnown(key: string): void {
  if (KNOWN.includes(key)) return;
  throw new ConfigError(`cluster: there is no option ${key}.${didYouMean(key, KNOWN)}`);
}

function replicasOf(value: Value | undefined): number {
  if (value === undefined || value === null) return 3;
  if (typeof value === 'number' && REPLICAS.includes(value)) return value;
  throw new ConfigError(`cluster: replicas is 1, 3 or 5, not ${pyStr(value)}.`);
}

function ownKeysOf(value: Value | undefined, opts: Pick<MasterOptions, 'raw'>): boolean {
  if (value === undefined || value === null || value === false) return false;
  if (value !== true) throw new ConfigError(`cluster: own_keys is True or False, not ${pyStr(value)}.`);
  if (opts.raw('master_sign_pubkey') === true) return true;
  throw new ConfigError(
    'cluster: own_keys needs master_sign_pubkey: True, for minions trust the key that signs those of the masters.',
  );
}

function bytesOf(value: Value | undefined): number {
  if (value === undefined || value === null) return SPOOL_BYTES_MAX;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw new ConfigError(`cluster: spool_bytes_max is a number of bytes above 0, not ${pyStr(value)}.`);
}

function natsOf(value: Dict): NatsSettings {
  const servers = serversOf(value.get('nats'));
  const [user, password, token, credentials, tlsCa, tlsCert, tlsKey] = [
    'user',
    'password',
    'token',
    'credentials',
    'tls_ca',
    'tls_cert',
    'tls_key',
  ].map((key) => textOf(value, key));
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new ConfigError('cluster: tls_cert and tls_key go together; one of them is missing.');
  return {
    servers,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password: new Secret(password) }),
    ...(token === undefined ? {} : { token: new Secret(token) }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(tlsCa === undefined ? {} : { tlsCa }),
    ...(tlsCert === undefined ? {} : { tlsCert }),
    ...(tlsKey === undefined ? {} : { tlsKey }),
  };
}

function serversOf(value: Value | undefined): string[] {
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || list.length === 0)
    throw new ConfigError('cluster: nats must name at least one server, such as [tls://nats1:4222].');
  return list.map((entry) => {
    const text = typeof entry === 'string' ? entry : '';
    if (!isServer(text))
      throw new ConfigError(
        `cluster: nats takes addresses such as tls://nats1:4222 or nats://127.0.0.1:4222, not ${pyStr(text.replace(/\/\/.*@/, '//***@'))}. ` +
          'A user and a password have options of their own.',
      );
    return text;
  });
}

function isServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  return (protocol === 'tls:' || protocol === 'nats:') && hostname !== '' && username === '';
}

function monitoringOf(value: Value | undefined): string[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  return list.map((entry) => {
    if (typeof entry === 'string' && isMonitoring(entry)) return entry;
    throw new ConfigError(
      `cluster: nats_monitoring takes addresses such as http://nats1:8222, not ${pyStr(entry)}. It is what http or https says in the ` +
        'configuration of each NATS server.',
    );
  });
}

function isMonitoring(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '' && username === '';
}

function textOf(value: Dict, key: string): string | undefined {
  const text = value.get(key);
  if (text === undefined || text === null) return undefined;
  if (typeof text === 'string' && text !== '') return text;
  throw new ConfigError(`cluster: ${key} takes a text, not ${pyStr(text)}.`);
}
