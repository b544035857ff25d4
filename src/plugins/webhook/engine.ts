/** `webhook`: what is posted to a port becomes events `salt/engines/hook/<path>` (salt/engines/webhook.py, 3006.16). */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import { BrineError, messageOf } from '../../errors/errors.ts';
import { checkPair, readCertificate, readPrivateKey } from '../../network/tls/files.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineEngine, EngineRefusal, type EngineContext } from '../shared/engine/engine.ts';

/** Bytes of one request; it also has to fit into an event. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Requests under way; more are answered with 503. */
const REQUESTS_MAX = 200;
const CONNECTIONS_MAX = 1000;
const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;

/** The engine. */
export const webhookEngine = defineEngine({
  name: 'webhook',
  doc: 'Takes HTTP requests (POST) of anybody, and fires an event for each. It asks for no password: rules of the reactor must not trust what it tells.',
  params: {
    address: param.textIfGiven({
      default: null,
      doc: 'The address to listen on; default: all of this machine.',
    }),
    port: param.count({ default: 5000, doc: 'The port.' }),
    ssl_crt: param.textIfGiven({
      default: null,
      doc: 'File of the certificate; with ssl_key the port speaks HTTPS.',
    }),
    ssl_key: param.textIfGiven({ default: null, doc: 'File of its key.' }),
  },
  start: async (ctx, { address, port, ssl_crt: crt, ssl_key: key }) => {
    // Salt compat: Salt listens without TLS when one of the two is missing
    if ((crt === undefined) !== (key === undefined))
      throw new EngineRefusal(
        'ssl_crt and ssl_key are given both or not at all; with one of them the port would speak plain HTTP',
      );
    const hook = new Hook(ctx);
    const listener: RequestListener = (request, answer) => void hook.serve(request, answer);
    const limits = { requestTimeout: REQUEST_MS, headersTimeout: HEADERS_MS };
    const server: Server =
      crt === undefined || key === undefined
        ? createServer(limits, listener)
        : createTlsServer({ ...limits, ...readPair(crt, key) }, listener);
    server.maxConnections = CONNECTIONS_MAX;
    server.listen({ port, ...(address === undefined ? {} : { host: address }) });
    try {
      await once(server, 'listening');
    } catch (error) {
      throw new BrineError(
        `nothing can listen on ${address ?? 'all addresses'}, port ${port}: ${messageOf(error)}. Name an address of this machine (address) and a port that is free (port).`,
        { cause: error },
      );
    }
    ctx.log.info(`The webhook engine listens on ${address ?? 'all addresses'}, port ${port}`);
    await aborted(ctx.signal);
    server.close();
    server.closeAllConnections();
  },
});

function readPair(crt: string, key: string): { cert: Buffer; key: Buffer } {
  try {
    const pair = { cert: readCertificate(crt, 'ssl_crt'), key: readPrivateKey(key, 'ssl_key') };
    checkPair(pair, ['ssl_crt', 'ssl_key']);
    return pair;
  } catch (cause) {
    throw new EngineRefusal(messageOf(cause).replace(/\.$/, ''), { cause });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Serves requests. */
class Hook {
  readonly #ctx: EngineContext;
  #underWay = 0;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
  }

  async serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    answer.setHeader('Content-Type', 'text/html; charset=UTF-8');
    if (request.method !== 'POST') return end(answer, 405);
    if (this.#underWay >= REQUESTS_MAX) return end(answer, 503);
    this.#underWay++;
    try {
      const body = await readBody(request);
      if (body === undefined) return end(answer, 413);
      const tag = `salt/engines/hook/${pathOf(request)}`;
      const isTaken = await this.#ctx.fire(tag, dict({ headers: headersOf(request), body }));
      // Salt compat: Salt says 200 also when no master took the event
      end(answer, isTaken ? 200 : 503);
    } catch (error) {
      this.#ctx.log.warning(`The webhook engine could not serve a request: ${messageOf(error)}`);
      end(answer, 500);
    } finally {
      this.#underWay--;
    }
  }
}

/** The path without its first slash and without the query, with what is written in percents read. */
function pathOf({ url = '/' }: IncomingMessage): string {
  const path = (url.split('?')[0] as string).slice(1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Headers by name, each word with a capital; what stands twice is joined by commas. */
function headersOf({ rawHeaders }: IncomingMessage): Dict {
  const out = new Map<Value, Value>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string)
      .split('-')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
      .join('-');
    const before = out.get(name);
    const value = rawHeaders[at + 1] as string;
    out.set(name, typeof before === 'string' ? `${before},${value}` : value);
  }
  return out;
}

async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function end(answer: ServerResponse, status: number): void {
  answer.statusCode = status;
  if (status === 413) answer.setHeader('Connection', 'close');
  answer.end();
}
