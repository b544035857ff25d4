/** What simulated minions ask for besides jobs: pillar, and files. */
import { asBytes } from '../../src/formats/wire/msgpack.ts';
import type { SimulatedMinion } from '../../src/programs/swarm/simulated-minion.ts';
import type { Swarm } from '../../src/programs/swarm/swarm.ts';
import { dict, isDict } from '../../src/python/values/value.ts';

/** All ask for their pillar at the same time. @returns how long each waited, milliseconds */
export function askPillars({ minions }: Swarm, grains: Readonly<Record<string, string>>): Promise<number[]> {
  const startedMs = performance.now();
  return Promise.all(
    minions.map(async (minion) => {
      const load = {
        cmd: '_pillar',
        id: minion.id,
        grains: dict({ id: minion.id, ...grains }),
        saltenv: null,
      };
      const more = { pillarenv: null, pillar_override: {}, extra_minion_data: {}, ver: '2' };
      const pillar = await minion.request(dict({ ...load, ...more }));
      if (!isDict(pillar) || pillar.size === 0) throw new Error(`${minion.id} got no pillar`);
      return performance.now() - startedMs;
    }),
  );
}

/** Each lists all files and fetches each to its end. */
export async function fetchFiles(
  minions: readonly SimulatedMinion[],
): Promise<{ files: number; bytes: number; elapsedMs: number }> {
  const startedMs = performance.now();
  let files = 0;
  let bytes = 0;
  const fetchAll = async (minion: SimulatedMinion): Promise<void> => {
    const names = await minion.request(dict({ cmd: '_file_list', saltenv: 'base', prefix: '' }));
    if (!Array.isArray(names)) throw new Error(`${minion.id} got no list of files`);
    for (const path of names) {
      for (let loc = 0; ;) {
        const load = dict({ cmd: '_serve_file', path, saltenv: 'base', loc, gzip: null });
        const reply = await minion.request(load);
        const data = isDict(reply) ? (asBytes(reply.get('data')) ?? Buffer.alloc(0)) : Buffer.alloc(0);
        if (data.length === 0) break;
        loc += data.length;
        bytes += data.length;
      }
      files++;
    }
  };
  await Promise.all(minions.map(fetchAll));
  return { files, bytes, elapsedMs: performance.now() - startedMs };
}
