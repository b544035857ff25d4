/**
 * The external pillars http_json and http_yaml: what a web service answers (3006.16 salt/pillar/http_json.py,
 * salt/pillar/http_yaml.py).
 */
import type { IncomingMessage } from 'node:http';
import { traverse } from '../../../formats/data/traverse.ts';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { parseJson } from '../../../formats/json/text.ts';
import { loadYaml } from '../../../formats/yaml/load.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { startRequest, unreachable } from '../../../network/http/client.ts';
import { noteShown } from '../../../network/tls/shown.ts';
import { TrustedFile } from '../../../network/tls/trusted-file.ts';
import { systemAuthorities } from '../../../network/tls/system-authorities.ts';
import {
  leadsElsewhere,
  mayGoElsewhere,
  REDIRECTS,
  REDIRECTS_MAX,
  redirectTarget,
} from '../../../network/http/redirect.ts';
import { checkSourceSize, namedSettings, type ExtPillar } from './ext-pillar.ts';

const NAMES = ['url', 'with_grains', 'header_dict', 'auth', 'username', 'password', 'namespace'];
const TIMEOUT_MS = 30_000;

/** `http_json`. */
export const httpJson = (): ExtPillar => httpPillar('JSON', parseJson);
/** `http_yaml`. */
export const httpYaml = (): ExtPillar => httpPillar('YAML', (text) => loadYaml(text));

function httpPillar(format: string, read: (text: string) => Value): ExtPillar {
  const trusted = new TrustedFile();
  return async (settings, { minionId, grains, opts, log }) => {
    const given = namedSettings(settings, NAMES);
    let url = pyStr(given.get('url') ?? '').replaceAll('%s', encodeURIComponent(minionId));
    if (truthy(given.get('with_grains'))) {
      for (const [whole, name = ''] of [...url.matchAll(/<(.*?)>/g)]) {
        const value = traverse(grains, name, { fallback: null });
        if (!truthy(value)) {
          log.error(`Unable to get minion '${minionId}' grain: ${name}`);
          return new Map();
        }
        url = url.replaceAll(whole, encodeURIComponent(pyStr(value)));
      }
    }
    const data = read(await fetchText(url, headersOf(given), trustOf(opts, trusted)));
    if (!isDict(data)) throw new CommandExecutionError(`the answer is no mapping in ${format}`);
    const namespace = given.get('namespace');
    return typeof namespace === 'string' ? new Map<Value, Value>([[namespace, data]]) : data;
  };
}

function headersOf(given: ReadonlyMap<string, Value>): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const extra = given.get('header_dict');
  for (const [name, value] of isDict(extra) ? extra : [])
    headers.set(pyStr(name).toLowerCase(), pyStr(value));
  const user = given.get('username');
  if (typeof user === 'string')
    headers.set(
      'authorization',
      `Basic ${Buffer.from(`${user}:${pyStr(given.get('password') ?? '')}`).toString('base64')}`,
    );
  return headers;
}

/** Whose certificates are believed. */
interface Trust {
  /** The file of the authorities; true for Node's own. */
  readonly verify: string | true;
  readonly file: TrustedFile;
}

function trustOf(opts: Dict, file: TrustedFile): Trust {
  const configured = opts.get('ca_bundle');
  const path = typeof configured === 'string' && configured !== '' ? configured : systemAuthorities();
  return { verify: path ?? true, file };
}

async function fetchText(url: string, headers: ReadonlyMap<string, string>, trust: Trust): Promise<string> {
  const shown = url.replace(/\/\/[^/@]*@/, '//…@').replace(/\?.*$/, '?…');
  const answer = await answerOf(url, headers, trust).catch((cause: unknown) => {
    throw new CommandExecutionError(`${shown}: ${messageOf(cause)}`, { cause });
  });
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 299) {
    answer.destroy();
    throw new CommandExecutionError(`${shown} answered ${status}`);
  }
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  // piece by piece: leaving the loop ends the connection, whatever is still to come
  for await (const piece of answer as AsyncIterable<Uint8Array>) {
    sizeBytes += piece.length;
    checkSourceSize(shown, sizeBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The answer behind all redirects. Salt compat: Salt sends the configured headers on to wherever an answer leads. */
async function answerOf(
  first: string,
  configured: ReadonlyMap<string, string>,
  trust: Trust,
): Promise<IncomingMessage> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let [url, headers] = [new URL(first), configured];
  for (let redirects = 0; ; redirects++) {
    const answer = await answerTo(url, headers, trust, signal);
    const { location } = answer.headers;
    if (!REDIRECTS.has(answer.statusCode ?? 0) || location === undefined) return answer;
    answer.destroy();
    const next = redirectTarget(url, location);
    if (next === undefined || redirects >= REDIRECTS_MAX)
      throw new Error('it leads on too often, or to what is no address of http or https');
    if (leadsElsewhere(url, next)) headers = new Map([...headers].filter(([name]) => mayGoElsewhere(name)));
    url = next;
  }
}

function answerTo(
  url: URL,
  headers: ReadonlyMap<string, string>,
  { verify, file }: Trust,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const tlsSettings = { ca: 'ca_bundle' };
  return new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:' && verify !== true;
    const secure = isTls ? { secureContext: file.context(verify, tlsSettings.ca) } : {};
    const asked = {
      method: 'GET',
      url,
      headers,
      verify,
      tlsSettings,
      agent: 'salt-pillar',
      ...secure,
    } as const;
    const request = startRequest(asked);
    const note = noteShown(request);
    const late = (): void => void request.destroy(new Error(`no whole answer within ${TIMEOUT_MS / 1000} s`));
    signal.addEventListener('abort', late, { once: true });
    request.once('close', () => signal.removeEventListener('abort', late));
    request.once('response', resolve);
    request.once('error', (error) => reject(unreachable(error, { url, verify, tlsSettings }, note)));
    request.end();
  });
}
