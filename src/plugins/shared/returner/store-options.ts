/** Reading single options of a returner's database. */
import { CommandExecutionError, ConfigError, messageOf } from '../../../errors/errors.ts';
import type { TlsPeer } from '../../../network/tls/fault.ts';
import { readAuthorities, readCertificate, readPem, readPrivateKey } from '../../../network/tls/files.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** The options of one returner, by name. */
export type StoreOptions = ReadonlyMap<string, Value>;

/** The text of an option, or undefined where nothing sets it. */
export function textOption(options: StoreOptions, name: string): string | undefined {
  const value = options.get(name);
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

/**
 * A whole number, also as text.
 * @throws ConfigError for anything else
 * @param full the name as the configuration has it
 */
export function intOption(options: StoreOptions, name: string, full: string): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new ConfigError(`${full} must be a whole number, not ${text}.`);
  return Number(text);
}

/** Seconds of an option in milliseconds. @throws ConfigError for what is no number above 0 */
export function secondsOption(options: StoreOptions, name: string, full: string): number | undefined {
  const value = options.get(name);
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === 'string' ? Number(value) : toNumber(value);
  if (seconds === undefined || !(seconds > 0))
    throw new ConfigError(`${full} must be a number of seconds above 0, not ${String(value)}.`);
  return seconds * 1000;
}

/** Whether an option is set to something that Python takes for true. */
export function flagOption(options: StoreOptions, name: string): boolean {
  return truthy(options.get(name));
}

/** A list of texts; a single text is a list of one. */
export function listOption(options: StoreOptions, name: string): string[] {
  const value = options.get(name);
  if (value === undefined || value === null || value === '') return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

/** The mappings in a list; others are left out. */
export function dictsOption(options: StoreOptions, name: string): Dict[] {
  const value = options.get(name);
  return Array.isArray(value) ? value.filter(isDict) : isDict(value) ? [value] : [];
}

/** The options with which an SQL database is reached: in them `None` as a text is none, as Salt has it. */
export class DatabaseOptions {
  readonly #options: StoreOptions;
  readonly #prefix: string;

  /** @param prefix what the options begin with in the configuration */
  constructor(options: StoreOptions, prefix: string) {
    this.#options = options;
    this.#prefix = prefix;
  }

  value(name: string): Value | undefined {
    const value = this.#options.get(name);
    return typeof value === 'string' && value.toLowerCase() === 'none' ? undefined : value;
  }

  text(name: string): string | undefined {
    return this.value(name) === undefined ? undefined : textOption(this.#options, name);
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
      caSetting: `${this.#prefix}.${authorities}`,
      caFile: this.text(authorities),
      ownSetting: `${this.#prefix}.${certificate}`,
    };
  }

  #read(name: string, read: (path: string, setting: string) => Buffer): Buffer | undefined {
    const path = this.text(name);
    if (path === undefined) return undefined;
    try {
      return read(path, `${this.#prefix}.${name}`);
    } catch (error) {
      throw new CommandExecutionError(messageOf(error), { cause: error });
    }
  }
}
