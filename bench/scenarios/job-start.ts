/**
 * `job-start`: from a publish request to the moment at which the minion's command runs, without the start of `salt`.
 */
import { join } from 'node:path';
import { EventBusReader } from '../../src/network/events/bus-client.ts';
import { tags } from '../../src/network/events/tags.ts';
import { isDict, type Value } from '../../src/python/values/value.ts';
import { sampled } from '../figure.ts';
import { REAL_MINION, type Fleet } from '../fleet.ts';
import { repeat, type Scenario } from './scenario.ts';

const TIMEOUT_MS = 20_000;

export const jobStart: Scenario = {
  name: 'job-start',
  run: async (context) => {
    const { fleet } = context;
    await fleet.minion();
    const starts: number[] = [];
    const returns: number[] = [];
    await repeat(context, { brine: 20, salt: 8, budgetMs: 8_000 }, '', async (isWarmUp) => {
      const { startMs, returnMs } = await runJob(fleet);
      if (isWarmUp) return;
      starts.push(startMs);
      returns.push(returnMs);
    });
    const row = { scenario: 'job-start', unit: 'ms', better: 'lower' } as const;
    return [
      sampled({ ...row, name: 'publish to start' }, starts),
      sampled({ ...row, name: 'publish to return' }, returns),
    ];
  },
};

/** Publishes a command that prints the time, and listens for its return. */
async function runJob(fleet: Fleet): Promise<{ startMs: number; returnMs: number }> {
  const heard = new Map<string, { startedMs: number; atMs: number }>();
  let wake: () => void = () => undefined;
  const reader = await EventBusReader.connect(
    join(fleet.sockDir, 'master_event_pub.ipc'),
    (tag) => tag.includes('/ret/'),
    (event) => {
      const startedMs = Number(event.data.get('return')) * 1000;
      heard.set(event.tag, { startedMs, atMs: Date.now() });
      wake();
    },
  );
  try {
    const sentMs = Date.now();
    const tag = tags.jobReturn(await publishDate(fleet), REAL_MINION);
    const deadline = sentMs + TIMEOUT_MS;
    while (!heard.has(tag) && Date.now() < deadline) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, 1000);
      });
    }
    const times = heard.get(tag);
    if (times === undefined) throw new Error(`The job did not return within ${TIMEOUT_MS / 1000} s.`);
    return { startMs: times.startedMs - sentMs, returnMs: times.atMs - sentMs };
  } finally {
    reader.close();
  }
}

async function publishDate(fleet: Fleet): Promise<string> {
  const { user, key } = fleet.userKey();
  const load = {
    cmd: 'publish',
    tgt: REAL_MINION,
    fun: 'cmd.run',
    arg: ['date +%s.%N'],
    key,
    tgt_type: 'glob',
    ret: '',
    jid: '',
    kwargs: {},
    user,
  };
  const reply = (await fleet.request(load, TIMEOUT_MS)) as Value;
  const inner = isDict(reply) ? reply.get('load') : undefined;
  const jid = inner !== undefined && isDict(inner) ? inner.get('jid') : undefined;
  if (typeof jid !== 'string') throw new Error('The master did not publish the job.');
  return jid;
}
