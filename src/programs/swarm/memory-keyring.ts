/**
 * What a simulated minion believes about its master's key, kept in memory: trusted on first use, checked ever after.
 */
import { MasterKeyring } from '../../network/channel/client/master-key.ts';
import type { RsaPublicKey } from '../../network/crypto/rsa.ts';

/** A keyring without files, so that thousands of minions need no folders. */
export class MemoryKeyring extends MasterKeyring {
  #pinned: RsaPublicKey | undefined;

  constructor() {
    super({
      pkiDir: '/nonexistent',
      pinnedName: 'minion_master.pub',
      openMode: false,
      finger: '',
      hashType: 'sha256',
      verifySigned: false,
      alwaysVerifySigned: false,
      signKeyName: 'master_sign',
      signingAlgorithm: 'PKCS1v15-SHA1',
    });
  }

  override pinned(): RsaPublicKey | undefined {
    return this.#pinned;
  }

  override remember(key: RsaPublicKey): void {
    this.#pinned = key;
  }
}
