/**
 * What a minion believes about its master's key: the pinned file, first use, signed keys, the expected fingerprint
 * (docs/internals/keys-and-sessions.md#what-a-minion-believes-of-its-master; salt/crypt.py `verify_master`, 3006.16).
 * Nothing is written before the reply has been verified.
 */
import type { ErrorCode } from '../../../errors/codes.ts';
import { join } from 'node:path';
import { cleanKeyText } from '../../crypto/pem.ts';
import { RsaPublicKey } from '../../crypto/rsa.ts';
import { AuthenticationError, messageOf } from '../../../errors/errors.ts';
import { readTextIfExists, writeFileAtomic } from '../../../host/files.ts';
import { pemFinger } from '../../crypto/fingerprint.ts';

/** How strict a minion is about its master's key. */
export interface MasterKeyPolicy {
  readonly pkiDir: string;
  /** `minion_master.pub`, or `syndic_master.pub` for a syndic. */
  readonly pinnedName: string;
  readonly openMode: boolean;
  /** `master_finger` or `syndic_finger`; empty when any key will do. */
  readonly finger: string;
  readonly hashType: string;
  /** `verify_master_pubkey_sign` */
  readonly verifySigned: boolean;
  /** `always_verify_signature` */
  readonly alwaysVerifySigned: boolean;
  /** `master_sign_key_name` */
  readonly signKeyName: string;
  readonly signingAlgorithm: string;
}

/** What to do where one minion meets another key at each of its masters. */
export const SEVERAL_MASTERS =
  'Several masters of one minion have the same key, or sign their keys (verify_master_pubkey_sign).';

/** The master showed a fingerprint that the configuration does not allow: the minion must not go on. */
export class FingerprintError extends AuthenticationError {
  static override readonly errorCode: ErrorCode = 'master-fingerprint-wrong';
  override readonly exitCode = 42;
}

/** Reads and decides. */
export class MasterKeyring {
  readonly #policy: MasterKeyPolicy;
  readonly #path: string;

  constructor(policy: MasterKeyPolicy) {
    this.#policy = policy;
    this.#path = join(policy.pkiDir, policy.pinnedName);
  }

  /** Where the trusted key is kept. */
  get path(): string {
    return this.#path;
  }

  /** The key trusted so far. @throws AuthenticationError when the file is no key */
  pinned(): RsaPublicKey | undefined {
    const text = readTextIfExists(this.#path);
    if (text === undefined || text.trim() === '') return undefined;
    try {
      return RsaPublicKey.parse(text);
    } catch (cause) {
      throw new AuthenticationError(
        `The master's public key in ${this.#path} cannot be used: ${messageOf(cause)}. Remove the file to trust the master anew.`,
        { cause },
      );
    }
  }

  /**
   * Decides whether a presented key is the master's.
   * @param signature base64 over the key by the master's signing key, when the reply had one
   * @returns the key to check the reply with, and whether it must still be written down
   * @throws AuthenticationError saying why it is not, FingerprintError when the configuration forbids it
   */
  judge(presented: string, signature: string | undefined): { key: RsaPublicKey; isNew: boolean } {
    const key = parse(presented);
    this.#checkFinger(key);
    const pinned = this.#policy.openMode ? undefined : this.pinned();
    if (pinned?.pem === key.pem) {
      this.#checkSignatureOption(signature);
      if (this.#policy.alwaysVerifySigned) this.#requireSignature(key, signature);
      return { key, isNew: false };
    }
    if (this.#policy.verifySigned) this.#requireSignature(key, signature);
    else if (pinned !== undefined) throw new AuthenticationError(this.#changedText());
    return { key, isNew: true };
  }

  /** Trusts a key from now on. */
  remember(key: RsaPublicKey): void {
    writeFileAtomic(this.#path, key.pem, { mode: 0o644, durable: true });
  }

  #changedText(): string {
    return (
      `The master's public key has changed: it is not the one in ${this.#path}. If the master was replaced on purpose, ` +
      `remove that file and restart the minion. ${SEVERAL_MASTERS}`
    );
  }

  #checkFinger(key: RsaPublicKey): void {
    const { finger, hashType } = this.#policy;
    if (finger === '') return;
    const actual = pemFinger(key.pem, hashType);
    if (actual === finger) return;
    throw new FingerprintError(
      `The specified fingerprint in the master configuration file:\n${finger}\ndoes not match the authenticating master's key:\n${actual}\n` +
        'Verify that the configured fingerprint matches the fingerprint of the correct master and that this minion is not subject to a man-in-the-middle attack.',
    );
  }

  /** Both sides must agree on whether keys are signed. */
  #checkSignatureOption(signature: string | undefined): void {
    const { verifySigned } = this.#policy;
    if (verifySigned && signature === undefined) {
      throw new AuthenticationError(
        'The master sent no signature of its public key, but verify_master_pubkey_sign is on; set master_sign_pubkey on the master.',
      );
    }
    if (!verifySigned && signature !== undefined) {
      throw new AuthenticationError(
        'The master signs its public key, but verify_master_pubkey_sign is off on this minion; turn it on and install the verification key.',
      );
    }
  }

  #requireSignature(key: RsaPublicKey, signature: string | undefined): void {
    const { pkiDir, signKeyName, signingAlgorithm } = this.#policy;
    const path = join(pkiDir, `${signKeyName}.pub`);
    const text = readTextIfExists(path);
    if (text === undefined)
      throw new AuthenticationError(
        `The key that verifies the master's is missing: ${path}; copy ${signKeyName}.pub there from the master's pki_dir.`,
      );
    if (signature === undefined)
      throw new AuthenticationError('The master sent no signature of its public key.');
    const bytes = Buffer.from(signature, 'base64');
    const verifier = readVerifier(text, path);
    // Salt compat: salt-key --gen-signature of 3006 signs the file with its trailing newline
    const forms = [key.pem, `${key.pem}\n`];
    if (forms.some((form) => verifier.verify(Buffer.from(form), bytes, signingAlgorithm))) return;
    throw new AuthenticationError(
      `The signature of the master's public key does not fit the key in ${path}.`,
    );
  }
}

function parse(presented: string): RsaPublicKey {
  try {
    return RsaPublicKey.parse(cleanKeyText(presented));
  } catch (cause) {
    throw new AuthenticationError(
      `The public key that the master presented cannot be used: ${messageOf(cause)}.`,
      { cause },
    );
  }
}

function readVerifier(text: string, path: string): RsaPublicKey {
  try {
    return RsaPublicKey.parse(text);
  } catch (cause) {
    throw new AuthenticationError(
      `The key in ${path}, which verifies the master's, cannot be used: ${messageOf(cause)}.`,
      { cause },
    );
  }
}
