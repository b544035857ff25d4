/** Runners that minions call: each is a `salt-run` of its own, so that it has its events and cannot harm the master. */
import { dirname } from 'node:path';
import type { MasterOptions } from '../../../config/master-options.ts';
import { messageOf } from '../../../errors/errors.ts';
import type { Logger } from '../../../host/log.ts';
import { ownProgram } from '../../../host/own-program.ts';
import { runProcess } from '../../../host/process.ts';
import type { JidSource } from '../../../storage/jobs/jid.ts';
import type { JobReader } from '../../../storage/jobs/job-store.ts';
import { parseJson } from '../../../formats/json/parse.ts';
import { isDict, truthy, type Value } from '../../../python/values/value.ts';
import { findFunction } from '../../runner/find-function.ts';
import { runnerInput, runnerWord } from '../runner-words.ts';
import type { PeerRunner } from './peer.ts';

const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const TIME_MAX_MS = 180_000;
const KEYWORD = /^[A-Za-z_][\w.-]*$/;

/** What running needs. */
export interface PeerRunnerDeps {
  readonly opts: MasterOptions;
  readonly jobs: Pick<JobReader, 'returns'>;
  readonly jids: JidSource;
  readonly log: Logger;
}

/**
 * Makes the function that runs runners. The return comes out of the job cache, and without one, or when it is a secret,
 * out of what is printed.
 */
export function peerRunner({ opts, jobs, jids, log }: PeerRunnerDeps): PeerRunner {
  return async (fun, arg) => {
    const words = commandWords(arg);
    if (words === undefined) return undefined;
    const jid = jids.next();
    const options = ['-c', dirname(opts.get('conf_file')), '--out=json', `--jid=${jid}`, '--args-stdin'];
    try {
      const { stdout, stderr, retcode } = await runProcess(
        [...ownProgram('salt-run'), ...options, fun],
        // arguments may be secrets, and every user can see command lines
        { stdin: runnerInput(words), outputLimitBytes: OUTPUT_BYTES_MAX, timeoutMs: TIME_MAX_MS },
      );
      // of what is for the caller alone the job cache has stars
      const isSecret = truthy((await findFunction('runner', fun))?.isSecret ?? false);
      const kept = isSecret ? undefined : (await jobs.returns(jid))[0]?.return;
      if (isDict(kept)) return kept.get('return') ?? null;
      if (retcode !== 0)
        log.warning(`The runner ${fun}, called by a minion, ended with ${retcode}: ${stderr.toString()}`);
      return printedValue(stdout.toString());
    } catch (error) {
      log.error(`The runner ${fun}, called by a minion, could not be run: ${messageOf(error)}`, error);
      return undefined;
    }
  };
}

/** Values as JSON, which `salt-run` reads as YAML; none of them can be taken for an option or a keyword. */
function commandWords(arg: readonly Value[]): string[] | undefined {
  const words: string[] = [];
  for (const item of arg) {
    if (!isDict(item) || item.get('__kwarg__') !== true) words.push(runnerWord(item));
    else
      for (const [key, value] of item) {
        if (key === '__kwarg__') continue;
        if (typeof key !== 'string' || !KEYWORD.test(key)) return undefined;
        words.push(`${key}=${runnerWord(value)}`);
      }
  }
  return words;
}

function printedValue(text: string): Value | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
