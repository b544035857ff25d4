/**
 * Puts the jobs that a master has kept alone into the stream of its new cluster, so that masters which join have them,
 * too.
 */
import { clientOf } from '../../network/ipc/contract.ts';
import { jobStore } from '../../network/ipc/contracts/job-store.ts';
import type { NatsStreams } from '../../network/nats/stream.ts';
import { dict, type Dict } from '../../python/values/value.ts';
import type { JobArchive } from '../../storage/jobs/job-store.ts';
import type { Random } from '../../host/random.ts';
import type { ClusterNames } from './names.ts';
import { cutParcel } from './parcels.ts';
import type { ClusterSeal } from './seal.ts';

const MESSAGE_BYTES_MAX = 512 * 1024;

/** What it needs. */
export interface ImportDeps {
  readonly jobs: JobArchive;
  readonly streams: NatsStreams;
  readonly seal: ClusterSeal;
  readonly names: ClusterNames;
  readonly member: string;
  /** What NATS takes at once. */
  readonly contentBytesMax: number;
  readonly random: Random;
}

/** @returns how many jobs were put there */
export async function importJobs(deps: ImportDeps): Promise<number> {
  const run = deps.random.bytes(8).toString('hex');
  let number = 0;
  let calls: Buffer[] = [];
  let bytes = 0;
  const send = async (): Promise<void> => {
    if (calls.length === 0) return;
    await append(deps, dict({ member: deps.member, run, number: ++number, calls }), `${run}:${number}`);
    calls = [];
    bytes = 0;
  };
  const summaries = await deps.jobs.jobs({ withoutMinions: true });
  // oldest first, as they came
  for (const { jid } of summaries.reverse())
    for (const call of await callsOf(deps.jobs, jid)) {
      calls.push(call);
      bytes += call.length;
      if (bytes > MESSAGE_BYTES_MAX) await send();
    }
  await send();
  return summaries.length;
}

async function append(deps: ImportDeps, message: Dict, id: string): Promise<void> {
  const { streams, seal, names, contentBytesMax, random } = deps;
  const parts = cutParcel(seal.seal('jobs', message), contentBytesMax, random);
  for (const [index, part] of parts.entries())
    await streams.append(names.jobs.subject, part, { id: `${id}:${index}` });
}

/** The calls that would write this job. */
async function callsOf(jobs: JobArchive, jid: string): Promise<Buffer[]> {
  const load = await jobs.job(jid);
  if (load === undefined) return [];
  const calls: Buffer[] = [];
  const write = clientOf(jobStore, {
    call: (...pieces) => {
      calls.push(Buffer.concat(pieces));
      return new Promise(() => undefined); // nobody answers: the call is only wanted as it is packed
    },
  });
  const listed = load.get('Minions');
  // reading has added it to the load
  load.delete('Minions');
  void write.saveJob({ jid, load, minions: (Array.isArray(listed) ? listed : []).map(String) });
  for (const ret of await jobs.returns(jid)) void write.saveReturn(ret);
  const entries = await jobs.ledger(jid);
  if (entries.length > 0) void write.note({ jid, entries: [...entries] });
  return calls;
}
