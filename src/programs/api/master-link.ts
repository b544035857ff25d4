/**
 * The API's end of the master: like every local program it sends requests in the clear, and shows what its own client
 * has shown.
 */
import { existsSync } from 'node:fs';
import { masterSockets } from '../../config/master-sockets.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { MasterDownError } from '../../runtime/client/errors.ts';
import { LocalClient, type LocalClientDeps } from '../../runtime/client/local-client.ts';

/** Salt's sentence for a master that is not there. */
const NOT_AVAILABLE = 'Salt Master is not available.';

/** A connection that is made when it is first needed, and again after the master was away. */
export class MasterLink {
  readonly #deps: LocalClientDeps;
  #client: Promise<LocalClient> | undefined;

  constructor(deps: LocalClientDeps) {
    this.#deps = { ...deps, stays: true };
  }

  get opts(): MasterOptions {
    return this.#deps.opts;
  }

  /** @throws MasterDownError when there is no master beside us */
  requireMaster(): void {
    if (!existsSync(masterSockets(this.#deps.opts).publishPull)) throw new MasterDownError(NOT_AVAILABLE);
  }

  /** @throws MasterDownError */
  client(): Promise<LocalClient> {
    this.#client ??= LocalClient.connect(this.#deps).catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  /** Sends a command. @returns the reply @throws MasterDownError */
  async command(load: Dict): Promise<Value> {
    return (await this.client()).command(load);
  }

  /** What a token of external authentication stands for; undefined for one that is not good, or not any more. */
  async tokenData(token: string, nowSeconds: number): Promise<Dict | undefined> {
    const reply = await this.command(
      new Map<Value, Value>([
        ['cmd', 'get_token'],
        ['token', token],
      ]),
    );
    const expire = isDict(reply) ? reply.get('expire') : undefined;
    if (!isDict(reply) || expire === undefined) return undefined;
    return Number(expire instanceof Object ? String(expire) : expire) > nowSeconds ? reply : undefined;
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    client?.close();
  }
}
