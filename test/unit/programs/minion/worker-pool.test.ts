import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { minionOptions } from '../../../../src/config/minion-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { jobWorker } from '../../../../src/network/ipc/contracts/job-worker.ts';
import { readJob } from '../../../../src/programs/minion/job.ts';
import { MinionState } from '../../../../src/programs/minion/state.ts';
import { WorkerPool } from '../../../../src/programs/minion/worker-pool.ts';
import { dict } from '../../../../src/python/values/value.ts';
import type { MinionServices } from '../../../../src/runtime/loader/module.ts';

/** A worker that answers every job at once, and takes its time to end when it is let go. */
function slowToEnd(): string {
  const result = { return: true, retcode: 0, success: true };
  const answer = Buffer.concat(jobWorker.messages.run.answers.pack(result)).toString('hex');
  return `const { Socket } = require('node:net');
const link = new Socket({ fd: 3, readable: true, writable: true, allowHalfOpen: true });
const answer = Buffer.from('${answer}', 'hex');
let got = Buffer.alloc(0);
link.on('data', (chunk) => {
  got = Buffer.concat([got, chunk]);
  while (got.length >= 4 && got.length >= 4 + got.readUInt32BE(0)) {
    const head = Buffer.alloc(9);
    head.writeUInt32BE(5 + answer.length, 0);
    head[4] = 1;
    got.copy(head, 5, 5, 9);
    link.write(Buffer.concat([head, answer]));
    got = got.subarray(4 + got.readUInt32BE(0));
  }
});
setInterval(() => undefined, 1e6);
`;
}

test('worker pool - a process is used again, and one that was let go gets no job while it ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-pool-'));
  const workerScript = join(folder, 'worker.cjs');
  writeFileSync(workerScript, slowToEnd());
  let letGo: () => void = () => undefined;
  const clock: Clock = {
    ...systemClock,
    after: (_delayMs, run) => {
      letGo = run;
      return { cancel: () => undefined };
    },
  };
  const opts = new Options(minionOptions, dict({ id: 'm1' }));
  const state = new MinionState({ opts, clock, random: systemRandom, log: silentLogger }, new Map());
  const services = {} as MinionServices; // this worker asks for nothing
  const pool = new WorkerPool({ state, services, workerScript, own: () => new Map() });
  const pids: number[] = [];
  const run = async (jid: string): Promise<unknown> => {
    const job = readJob(dict({ jid, fun: 'test.fib', arg: [1], tgt: '*' }));
    assert.ok(job);
    const { return: given } = await pool.run(job, {
      started: (pid) => void pids.push(pid),
      isAborted: () => false,
    });
    return given;
  };
  try {
    assert.equal(await run('20200101000000000001'), true);
    assert.equal(await run('20200101000000000002'), true);
    assert.equal(pids[0], pids[1]);
    letGo();
    assert.equal(await run('20200101000000000003'), true);
    assert.notEqual(pids[2], pids[1]);
  } finally {
    pool.close();
    for (const pid of new Set(pids)) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true });
  }
});
