/** The options with which databases are reached. */
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { toNumber, type Value } from '../../python/values/value.ts';
import type { TlsPeer } from '../tls/fault.ts';
import { readAuthorities, readCertificate, readPem, readPrivateKey } from '../tls/files.ts';

/** The options with which an SQL database is reached: in them `None` as a text is none, as Salt has it. */
export class DatabaseOptions {
  readonly #options: ReadonlyMap<string, Value>;
  /** The name of an option in the configuration, for messages. */
  readonly setting: (name: string) => string;

  /**
   * @param prefix what the options begin with in the configuration
   * @param setting how the configuration writes an option; default: `prefix.name`
   */
  constructor(
    options: ReadonlyMap<string, Value>,
    prefix: string,
    setting = (name: string): string => `${prefix}.${name}`,
  ) {
    this.#options = options;
    this.setting = setting;
  }

  value(name: string): Value | undefined {
    const value = this.#options.get(name);
    return typeof value === 'string' && value.toLowerCase() === 'none' ? undefined : value;
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    return value === undefined || value === null || value === '' ? undefined : String(value);
  }

  /** A port, also as text; undefined when it is not set or no number. */
  port(): number | undefined {
    const value = this.value('port');
    return toNumber(typeof value === 'string' ? Number(value) : value);
  }

  /** The content of the file that an option names. @throws CommandExecutionError when it cannot be read */
  file(name: string): Buffer | undefined {
    return this.#read(name, readPem);
  }

  /** The authorities in the file that an option names. @throws CommandExecutionError when there are none */
  authorities(name: string): Buffer | undefined {
    return this.#read(name, readAuthorities);
  }

  /** The certificate and the key that we show. @throws CommandExecutionError when one of the files cannot be used */
  shown(certificate: string, key: string): { cert?: Buffer; key?: Buffer } {
    const [ours, its] = [this.#read(certificate, readCertificate), this.#read(key, readPrivateKey)];
    return { ...(ours === undefined ? {} : { cert: ours }), ...(its === undefined ? {} : { key: its }) };
  }

  /** What messages about TLS say of these options. */
  tlsWords(authorities: string, certificate: string): Omit<TlsPeer, 'address'> {
    return {
      caSetting: this.setting(authorities),
      caFile: this.text(authorities),
      ownSetting: this.setting(certificate),
    };
  }

  #read(name: string, read: (path: string, setting: string) => Buffer): Buffer | undefined {
    const path = this.text(name);
    if (path === undefined) return undefined;
    try {
      return read(path, this.setting(name));
    } catch (error) {
      throw new CommandExecutionError(messageOf(error), { cause: error });
    }
  }
}
