/**
 * The external pillars cobbler and foreman: what a service that installs machines knows of a host (3006.16
 * salt/pillar/cobbler.py, salt/pillar/foreman.py).
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { parseJson } from '../../../formats/json/text.ts';
import type { Clock } from '../../../host/clock.ts';
import { sendHttp, urlOption } from '../../../network/http/client.ts';
import { readCertificate, readPrivateKey } from '../../../network/tls/files.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { cobblerSystem } from '../../classes/cobbler.ts';
import { namedSettings, SOURCE_BYTES_MAX, type ExtPillar } from './ext-pillar.ts';

const NAMES = ['key', 'only'];
const TIMEOUT_MS = 60_000;
/** The version of Foreman's interface that there is. */
const FOREMAN_API = 2;

/** `cobbler`. Salt compat: a Cobbler that cannot be asked fails the pillar; Salt goes on without its data. */
export function cobblerPillar(clock: Clock): ExtPillar {
  return async (settings, { minionId, opts }) => chosen(await cobblerSystem(minionId, opts, clock), settings);
}

/** `foreman`. Salt compat: as with cobbler. */
export function foremanPillar(clock: Clock): ExtPillar {
  return async (settings, { minionId, opts }) => {
    const host = await foremanHost(minionId, opts, clock);
    const all = host.get('all_parameters');
    if (opts.get('foreman.lookup_parameters') !== false)
      host.set(
        'parameters',
        new Map<Value, Value>(
          (Array.isArray(all) ? all : [])
            .filter(isDict)
            .map((one) => [one.get('name') ?? null, one.get('value') ?? null]),
        ),
      );
    return chosen(host, settings);
  };
}

function chosen(data: Dict, settings: Value): Dict {
  const given = namedSettings(settings, NAMES);
  const only = given.get('only');
  const some: Dict =
    Array.isArray(only) && only.length > 0
      ? new Map(only.filter((name) => data.has(name)).map((name) => [name, data.get(name) ?? null]))
      : data;
  const key = given.get('key') ?? null;
  return truthy(key) ? new Map<Value, Value>([[key, some]]) : some;
}

async function foremanHost(minionId: string, opts: Dict, clock: Clock): Promise<Dict> {
  const option = (name: string, otherwise: Value): Value => opts.get(`foreman.${name}`) ?? otherwise;
  if ((toNumber(option('api', FOREMAN_API)) ?? 0) !== FOREMAN_API)
    throw new CommandExecutionError(`foreman.api must be ${FOREMAN_API}; there is no other version`);
  const base = urlOption(option('url', 'http://foreman/api'), 'foreman.url');
  const url = new URL(`${base.href.replace(/\/$/, '')}/hosts/${encodeURIComponent(minionId)}`);
  const [cert, key, ca] = ['certfile', 'keyfile', 'cafile'].map((name) => option(name, null));
  const { status, text } = await sendHttp({
    method: 'GET',
    url,
    headers: new Map([
      ['accept', `version=${FOREMAN_API},application/json`],
      ['authorization', basic(pyStr(option('user', 'admin')), pyStr(option('password', 'changeme')))],
    ]),
    timeoutMs: TIMEOUT_MS,
    clock,
    agent: 'salt-pillar',
    answerBytesMax: SOURCE_BYTES_MAX,
    verify: option('verifyssl', true) === false ? false : typeof ca === 'string' ? ca : true,
    tlsSettings: { ca: 'foreman.cafile', own: 'foreman.certfile' },
    ...(typeof cert === 'string' && typeof key === 'string'
      ? {
          certificate: {
            cert: readCertificate(cert, 'foreman.certfile'),
            key: readPrivateKey(key, 'foreman.keyfile'),
          },
        }
      : {}),
  });
  const data = status === 200 ? parseJson(text) : undefined;
  if (isDict(data)) return data;
  throw new CommandExecutionError(`Foreman at ${url.host} answered ${status} for ${minionId}`);
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
