/**
 * What the configuration says about remote repositories (`gitfs_*`, `git_pillar_*`): global values, and those of single
 * remotes.
 */
import { createHash } from 'node:crypto';
import { ConfigError } from '../../errors/errors.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import { Secret } from '../../host/secret.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { GitAccess } from './run-git.ts';

/** Parameters that every kind of remote has. */
const COMMON = [
  'base',
  'root',
  'mountpoint',
  'name',
  'user',
  'password',
  'insecure_auth',
  'privkey',
  'pubkey',
  'passphrase',
  'ssl_verify',
  'proxy',
  'refspecs',
  'update_interval',
  'fallback',
  'all_saltenvs',
] as const;

/** A remote as it is configured, with the global values for what it does not say itself. */
export class RemoteOptions {
  /** As the configuration has it: an address, or `branch address`. */
  readonly id: string;
  readonly #role: string;
  readonly #opts: Dict;
  readonly #own: Dict;

  /**
   * @param known the parameters of this kind of remote besides the common ones
   * @param common those of git, unless it is another kind of source
   * @throws ConfigError
   */
  constructor(
    entry: Value,
    role: string,
    { opts, known, common = COMMON }: { opts: Dict; known: readonly string[]; common?: readonly string[] },
  ) {
    const [id, own] = isDict(entry) ? ([...entry][0] ?? ['', null]) : [entry, undefined];
    this.#role = role;
    this.#opts = opts;
    if (typeof id !== 'string' || id.trim() === '')
      throw new ConfigError(`${role}_remotes: ${pyStr(entry)} is no address; it may need quotes.`);
    this.id = id.trim();
    this.#own = own === undefined ? new Map() : this.#parameters(own);
    const names = [...common, ...known];
    for (const name of this.#own.keys())
      if (!names.includes(pyStr(name)))
        throw new ConfigError(
          `The remote ${masked(this.id)} of ${role} has no parameter '${pyStr(name)}'.${didYouMean(pyStr(name), names, 2) || ` There are ${names.join(', ')}.`}`,
        );
  }

  #parameters(own: Value): Dict {
    const out: Dict = new Map();
    for (const item of Array.isArray(own) ? own : [own])
      if (isDict(item)) for (const [key, value] of item) out.set(key, value);
    if (out.size === 0)
      throw new ConfigError(
        `The remote ${masked(this.id)} of ${this.#role} has no parameters: remove the colon behind the address, or name some.`,
      );
    return out;
  }

  /** True when the remote itself says something. */
  has(name: string): boolean {
    return this.#own.has(name);
  }

  value(name: string): Value {
    return this.#own.get(name) ?? this.#opts.get(`${this.#role}_${name}`) ?? null;
  }

  text(name: string, fallback = ''): string {
    const value = this.value(name);
    return value === null ? fallback : pyStr(value);
  }

  flag(name: string): boolean {
    return truthy(this.value(name));
  }

  texts(name: string, fallback: readonly string[]): readonly string[] {
    const value = this.value(name);
    if (Array.isArray(value)) return value.map(pyStr);
    return typeof value === 'string' && value !== '' ? value.split(',').map((one) => one.trim()) : fallback;
  }

  /** A folder without slashes at its ends. */
  folder(name: string): string {
    return cleanFolder(this.text(name));
  }

  /** Milliseconds between two fetches. */
  get updateIntervalMs(): number {
    const seconds = toNumber(this.value('update_interval'));
    return seconds !== undefined && seconds >= 0 ? seconds * 1000 : 60_000;
  }

  get refspecs(): readonly string[] {
    return this.texts('refspecs', ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']);
  }

  /** How the repository at an address is reached. @throws ConfigError for a password that would be sent in clear */
  access(address: string): GitAccess {
    const found = /^(https?:\/\/)(?:([^/@:]*)(?::([^/@]*))?@)?(.*)$/i.exec(address);
    const [, scheme = '', inUser, inPassword, rest = ''] = found ?? [];
    const url = found === null ? address : `${scheme}${rest}`;
    const user = this.text('user', '') || decodeURIComponent(inUser ?? '');
    const password = this.text('password', '') || decodeURIComponent(inPassword ?? '');
    if (/^http:/i.test(url) && password !== '' && !this.flag('insecure_auth'))
      throw new ConfigError(
        `The remote ${masked(this.id)} of ${this.#role} would send its password in clear text. Use https, or set ${this.#role}_insecure_auth: True.`,
      );
    const helper = /^([A-Za-z0-9][\w+.-]*)::/.exec(url)?.[1];
    if (helper !== undefined)
      throw new ConfigError(
        `The remote ${masked(this.id)} of ${this.#role} needs the program git-remote-${helper}, which is not started for it. Use an address of https, ssh or file.`,
      );
    if (url.startsWith('-') || url.includes('\0'))
      throw new ConfigError(
        `The remote ${masked(this.id)} of ${this.#role} has an address that git would not take as one.`,
      );
    return {
      url,
      user,
      password: new Secret(password),
      privkey: this.text('privkey'),
      passphrase: new Secret(this.text('passphrase')),
      sslVerify: this.value('ssl_verify') !== false,
      proxy: this.text('proxy'),
    };
  }

  /** The name of Salt's folder for it: `name`, else a sum of the address. */
  get cacheName(): string {
    if (this.has('name')) return this.text('name');
    return createHash('sha256').update(this.id).digest('base64').replaceAll('/', '_');
  }
}

/** A folder of a repository or an environment, without `salt://` and slashes at its ends. */
export function cleanFolder(text: string): string {
  return text.replace(/^salt:\/\//, '').replace(/^\/+|\/+$/g, '');
}

/** An address without a user and a password. */
export function masked(address: string): string {
  return address.replace(/([a-z+]+:\/\/)[^/@\s]+@/gi, '$1<redacted>@');
}
