/** Returns as fast as a master acknowledges them, each told apart by its job, its minion and its content. */
import { jidAt } from '../../src/storage/jobs/jid.ts';
import type { Swarm } from '../../src/programs/swarm/swarm.ts';
import { dict, type Dict } from '../../src/python/values/value.ts';
import type { ReturnsResult, Storm } from './messages.ts';
import { runStorm } from './storm.ts';

const FILLER = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
const TEXT_MIN = 60;
const TEXT_SPREAD = 640;

/** Return number `n` of a storm: every minion returns each job once. */
export function returnNumber(n: number, minions: number, baseMs: number): { minion: number; jid: string } {
  return { minion: n % minions, jid: jidAt(baseMs + Math.floor(n / minions)) };
}

/** The content of return number `n`: about 60 to 700 characters, which makes requests of 300 B to 1 kB. */
export function returnText(n: number): string {
  return `${n} ${FILLER.slice(0, TEXT_MIN + ((n * 7919) % TEXT_SPREAD))}`;
}

/** Sends returns by the minions of a swarm. @param baseMs makes the jids, which must be new to the master */
export async function returnsStorm(swarm: Swarm, storm: Storm, baseMs: number): Promise<ReturnsResult> {
  const { minions } = swarm;
  const unacknowledged: number[] = [];
  const result = await runStorm(
    storm,
    (n) => {
      const { minion, jid } = returnNumber(n, minions.length, baseMs);
      const sender = minions[minion];
      if (sender === undefined) throw new Error('no minion has joined');
      return sender.sendReturn(returnLoad(sender.id, jid, returnText(n)));
    },
    (n) => unacknowledged.push(n),
  );
  return { ...result, unacknowledged };
}

function returnLoad(id: string, jid: string, text: string): Dict {
  return dict({
    cmd: '_return',
    id,
    jid,
    fun: 'cmd.run',
    fun_args: ['echo'],
    return: text,
    retcode: 0,
    success: true,
    user: 'root',
  });
}
