/** New key pairs on the disk (salt/crypt.py gen_keys, 3006.16). */
import { generateKeyPair } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isKeySize, KEY_SIZES } from '../../network/crypto/rsa.ts';
import { BrineError, NotPermittedError } from '../../errors/errors.ts';
import { createFile, safeJoin, writeFileAtomic } from '../../host/files.ts';
import { thisUser } from '../../host/own-account.ts';
import type { Secret } from '../../host/secret.ts';

/** What a key pair shall be. */
export interface KeyPairRequest {
  /** Folder for both files; must exist. */
  readonly directory: string;
  /** Name of both files without their endings `.pem` and `.pub`. */
  readonly name: string;
  /** Default 2048. */
  readonly bits?: number;
  /** Encrypts the private key; without it the file is plain. */
  readonly passphrase?: Secret | undefined;
}

/** Where a key pair is. */
export interface KeyPairFiles {
  readonly privatePath: string;
  readonly publicPath: string;
  /** False when there was a private key already; nothing was written then. */
  readonly created: boolean;
}

/**
 * Makes an RSA key pair with the exponent 65537: the private key as PKCS#1 with mode 0400, the public key as SPKI with
 * mode 0644. A private key that is there already is kept.
 * @throws BrineError when the folder cannot be written to, or for a size that nobody accepts; UnsafePathError for a
 *   name that leads elsewhere
 */
export async function generateKeyFiles(request: KeyPairRequest): Promise<KeyPairFiles> {
  const privatePath = safeJoin(request.directory, `${request.name}.pem`);
  const publicPath = safeJoin(request.directory, `${request.name}.pub`);
  if (existsSync(privatePath)) return { privatePath, publicPath, created: false };
  checkWritable(dirname(privatePath));
  const { bits = 2048, passphrase } = request;
  if (!isKeySize(bits))
    throw new BrineError(`No key of ${bits} bits is made for ${privatePath}; ${KEY_SIZES}: change keysize.`);
  const pair = await generatePair(bits, passphrase);
  try {
    createFile(privatePath, pair.privateKey, { mode: 0o400, durable: true });
  } catch (error) {
    // Another process was faster: its key counts.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      return { privatePath, publicPath, created: false };
    throw error;
  }
  writeFileAtomic(publicPath, pair.publicKey, { mode: 0o644, durable: true });
  return { privatePath, publicPath, created: true };
}

/** Makes a key pair in memory, as PEM texts. */
export async function generatePair(
  bits: number,
  passphrase?: Secret,
): Promise<{ privateKey: string; publicKey: string }> {
  const protection = passphrase?.reveal() ? { cipher: 'aes-256-cbc', passphrase: passphrase.reveal() } : {};
  return promisify(generateKeyPair)('rsa', {
    modulusLength: bits,
    publicExponent: 65537,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem', ...protection },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

function checkWritable(directory: string): void {
  try {
    accessSync(directory, constants.W_OK);
  } catch (cause) {
    throw new NotPermittedError(
      `Write access denied to "${resolve(directory)}" for user "${thisUser()}". Run it as the owner of this folder, or as root.`,
      { cause },
    );
  }
}
