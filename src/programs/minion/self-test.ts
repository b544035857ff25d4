/**
 * The minion's answer to whoever asks on its bus how it is: it runs `test.ping` as a job of its own, and says something
 * to each of its masters, as Salt's `ping_interval` does. So a program on this host knows that jobs would be done.
 */
import { refusalIn } from '../../network/channel/refusal.ts';
import { messageOf } from '../../errors/errors.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { brineVersion } from '../../version.ts';
import { readJob, type Job, type JobResult } from './job.ts';
import type { MasterSide } from './masters/side.ts';

/** The tag of the question; its data have a `token`. */
export const SELF_TEST = 'brine_self_test';
/** What the tag of the answer begins with; the token follows. */
export const SELF_TEST_ANSWER = 'brine_self_test/answer/';

/** A master that does not answer so soon does not answer. */
const PATIENCE = { timeoutMs: 5_000, tries: 1 };

/** What the answer is made of. */
export interface SelfTestDeps {
  readonly id: string;
  readonly jid: string;
  readonly sides: readonly Pick<MasterSide, 'connection'>[];
  readonly runJob: (job: Job) => Promise<JobResult>;
}

/** @returns the data of the answer: `id`, `version`, `ping`, and `masters`, each with `master`, `answers` and `why` */
export async function selfTest({ id, jid, sides, runJob }: SelfTestDeps): Promise<Dict> {
  const pub = { jid, fun: 'test.ping', arg: [], tgt: id, tgt_type: 'glob', ret: '', user: 'root' };
  const job = readJob(dict(pub));
  const [result, ...masters] = await Promise.all([
    job === undefined ? undefined : runJob(job),
    ...sides.map(({ connection }) => asked(id, connection)),
  ]);
  return dict({ id, version: brineVersion, ping: result?.return ?? null, masters });
}

async function asked(id: string, { address, requests }: MasterSide['connection']): Promise<Dict> {
  const load = dict({ cmd: '_minion_event', id, pretag: null, tag: 'minion_ping', data: 'ping' });
  let why: Value = null;
  try {
    why = refusalIn(await requests.send(load, PATIENCE)) ?? null;
  } catch (error) {
    why = messageOf(error);
  }
  return dict({ master: address.host, answers: why === null, why });
}
