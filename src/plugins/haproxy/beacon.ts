/** `haproxy`: tells when servers have many sessions (salt/beacons/haproxy.py, salt/modules/haproxyconn.py, 3006.16). */
import { connect } from 'node:net';
import type { Clock } from '../../host/clock.ts';
import { messageOf, UnreachableError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  defineBeacon,
  limitOf,
  listToDict,
  VALID,
  type BeaconSpec,
  type Verdict,
} from '../shared/beacon/beacon.ts';

const SOCKET = '/var/run/haproxy.sock';
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const TIMEOUT_MS = 5_000;
/** The column of the sessions there are now (`scur`). */
const SESSIONS_COLUMN = 4;

function validate(config: Value): Verdict {
  if (!Array.isArray(config)) return [false, 'Configuration for haproxy beacon must be a list.'];
  const options = listToDict(config);
  const backends = options.get('backends');
  if (backends === undefined) return [false, 'Configuration for haproxy beacon requires backends.'];
  if (!isDict(backends)) return [false, 'Backends for haproxy beacon must be a dictionary.'];
  for (const backend of backends.values()) {
    const servers = isDict(backend) ? backend.get('servers') : undefined;
    if (servers === undefined) return [false, 'Backends for haproxy beacon require servers.'];
    if (!Array.isArray(servers)) return [false, 'Servers for haproxy beacon must be a list.'];
  }
  return VALID;
}

/** What HAProxy's socket says about everything. @throws UnreachableError */
function askStatistics(path: string, clock: Clock): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const socket = connect(path, () => socket.write('show stat\n'));
    const timer = clock.after(TIMEOUT_MS, () =>
      socket.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)),
    );
    socket.once('close', () => timer.cancel());
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) socket.destroy(new Error('the answer is too long'));
      chunks.push(chunk);
    });
    socket.once('error', (cause) =>
      reject(
        new UnreachableError(`HAProxy's socket ${path} cannot be asked: ${messageOf(cause)}`, { cause }),
      ),
    );
    socket.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

/** The sessions of a server; undefined for one that HAProxy does not have. */
function sessionsOf(statistics: string, backend: string, server: string): string | undefined {
  const columns = statistics
    .split('\n')
    .map((line) => line.split(','))
    // Salt compat: the backend's whole name; Salt takes one that only begins so
    .find(([first, second]) => first === backend && second === server);
  return columns?.[SESSIONS_COLUMN];
}

/** @param socket of HAProxy; another one in tests */
export function haproxyBeacon(socket = SOCKET): BeaconSpec {
  return defineBeacon({
    name: 'haproxy',
    doc: 'Reports servers of HAProxy with more sessions than `threshold`.',
    params: { backends: param.mapping({ default: null, doc: '`threshold` and `servers` of each backend' }) },
    validate,
    start: ({ clock }) => ({
      look: async ({ backends }) => {
        const events: Dict[] = [];
        const statistics = await askStatistics(socket, clock);
        for (const [backend, options] of backends) {
          const threshold = isDict(options) ? (options.get('threshold') ?? null) : null;
          const servers = isDict(options) ? options.get('servers') : undefined;
          for (const server of Array.isArray(servers) ? servers : []) {
            const scur = sessionsOf(statistics, pyStr(backend), pyStr(server));
            if (scur !== undefined && Number(scur) > Math.trunc(limitOf(threshold)))
              events.push(dict({ server, scur, threshold }));
          }
        }
        return events;
      },
    }),
  });
}
