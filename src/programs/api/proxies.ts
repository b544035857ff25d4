/**
 * Where a request comes from. Salt takes the address of the connection, which behind a proxy is the proxy's for
 * everybody. `X-Forwarded-For` counts only as far as proxies that are named have written it: whatever stands before
 * that a stranger may have made up.
 */
import { BlockList, isIP } from 'node:net';
import { ConfigError } from '../../errors/errors.ts';
import { isLoopback } from '../../network/transport/address-group.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';

/** What a proxy says who has asked it: addresses, each proxy behind those before it. */
const HEADER = 'x-forwarded-for';

/** The proxies that are believed. */
export class Proxies {
  readonly #trusted = new BlockList();
  /** Told once. */
  #tell: ((warning: string) => void) | undefined;

  /**
   * @param given `trusted_proxies`: an address or a network, or a list of them
   * @param tell is told when a proxy on this machine is not among them @throws ConfigError for what is none
   */
  constructor(given: Value, tell?: (warning: string) => void) {
    this.#tell = tell;
    for (const each of Array.isArray(given) ? given : given === null ? [] : [given]) this.#add(pyStr(each));
  }

  has(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }

  /**
   * The address that a request comes from.
   * @param address of the connection @param headers of the request
   */
  clientOf(address: string, headers: Readonly<Record<string, string | string[] | undefined>>): string {
    const given = headers[HEADER];
    if (given !== undefined && isLoopback(address) && !this.has(address)) this.#tellUnnamed(address);
    let found = address;
    for (const written of (Array.isArray(given) ? given.join(',') : (given ?? '')).split(',').reverse()) {
      if (!this.has(found)) return found;
      const before = bare(written.trim());
      if (isIP(before) === 0) return found;
      found = before;
    }
    return found;
  }

  #tellUnnamed(address: string): void {
    this.#tell?.(
      `A program at ${address} sends X-Forwarded-For, and trusted_proxies does not name it: everybody who comes by it counts as one, so that ` +
        `strangers who guess passwords can keep others from logging in. If it is a proxy of yours, set trusted_proxies: ${address}.`,
    );
    this.#tell = undefined;
  }

  #add(text: string): void {
    const [address = '', bits, ...more] = text.split('/');
    const family = isIP(address);
    const width = family === 6 ? 128 : 32;
    const isRight =
      more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width));
    if (family === 0 || !isRight)
      throw new ConfigError(
        `trusted_proxies names ${text}, which is no address and no network. Write addresses such as 10.0.0.5 or 10.0.0.0/24.`,
      );
    const type = family === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) this.#trusted.addAddress(address, type);
    else this.#trusted.addSubnet(address, Number(bits), type);
  }
}

/** Without a port. */
function bare(written: string): string {
  const match = /^\[([^\]]+)\](?::\d+)?$/.exec(written) ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(written);
  return (match?.[1] ?? written).replace(/^::ffff:(?=\d+\.)/i, '');
}
