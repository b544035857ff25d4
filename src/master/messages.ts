/** What the master's main process and its children say to each other over Node's own channel. */
import { Crypticle } from '../crypto/crypticle.ts';
import { Options } from '../config/option.ts';
import { masterOptions, type MasterOptions } from '../config/master-options.ts';
import { Secret } from '../host/secret.ts';
import type { Dict } from '../values/value.ts';
import { decode, encode } from '../wire/msgpack.ts';

/** The parts of a master, each a process of its own. */
export type Role = 'PubServer' | 'EventPublisher' | 'ReqServer' | 'Maintenance' | 'MWorker' | 'Returners';

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
    }
  | { readonly type: 'aes'; readonly aes: readonly string[] }
  | { readonly type: 'ping' }
  | { readonly type: 'stop' };

/** From a child. */
export type FromChild =
  | { readonly type: 'ready' }
  | { readonly type: 'pong' }
  | { readonly type: 'rotate'; readonly reason: string };

/** The start message, read. */
export interface ChildStart {
  readonly role: Role;
  readonly index: number;
  readonly opts: MasterOptions;
  readonly userKeys: ReadonlyMap<string, Secret>;
  readonly aes: readonly Crypticle[];
  readonly console: { readonly level: string; readonly daemon: boolean };
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
  };
}

/** Shared keys as ciphers. */
export function readAes(keys: readonly string[]): Crypticle[] {
  return keys.map((key) => new Crypticle(new Secret(key)));
}
