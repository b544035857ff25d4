/** What a minion offers its functions, reached from a worker process. */
import { clientOf, handlersOf } from '../../network/ipc/contract.ts';
import { jobServices } from '../../network/ipc/contracts/job-worker.ts';
import type { RpcHandlers, RpcPeer } from '../../network/ipc/rpc.ts';
import type { MinionServices } from '../../runtime/loader/module.ts';

/** Answers the calls of {@link remoteServices}. @param services those of the job under way */
export function serviceHandlers(services: () => MinionServices): RpcHandlers {
  return handlersOf(jobServices, {
    fireLocal: ({ tag, data }) => services().fireLocal(tag, data),
    fireMaster: ({ tag, data, preload }) => services().fireMaster(tag, data, preload),
    runningJobs: () => services().runningJobs(),
    signalJob: ({ jid, signal }) => services().signalJob(jid, signal),
    refresh: ({ what, options }) => services().refresh(what, options),
    grains: () => services().grains?.(),
    request: ({ load, ...options }) => services().request(load, options),
    requestAll: ({ load }) => services().requestAll?.(load) ?? null,
    manage: ({ part, order }) => services().manage?.(part, order),
    tryVersion: ({ order }) => services().tryVersion?.(order),
  });
}

/** The services as a worker sees them. */
export function remoteServices(peer: RpcPeer): MinionServices {
  const minion = clientOf(jobServices, peer);
  return {
    fireLocal: (tag, data) => minion.fireLocal({ tag, data }),
    fireMaster: (tag, data, preload) =>
      minion.fireMaster({ tag, data, ...(preload === undefined ? {} : { preload }) }),
    runningJobs: async () => [...(await minion.runningJobs())],
    signalJob: (jid, signal) => minion.signalJob({ jid, signal }),
    refresh: (what, options) => minion.refresh({ what, ...(options === undefined ? {} : { options }) }),
    grains: async () => (await minion.grains()) ?? new Map(),
    request: (load, options = {}) => minion.request({ load, ...options }),
    requestAll: (load) => minion.requestAll({ load }),
    manage: (part, order) => minion.manage({ part, order }),
    tryVersion: async (order) => (await minion.tryVersion({ order })) ?? new Map(),
  };
}
