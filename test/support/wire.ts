/** A wire between two programs that tests can cut, mend, or leave dead. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A wire that can be cut, and that can go dead. */
export class Wire {
  readonly port: number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #isCut = false;

  private constructor(server: Server) {
    this.port = (server.address() as AddressInfo).port;
  }

  static async to(t: TestContext, target: number): Promise<Wire> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const wire = new Wire(server);
    server.on('connection', (near) => wire.#join(near, target));
    t.after(() => {
      server.close();
      wire.cut();
    });
    return wire;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Ends all connections and takes no new ones. */
  cut(): void {
    this.#isCut = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  /** Connections stay, and nothing passes any more: nobody is told. New ones work. */
  goDead(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.unpipe().pause();
  }

  #join(near: Socket, target: number): void {
    if (this.#isCut) return void near.destroy();
    const far = connect(target, '127.0.0.1');
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
      from.pipe(to);
    }
  }
}
