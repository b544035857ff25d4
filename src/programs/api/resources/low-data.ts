/**
 * `/`, `/run`, `/minions`, `/jobs` and `/keys`: everything that runs low data (salt/netapi/rest_cherrypy/app.py,
 * 3006.16).
 */
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { CLIENT_NAMES, type LowDataSender, type Clients } from '../clients.ts';
import { HttpFault } from '../http-fault.ts';
import { BadCallError } from '../low.ts';
import type { Action, Call, Resource } from '../resource.ts';
import { keyArchive } from '../tar.ts';

const SHARED = { sessions: true, auth: false, readsBody: true, checksAddress: true } as const;

/** The caller of a request. */
function callerOf({ exchange, signal, requireAcceptable }: Call): LowDataSender {
  return { address: exchange.address, signal, beforeCall: requireAcceptable };
}

/**
 * Runs the calls of a request.
 * @param client in place of what they name
 */
function runLowstate(clients: Clients, call: Call, lowstate: Value, client?: string): Promise<Value[]> {
  if (!Array.isArray(lowstate)) throw new HttpFault(400, 'Lowstates must be a list');
  const token = call.session?.token.reveal();
  // Salt compat: each is looked at in its turn, after those before it were run
  const prepare = (chunk: Value): Dict => {
    if (!isDict(chunk))
      throw new BadCallError(
        'Each item of the low data is a mapping, with client, fun and what the client needs.',
      );
    return prepared(chunk, token, client);
  };
  return clients.runAll(lowstate, prepare, callerOf(call));
}

function prepared(chunk: Dict, token: string | undefined, client: string | undefined): Dict {
  const low: Dict = new Map(chunk);
  if (token !== undefined) low.set('token', token);
  const given = low.get('token');
  if (
    given !== undefined &&
    !(typeof given === 'string' && /^\s*[-+]?(0x)?[0-9a-f]+(_[0-9a-f]+)*\s*$/i.test(given))
  )
    throw new HttpFault(401, 'Invalid token');
  if (client !== undefined) low.set('client', client);
  const arg = low.get('arg');
  if (arg !== undefined && !Array.isArray(arg)) low.set('arg', [arg]);
  return low;
}

/** A call in the name of a session only. */
function asSession(call: Call): Call {
  if (call.session === undefined) throw new HttpFault(401);
  return call;
}

/** `GET /`, which `/run` and `/token` have inherited in Salt. */
export const WELCOME: Action = {
  sessions: false,
  run: () => Promise.resolve({ value: dict({ return: 'Welcome', clients: [...CLIENT_NAMES] }) }),
};

/** `POST /`, which `/jobs` has inherited in Salt. */
function runAsSession(clients: Clients): Action {
  return {
    auth: true,
    takesAny: 'query',
    run: async (call) => ({
      value: dict({ return: await runLowstate(clients, asSession(call), call.lowstate) }),
    }),
  };
}

/** `/`. */
export function indexResource(clients: Clients): Resource {
  return { ...SHARED, get: WELCOME, post: runAsSession(clients) };
}

/** `/run`: calls that bring their own credentials. */
export function runResource(clients: Clients): Resource {
  return {
    ...SHARED,
    sessions: false,
    bodies: 'with a token',
    get: WELCOME,
    post: {
      takesAny: 'query',
      run: async (call) => ({
        value: dict({ return: await runLowstate(clients, { ...call, session: undefined }, call.lowstate) }),
      }),
    },
  };
}

/** `/minions[/<id>]`. */
export function minionsResource(clients: Clients): Resource {
  return {
    ...SHARED,
    auth: true,
    get: {
      params: ['mid'],
      run: async (call) => {
        const low = dict({ client: 'local', tgt: call.params.get('mid') ?? '*', fun: 'grains.items' });
        return { value: dict({ return: await runLowstate(clients, asSession(call), [low]) }) };
      },
    },
    post: {
      takesAny: 'query',
      run: async (call) => {
        const jobs = await runLowstate(clients, asSession(call), call.lowstate, 'local_async');
        const links = jobs.flatMap((job) => (isDict(job) && job.size > 0 ? [linkOf(job)] : []));
        return { status: 202, value: dict({ return: jobs, _links: dict({ jobs: links }) }) };
      },
    },
  };
}

function linkOf(job: Dict): Dict {
  return dict({ href: `/jobs/${String(job.get('jid'))}` });
}

/** `/jobs[/<jid>]`. */
export function jobsResource(clients: Clients): Resource {
  return {
    ...SHARED,
    auth: true,
    get: {
      params: ['jid', 'timeout'],
      run: async (call) => {
        const jid = call.params.get('jid');
        const low = dict({
          client: 'runner',
          fun: jid === undefined ? 'jobs.list_jobs' : 'jobs.list_job',
          jid,
        });
        const [info = null] = await runLowstate(clients, asSession(call), [low]);
        if (jid === undefined) return { value: dict({ return: [info] }) };
        return { value: dict({ info: [info], return: [returnsOf(info)] }) };
      },
    },
    post: runAsSession(clients),
  };
}

function returnsOf(info: Value): Dict {
  const results = isDict(info) ? info.get('Result') : undefined;
  if (!isDict(results)) throw new HttpFault(404, 'The master knows no job with this id.');
  return new Map(
    [...results].map(([id, result]) => [id, isDict(result) ? (result.get('return') ?? null) : null]),
  );
}

/** `/keys[/<id>]`. */
export function keysResource(clients: Clients): Resource {
  return {
    ...SHARED,
    get: {
      params: ['mid'],
      run: async (call) => {
        const mid = call.params.get('mid');
        const low = dict({
          client: 'wheel',
          fun: mid === undefined ? 'key.list_all' : 'key.finger',
          match: mid,
        });
        const [result = null] = await runLowstate(clients, call, [low]);
        return { value: dict({ return: wheelReturn(result) }) };
      },
    },
    post: {
      sessions: false,
      takesAny: 'query',
      run: async (call) => makeKeys(clients, call),
    },
  };
}

function wheelReturn(result: Value): Value {
  const data = isDict(result) ? result.get('data') : undefined;
  return isDict(data) ? (data.get('return') ?? new Map()) : new Map();
}

/** Makes and accepts a pair of keys for a minion. Salt compat: it takes credentials from the body alone. */
async function makeKeys(
  clients: Clients,
  call: Call,
): Promise<{ bytes: Buffer; type: string; headers: [string, string][] }> {
  const first = Array.isArray(call.lowstate) ? call.lowstate[0] : undefined;
  if (!isDict(first)) throw new HttpFault(400, 'Lowstates must be a list');
  const low: Dict = new Map<Value, Value>([...first, ['client', 'wheel'], ['fun', 'key.gen_accept']]);
  const id = low.get('mid') ?? low.get('id_');
  low.delete('mid');
  if (typeof id !== 'string') throw new HttpFault(400, 'mid is the id of the minion.');
  low.set('id_', id);
  const size = low.get('keysize');
  if (typeof size === 'string' && /^\d+$/.test(size)) low.set('keysize', Number(size));
  const [result = null] = await runLowstate(
    clients,
    { ...call, session: undefined, requireAcceptable: () => undefined },
    [low],
  );
  const pair = wheelReturn(result);
  const text = (name: string): string =>
    isDict(pair) && typeof pair.get(name) === 'string' ? (pair.get(name) as string) : '';
  return {
    bytes: keyArchive([
      ['minion.pub', text('pub')],
      ['minion.pem', text('priv')],
    ]),
    type: 'application/x-tar',
    headers: [
      ['Content-Disposition', `attachment; filename="saltkeys-${id.replace(/[^\w.@:-]/g, '_')}.tar"`],
      ['Cache-Control', 'no-cache'],
    ],
  };
}
