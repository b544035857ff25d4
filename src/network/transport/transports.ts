/**
 * Transports by name, as Salt's factory has them (salt/transport/base.py, 3007.8). The code of a transport is loaded
 * when it is used: a client is there at once, and its implementation comes with its first use.
 */
import { BrineError } from '../../errors/errors.ts';
import type { PublisherOptions } from './zmtp/publisher.ts';
import type { TcpPublisherOptions } from './tcp/publisher.ts';
import type {
  OnRefused,
  OnRequest,
  PublishClient,
  PublishClientEvents,
  PublishClientOptions,
  PublishServer,
  RequestClient,
  RequestClientOptions,
  RequestServer,
  RequestServerOptions,
} from './transport.ts';

/** How a publisher of any transport behaves; each looks at what concerns it. */
export type AnyPublisherOptions = PublisherOptions & TcpPublisherOptions;

/** One transport. */
interface TransportEntry {
  readonly hasTls: boolean;
  requestServer(
    options: RequestServerOptions,
    onRequest: OnRequest,
    onRefused: OnRefused,
  ): Promise<RequestServer>;
  requestClient(options: RequestClientOptions): Promise<RequestClient>;
  publishServer(options: AnyPublisherOptions): Promise<PublishServer>;
  publishClient(options: PublishClientOptions, events: PublishClientEvents): Promise<PublishClient>;
}

const TRANSPORTS: ReadonlyMap<string, TransportEntry> = new Map<string, TransportEntry>([
  [
    'zeromq',
    {
      hasTls: false,
      requestServer: async (...args) => new (await import('./zmtp/router.ts')).Router(...args),
      requestClient: async (options) => new (await import('./zmtp/requester.ts')).Requester(options),
      publishServer: async (options) => new (await import('./zmtp/publisher.ts')).Publisher(options),
      publishClient: async (...args) => new (await import('./zmtp/subscriber.ts')).Subscriber(...args),
    },
  ],
  [
    'tcp',
    {
      hasTls: true,
      requestServer: async (...args) =>
        new (await import('./tcp/request-server.ts')).TcpRequestServer(...args),
      requestClient: async (options) =>
        new (await import('./tcp/request-client.ts')).TcpRequestClient(options),
      publishServer: async (options) => new (await import('./tcp/publisher.ts')).TcpPublisher(options),
      publishClient: async (...args) => new (await import('./tcp/subscriber.ts')).TcpSubscriber(...args),
    },
  ],
  [
    'ws',
    {
      hasTls: true,
      requestServer: async (...args) => new (await import('./ws/request-server.ts')).WsRequestServer(...args),
      requestClient: async (options) => new (await import('./ws/request-client.ts')).WsRequestClient(options),
      publishServer: async (options) => new (await import('./ws/publisher.ts')).WsPublisher(options),
      publishClient: async (...args) => new (await import('./ws/subscriber.ts')).WsSubscriber(...args),
    },
  ],
]);

/** @throws BrineError naming the transports that there are */
export function requireTransport(name: string): { readonly hasTls: boolean } {
  return entryOf(name);
}

function entryOf(name: string): TransportEntry {
  const entry = TRANSPORTS.get(name);
  if (entry !== undefined) return entry;
  throw new BrineError(
    `There is no transport '${name}'. Please set transport to one of: ${[...TRANSPORTS.keys()].join(', ')}.`,
    { code: 'config-invalid' },
  );
}

/** A request port. @throws BrineError when there is no such transport */
export function requestServer(
  name: string,
  options: RequestServerOptions,
  onRequest: OnRequest,
  onRefused: OnRefused,
): Promise<RequestServer> {
  return entryOf(name).requestServer(options, onRequest, onRefused);
}

/** A publish port. @throws BrineError when there is no such transport */
export function publishServer(name: string, options: AnyPublisherOptions): Promise<PublishServer> {
  return entryOf(name).publishServer(options);
}

/** A client of a request port. @throws BrineError when there is no such transport */
export function requestClient(name: string, options: RequestClientOptions): RequestClient {
  const entry = entryOf(name);
  return new DeferredRequestClient(() => entry.requestClient(options));
}

/** A subscriber. @throws BrineError when there is no such transport */
export function publishClient(
  name: string,
  options: PublishClientOptions,
  events: PublishClientEvents,
): PublishClient {
  const entry = entryOf(name);
  let client: PublishClient | undefined;
  let isClosed = false;
  return {
    start: () =>
      void entry.publishClient(options, events).then((loaded) => {
        client = loaded;
        if (!isClosed) client.start();
      }),
    close: () => {
      isClosed = true;
      client?.close();
    },
  };
}

/** A request client whose code is loaded with its first use. */
class DeferredRequestClient implements RequestClient {
  readonly #load: () => Promise<RequestClient>;
  #loading: Promise<RequestClient> | undefined;
  #client: RequestClient | undefined;
  #isClosed = false;

  constructor(load: () => Promise<RequestClient>) {
    this.#load = load;
  }

  get isConnected(): boolean {
    return this.#client?.isConnected ?? false;
  }

  open(): void {
    if (this.#client !== undefined) this.#client.open();
    else void this.#loaded().then((client) => client.open());
  }

  request(body: Buffer, timeoutMs: number): Promise<Buffer> {
    if (this.#client !== undefined) return this.#client.request(body, timeoutMs);
    return this.#loaded().then((client) => client.request(body, timeoutMs));
  }

  close(): void {
    this.#isClosed = true;
    this.#client?.close();
  }

  #loaded(): Promise<RequestClient> {
    this.#loading ??= this.#load().then((client) => {
      this.#client = client;
      if (this.#isClosed) client.close();
      return client;
    });
    return this.#loading;
  }
}
