/** A connection to NATS that stays: it comes back by itself, and says when it is away. */
import { readFileSync } from 'node:fs';
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import { BrineError, messageOf, UnreachableError } from '../../errors/errors.ts';
import type { Secret } from '../../host/secret.ts';
import { tlsFault } from '../tls/fault.ts';
import { readAuthorities, readCertificate, readPrivateKey } from '../tls/files.ts';
import { checkingServers } from './server-identity.ts';

/** How NATS is reached; `config/cluster.ts` reads it. */
export interface NatsAccess {
  /** `tls://host:port` or `nats://host:port` */
  readonly servers: readonly string[];
  /** Path of a file of credentials. */
  readonly credentials?: string;
  readonly user?: string;
  readonly password?: Secret;
  readonly token?: Secret;
  /** Paths of certificates, and of a key, in PEM. */
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** Who connects. */
export interface NatsClientOptions {
  /** Shown in NATS' own lists of connections. */
  readonly name: string;
  /** For the first connection and for each request. */
  readonly timeoutMs: number;
}

/** What servers take in one message when they do not say it, and what a message has besides its content, at most. */
const PAYLOAD_BYTES_MAX = 1024 * 1024;
const ENVELOPE_BYTES = 2_048;
const RECONNECT_MS = 250;
const PING_MS = 2_000;

/**
 * Connects, and stays connected.
 * @throws UnreachableError when no server answers; BrineError when a file of the settings cannot be read
 */
export async function connectNats(
  access: NatsAccess,
  { name, timeoutMs }: NatsClientOptions,
): Promise<NatsConnection> {
  const { connect } = await import('@nats-io/transport-node');
  const options = await connectionOptions(access);
  try {
    return await connect({
      ...options,
      name,
      timeout: timeoutMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      reconnectJitter: RECONNECT_MS,
      // a server that is silently gone is noticed within two of these
      pingInterval: PING_MS,
      maxPingOut: 2,
      ignoreAuthErrorAbort: true,
    });
  } catch (cause) {
    const servers = access.servers.join(', ');
    const words = { caSetting: 'cluster: tls_ca', caFile: access.tlsCa, ownSetting: 'cluster: tls_cert' };
    const fault = tlsFault(cause, { address: `NATS at ${servers}`, ...words });
    throw new UnreachableError(
      fault === undefined
        ? `NATS cannot be reached at ${servers}: ${reasonOf(cause)}. ` +
            'Check the addresses and credentials of the option cluster, and that the servers run.'
        : `${fault}.`,
      { cause },
    );
  }
}

/** The message of what lies below, which says more than `connection refused`. */
function reasonOf(error: unknown): string {
  const { cause } = error as Error;
  const text = cause instanceof Error && cause.message !== '' ? cause.message : messageOf(error);
  return text.replace(/[.\s]+$/, '');
}

async function connectionOptions(access: NatsAccess): Promise<ConnectionOptions> {
  const { credsAuthenticator } = await import('@nats-io/transport-node');
  const { credentials, user, password, token, tlsCa, tlsCert, tlsKey } = access;
  const hasTls = tlsCa !== undefined || access.servers.some((server) => server.startsWith('tls:'));
  return {
    servers: access.servers.map((server) => server.replace(/^[a-z]+:\/\//, '').replace(/\/$/, '')),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { pass: password.reveal() }),
    ...(token === undefined ? {} : { token: token.reveal() }),
    ...(credentials === undefined ? {} : { authenticator: credsAuthenticator(readFile(credentials)) }),
    ...(hasTls
      ? {
          tls: checkingServers(access.servers, {
            ...(tlsCa === undefined ? {} : { ca: readAuthorities(tlsCa, 'cluster: tls_ca').toString() }),
            ...(tlsCert === undefined
              ? {}
              : { cert: readCertificate(tlsCert, 'cluster: tls_cert').toString() }),
            ...(tlsKey === undefined ? {} : { key: readPrivateKey(tlsKey, 'cluster: tls_key').toString() }),
          }),
        }
      : {}),
  };
}

function readFile(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new BrineError(`${path}, which the option cluster names, cannot be read: ${messageOf(cause)}`, {
      cause,
      code: 'config-invalid',
    });
  }
}

/** How many bytes the content of one message may have: the servers' `max_payload`, less what goes around it. */
export function contentBytesMax(nats: Pick<NatsConnection, 'info'>): number {
  return (nats.info?.max_payload ?? PAYLOAD_BYTES_MAX) - ENVELOPE_BYTES;
}

/** Follows a connection. @param changed told `false` when it is away, `true` when it is back */
export function watchConnection(nats: NatsConnection, changed: (isThere: boolean) => void): void {
  void (async () => {
    for await (const { type } of nats.status()) {
      if (type === 'disconnect') changed(false);
      else if (type === 'reconnect') changed(true);
    }
  })();
}
