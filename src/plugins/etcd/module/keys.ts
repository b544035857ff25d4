/** What both versions of etcd serve. */
import type { EtcdClient } from '../../../network/http/etcd-client.ts';
import type { Dict, Value } from '../../../python/values/value.ts';

/** An etcd, and the options that are in force. */
export interface EtcdConnection {
  readonly client: EtcdClient;
  readonly options: ReadonlyMap<string, Value>;
  /** What Salt gives None for is thrown. */
  readonly isStrict: boolean;
}

/** A wait for a change. */
export interface Watched {
  readonly key: string;
  /** Of what lies below, too. */
  readonly isRecursive: boolean;
  /** Undefined: until the job ends. */
  readonly timeoutSeconds: number | undefined;
  /** From which change on. */
  readonly index: Value | undefined;
}

/** Keys of an etcd. What Salt gives None for is null, and the log says why. */
export interface EtcdKeys {
  /** Whether a key that has the first value would be written when the second is wanted. */
  isOther(current: Value, wanted: Value): boolean;
  get(key: string, isRecursive: boolean): Promise<Value>;
  set(key: string, value: Value, ttl: Value, isDirectory: boolean): Promise<Value>;
  update(fields: Dict, path: string): Promise<Value>;
  watch(watched: Watched): Promise<Value>;
  ls(path: string): Promise<Value>;
  rm(key: string, isRecursive: boolean): Promise<Value>;
  tree(path: string): Promise<Value>;
}
