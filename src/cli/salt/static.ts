/**
 * `--static`: all returns in one document, once the last has come (salt/cli/salt.py, 3006.16). Salt compat: Salt pings first and then runs a
 * batch of everybody; the ping tells nothing that the job does not, so here the job is all there is.
 */
import { tellError } from '../terminal/failure-line.ts';
import { NoMinionsError } from '../../runtime/client/errors.ts';
import { outcomeText } from '../../runtime/client/outcome.ts';
import { publishAndWatch } from '../../runtime/client/watch-job.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { printHints, sayNoMinions, type SaltRun } from './context.ts';
import { strictCode } from './outcome.ts';
import { returnCode, unknownFunction } from './report.ts';

/** @returns the exit code; Salt compat: 0 even when minions failed, unless `--exit-codes=strict` */
export async function runStatic(run: SaltRun): Promise<number> {
  const returns: Dict = new Map<Value, Value>();
  const unknown = new Set<string>();
  const silent: [id: string, text: string][] = [];
  let failed = 0;
  try {
    const { job, news } = await publishAndWatch(run.watch, run.request.publish, run.patience);
    run.interrupt.began(job.jid);
    for await (const item of news) {
      if (item.kind === 'silent') {
        silent.push([item.id, outcomeText(item.id, job.jid, item.outcome)]);
        continue;
      }
      returns.set(item.id, item.load.get('return') ?? null);
      if (returnCode(item.load) !== 0) failed++;
      const name = unknownFunction(item.load);
      if (name !== undefined) unknown.add(name);
    }
  } catch (error) {
    if (!(error instanceof NoMinionsError)) throw error;
    sayNoMinions(run.display, error);
    tellError(run.display.io, error);
  }
  await run.display.value(returns);
  await printHints(run, { unknown, unknownIds: [] });
  // Salt says nothing of them, and what reads the document must not stumble over them
  if (run.program.merged.get('show_timeout') !== false)
    for (const [id, text] of silent) run.display.error(`${id}:\n    ${text.replaceAll('\n', '\n    ')}`);
  if (returns.size === 0) run.display.error('ERROR: No return received');
  if (run.isStrict) return strictCode({ returned: returns.size, failed, silent: silent.length });
  return returns.size === 0 ? 2 : 0;
}
