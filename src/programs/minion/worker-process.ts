/** A minion's worker process as it is started, and the connection to it. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { withAllocatorSettings } from '../../host/allocator.ts';
import { clientOf, type Client } from '../../network/ipc/contract.ts';
import { jobWorker } from '../../network/ipc/contracts/job-worker.ts';
import { RpcPeer } from '../../network/ipc/rpc.ts';
import type { MinionServices } from '../../runtime/loader/module.ts';
import { serviceHandlers } from './remote-services.ts';

/**
 * Room for young objects is memory that a worker keeps, and so is what lies between two collections of all others: a
 * heap may double. With a growth by half a thousand states take a seventh longer, and 500 with files 80 in place of 86
 * MB. `bin/worker.cjs` knows them.
 */
const FLAGS = ['--max-semi-space-size=2', '--heap-growing-percent=100'];

/** A running worker. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly rpc: RpcPeer;
  /** What it does on order. */
  readonly asks: Client<typeof jobWorker>;
}

/**
 * Starts one.
 * @param script the program that it runs
 * @param services what its functions may ask of the minion, those of the job under way
 */
export function startWorker(script: string, services: () => MinionServices): WorkerProcess {
  // the title replaces the command line, which has to be long enough for it
  const child = spawn(process.execPath, [...FLAGS, script, 'salt-minion worker'.padEnd(48)], {
    env: withAllocatorSettings(process.env),
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const rpc = new RpcPeer(child.stdio[3] as unknown as Socket, serviceHandlers(services));
  return { child, rpc, asks: clientOf(jobWorker, rpc) };
}
