/** Private keys, opened until `close`. */
interface OpenKeys {
  readonly home: string;
  readonly fingerprints: readonly string[];
  close(): void;
}

/** Opens private keys; throws for one that lies in a folder of `outside`, or that others can read. */
export function openKeys(wanted: {
  readonly files: readonly string[];
  readonly made?: string;
  readonly passphraseFile?: string;
  readonly outside: readonly string[];
}): OpenKeys;
