/** Stores of objects over HTTP, as the file server reads them. */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';

/** An object as a listing names it. */
export interface StoredObject {
  readonly key: string;
  /** Another one after each change. */
  readonly etag: string;
  readonly sizeBytes: number;
}

/** A bucket or a container. */
export interface ObjectStore {
  /** How messages name it. */
  readonly name: string;
  /** All objects whose key begins with a text. @throws StoreError */
  list(prefix: string): Promise<readonly StoredObject[]>;
  /** Writes an object to a new file. @throws StoreError */
  download(object: StoredObject, path: string): Promise<void>;
}

/** A store refused, or gave what none gives. */
export class StoreError extends BrineError {
  static override readonly errorCode: ErrorCode = 'object-store-failed';
  override readonly name = 'StoreError';
}

/** Objects of one store beyond this are refused, so that a listing without an end costs no memory without one. */
export const OBJECTS_MAX = 200_000;
/** Largest single object. */
export const OBJECT_BYTES_MAX = 5 * 1024 ** 3;
