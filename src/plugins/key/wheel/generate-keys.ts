/**
 * New keys and signatures: `--gen-keys` and `--gen-signature` of `salt-key`, `key.gen_keys` and `key.gen_signature`.
 */
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { BrineError } from '../../../errors/errors.ts';
import { readTextIfExists } from '../../../host/files.ts';
import { Secret } from '../../../host/secret.ts';
import { findUser } from '../../../host/users.ts';
import { pemFinger } from '../../../network/crypto/fingerprint.ts';
import { KEY_BITS_MIN } from '../../../network/crypto/rsa.ts';
import { generateKeyFiles } from '../../../storage/keys/generate.ts';
import { writeSignature } from '../../../storage/keys/signature.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { makeFolders } from '../../../host/make-folders.ts';
import { isFile } from '../../../python/paths.ts';

/** Makes a key pair. @returns its fingerprint */
export async function generateKeys(opts: Dict): Promise<Value> {
  const directory = text(opts, 'gen_keys_dir');
  makeFolders(directory);
  const { privatePath, publicPath, created } = await generateKeyFiles({
    directory,
    name: text(opts, 'gen_keys'),
    bits: keyBits(opts),
    passphrase: signingPassphrase(opts),
  });
  // Salt compat: a user that is not there is passed over
  const owner = text(opts, 'gen_keys_user') === '' ? undefined : await findUser(text(opts, 'gen_keys_user'));
  if (created && owner !== undefined)
    for (const path of [privatePath, publicPath]) chownSync(path, owner.uid, -1);
  const publicKey = readTextIfExists(publicPath);
  return publicKey === undefined ? '' : pemFinger(publicKey);
}

/** Signs the master's public key. @returns true, false when there is a signature already, or what is missing */
export async function generateSignature(opts: Dict): Promise<Value> {
  const pkiDir = text(opts, 'pki_dir');
  const signName = text(opts, 'master_sign_key_name') || 'master_sign';
  const publicKeyPath = text(opts, 'pub') || existing(join(pkiDir, 'master.pub'));
  if (text(opts, 'pub') !== '' && !isFile(publicKeyPath)) return `Public-key ${publicKeyPath} does not exist`;
  let privateKeyPath = text(opts, 'priv') || existing(join(pkiDir, `${signName}.pem`));
  if (text(opts, 'priv') !== '' && !isFile(privateKeyPath)) {
    return `Private-key ${privateKeyPath} does not exist`;
  }
  const passphrase = signingPassphrase(opts);
  if (privateKeyPath === '') {
    if (!truthy(opts.get('auto_create'))) return 'No usable private-key found';
    const made = await generateKeyFiles({
      directory: pkiDir,
      name: signName,
      bits: keyBits(opts),
      passphrase,
    });
    privateKeyPath = made.privatePath;
  }
  if (publicKeyPath === '') return 'No usable public-key found';
  const directory = text(opts, 'signature_path') || pkiDir;
  const signaturePath = join(directory, text(opts, 'master_pubkey_signature') || 'master_pubkey_signature');
  return writeSignature({ privateKeyPath, publicKeyPath, signaturePath, passphrase });
}

function text(opts: Dict, key: string): string {
  const value = opts.get(key);
  return value === undefined || value === null ? '' : pyStr(value);
}

function keyBits(opts: Dict): number {
  return Math.max(toNumber(opts.get('keysize')) ?? KEY_BITS_MIN, KEY_BITS_MIN);
}

function signingPassphrase(opts: Dict): Secret | undefined {
  const value = text(opts, 'signing_key_pass');
  if (value.startsWith('sdb://')) {
    throw new BrineError(
      'signing_key_pass is an address of sdb that was not resolved: its profile is not in the configuration.',
    );
  }
  return value === '' ? undefined : new Secret(value);
}

function existing(path: string): string {
  return isFile(path) ? path : '';
}
