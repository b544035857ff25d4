/** The options `s3.*` of a configuration as a store (3006.16 salt/fileserver/s3fs.py, salt/pillar/s3.py). */
import { ConfigError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { Secret } from '../../host/secret.ts';
import { S3Store } from '../../network/http/s3-store.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';

const DEFAULT_SERVICE = 's3.amazonaws.com';
const DEFAULT_LOCATION = 'us-east-1';

/**
 * @param option reads one, without its prefix
 * @throws ConfigError without a key: those of an instance's role are not fetched
 */
export function s3Store(bucket: string, option: (name: string) => Value | undefined, clock: Clock): S3Store {
  const text = (name: string, otherwise: string): string => {
    const value = option(name) ?? null;
    return value === null || value === '' ? otherwise : pyStr(value);
  };
  const [keyId, key] = [text('keyid', ''), text('key', '')];
  if (keyId === '' || key === '')
    throw new ConfigError(
      `For the bucket ${bucket} keyid and key (s3.keyid, s3.key) must be set; the keys of an instance's role are not fetched.`,
    );
  const verify = option('verify_ssl') ?? true;
  return new S3Store({
    bucket,
    keyId,
    key: new Secret(key),
    serviceUrl: text('service_url', DEFAULT_SERVICE),
    location: text('location', DEFAULT_LOCATION),
    isPathStyle: option('path_style') === true,
    isHttps: option('https_enable') !== false,
    verify: verify === false ? false : typeof verify === 'string' ? verify : true,
    clock,
  });
}
