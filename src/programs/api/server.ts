/** The HTTP server: TLS, bounds of what a connection may cost, and the end of it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { ApiSettings } from '../../config/api-options.ts';
import { BrineError, messageOf } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import type { Clock } from '../../host/clock.ts';
import { checkPair, readAuthorities, readCertificate, readPrivateKey } from '../../network/tls/files.ts';
import { pacedOf, paceServer } from '../../network/http/paced-connection.ts';
import type { Application } from './application.ts';
import { Connections, CONNECTIONS_MAX } from './connections.ts';
import { Proxies } from './proxies.ts';

/** Time for a client to send the head of a request, and the whole of it. */
const HEAD_MS = 15_000;
const REQUEST_MS = 60_000;
const KEEP_ALIVE_MS = 30_000;
const HEAD_BYTES_MAX = 32 * 1024;
const LOOK_MS = 1_000;
/** Time for a client to begin TLS. */
const HANDSHAKE_MS = 15_000;

/** A server that listens. */
export class ApiServer {
  readonly #settings: ApiSettings;
  readonly #server: Server | SecureServer;
  readonly #connections: Connections;
  readonly #log: Logger;

  constructor(settings: ApiSettings, application: Application, clock: Clock, log: Logger) {
    this.#settings = settings;
    this.#log = log;
    this.#connections = new Connections(new Proxies(settings.values.trusted_proxies), clock, log);
    const options = {
      headersTimeout: HEAD_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: LOOK_MS,
      maxHeaderSize: HEAD_BYTES_MAX,
      insecureHTTPParser: false,
      // answered with a sentence instead
      requireHostHeader: false,
      noDelay: true,
    };
    const isPlain = settings.values.disable_ssl;
    this.#server = isPlain
      ? createServer(options)
      : createSecureServer({
          ...options,
          ...certificates(settings),
          minVersion: 'TLSv1.2',
          handshakeTimeout: HANDSHAKE_MS,
        });
    // Node would leave out the fields beyond a number without a word; the application refuses them (`FIELDS_MAX`)
    this.#server.maxHeadersCount = 0;
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#serve(application);
    paceServer(this.#server, isPlain ? 'connection' : 'secureConnection', {
      clock,
      log,
      take: (connection) => this.#connections.add(connection),
    });
    this.#server.on('clientError', answerBadRequest);
    this.#server.on('tlsClientError', (error: Error) =>
      log.debug(`A client could not begin TLS: ${error.message}`),
    );
  }

  #serve(application: Application): void {
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      this.#work(application.serve(request, response), response);
    };
    this.#server.on('request', serve);
    this.#server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      pacedOf(request.socket)?.began(request, response);
      serve(request, response);
    });
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      pacedOf(socket)?.upgraded();
      this.#work(application.upgrade(request, socket, head), socket);
    });
  }

  /** What nobody has foreseen costs its connection, and nobody else's. */
  #work(done: Promise<void>, of: { destroy(): unknown }): void {
    done.catch((error: unknown) => {
      this.#log.error(`A request could not be served: ${messageOf(error)}`, error);
      of.destroy();
    });
  }

  /** @throws BrineError when the address cannot be listened on */
  async listen(): Promise<void> {
    const { host, port, socket_queue_size: backlog } = this.#settings.values;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause: NodeJS.ErrnoException) =>
        reject(
          new BrineError(
            `${this.#settings.section} cannot listen on ${host}:${port}: ${cause.message}. Set another host or port, or end what listens there.`,
            { cause, code: 'address-not-listenable' },
          ),
        ),
      );
      this.#server.listen({ host, port, backlog }, resolve);
    });
    this.#server.on('error', (error) => this.#log.error(`${this.#settings.section}: ${messageOf(error)}`));
    const address = this.#server.address();
    const found = typeof address === 'object' && address !== null ? address.port : port;
    const scheme = this.#settings.values.disable_ssl ? 'http' : 'https';
    this.#log.info(
      `${this.#settings.section} listens on ${scheme}://${host.includes(':') ? `[${host}]` : host}:${found}`,
    );
  }

  /** Reads the certificates anew. */
  reload(): void {
    if (!('setSecureContext' in this.#server)) return;
    try {
      this.#server.setSecureContext(certificates(this.#settings));
      this.#log.info(`${this.#settings.section}: the certificates were read anew.`);
    } catch (error) {
      this.#log.error(
        `${this.#settings.section}: ${messageOf(error)} The certificates that were read before stay.`,
      );
    }
  }

  /** One line a thing. */
  describe(): string[] {
    const { size, counters } = this.#connections;
    return [
      `${this.#settings.section}: connections ${size}, cut off because they took nothing ${counters.cutOff}, refused because their address had too many ${counters.refused}`,
    ];
  }

  async close(): Promise<void> {
    this.#connections.close();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function certificates({ section, values }: ApiSettings): object {
  const { ssl_crt, ssl_key, ssl_chain, ssl_ca_certs, ssl_cert_reqs } = values;
  const asks = ssl_cert_reqs !== null && ssl_cert_reqs !== 'CERT_NONE';
  const [crtName, keyName] = [
    `${section}: ssl_crt`,
    `${section}: ${ssl_key === null ? 'ssl_crt' : 'ssl_key'}`,
  ];
  const certificate = readCertificate(ssl_crt as string, crtName);
  const chain =
    ssl_chain === null ? [] : [Buffer.from('\n'), readCertificate(ssl_chain, `${section}: ssl_chain`)];
  const pair = {
    cert: Buffer.concat([certificate, ...chain]),
    key: readPrivateKey(ssl_key ?? (ssl_crt as string), keyName),
  };
  checkPair(pair, [crtName, keyName]);
  return {
    ...pair,
    ...(ssl_ca_certs === null ? {} : { ca: readAuthorities(ssl_ca_certs, `${section}: ssl_ca_certs`) }),
    requestCert: asks,
    rejectUnauthorized: asks && (ssl_cert_reqs === 'CERT_REQUIRED' || ssl_ca_certs !== null),
  };
}

/** What is no HTTP, or takes too long to become it. */
function answerBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, text] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout']
        : [400, 'Bad Request'];
  socket.end(`HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
