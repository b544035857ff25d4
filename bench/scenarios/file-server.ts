/** `file-server`: ten minions list 5,000 files and fetch each, 1 GB in all. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { single } from '../figure.ts';
import { cpuSeconds } from '../processes.ts';
import { withSwarm, type Scenario } from './scenario.ts';
import { writeTree } from './state-trees.ts';

const NAME = 'file-server';
const MINIONS = 10;
const FILES = 5_000;
const FILE_BYTES = 20_000;
const FOLDERS = 50;

export const fileServer: Scenario = {
  name: NAME,
  isLong: true,
  run: async (context) => {
    const { fleet, load, step } = context;
    const roots = join(fleet.folder, 'srv');
    rmSync(roots, { recursive: true, force: true });
    const text = 'a line of a file that is served to everybody\n'
      .repeat(FILE_BYTES / 45)
      .padEnd(FILE_BYTES, '.');
    const names = Array.from({ length: FILES }, (_, at) => [`served/${at % FOLDERS}/${at}`, `${at} ${text}`]);
    writeTree(roots, Object.fromEntries(names) as Record<string, string>);
    try {
      return await withSwarm(context, MINIONS, async () => {
        step(`${MINIONS} minions fetch ${FILES} files each`);
        const before = cpuSeconds(fleet.master);
        const { fetched } = await load.order({ type: 'fetch', minions: MINIONS });
        if (fetched === undefined || fetched.files !== MINIONS * FILES)
          throw new Error(`${fetched?.files ?? 'no'} files came`);
        const cpu = cpuSeconds(fleet.master) - before;
        const row = { scenario: NAME, better: 'lower' } as const;
        const rate = fetched.bytes / 1e6 / (fetched.elapsedMs / 1000);
        return [
          single({ ...row, name: 'time', unit: 's' }, fetched.elapsedMs / 1000),
          single({ ...row, name: 'rate', unit: 'MB/s', better: 'higher' }, rate),
          single({ ...row, name: 'master CPU', unit: 'CPU s' }, cpu),
          single(
            { ...row, name: 'reading and hashing them once', unit: 's', better: 'none' },
            readAll(roots),
          ),
        ];
      });
    } finally {
      rmSync(roots, { recursive: true });
    }
  },
};

/** The limit of what a minion's share takes: the files read and hashed, seconds. */
function readAll(roots: string): number {
  const startedMs = performance.now();
  for (const folder of readdirSync(join(roots, 'served')))
    for (const name of readdirSync(join(roots, 'served', folder)))
      createHash('sha256')
        .update(readFileSync(join(roots, 'served', folder, name)))
        .digest();
  return (performance.now() - startedMs) / 1000;
}
