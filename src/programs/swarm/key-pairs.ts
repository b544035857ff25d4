/**
 * The few RSA key pairs that simulated minions share, because making one takes longer than everything else at the
 * start.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RsaPrivateKey } from '../../network/crypto/rsa.ts';
import { makeDirectory, writeFileAtomic } from '../../host/files.ts';
import { generateKeyFiles, generatePair } from '../../storage/keys/generate.ts';

/**
 * Makes key pairs, or reads them when they are there.
 * @param directory where they are kept, so that the same ids may come back to a master that knows them; without it they
 *   live as long as the process
 */
export async function swarmKeys(count: number, directory?: string): Promise<RsaPrivateKey[]> {
  if (directory !== undefined) makeDirectory(directory, 0o700);
  return Promise.all(Array.from({ length: count }, (_, index) => swarmKey(index, directory)));
}

async function swarmKey(index: number, directory: string | undefined): Promise<RsaPrivateKey> {
  if (directory === undefined) return RsaPrivateKey.parse((await generatePair(2048)).privateKey);
  const { privatePath } = await generateKeyFiles({ directory, name: `swarm-${index}` });
  return RsaPrivateKey.parse(readFileSync(privatePath, 'utf8'));
}

/** The key of the minion with this number. */
export function keyOf(keys: readonly RsaPrivateKey[], index: number): RsaPrivateKey {
  return keys[index % keys.length] as RsaPrivateKey;
}

/** The id of the minion with this number: `sim-0007`. */
export function swarmId(prefix: string, index: number): string {
  return `${prefix}${String(index).padStart(4, '0')}`;
}

/** Accepts the swarm's minions on a master, by putting their public keys into its `pki_dir` before they come. */
export function preseedKeys(
  pkiDir: string,
  prefix: string,
  count: number,
  keys: readonly RsaPrivateKey[],
): void {
  const folder = join(pkiDir, 'minions');
  for (let index = 0; index < count; index++) {
    const pem = `${keyOf(keys, index).publicKey.pem}\n`;
    writeFileAtomic(join(folder, swarmId(prefix, index)), pem, { mode: 0o644 });
  }
}
