/** Connections to NATS out of the options `nats.*`. */
import { readFileSync } from 'node:fs';
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import { ConfigError, messageOf } from '../../../errors/errors.ts';
import type { StoreSettings } from '../../shared/returner/return-store.ts';
import { StoreUnavailableError } from '../../../network/databases/errors.ts';
import {
  flagOption,
  listOption,
  textOption,
  type StoreOptions,
} from '../../shared/returner/store-options.ts';
import { tlsFault } from '../../../network/tls/fault.ts';
import { readAuthorities, readCertificate, readPrivateKey } from '../../../network/tls/files.ts';
import { checkingServers } from '../../../network/nats/server-identity.ts';

const DEFAULT_SERVER = '127.0.0.1:4222';

/** The servers of the options, for messages. A server may be given with a name and a password; they are not told. */
export function natsServers(options: StoreOptions): string[] {
  const servers = listOption(options, 'servers').flatMap((text) => text.split(','));
  return (servers.length === 0 ? [DEFAULT_SERVER] : servers).map((text) => text.trim().replace(/^.*@/, ''));
}

/** Connects. It is not tried again here: who writes keeps what is to be written. @throws StoreUnavailableError */
export async function connectNats({ options, timeoutMs }: StoreSettings): Promise<NatsConnection> {
  const { connect } = await import('@nats-io/transport-node');
  const wanted = await connectionOptions(options, timeoutMs);
  try {
    return await connect(wanted);
  } catch (error) {
    const servers = natsServers(options).join(', ');
    const caFile = textOption(options, 'tls_ca');
    const words = { caSetting: 'nats.tls_ca', caFile, ownSetting: 'nats.tls_cert' };
    throw new StoreUnavailableError(
      tlsFault(error, { address: `NATS at ${servers}`, ...words }) ??
        `NATS cannot be reached at ${servers}: ${reasonOf(error)}. ` +
          'Check nats.servers, the credentials and that the server runs',
      { cause: error },
    );
  }
}

/** The message of what lies below, which says more than `connection refused`. */
function reasonOf(error: unknown): string {
  const { cause } = error as Error;
  const text = cause instanceof Error && cause.message !== '' ? cause.message : messageOf(error);
  return text.replace(/[.\s]+$/, '');
}

async function connectionOptions(options: StoreOptions, timeoutMs: number): Promise<ConnectionOptions> {
  const { credsAuthenticator } = await import('@nats-io/transport-node');
  const [user, pass, token] = ['user', 'password', 'token'].map((name) => textOption(options, name));
  const creds = textOption(options, 'creds');
  const [caFile, certFile, keyFile] = ['tls_ca', 'tls_cert', 'tls_key'].map((name) =>
    textOption(options, name),
  );
  const hasTls = flagOption(options, 'tls') || caFile !== undefined || certFile !== undefined;
  return {
    servers: natsServers(options),
    name: 'salt-returner',
    timeout: timeoutMs,
    reconnect: false,
    maxReconnectAttempts: 0,
    ...(user === undefined ? {} : { user }),
    ...(pass === undefined ? {} : { pass }),
    ...(token === undefined ? {} : { token }),
    ...(creds === undefined ? {} : { authenticator: credsAuthenticator(credentials(creds)) }),
    ...(hasTls
      ? {
          tls: checkingServers(natsServers(options), {
            ...(caFile === undefined ? {} : { ca: readAuthorities(caFile, 'nats.tls_ca').toString() }),
            ...(certFile === undefined
              ? {}
              : { cert: readCertificate(certFile, 'nats.tls_cert').toString() }),
            ...(keyFile === undefined ? {} : { key: readPrivateKey(keyFile, 'nats.tls_key').toString() }),
          }),
        }
      : {}),
  };
}

function credentials(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ConfigError(`nats.creds: ${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
