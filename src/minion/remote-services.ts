/** What a minion offers its functions, reached from a worker process. */
import type { MinionServices, RequestOptions } from '../loader/module.ts';
import type { RpcPeer } from '../transport/ipc/rpc.ts';
import { dict, isDict, type Dict, type Value } from '../values/value.ts';
import { decode, encode } from '../wire/msgpack.ts';

/** Answers one call of {@link remoteServices}. */
export async function answerServiceCall(services: MinionServices, body: Buffer): Promise<Buffer> {
  const [name, ...args] = decode(body, 'local') as Value[];
  return encode(await serve(services, String(name), args), 'local');
}

async function serve(services: MinionServices, name: string, args: Value[]): Promise<Value> {
  const [first, second, third] = args;
  switch (name) {
    case 'fireLocal':
      return services.fireLocal(String(first), second as Dict);
    case 'fireMaster':
      return services.fireMaster(
        String(first),
        second as Dict,
        third !== undefined && isDict(third) ? third : undefined,
      );
    case 'runningJobs':
      return services.runningJobs();
    case 'signalJob':
      return services.signalJob(String(first), Number(second));
    case 'refresh':
      return services.refresh(
        first as Parameters<MinionServices['refresh']>[0],
        second !== undefined && isDict(second) ? second : undefined,
      );
    case 'grains':
      return (await services.grains?.()) ?? null;
    case 'request':
      return services.request(first as Dict, requestOptions(second));
    case 'requestAll':
      return services.requestAll?.(first as Dict) ?? null;
    case 'manage':
      return (await services.manage?.(first === 'beacons' ? 'beacons' : 'schedule', second as Dict)) ?? null;
    default:
      throw new Error('unknown service');
  }
}

function requestOptions(value: Value | undefined): RequestOptions {
  const fields = value !== undefined && isDict(value) ? value : new Map<Value, Value>();
  const master = fields.get('master');
  return { once: fields.get('once') === true, ...(typeof master === 'string' ? { master } : {}) };
}

/** The services as a worker sees them. */
export function remoteServices(rpc: () => RpcPeer): MinionServices {
  const ask = async (name: string, ...args: Value[]): Promise<Value> =>
    decode(await rpc().call(encode([name, ...args], 'local')), 'local');
  return {
    fireLocal: async (tag, data) => (await ask('fireLocal', tag, data)) === true,
    fireMaster: async (tag, data, preload) => (await ask('fireMaster', tag, data, preload ?? null)) === true,
    runningJobs: async () => (await ask('runningJobs')) as Dict[],
    signalJob: async (jid, signal) => (await ask('signalJob', jid, signal)) === true,
    refresh: async (what, options) => (await ask('refresh', what, options ?? null)) === true,
    grains: async () => (await ask('grains')) as Dict,
    request: (load, { master, once } = {}) =>
      ask('request', load, dict({ master: master ?? null, once: once ?? false })),
    requestAll: (load) => ask('requestAll', load),
    manage: async (part, order) => {
      const answer = await ask('manage', part, order);
      return isDict(answer) ? answer : undefined;
    },
  };
}
