/** The master's own key pair. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MasterOptions } from '../../config/master-options.ts';
import { requirePrivate } from '../../host/loose-modes.ts';
import { cleanKeyText } from '../../network/crypto/pem.ts';
import { BrineError, messageOf } from '../../errors/errors.ts';
import { RsaPrivateKey } from '../../network/crypto/rsa.ts';

/** The pass phrase of the master's key, when the configuration has one. */
export function masterKeyPassphrase(opts: MasterOptions): string | undefined {
  const phrase = opts.raw('key_pass');
  return typeof phrase === 'string' && phrase !== '' ? phrase : undefined;
}

/** Reads `<pki_dir>/master.pem`. @throws BrineError naming the file when it cannot be used */
export function loadMasterKey(opts: MasterOptions): RsaPrivateKey {
  const path = join(opts.get('pki_dir'), 'master.pem');
  requirePrivate(path);
  try {
    return RsaPrivateKey.parse(readFileSync(path, 'utf8'), masterKeyPassphrase(opts));
  } catch (cause) {
    throw new BrineError(
      `The master's private key ${path} cannot be used: ${messageOf(cause)}. Restore it, or remove it and master.pub to make a new one; minions will then refuse this master until they are told to trust it.`,
      { cause, code: 'key-unusable' },
    );
  }
}

/**
 * Signatures over the master's public key by its signing key (`master_sign_pubkey`): one for each algorithm that
 * minions ask for, in base64 with the newline that Salt's has; undefined when the option is off
 * (docs/internals/wire-protocol.md#authentication).
 */
export function publicKeySigner(
  opts: MasterOptions,
  masterKey: RsaPrivateKey,
): ((algorithm: string) => string) | undefined {
  if (opts.raw('master_sign_pubkey') !== true) return undefined;
  const directory = opts.get('pki_dir');
  if (opts.raw('master_use_pubkey_signature') === true) {
    const stored = readFileSync(join(directory, String(opts.raw('master_pubkey_signature'))), 'utf8');
    return () => cleanKeyText(stored);
  }
  const phrase = opts.raw('signing_key_pass');
  const signingKey = RsaPrivateKey.parse(
    readFileSync(join(directory, `${String(opts.raw('master_sign_key_name'))}.pem`), 'utf8'),
    typeof phrase === 'string' && phrase !== '' ? phrase : undefined,
  );
  const made = new Map<string, string>();
  return (algorithm) => {
    const known = made.get(algorithm);
    if (known !== undefined) return known;
    const signature = `${signingKey.sign(Buffer.from(masterKey.publicKey.pem), algorithm).toString('base64')}\n`;
    made.set(algorithm, signature);
    return signature;
  };
}
