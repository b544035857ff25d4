/**
 * The contract of the master's main process and its children, who talk over Node's own channel: what each may say, and
 * how it is checked when it is read.
 */
import type { WorkersWanted } from './worker-plan.ts';
import { Crypticle, isKeyString } from '../../network/crypto/crypticle.ts';
import { Options } from '../../config/option.ts';
import { masterOptions, type MasterOptions } from '../../config/master-options.ts';
import { Secret } from '../../host/secret.ts';
import type { Dict } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { readSamples, type Sample } from '../../runtime/metrics/sample.ts';

/** The parts of a master, each a process of its own. */
export type Role = (typeof ROLES)[number];

const ROLES = [
  'PubServer',
  'EventPublisher',
  'ReqServer',
  'Maintenance',
  'MWorker',
  'Returners',
  'Reactor',
  'Engine',
  'Cluster',
  'Cache',
] as const;

/** From the main process. */
export type ToChild =
  | {
      readonly type: 'start';
      readonly role: Role;
      /** Number of this worker. */
      readonly index: number;
      /** The options, in base64 of msgpack. */
      readonly opts: string;
      /** Shared AES key strings: the one in force, then the one before it. */
      readonly aes: readonly string[];
      /** Key of each local user who may publish. */
      readonly userKeys: Readonly<Record<string, string>>;
      readonly console: { readonly level: string; readonly daemon: boolean };
      /** Whether this master has the duty of its cluster now. */
      readonly hasDuty: boolean;
    }
  | { readonly type: 'aes'; readonly aes: readonly string[] }
  | { readonly type: 'duty'; readonly isMine: boolean }
  | { readonly type: 'ping' }
  | { readonly type: 'figures'; readonly round: number }
  | { readonly type: 'stop' };

/** From a child. */
export type FromChild =
  | { readonly type: 'ready' }
  | { readonly type: 'pong' }
  | { readonly type: 'rotate'; readonly reason: string }
  | { readonly type: 'adopt'; readonly key: string }
  | { readonly type: 'workers'; readonly wanted: WorkersWanted }
  | { readonly type: 'duty'; readonly isMine: boolean }
  | { readonly type: 'figures'; readonly round: number; readonly samples: readonly Sample[] };

/** What came from the main process; undefined when it is none of its messages. */
export function readToChild(message: unknown): ToChild | undefined {
  if (!isRecord(message)) return undefined;
  const { type, aes, role, index, opts, userKeys, console, round, isMine, hasDuty } = message;
  if (type === 'ping' || type === 'stop') return { type };
  if (type === 'duty') return typeof isMine === 'boolean' ? { type, isMine } : undefined;
  if (type === 'figures') return typeof round === 'number' ? { type, round } : undefined;
  if (!Array.isArray(aes) || !aes.every((key) => typeof key === 'string')) return undefined;
  if (type === 'aes') return { type, aes };
  const known = ROLES.find((name) => name === role);
  if (type !== 'start' || known === undefined || typeof index !== 'number' || typeof opts !== 'string')
    return undefined;
  if (!isRecord(userKeys) || !isRecord(console) || typeof hasDuty !== 'boolean') return undefined;
  const { level, daemon } = console;
  if (typeof level !== 'string' || typeof daemon !== 'boolean') return undefined;
  const keys = Object.entries(userKeys).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    type,
    role: known,
    index,
    opts,
    aes,
    userKeys: Object.fromEntries(keys),
    console: { level, daemon },
    hasDuty,
  };
}

/** What came from a child; undefined when it is none of its messages. */
export function readFromChild(message: unknown): FromChild | undefined {
  if (!isRecord(message)) return undefined;
  const { type, reason, round, samples, key, isMine, wanted } = message;
  if (type === 'adopt') return typeof key === 'string' && isKeyString(key) ? { type, key } : undefined;
  if (type === 'duty') return typeof isMine === 'boolean' ? { type, isMine } : undefined;
  if (type === 'ready' || type === 'pong') return { type };
  if (type === 'workers') return { type, wanted: wanted === 'all' ? 'all' : 'serving' };
  if (type === 'figures')
    return typeof round === 'number' ? { type, round, samples: readSamples(samples) } : undefined;
  return type === 'rotate' && typeof reason === 'string' ? { type, reason } : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The start message, read. */
export interface ChildStart {
  readonly role: Role;
  readonly index: number;
  readonly opts: MasterOptions;
  readonly userKeys: ReadonlyMap<string, Secret>;
  readonly aes: readonly Crypticle[];
  readonly console: { readonly level: string; readonly daemon: boolean };
  readonly hasDuty: boolean;
}

/** Packs options for a child. */
export function packOptions(opts: MasterOptions): string {
  return encode(opts.toDict(), 'local').toString('base64');
}

/** Reads a start message. */
export function readStart(message: Extract<ToChild, { type: 'start' }>): ChildStart {
  const values = decode(Buffer.from(message.opts, 'base64'), 'local') as Dict;
  return {
    role: message.role,
    index: message.index,
    opts: new Options(masterOptions, values),
    userKeys: new Map(Object.entries(message.userKeys).map(([user, key]) => [user, new Secret(key)])),
    aes: readAes(message.aes),
    console: message.console,
    hasDuty: message.hasDuty,
  };
}

/** Shared keys as ciphers. */
export function readAes(keys: readonly string[]): Crypticle[] {
  return keys.map((key) => new Crypticle(new Secret(key)));
}
