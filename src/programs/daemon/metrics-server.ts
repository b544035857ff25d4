/** The address at which a daemon shows its figures to Prometheus: one path, nothing to send, nothing to change. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BrineError, messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { paceServer } from '../../network/http/paced-connection.ts';
import { exposition, EXPOSITION_TYPE } from '../../runtime/metrics/exposition.ts';
import type { Sample } from '../../runtime/metrics/sample.ts';

/** Readers at a time; Prometheus is one, and its twin another. */
const CONNECTIONS_MAX = 32;
/** A reader that has not said what it wants by then is cut off. */
const REQUEST_MS = 5_000;
/** Figures are asked for no more often, however many readers there are. */
const FRESH_MS = 250;

/** What the server needs. */
export interface MetricsServerDeps {
  /** `host:port`, as the option has it. */
  readonly address: string;
  /** The option, for messages. */
  readonly option: string;
  readonly samples: () => Promise<readonly Sample[]>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Serves the figures of a daemon whose options have an address for them; without one nothing listens.
 * @throws BrineError
 */
export async function openMetrics(
  opts: { get(name: 'metrics_address'): string },
  samples: MetricsServerDeps['samples'],
  {
    option = 'metrics_address',
    ...deps
  }: Pick<MetricsServerDeps, 'clock' | 'log'> & Partial<Pick<MetricsServerDeps, 'option'>>,
): Promise<{ close(): void }> {
  const address = opts.get('metrics_address');
  return address === '' ? { close: () => undefined } : serveMetrics({ ...deps, address, option, samples });
}

/** Where to listen. @param option its name, for the message. @throws BrineError for what is no address */
export function metricsAddress(
  text: string,
  option: string,
): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    throw new BrineError(
      `${option} is ${JSON.stringify(text)}; write an address and a port, such as 127.0.0.1:9175.`,
      {
        code: 'config-invalid',
      },
    );
  return { host: match[1] ?? match[2] ?? '', port };
}

/** Starts to listen. @throws BrineError when it cannot */
async function serveMetrics(deps: MetricsServerDeps): Promise<{ close(): void }> {
  const { option, log } = deps;
  const { host, port } = metricsAddress(deps.address, option);
  const page = new Page(deps);
  // most daemons have no such address, and would hold it for nothing
  const { createServer } = await import('node:http');
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      void answer(page, request, response);
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  paceServer(server, 'connection', { clock: deps.clock, log });
  server.keepAliveTimeout = REQUEST_MS;
  await listening(server, { host, port }, option);
  const { address, port: actual } = server.address() as AddressInfo;
  const shown = address.includes(':') ? `[${address}]` : address;
  log.info(`Figures for Prometheus are at http://${shown}:${actual}/metrics`);
  if (!isLoopback(address))
    log.warning(
      `${option}: ${deps.address} shows names of functions and the load of this program to everybody who reaches it, without a login and without TLS.`,
    );
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listening(server: Server, address: { host: string; port: number }, option: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new BrineError(
          `${option}: nothing can listen on ${address.host}:${address.port}: ${messageOf(error)}. Name an address of this machine and a port that is free.`,
          { code: 'address-not-listenable', cause: error },
        ),
      ),
    );
    server.listen(address, () => {
      server.removeAllListeners('error');
      server.on('error', () => undefined);
      resolve();
    });
  });
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** The text, made anew when the last one is old. */
class Page {
  readonly #deps: MetricsServerDeps;
  #text: Promise<string> | undefined;
  #madeAtMs = 0;

  constructor(deps: MetricsServerDeps) {
    this.#deps = deps;
  }

  text(): Promise<string> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#text === undefined || nowMs - this.#madeAtMs > FRESH_MS) {
      this.#madeAtMs = nowMs;
      this.#text = this.#deps.samples().then(exposition);
    }
    return this.#text;
  }
}

async function answer(page: Page, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  const path = (request.url ?? '').split('?')[0];
  if (path !== '/metrics') return end(response, 404, 'The figures are at /metrics.\n');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return end(response, 405, 'Figures can only be read.\n');
  }
  try {
    end(response, 200, await page.text(), EXPOSITION_TYPE);
  } catch (error) {
    end(response, 500, `The figures could not be gathered: ${messageOf(error)}\n`);
  }
}

function end(
  response: ServerResponse,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}
