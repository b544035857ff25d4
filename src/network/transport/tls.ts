/**
 * TLS for the streams of tcp and ws, as Salt's option `ssl` wants it (salt/transport/base.py `ssl_context`, 3007.8).
 * Certificates are read anew when their files change, so that they can be replaced while everything runs.
 */
import { statSync } from 'node:fs';
import { isIP, type NetConnectOpts, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect,
  createSecureContext,
  createServer,
  type ConnectionOptions,
  type PeerCertificate,
  type SecureContextOptions,
  type SecureVersion,
  type TLSSocket,
} from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { ConfigError, messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { peerName } from './peer-name.ts';
import type { Address } from './address.ts';
import type { SslSettings } from './ssl-settings.ts';
import { explainTls, TlsError } from '../tls/fault.ts';
import { readAuthorities, readCertificate, readPrivateKey } from '../tls/files.ts';
import type { OnRefused } from './transport.ts';

const HANDSHAKE_TIMEOUT_MS = 30_000;
/** How often the files of certificates are looked at, when connections come. */
const FILES_GLANCE_MS = 1_000;
/** Node leaves TLS 1.3 out when a list of ciphers names none of its own. */
const TLS13_CIPHERS = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256';
const ANY_VERSION = new Set([
  'PROTOCOL_TLS',
  'PROTOCOL_SSLv23',
  'PROTOCOL_TLS_CLIENT',
  'PROTOCOL_TLS_SERVER',
]);

/** @throws ConfigError when connections cannot be accepted with these settings */
export function checkServerCertificates(ssl: SslSettings): void {
  if (ssl.certfile === undefined)
    throw new ConfigError('The option ssl needs a certfile where connections are accepted.');
  contextOptions(ssl);
}

/** Turns plain connections into TLS ones. @throws ConfigError when the certificates cannot be used */
export function tlsAcceptor(
  ssl: SslSettings,
  clock: Clock,
  accept: (socket: Socket) => void,
  refused: OnRefused,
): (socket: Socket) => void {
  checkServerCertificates(ssl);
  const certReqs = ssl.certReqs ?? 'CERT_NONE';
  const context = contextOptions(ssl);
  const server = createServer(
    {
      ...context,
      requestCert: certReqs !== 'CERT_NONE',
      // refused below, where it can be said why
      rejectUnauthorized: false,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    },
    (socket) => {
      const fault = clientFault(socket, certReqs);
      if (fault === undefined) return accept(socket);
      refused(peerName(socket), fault);
      socket.on('error', () => undefined);
      socket.destroy();
    },
  );
  server.on('tlsClientError', (error, socket) => {
    refused(peerName(socket), explainTls(error));
    socket.destroy();
  });
  let mark = filesMark(ssl);
  let lookedAtMs = clock.monotonicMs();
  const renew = (): void => {
    if (clock.monotonicMs() - lookedAtMs < FILES_GLANCE_MS) return;
    lookedAtMs = clock.monotonicMs();
    const now = filesMark(ssl);
    if (now === mark) return;
    mark = now;
    try {
      server.setSecureContext(contextOptions(ssl));
    } catch (error) {
      refused(
        'this host',
        new TlsError(`the new certificates cannot be used, the old ones stay: ${messageOf(error)}`),
      );
    }
  };
  return (socket) => {
    renew();
    server.emit('connection', socket);
  };
}

/** Connects with TLS. @throws ConfigError when the certificates cannot be used */
export function connectTls(plain: NetConnectOpts, address: Address, ssl: SslSettings): TLSSocket {
  const context = contextOptions(ssl);
  const host = 'path' in address ? '' : address.host;
  const options: ConnectionOptions = {
    ...plain,
    ...context,
    rejectUnauthorized: ssl.certReqs !== 'CERT_NONE',
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // programs on the master's host show, and meet, the master's own certificate, whatever name is in it
    checkServerIdentity: (name, peer) =>
      isOwn(peer, context.cert) ? undefined : checkServerIdentity(name, peer),
  };
  return connect(options);
}

function isOwn(peer: PeerCertificate, own: SecureContextOptions['cert']): boolean {
  if (own === undefined) return false;
  return new X509Certificate(own as Buffer).raw.equals(peer.raw);
}

/** Why a client's certificate is not accepted. */
function clientFault(socket: TLSSocket, certReqs: string): Error | undefined {
  if (certReqs === 'CERT_NONE' || socket.authorized) return undefined;
  const hasCertificate = Object.keys(socket.getPeerCertificate()).length > 0;
  if (!hasCertificate)
    return certReqs === 'CERT_OPTIONAL'
      ? undefined
      : new TlsError('the other end shows no certificate, and cert_reqs demands one');
  return new TlsError(
    `the certificate of the other end is not accepted: ${String(socket.authorizationError)}`,
  );
}

/** Reads the files. @throws ConfigError naming the one that cannot be used */
function contextOptions(ssl: SslSettings): SecureContextOptions {
  const { certfile, keyfile = certfile, caCerts, ciphers } = ssl;
  const options: SecureContextOptions = {
    ...versions(ssl.sslVersion),
    ...(certfile === undefined ? {} : { cert: readCertificate(certfile, 'certfile of the option ssl') }),
    ...(keyfile === undefined ? {} : { key: readPrivateKey(keyfile, 'keyfile of the option ssl') }),
    ...(caCerts === undefined
      ? {}
      : { ca: caCerts.map((path) => readAuthorities(path, 'ca_certs of the option ssl')) }),
    ...(ciphers === undefined ? {} : { ciphers: `${ciphers}:${TLS13_CIPHERS}` }),
  };
  try {
    createSecureContext(options);
  } catch (cause) {
    throw new ConfigError(`The option ssl cannot be used: ${explainFiles(ssl, messageOf(cause))}.`, {
      cause,
    });
  }
  return options;
}

function explainFiles({ certfile, keyfile = certfile }: SslSettings, reason: string): string {
  if (/key values mismatch/.test(reason)) return `keyfile ${keyfile} is not the key of certfile ${certfile}`;
  if (/no start line|PEM|unsupported|DECODER/i.test(reason))
    return `certfile ${certfile}, keyfile ${keyfile} or ca_certs is no PEM file of its kind (${reason.trim()})`;
  return reason.trim();
}

function versions(name: string | undefined): { minVersion: SecureVersion; maxVersion?: SecureVersion } {
  if (name === undefined || ANY_VERSION.has(name)) return { minVersion: 'TLSv1.2' };
  if (name === 'PROTOCOL_TLSv1_2') return { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' };
  throw new ConfigError(
    `The ssl_version ${name} is not safe any more; leave it out, or set PROTOCOL_TLS or PROTOCOL_TLSv1_2.`,
  );
}

/** Changes when one of the files does. */
function filesMark({ certfile, keyfile, caCerts }: SslSettings): string {
  return [certfile, keyfile, ...(caCerts ?? [])]
    .map((path) => {
      const stat = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
      return stat === undefined ? '-' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
    })
    .join(' ');
}
