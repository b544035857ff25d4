/** Files of certificates and keys that an option names: read once, here, with a sentence where they cannot be used. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError, messageOf } from '../../errors/errors.ts';
import { strerror } from '../../python/os-errors.ts';

const CERTIFICATE = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]*-----END (?:TRUSTED )?CERTIFICATE-----/;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;

/**
 * The authorities to trust. A file without a certificate is refused: OpenSSL would pass over it, and nobody would be
 * trusted.
 * @param setting as it stands in the configuration
 * @throws ConfigError naming setting and file
 */
export function readAuthorities(path: string, setting: string): Buffer {
  return withCertificate(path, setting, ': it has to hold those of the authorities to trust');
}

/** A certificate that we show. @throws ConfigError naming setting and file */
export function readCertificate(path: string, setting: string): Buffer {
  return withCertificate(path, setting, '');
}

/** @param purpose what is said of a file without one, behind that there is none */
function withCertificate(path: string, setting: string, purpose: string): Buffer {
  const bytes = readPem(path, setting);
  const first = CERTIFICATE.exec(bytes.toString('latin1'))?.[0];
  if (first === undefined)
    throw new ConfigError(
      `The file ${path} (${setting}) has no certificate in PEM (-----BEGIN CERTIFICATE-----)${purpose}.`,
    );
  checkCertificate(first, path, setting);
  return bytes;
}

/** The key of a certificate that we show. @throws ConfigError naming setting and file */
export function readPrivateKey(path: string, setting: string): Buffer {
  const bytes = readPem(path, setting);
  if (!PRIVATE_KEY.test(bytes.toString('latin1')))
    throw new ConfigError(`The file ${path} (${setting}) has no private key in PEM.`);
  return bytes;
}

/** A file of another kind that belongs to TLS. @throws ConfigError naming setting and file */
export function readPem(path: string, setting: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ConfigError(
      `The file ${path} (${setting}) cannot be read: ${strerror(cause) ?? messageOf(cause)}. ` +
        `Name another one, or let the user of this process read it.`,
      { cause },
    );
  }
}

/** A key has to be that of its certificate. @throws ConfigError naming both settings */
export function checkPair(
  { cert, key }: { readonly cert: Buffer; readonly key: Buffer },
  [certSetting, keySetting]: readonly [cert: string, key: string],
): void {
  let fits: boolean;
  try {
    fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (cause) {
    throw new ConfigError(`The private key of ${keySetting} cannot be read: ${messageOf(cause)}.`, { cause });
  }
  if (!fits)
    throw new ConfigError(
      `The private key of ${keySetting} is not that of the certificate of ${certSetting}: they are made together.`,
    );
}

function checkCertificate(pem: string, path: string, setting: string): void {
  if (pem.includes('TRUSTED')) return;
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new ConfigError(`The certificate in ${path} (${setting}) is damaged: it cannot be read as one.`, {
      cause,
    });
  }
}
