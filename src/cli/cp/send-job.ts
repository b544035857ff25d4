/** One job of `salt-cp`: published, waited for, gathered (salt/client/__init__.py `LocalClient.cmd`, 3006.16). */
import type { LocalClient } from '../../runtime/client/local-client.ts';
import { outcomeText } from '../../runtime/client/outcome.ts';
import { publishAndWatch, type WatchPatience } from '../../runtime/client/watch-job.ts';
import type { Waits } from '../../runtime/client/waits.ts';
import { dict, type Dict, type DictInit, type Value } from '../../python/values/value.ts';
import type { Clock } from '../../host/clock.ts';
import type { MasterOptions } from '../../config/master-options.ts';

/** What jobs are sent with. */
export interface JobSender {
  readonly client: LocalClient;
  readonly opts: MasterOptions;
  readonly clock: Clock;
  readonly tgt: Value;
  readonly tgtType: string;
  readonly patience: WatchPatience;
  readonly waits: Waits;
  /** Told who did not return. */
  readonly lost: (id: string) => void;
}

/**
 * Runs a function on the minions. Its arguments go by name: a text such as `aGk=`, which the pieces of files are, would
 * be taken for a keyword itself (Salt compat: Salt sends it so, and small files do not arrive now and then).
 * @returns what each returned; the sentence about its silence for one that did not
 * @throws ClientError, NoMinionsError
 */
export async function sendJob(sender: JobSender, fun: string, args: DictInit): Promise<Dict> {
  const { client, opts, clock, tgt, tgtType, patience, waits } = sender;
  const parts = {
    client,
    clock,
    waits,
    stored: async (jid: string) =>
      (await import('../../runtime/client/local-job-cache.ts')).storedReturns(opts, jid),
    keyOutcome: async (id: string) =>
      (await import('../../runtime/client/key-outcome.ts')).keyOutcome(opts, id),
  };
  const arg: Value[] = [new Map([...dict(args), ['__kwarg__', true]])];
  const { job, news } = await publishAndWatch(
    parts,
    { tgt, tgtType, fun, arg, timeoutMs: patience.timeoutMs },
    patience,
  );
  const returns: Dict = new Map();
  for await (const item of news) {
    if (item.kind === 'return') returns.set(item.id, item.load.get('return') ?? null);
    else {
      sender.lost(item.id);
      returns.set(item.id, outcomeText(item.id, job.jid, item.outcome));
    }
  }
  return returns;
}
