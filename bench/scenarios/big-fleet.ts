/**
 * `big-fleet`: ten thousand minions. How long the master takes to find whom a target means, for each kind of target,
 * and what `salt '*' test.ping` does: lost minions, time, and the memory of the command. Takes minutes; run only when
 * it is named.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { MinionDataCache } from '../../src/storage/cache/minion-data.ts';
import { MinionFacts } from '../../src/storage/cache/minion-facts.ts';
import { KeyStore } from '../../src/storage/keys/store.ts';
import { keyFleet } from '../../src/programs/runner/key-fleet.ts';
import { forecast } from '../../src/runtime/targeting/forecast.ts';
import { expandTargetNodegroups } from '../../src/runtime/targeting/nodegroups.ts';
import { parseTarget } from '../../src/runtime/targeting/parse-target.ts';
import { dict, type Dict, type Value } from '../../src/python/values/value.ts';
import { sampled, single, type Figure } from '../figure.ts';
import { groupMembers, pause, pssBytes } from '../processes.ts';
import { BIG_COUNT, bigIds, withBigSwarm } from './big-swarm.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

const NAME = 'big-fleet';
/** After all have joined, before memory is looked at. */
const SETTLE_MS = 3_000;
const ROUNDS = 5;
const PING_ROUNDS = 20;
/** The same with a process that never rests on each core. */
const LOADED_ROUNDS = 3;
const PING_MS = 120_000;
const RSS_POLL_MS = 100;
const GROUPS = dict({ deb: 'G@os:Debian and big-a-*', both: 'N@deb or I@role:db' });

/** Ten thousand minions: targets, and `salt '*' test.ping`. */
export const bigFleet: Scenario = {
  name: NAME,
  isLong: true,
  isOursOnly: true,
  run: (context) =>
    withBigSwarm(context, async (_, joinAll) => {
      const { fleet, step } = context;
      const ids = bigIds();
      const cache = new MinionDataCache(fleet.cacheDir);
      step(`writes the grains of ${BIG_COUNT} minions`);
      for (const [index, id] of ids.entries()) cache.write(id, 'data', dataOf(id, index));
      try {
        const figures = matching(context, cache, ids);
        const before = pssBytes(fleet.master) ?? NaN;
        await joinAll();
        await pause(SETTLE_MS);
        const each = ((pssBytes(fleet.master) ?? NaN) - before) / BIG_COUNT / 1e3;
        const row = {
          scenario: NAME,
          name: 'memory of the master for each minion',
          better: 'lower',
        } as const;
        return [...figures, single({ ...row, unit: 'kB' }, each), ...(await pings(context))];
      } finally {
        for (const id of ids) cache.remove(id);
      }
    }),
};

/** About as much as a real minion has. */
function dataOf(id: string, index: number): Dict {
  const more = Array.from({ length: 80 }, (_, n): [string, string] => [`grain_${n}`, `value ${n} of ${id}`]);
  const grains = dict({
    id,
    os: index % 2 === 0 ? 'Debian' : 'RedHat',
    ipv4: ['127.0.0.1', `10.0.${index >> 8}.${index & 255}`],
    ip4_interfaces: dict({ lo: ['127.0.0.1'], eth0: [`10.0.${index >> 8}.${index & 255}`] }),
    ...Object.fromEntries(more),
  });
  return dict({ grains, pillar: dict({ role: index % 10 === 0 ? 'db' : 'web' }) });
}

/** How long each kind of target takes once the facts it asks for are at hand, as in a worker that has been running. */
function matching(
  { fleet, step }: ScenarioContext,
  cache: MinionDataCache,
  ids: readonly string[],
): Figure[] {
  const known = keyFleet(new KeyStore(fleet.pkiDir), cache, new MinionFacts(cache));
  const targets: [kind: string, tgt: Value, tgtType: string][] = [
    ['glob', 'big-a-*', 'glob'],
    ['pcre', 'big-.-.*[05]$', 'pcre'],
    ['list', [...ids], 'list'],
    ['grain', 'os:Debian', 'grain'],
    ['grain_pcre', 'os:deb.*', 'grain_pcre'],
    ['nested grain', 'ip4_interfaces:eth0:10.0.3.*', 'grain'],
    ['pillar', 'role:db', 'pillar'],
    ['ipcidr', '10.0.3.0/24', 'ipcidr'],
    ['compound', 'G@os:Debian and I@role:db and not E@big-a-000.* or S@10.0.1.0/24', 'compound'],
    ['nodegroup', 'both', 'nodegroup'],
  ];
  return targets.map(([kind, tgt, tgtType]) => {
    step(`matches a ${kind} target`);
    const samples: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const startedMs = performance.now();
      const target = expandTargetNodegroups(tgt, tgtType, GROUPS);
      const { minions, fault } = forecast(parseTarget(target.tgt, target.tgtType), known);
      if (fault !== undefined || minions.length === 0) throw new Error(`the ${kind} target means nobody`);
      if (round > 0) samples.push(performance.now() - startedMs);
    }
    return sampled({ scenario: NAME, name: `matching ${kind}`, unit: 'ms', better: 'lower' }, samples);
  });
}

async function pings(context: ScenarioContext): Promise<Figure[]> {
  const quiet = await rounds(context, context.rounds ?? PING_ROUNDS, '');
  const { groups, folder } = context.fleet;
  const spin = [process.execPath, '-e', 'for (;;);'];
  const spinning = cpus().map(() => groups.start(spin, join(folder, 'spin.out')));
  const loaded = await rounds(context, LOADED_ROUNDS, ' under load').finally(() =>
    Promise.all(spinning.map((daemon) => groups.stop(daemon))),
  );
  const row = { scenario: NAME, better: 'lower' } as const;
  return [
    sampled({ ...row, name: 'ping time', unit: 's' }, quiet.times),
    single({ ...row, name: 'slowest ping', unit: 's' }, Math.max(...quiet.times)),
    sampled({ ...row, name: 'memory of salt', unit: 'MB' }, quiet.memory),
    single({ ...row, name: 'lost', unit: 'count' }, quiet.lost),
    sampled({ ...row, name: 'ping time under load', unit: 's' }, loaded.times),
    single({ ...row, name: 'lost under load', unit: 'count' }, loaded.lost),
  ];
}

async function rounds(
  context: ScenarioContext,
  count: number,
  title: string,
): Promise<{ times: number[]; memory: number[]; lost: number }> {
  const found = { times: [] as number[], memory: [] as number[], lost: 0 };
  for (let round = 1; round <= count; round++) {
    context.step(`salt '*' test.ping${title}, round ${round} of ${count}`);
    const { elapsedMs, stdout, rssMax } = await ping(context);
    found.times.push(elapsedMs / 1000);
    found.memory.push(rssMax / 1e6);
    const answers = [...stdout.matchAll(/^(big-[ab]-\d+):\n {4}True$/gm)].map(([, id]) => id);
    found.lost += BIG_COUNT - new Set(answers).size;
  }
  return found;
}

/** Runs `salt`, and looks at the most memory that one of its processes has had. */
function ping({ fleet }: ScenarioContext): Promise<{ elapsedMs: number; stdout: string; rssMax: number }> {
  const [program = '', ...args] = [...fleet.kind.salt, '-c', fleet.folder, 'big-*', 'test.ping'];
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const out: Buffer[] = [];
    let rssMax = 0;
    const poll = setInterval(() => {
      for (const { pid } of groupMembers(child.pid ?? 0)) rssMax = Math.max(rssMax, highWaterBytes(pid));
      if (performance.now() - startedMs > PING_MS) child.kill('SIGKILL');
    }, RSS_POLL_MS);
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(poll);
      if (code === null) return reject(new Error('salt took too long, or was ended'));
      resolve({ elapsedMs: performance.now() - startedMs, stdout: Buffer.concat(out).toString(), rssMax });
    });
  });
}

function highWaterBytes(pid: number): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0; // it has ended meanwhile
  }
}
