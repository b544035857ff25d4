/**
 * `--subset` (salt/client/__init__.py `cmd_subset`, 3006.16): some of the minions that know the function, chosen at
 * random.
 */
import { publishAndWatch } from '../../runtime/client/watch-job.ts';
import { systemRandom, type Random } from '../../host/random.ts';
import { printHeader, type SaltRun } from './context.ts';

/** Asks who knows the function and chooses. Salt compat: the question has a header of its own. @throws ClientError */
export async function chooseSubset(
  run: SaltRun,
  size: number,
  random: Random = systemRandom,
): Promise<string[]> {
  const { watch, request, patience } = run;
  const { fun } = request.publish;
  const wanted = typeof fun === 'string' ? [fun] : fun;
  const question = { ...request.publish, fun: 'sys.list_functions', arg: [], ret: '' };
  const { job, news } = await publishAndWatch(watch, question, patience);
  printHeader(run, job.jid);
  const able: string[] = [];
  for await (const item of news) {
    if (item.kind === 'silent') continue;
    const known = item.load.get('return');
    if (Array.isArray(known) && wanted.every((name) => known.includes(name))) able.push(item.id);
  }
  return shuffle(able, random).slice(0, Math.max(0, size));
}

function shuffle(ids: readonly string[], random: Random): string[] {
  const out = [...ids];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.int(0, i);
    [out[i], out[j]] = [out[j] as string, out[i] as string];
  }
  return out;
}
