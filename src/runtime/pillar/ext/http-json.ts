/** The external pillars http_json and http_yaml: what a web service answers (3006.16 salt/pillar/http_json.py, salt/pillar/http_yaml.py). */
import { traverse } from '../../../formats/data/traverse.ts';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { parseJson } from '../../../formats/json/text.ts';
import { loadYaml } from '../../../formats/yaml/load.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Value } from '../../../python/values/value.ts';
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
export const httpJson: ExtPillar = httpPillar('JSON', parseJson);
/** `http_yaml`. */
export const httpYaml: ExtPillar = httpPillar('YAML', (text) => loadYaml(text));

function httpPillar(format: string, read: (text: string) => Value): ExtPillar {
  return async (settings, { minionId, grains, log }) => {
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
    const data = read(await fetchText(url, headersOf(given)));
    if (!isDict(data)) throw new CommandExecutionError(`the answer is no mapping in ${format}`);
    const namespace = given.get('namespace');
    return typeof namespace === 'string' ? new Map<Value, Value>([[namespace, data]]) : data;
  };
}

function headersOf(given: ReadonlyMap<string, Value>): Headers {
  const headers = new Headers();
  const extra = given.get('header_dict');
  for (const [name, value] of isDict(extra) ? extra : []) headers.set(pyStr(name), pyStr(value));
  const user = given.get('username');
  if (typeof user === 'string')
    headers.set(
      'authorization',
      `Basic ${Buffer.from(`${user}:${pyStr(given.get('password') ?? '')}`).toString('base64')}`,
    );
  return headers;
}

async function fetchText(url: string, headers: Headers): Promise<string> {
  const shown = url.replace(/\/\/[^/@]*@/, '//…@').replace(/\?.*$/, '?…');
  const response = await answerOf(url, headers).catch((cause: unknown) => {
    throw new CommandExecutionError(`${shown} could not be reached`, { cause });
  });
  if (!response.ok) throw new CommandExecutionError(`${shown} answered ${response.status}`);
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  // piece by piece: leaving the loop ends the connection, whatever is still to come
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    sizeBytes += piece.length;
    checkSourceSize(shown, sizeBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The answer behind all redirects. Salt compat: Salt sends the configured headers on to wherever an answer leads. */
async function answerOf(first: string, configured: Headers): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let [url, headers] = [new URL(first), configured];
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url, { headers, signal, redirect: 'manual' });
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null) return response;
    await response.body?.cancel();
    const next = redirectTarget(url, location);
    if (next === undefined || redirects >= REDIRECTS_MAX)
      throw new Error('it leads on too often, or to what is no address of http or https');
    if (leadsElsewhere(url, next))
      headers = new Headers([...headers].filter(([name]) => mayGoElsewhere(name)));
    url = next;
  }
}
