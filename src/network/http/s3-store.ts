/**
 * A bucket of S3, or of a service that speaks its protocol; requests are signed in version 4 (3006.16 salt/utils/s3.py,
 * salt/utils/aws.py).
 */
import { createHash, createHmac } from 'node:crypto';
import { messageOf } from '../../errors/errors.ts';
import { childrenOf, parseXml, textIn, type XmlElement } from '../../formats/xml/read.ts';
import type { Clock } from '../../host/clock.ts';
import type { Secret } from '../../host/secret.ts';
import { sendHttp } from './client.ts';
import { downloadHttp } from './download.ts';
import {
  OBJECT_BYTES_MAX,
  OBJECTS_MAX,
  StoreError,
  type ObjectStore,
  type StoredObject,
} from './object-store.ts';

const LIST_TIMEOUT_MS = 60_000;
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const LIST_BYTES_MAX = 16 * 1024 * 1024;
const EMPTY_SUM = createHash('sha256').digest('hex');

/** Where a bucket lies and who asks. */
export interface S3Settings {
  readonly bucket: string;
  readonly keyId: string;
  readonly key: Secret;
  /** Host, perhaps with a port. */
  readonly serviceUrl: string;
  readonly location: string;
  /** The bucket stands in the path, and not before the host. */
  readonly isPathStyle: boolean;
  readonly isHttps: boolean;
  readonly verify: boolean | string;
  readonly clock: Clock;
}

/** One bucket. */
export class S3Store implements ObjectStore {
  readonly name: string;
  readonly #settings: S3Settings;
  readonly #base: URL;

  /** @throws StoreError for a name that no bucket has, and a service that is no host */
  constructor(settings: S3Settings) {
    const { bucket, serviceUrl, isHttps, isPathStyle } = settings;
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(bucket))
      throw new StoreError(`${bucket} is no name of a bucket.`);
    const host = isPathStyle ? serviceUrl : `${bucket}.${serviceUrl}`;
    const address = `${isHttps ? 'https' : 'http'}://${host}/`;
    if (!URL.canParse(address) || /[/@?#]/.test(serviceUrl))
      throw new StoreError(`s3.service_url must be a host, perhaps with a port, not ${serviceUrl}.`);
    this.#settings = settings;
    this.#base = new URL(isPathStyle ? `${address}${bucket}/` : address);
    this.name = `the bucket ${bucket} at ${serviceUrl}`;
  }

  async list(prefix: string): Promise<readonly StoredObject[]> {
    const out: StoredObject[] = [];
    let token = '';
    do {
      const page = await this.#page(prefix, token);
      for (const one of childrenOf(page, 'Contents'))
        out.push({
          key: textIn(one, 'Key'),
          etag: textIn(one, 'ETag'),
          sizeBytes: Number(textIn(one, 'Size')),
        });
      if (out.length > OBJECTS_MAX)
        throw new StoreError(`${this.name} has more than ${OBJECTS_MAX} objects below '${prefix}'`);
      const next = textIn(page, 'IsTruncated') === 'true' ? textIn(page, 'NextContinuationToken') : '';
      if (next !== '' && next === token) throw new StoreError(`${this.name} gives the same page again`);
      token = next;
    } while (token !== '');
    return out;
  }

  async #page(prefix: string, token: string): Promise<XmlElement> {
    const url = new URL(this.#base);
    const query: [string, string][] = [['list-type', '2']];
    if (token !== '') query.push(['continuation-token', token]);
    if (prefix !== '') query.push(['prefix', prefix]);
    url.search = canonicalQuery(query);
    const { clock, verify } = this.#settings;
    const { status, text } = await sendHttp({
      method: 'GET',
      url,
      headers: this.#signed(url),
      timeoutMs: LIST_TIMEOUT_MS,
      clock,
      verify,
      tlsSettings: { ca: 'verify_ssl of the bucket' },
      agent: 'salt',
      answerBytesMax: LIST_BYTES_MAX,
    });
    let page: XmlElement | undefined;
    try {
      page = parseXml(text);
    } catch (error) {
      if (status === 200) throw new StoreError(`${this.name} gives no listing: ${messageOf(error)}`);
    }
    if (status !== 200 || page?.name !== 'ListBucketResult') throw this.#refused(status, page);
    return page;
  }

  async download({ key }: StoredObject, path: string): Promise<void> {
    const { clock, verify } = this.#settings;
    const url = new URL(`${this.#base.href}${key.split('/').map(escaped).join('/')}`);
    const status = await downloadHttp({
      method: 'GET',
      url,
      headers: this.#signed(url),
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
      clock,
      verify,
      tlsSettings: { ca: 'verify_ssl of the bucket' },
      agent: 'salt',
      path,
      bytesMax: OBJECT_BYTES_MAX,
    });
    if (status !== 200) throw new StoreError(`${this.name} answered ${status} for ${key}`);
  }

  #refused(status: number, page: XmlElement | undefined): StoreError {
    const code = page === undefined ? '' : textIn(page, 'Code');
    const why = code === '' ? '' : ` (${code}: ${textIn(page as XmlElement, 'Message')})`;
    const hint = status >= 300 && status < 400 ? '; see s3.location and s3.service_url' : '';
    return new StoreError(`${this.name} answered ${status}${why}${hint}`);
  }

  #signed(url: URL): Map<string, string> {
    return s3Headers(url, this.#settings, this.#settings.clock.nowMs());
  }
}

/** The headers of a request without a body, signed in version 4. */
export function s3Headers(
  url: URL,
  { keyId, key, location }: Pick<S3Settings, 'keyId' | 'key' | 'location'>,
  nowMs: number,
): Map<string, string> {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${location}/s3/aws4_request`;
  const headers: [string, string][] = [
    ['host', url.host],
    ['x-amz-content-sha256', EMPTY_SUM],
    ['x-amz-date', time],
  ];
  const names = headers.map(([name]) => name).join(';');
  const request = [
    'GET',
    url.pathname,
    url.search.slice(1),
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    EMPTY_SUM,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(request).digest('hex')].join(
    '\n',
  );
  const sign = (secret: string | Buffer, word: string): Buffer =>
    createHmac('sha256', secret).update(word).digest();
  const signing = scope.split('/').reduce<string | Buffer>(sign, `AWS4${key.reveal()}`);
  const signature = sign(signing, text).toString('hex');
  const credential = `Credential=${keyId}/${scope}`;
  return new Map([
    ...headers,
    ['authorization', `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`],
  ]);
}

/** As the signature wants it: everything but letters, digits and `-._~`. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

const canonicalQuery = (pairs: readonly [string, string][]): string =>
  [...pairs]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .join('&');
