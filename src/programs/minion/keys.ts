/** The minion's own key pair and what it believes about its master's. */
import { readFileSync } from 'node:fs';
import { MasterKeyring } from '../../network/channel/client/master-key.ts';
import type { AuthClient } from '../../network/channel/client/authenticate.ts';
import type { MinionOptions } from '../../config/minion-options.ts';
import { RsaPrivateKey } from '../../network/crypto/rsa.ts';
import { BrineError } from '../../errors/errors.ts';
import { requirePrivate } from '../../host/loose-modes.ts';
import type { Random } from '../../host/random.ts';
import { generateKeyFiles } from '../../storage/keys/generate.ts';
import { traverse } from '../../formats/data/traverse.ts';
import type { Dict, Value } from '../../python/values/value.ts';

/** Reads `<pki_dir>/minion.pem`, making the pair first when there is none. @throws BrineError naming the file */
export async function loadMinionKey(opts: MinionOptions): Promise<RsaPrivateKey> {
  const directory = opts.get('pki_dir');
  const { privatePath } = await generateKeyFiles({ directory, name: 'minion', bits: opts.get('keysize') });
  requirePrivate(privatePath);
  try {
    return RsaPrivateKey.parse(readFileSync(privatePath, 'utf8'));
  } catch (cause) {
    throw new BrineError(
      `The minion's private key ${privatePath} cannot be used: ${(cause as Error).message}. Restore it, or remove it and minion.pub to make a new one.`,
      { cause, code: 'key-unusable' },
    );
  }
}

/**
 * Who this minion is to its master.
 * @param pinnedName the file with the master's key, `syndic_master.pub` for a syndic
 */
export function authClient(
  opts: MinionOptions,
  key: RsaPrivateKey,
  grains: Dict,
  random: Random,
  pinnedName = 'minion_master.pub',
): AuthClient {
  const sigAlgo = opts.get('signing_algorithm');
  return {
    id: opts.get('id'),
    key,
    keyring: new MasterKeyring({
      pkiDir: opts.get('pki_dir'),
      pinnedName,
      openMode: opts.raw('open_mode') === true,
      finger: String(opts.raw('master_finger') ?? ''),
      hashType: opts.get('hash_type'),
      verifySigned: opts.raw('verify_master_pubkey_sign') === true,
      alwaysVerifySigned: opts.raw('always_verify_signature') === true,
      signKeyName: String(opts.raw('master_sign_key_name') ?? 'master_sign'),
      signingAlgorithm: sigAlgo,
    }),
    encAlgo: opts.get('encryption_algorithm'),
    sigAlgo,
    signsMessages: opts.get('minion_sign_messages'),
    autosignGrains: autosignGrains(opts, grains),
    random,
  };
}

function autosignGrains(opts: MinionOptions, grains: Dict): Dict {
  const names = opts.raw('autosign_grains');
  const out = new Map<Value, Value>();
  if (!Array.isArray(names)) return out;
  for (const name of names) {
    const value = traverse(grains, String(name));
    if (value !== undefined) out.set(name, value);
  }
  return out;
}
