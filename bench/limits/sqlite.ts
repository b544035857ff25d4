/** Inserts into a file of the job cache, and nothing else. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from '../../src/formats/wire/msgpack.ts';
import { jidAt } from '../../src/storage/jobs/jid.ts';
import { beginDay, openDay } from '../../src/storage/jobs/day-file.ts';
import { returnText } from '../load/returns-storm.ts';

const BATCHES = 40;
/** As many as a storm has under way. */
const BATCH = 256;

/** @returns rows per second of each batch, the text of each row packed and the batch committed */
export function sqliteRate(folder: string): number[] {
  const from = join(folder, 'inserts');
  mkdirSync(from);
  beginDay(join(from, 'day'));
  const { db, insertReturn } = openDay(join(from, 'day'), {});
  const rates = Array.from({ length: BATCHES }, (_, batch) => {
    const jid = jidAt(1_700_000_000_000 + batch);
    const startedMs = performance.now();
    db.exec('BEGIN IMMEDIATE');
    for (let at = 0; at < BATCH; at++) {
      const body = encode(returnText(batch * BATCH + at), 'local');
      insertReturn.run(jid, `sim-${at}`, 'cmd.run', 0, 1, null, body, startedMs);
    }
    db.exec('COMMIT');
    return (BATCH * 1000) / (performance.now() - startedMs);
  });
  db.close();
  rmSync(from, { recursive: true });
  return rates;
}
