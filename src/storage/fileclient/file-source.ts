/**
 * Asking a file server, in another process or in this one, and reading its answers
 * (docs/internals/wire-protocol.md#commands-of-minions).
 */
import { dict, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { asBytes } from '../../formats/wire/msgpack.ts';
import { gunzip } from 'node:zlib';
import { promisify } from 'node:util';

const unpack = promisify(gunzip);

/** Sends one request and gives its answer. @throws UnreachableError */
export type SendRequest = (load: Dict) => Promise<Value>;

/** The sum of a file, as `cp.hash_file` shows it. */
export interface FileSum {
  readonly hsum: string;
  readonly hashType: string;
}

/** A file that the server has. */
export interface ServedFile {
  readonly sum: FileSum | undefined;
  /** Python's stat list; undefined from a server that does not tell. */
  readonly stat: readonly Value[] | undefined;
}

/** One piece of a file. */
export interface Piece {
  /** Empty at the end of the file, and when there is no file. */
  readonly bytes: Buffer;
  /** Path of the file below its environment; empty when there is no file. */
  readonly dest: string;
  /** Of the whole file, bytes; only a Brine master tells. */
  readonly size?: number;
}

/** The questions that file clients have. */
export class FileSource {
  readonly #send: SendRequest;

  constructor(send: SendRequest) {
    this.#send = send;
  }

  /** @returns undefined when there is no such file */
  async describe(path: string, saltenv: string): Promise<ServedFile | undefined> {
    const reply = await this.#send(dict({ cmd: '_file_hash_and_stat', path, saltenv }));
    if (!Array.isArray(reply)) return undefined;
    const [sum, stat] = reply;
    if (sum === undefined || sum === '' || sum === null) return undefined;
    return { sum: readSum(sum), stat: Array.isArray(stat) && stat.length > 0 ? stat : undefined };
  }

  /** Where a file lies, for a server in this process; undefined when there is no such file. */
  async place(path: string, saltenv: string): Promise<string | undefined> {
    const reply = await this.#send(dict({ cmd: '_file_find', path, saltenv }));
    const place = isDict(reply) ? reply.get('path') : undefined;
    return typeof place === 'string' && place !== '' ? place : undefined;
  }

  /** The sum of a file as the server gives it: a mapping, an empty one, or an empty text. */
  hash(path: string, saltenv: string): Promise<Value> {
    return this.#send(dict({ cmd: '_file_hash', path, saltenv }));
  }

  async piece(path: string, saltenv: string, loc: number, gzip: number | undefined): Promise<Piece> {
    const reply = await this.#send(dict({ cmd: '_serve_file', path, saltenv, loc, gzip }));
    if (!isDict(reply)) return { bytes: Buffer.alloc(0), dest: '' };
    const bytes = asBytes(reply.get('data')) ?? Buffer.alloc(0);
    const dest = reply.get('dest');
    const isPacked = (toNumber(reply.get('gzip')) ?? 0) > 0 && bytes.length > 0;
    const size = toNumber(reply.get('size'));
    return {
      bytes: isPacked ? await unpack(bytes) : bytes,
      dest: typeof dest === 'string' ? dest : '',
      ...(size === undefined ? {} : { size }),
    };
  }

  files(saltenv: string, prefix = ''): Promise<string[]> {
    return this.#list('_file_list', saltenv, prefix);
  }

  emptyFolders(saltenv: string, prefix = ''): Promise<string[]> {
    return this.#list('_file_list_emptydirs', saltenv, prefix);
  }

  folders(saltenv: string, prefix = ''): Promise<string[]> {
    return this.#list('_dir_list', saltenv, prefix);
  }

  /** Link to what it says. */
  async links(saltenv: string, prefix = ''): Promise<Dict> {
    const reply = await this.#send(dict({ cmd: '_symlink_list', saltenv, prefix }));
    return isDict(reply) ? reply : new Map();
  }

  async environments(): Promise<string[]> {
    return textsOf(await this.#send(dict({ cmd: '_file_envs' })));
  }

  async #list(cmd: string, saltenv: string, prefix: string): Promise<string[]> {
    return textsOf(await this.#send(dict({ cmd, saltenv, prefix })));
  }
}

/** Reads `{hash_type, hsum}`. */
export function readSum(value: Value | undefined): FileSum | undefined {
  if (value === undefined || !isDict(value)) return undefined;
  const hsum = value.get('hsum');
  const hashType = value.get('hash_type');
  return typeof hsum === 'string' && typeof hashType === 'string' ? { hsum, hashType } : undefined;
}

/** Names that are no text cannot be asked for again. */
function textsOf(value: Value): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
