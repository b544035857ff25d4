/** The orchestrations of which anything is kept: those that run now, and those that did not go well. Only read here. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { safeJoin } from '../../host/files.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { readRecords } from './record-file.ts';

const ENDING = '.steps';

/** One of them. */
export interface KeptOrchestration {
  readonly jid: string;
  /** What it was asked for. */
  readonly asked: Dict;
  /** Results by step, in the order in which they ended. */
  readonly results: ReadonlyMap<string, Dict>;
  /** Whether a process is at it. */
  readonly isRunning: boolean;
}

/** All that are kept below a master's `cachedir`, in no order. */
export function keptOrchestrations(cachedir: string): KeptOrchestration[] {
  const folder = join(cachedir, 'orchestrations');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .flatMap((name) => readKept(folder, name.slice(0, -ENDING.length)) ?? []);
}

function readKept(folder: string, jid: string): KeptOrchestration | undefined {
  try {
    const path = safeJoin(folder, `${jid}${ENDING}`);
    const [first, ...records] = readRecords(path);
    const asked = first?.get('asked');
    if (!isDict(asked)) return undefined;
    const results = new Map<string, Dict>();
    for (const record of records) {
      const result = record.get('result');
      if (record.get('kind') === 'done' && isDict(result))
        results.set(pyStr(record.get('step') ?? ''), result);
    }
    return { jid, asked, results, isRunning: existsSync(`${path}.lock`) };
  } catch {
    return undefined; // it has ended meanwhile
  }
}
