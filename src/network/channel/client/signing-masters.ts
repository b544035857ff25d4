/**
 * The masters of which this minion has seen a signed publication: from then on it takes no other from them, also after
 * a restart and with `sign_pub_messages: False`. One line for each master's public key, its fingerprint as `salt-key
 * -F` shows it; whoever wants unsigned publications of a master again removes its line and restarts the minion.
 */
import { appendFileSync, fsyncSync, openSync, closeSync } from 'node:fs';
import { createFile, readTextIfExists } from '../../../host/files.ts';
import { messageOf } from '../../../errors/errors.ts';
import type { Logger } from '../../../host/log.ts';
import { pemFinger } from '../../crypto/fingerprint.ts';
import type { SigningMasters } from './publication.ts';

/** The name of the file, in `pki_dir`: it must not go away with a cache. */
export const SIGNING_MASTERS = 'masters_that_sign';
/** A minion trusts one key of each of its masters at a time; more lines than this are of no use. */
const MASTERS_MAX = 1000;

/** Remembers on disk which masters sign what they publish. */
export class SigningMastersFile implements SigningMasters {
  readonly #path: string;
  readonly #log: Logger;
  #fingers: Set<string> | undefined;
  /** The key that was asked for last, because it is asked for with every publication. */
  #last: { readonly pem: string; readonly isNoted: boolean } | undefined;

  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  has(masterKey: string): boolean {
    if (this.#last?.pem !== masterKey)
      this.#last = { pem: masterKey, isNoted: this.#known().has(pemFinger(masterKey)) };
    return this.#last.isNoted;
  }

  note(masterKey: string): void {
    const known = this.#known();
    const finger = pemFinger(masterKey);
    this.#last = { pem: masterKey, isNoted: true };
    if (known.has(finger) || known.size >= MASTERS_MAX) return;
    known.add(finger);
    try {
      this.#append(`${finger}\n`);
    } catch (error) {
      this.#log.warning(
        `That the master ${finger} signs its publications cannot be kept in ${this.#path}: ${messageOf(error)}. It holds until this minion restarts.`,
      );
    }
  }

  #append(line: string): void {
    if (readTextIfExists(this.#path) === undefined) {
      createFile(this.#path, line, { mode: 0o644, durable: true });
      return;
    }
    const fd = openSync(this.#path, 'a');
    try {
      appendFileSync(fd, line);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  #known(): Set<string> {
    this.#fingers ??= new Set(this.#read().slice(0, MASTERS_MAX));
    return this.#fingers;
  }

  /**
   * A file that cannot be read counts as empty, because without the master's commands nobody could repair this minion.
   */
  #read(): string[] {
    try {
      return (readTextIfExists(this.#path) ?? '').split('\n').filter((line) => line.trim() !== '');
    } catch (error) {
      this.#log.warning(`Which masters sign cannot be read from ${this.#path}: ${messageOf(error)}`);
      return [];
    }
  }
}
