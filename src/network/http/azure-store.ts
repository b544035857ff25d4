/**
 * A container of Azure's Blob storage: requests carry a signature made with the account's key, or a shared access
 * signature (3006.16 salt/fileserver/azurefs.py).
 */
import { createHmac } from 'node:crypto';
import { messageOf } from '../../errors/errors.ts';
import { childOf, childrenOf, parseXml, textIn, type XmlElement } from '../../formats/xml/read.ts';
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

const VERSION = '2021-08-06';
const LIST_TIMEOUT_MS = 60_000;
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const LIST_BYTES_MAX = 16 * 1024 * 1024;
/**
 * The lines of a signature between the method and Azure's own headers: lengths, types, conditions, which such requests
 * do not have.
 */
const EMPTY_LINES = '\n'.repeat(11);

/** Where a container lies and who asks. */
export interface AzureSettings {
  readonly account: string;
  readonly container: string;
  /** The account's key, in base64; '' for none. */
  readonly key: Secret;
  /** A query that lets in, without its question mark; '' for none. */
  readonly sasToken: Secret;
  /** Where containers lie. */
  readonly endpoint: URL;
  readonly clock: Clock;
}

/** One container. */
export class AzureStore implements ObjectStore {
  readonly name: string;
  readonly #settings: AzureSettings;

  /** @throws StoreError for a name that no container has */
  constructor(settings: AzureSettings) {
    const { account, container } = settings;
    if (!/^[a-z0-9$][a-z0-9-]{1,62}$/.test(container))
      throw new StoreError(`${container} is no name of a container.`);
    this.#settings = settings;
    this.name = `the container ${container} of the account ${account}`;
  }

  async list(prefix: string): Promise<readonly StoredObject[]> {
    const out: StoredObject[] = [];
    let marker = '';
    do {
      const page = await this.#page(prefix, marker);
      const blobs = childOf(page, 'Blobs');
      for (const one of blobs === undefined ? [] : childrenOf(blobs, 'Blob')) {
        const facts = childOf(one, 'Properties') ?? one;
        out.push({
          key: textIn(one, 'Name'),
          etag: textIn(facts, 'Etag'),
          sizeBytes: Number(textIn(facts, 'Content-Length')),
        });
      }
      if (out.length > OBJECTS_MAX) throw new StoreError(`${this.name} has more than ${OBJECTS_MAX} blobs`);
      const next = textIn(page, 'NextMarker');
      if (next !== '' && next === marker) throw new StoreError(`${this.name} gives the same page again`);
      marker = next;
    } while (marker !== '');
    return out;
  }

  async #page(prefix: string, marker: string): Promise<XmlElement> {
    const url = this.#url('');
    url.searchParams.set('restype', 'container');
    url.searchParams.set('comp', 'list');
    if (prefix !== '') url.searchParams.set('prefix', prefix);
    if (marker !== '') url.searchParams.set('marker', marker);
    const { clock } = this.#settings;
    const { status, text } = await sendHttp({
      method: 'GET',
      url: this.#admitted(url),
      headers: this.#headers(url),
      timeoutMs: LIST_TIMEOUT_MS,
      clock,
      agent: 'salt',
      answerBytesMax: LIST_BYTES_MAX,
    });
    let page: XmlElement | undefined;
    try {
      page = parseXml(text);
    } catch (error) {
      if (status === 200) throw new StoreError(`${this.name} gives no listing: ${messageOf(error)}`);
    }
    if (status === 200 && page?.name === 'EnumerationResults') return page;
    const code = page === undefined ? '' : textIn(page, 'Code');
    throw new StoreError(`${this.name} answered ${status}${code === '' ? '' : ` (${code})`}`);
  }

  async download({ key }: StoredObject, path: string): Promise<void> {
    const url = this.#url(`/${key.split('/').map(encodeURIComponent).join('/')}`);
    const status = await downloadHttp({
      method: 'GET',
      url: this.#admitted(url),
      headers: this.#headers(url),
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
      clock: this.#settings.clock,
      agent: 'salt',
      path,
      bytesMax: OBJECT_BYTES_MAX,
    });
    if (status !== 200) throw new StoreError(`${this.name} answered ${status} for ${key}`);
  }

  #url(below: string): URL {
    const { endpoint, container } = this.#settings;
    return new URL(`${endpoint.href.replace(/\/$/, '')}/${container}${below}`);
  }

  /** With the shared access signature, which no message tells. */
  #admitted(url: URL): URL {
    const token = this.#settings.sasToken.reveal();
    if (token === '') return url;
    const out = new URL(url);
    for (const [name, value] of new URLSearchParams(token)) out.searchParams.append(name, value);
    return out;
  }

  #headers(url: URL): Map<string, string> {
    const { account, key, clock } = this.#settings;
    const own: [string, string][] = [
      ['x-ms-date', new Date(clock.nowMs()).toUTCString()],
      ['x-ms-version', VERSION],
    ];
    if (key.reveal() === '') return new Map(own);
    const query = [...url.searchParams]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => `\n${name}:${value}`)
      .join('');
    const lines = own.map(([name, value]) => `${name}:${value}\n`).join('');
    const text = `GET\n${EMPTY_LINES}${lines}/${account}${url.pathname}${query}`;
    const signature = createHmac('sha256', Buffer.from(key.reveal(), 'base64')).update(text).digest('base64');
    return new Map([...own, ['authorization', `SharedKey ${account}:${signature}`]]);
  }
}
