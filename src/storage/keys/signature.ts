/** The signature of the master's public key, by which minions check it before they trust it (`--gen-signature`). */
import { DEFAULT_SIGNING, RsaPrivateKey, RsaPublicKey } from '../../network/crypto/rsa.ts';
import { readFileSync } from 'node:fs';
import { createFile } from '../../host/files.ts';
import type { Secret } from '../../host/secret.ts';

/** What to sign, and with what. */
export interface SignatureRequest {
  readonly privateKeyPath: string;
  readonly publicKeyPath: string;
  readonly signaturePath: string;
  /** Opens the private key. */
  readonly passphrase?: Secret | undefined;
  /** Salt's name of the algorithm; minions expect their own `signing_algorithm`. */
  readonly algorithm?: string;
}

/**
 * The signature of a public key as the master sends it: base64 with a line end.
 *
 * Salt compat: 3006.16 signs the file with its final newline, but sends, and minions check, the cleaned text without
 * it, so that its own signatures never fit. Ours is over the cleaned text.
 * @throws BadKeyError when one of the keys cannot be used; nothing but a public key is ever signed with this one
 */
function signPublicKey(
  privateKeyPem: string,
  publicKeyPem: string,
  passphrase?: Secret,
  algorithm = DEFAULT_SIGNING,
): string {
  const key = RsaPrivateKey.parse(privateKeyPem, passphrase?.reveal());
  const { pem } = RsaPublicKey.parse(publicKeyPem);
  return `${key.sign(Buffer.from(pem), algorithm).toString('base64')}\n`;
}

/**
 * Writes the signature of a public key to a file, mode 0644.
 * @returns false when the file exists already; it is kept
 */
export function writeSignature(request: SignatureRequest): boolean {
  const signature = signPublicKey(
    readFileSync(request.privateKeyPath, 'utf8'),
    readFileSync(request.publicKeyPath, 'utf8'),
    request.passphrase,
    request.algorithm,
  );
  try {
    createFile(request.signaturePath, signature, { mode: 0o644, durable: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
