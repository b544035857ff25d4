/** The authorities of a file, ready to verify with: reading a whole bundle takes longer than many a request. */
import { statSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { readAuthorities } from './files.ts';

/** Keeps what was made of the last file, until that file is another. */
export class TrustedFile {
  #kept: { readonly state: string; readonly context: SecureContext } | undefined;

  /**
   * @param setting as it stands in the configuration
   * @throws ConfigError naming setting and file
   */
  context(path: string, setting: string): SecureContext {
    const stat = statSync(path, { throwIfNoEntry: false });
    const state = stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size} ${path}`;
    if (this.#kept?.state === state && state !== '') return this.#kept.context;
    const context = createSecureContext({ ca: readAuthorities(path, setting) });
    this.#kept = { state, context };
    return context;
  }
}
