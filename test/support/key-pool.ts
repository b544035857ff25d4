/**
 * RSA keys for the daemons of end-to-end tests, made once and kept in `build/test-keys`: making one costs a tenth of a
 * second of processor time, and the tests start hundreds of daemons. Each daemon of a test file gets a key that no
 * other of this file has.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** Options of daemons whose keys are of another kind, or come from elsewhere. */
const OTHER_KEYS = /^(cluster|keysize|key_pass|signing_key_pass|master_sign\w*):/m;

/** Hands out the keys of a folder, in turn. */
export class KeyPool {
  readonly #folder: string;
  #next = 0;

  constructor(root: string) {
    this.#folder = join(root, 'build', 'test-keys');
  }

  /**
   * Puts a key pair where a daemon looks for its own, unless there is one or its configuration wants another kind.
   * @param config the path of its configuration
   */
  seed(config: string, name: 'master' | 'minion'): void {
    if (!existsSync(config)) return;
    const text = readFileSync(config, 'utf8');
    const directory = /^pki_dir: (.+)$/m.exec(text)?.[1];
    const user = /^user: (.+)$/m.exec(text)?.[1];
    if (directory === undefined || OTHER_KEYS.test(text) || user !== userInfo().username) return;
    if (existsSync(join(directory, `${name}.pem`))) return;
    if (!makesFolder(directory)) return;
    const pem = this.#key(this.#next++);
    const publicPem = createPublicKey(pem).export({ type: 'spki', format: 'pem' });
    writeFileSync(join(directory, `${name}.pub`), publicPem, { mode: 0o644 });
    writeFileSync(join(directory, `${name}.pem`), pem, { mode: 0o400 });
  }

  /** Of test files that make the same key at once, the first one's counts. */
  #key(index: number): string {
    const path = join(this.#folder, `${index}.pem`);
    if (!existsSync(path)) {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const aside = `${path}.${process.pid}`;
      writeFileSync(aside, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
      try {
        linkSync(aside, path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      } finally {
        rmSync(aside);
      }
    }
    return readFileSync(path, 'utf8');
  }
}

/** False where no folder can be, which the daemon is to find out itself. */
function makesFolder(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}
