/** The jobs that a minion on this machine is at: `<cachedir>/proc`, where Salt's minion and Brine's note them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from '../../formats/wire/msgpack.ts';
import { isProcessAlive } from '../../host/running-processes.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict } from '../../python/values/value.ts';

/** A job of a minion. */
export interface JobUnderWay {
  readonly jid: string;
  readonly fun: string;
  readonly pid: number;
}

/** Those whose process lives; a minion that was killed leaves files behind. @param cachedir of the minion */
export function jobsUnderWay(cachedir: string): JobUnderWay[] {
  const folder = join(cachedir, 'proc');
  return namesIn(folder).flatMap((jid) => {
    const job = readJobFile(join(folder, jid));
    return job === undefined || !isProcessAlive(job.pid) ? [] : [{ jid, ...job }];
  });
}

function readJobFile(path: string): Omit<JobUnderWay, 'jid'> | undefined {
  try {
    const value = decode(readFileSync(path), 'network');
    const pid = isDict(value) ? value.get('pid') : undefined;
    if (!isDict(value) || typeof pid !== 'number') return undefined;
    return { fun: pyStr(value.get('fun') ?? ''), pid };
  } catch {
    return undefined; // it ended in the meantime, or is just being written
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    return []; // no job ran yet
  }
}
