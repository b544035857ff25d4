/** `/ws/<token>`: the event bus over a web socket (salt/netapi/rest_cherrypy/app.py `WebsocketEndpoint`, 3006.16). */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import type { Logger } from '../../host/log.ts';
import { answerPings } from '../../network/transport/ws/pongs.ts';
import { dict } from '../../python/values/value.ts';
import type { Clients } from './clients.ts';
import { WAITING_BYTES_MAX, type StreamReader } from './event-streams.ts';
import type { Exchange } from './exchange.ts';
import { HttpFault } from './http-fault.ts';
import { rightToListen, type EventsDeps, type ListeningRight } from './resources/events.ts';
import { SaltInfo } from './salt-info.ts';

const READY = 'websocket client ready';
const HEARD = 'server received message';
/** What a client may say at once, and how often it is answered while it does not read. */
const MESSAGE_BYTES_MAX = 64 * 1024;

/** What web sockets need. */
export interface WebSocketDeps extends EventsDeps {
  readonly clients: Clients;
  readonly log: Logger;
}

/** Accepts web sockets. */
export class WebSockets {
  readonly #deps: WebSocketDeps;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    autoPong: false,
  });

  constructor(deps: WebSocketDeps) {
    this.#deps = deps;
  }

  /**
   * Turns a request into a web socket.
   * @param given the token out of the path, or the id of a session
   * @throws HttpFault 401, 503
   */
  async accept(exchange: Exchange, given: string | undefined, socket: Duplex, head: Buffer): Promise<void> {
    const right = await rightToListen(this.#deps, given);
    if (socket.destroyed) return;
    this.#server.handleUpgrade(exchange.request, socket, head, (webSocket) =>
      this.#serve(exchange, webSocket, right),
    );
  }

  #serve(exchange: Exchange, webSocket: WebSocket, right: ListeningRight): void {
    const { streams, log } = this.#deps;
    answerPings(webSocket);
    let stop: (() => void) | undefined;
    let isReady = false;
    webSocket.on('error', (error) => log.debug(`A web socket of ${exchange.address} has failed`, error));
    webSocket.on('close', () => stop?.());
    webSocket.on('message', (message: Buffer) => {
      if (webSocket.bufferedAmount > WAITING_BYTES_MAX) return webSocket.terminate();
      webSocket.send(HEARD);
      if (isReady || message.toString() !== READY) return;
      isReady = true;
      streams.add(this.#reader(exchange, webSocket, right)).then(
        (ends) => {
          stop = ends;
          if (webSocket.readyState !== webSocket.OPEN) ends();
        },
        (error: unknown) =>
          error instanceof HttpFault
            ? webSocket.close(1013, 'Too many are listening.')
            : webSocket.close(1011, 'The event bus cannot be reached.'),
      );
    });
  }

  #reader(exchange: Exchange, webSocket: WebSocket, right: ListeningRight): StreamReader {
    const { query, flags } = exchange;
    // Salt's guide writes it without a value
    const isFormatted = query.has('format_events') || flags.has('format_events');
    const info = isFormatted ? this.#saltInfo(exchange, webSocket, right.token) : undefined;
    return {
      name: `The web socket of ${exchange.address}`,
      user: right.user,
      mayListen: right.holds,
      send: (event) => (info === undefined ? webSocket.send(`data: ${event.json}\n\n`) : info.take(event)),
      waitingBytes: () => webSocket.bufferedAmount,
      end: (isTooSlow) => (isTooSlow ? webSocket.terminate() : webSocket.close()),
    };
  }

  #saltInfo(exchange: Exchange, webSocket: WebSocket, token: string): SaltInfo {
    const { clients, log } = this.#deps;
    const caller = {
      address: exchange.address,
      signal: new AbortController().signal,
      beforeCall: () => undefined,
    };
    return new SaltInfo(
      (text) => webSocket.send(text),
      (target) => {
        const low = dict({
          client: 'local_async',
          tgt: target,
          tgt_type: 'list',
          fun: 'grains.items',
          token,
        });
        clients
          .run(low, caller)
          .catch((error: unknown) => log.warning('Grains for a web socket could not be asked for', error));
      },
    );
  }

  close(): void {
    for (const webSocket of this.#server.clients) webSocket.terminate();
    this.#server.close();
  }
}
