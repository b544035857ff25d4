/**
 * Sends the requests of `test/support/api` to a real salt-api before a real master, and to ours before ours: `node
 * scripts/run-ts.mjs test/compare/api.ts [--record] [--recorded] [PART OF A NAME…]`. It prints what differs without a
 * reason. `--record` writes down what the real one answers, and what ours does where there is a reason, for
 * `test/e2e/api-recorded.test.ts`; `--recorded` takes the recorded answers in place of a real Salt. `--api-of-salt` has
 * a real salt-api before our master in place of ours, `--master-of-salt` ours before a real master.
 */
import { isDeepStrictEqual } from 'node:util';
import { readAnswers, writeAnswers, type RecordedAnswers } from '../support/api/answers.ts';
import { apiCases, type ApiCase } from '../support/api/cases.ts';
import { differenceOf } from '../support/api/differences.ts';
import { ApiSender, type ApiAnswer } from '../support/api/send.ts';
import { ApiServers } from '../support/api/servers.ts';
import { ours, realSalt, type Programs } from '../support/fleet.ts';

const words = process.argv.slice(2);
const parts = words.filter((word) => !word.startsWith('--'));
const has = (word: string): boolean => words.includes(`--${word}`);
const cases = apiCases().filter(
  ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
);
const AT_A_TIME = 4;

async function answersOf(programs: Programs, api: Programs = programs): Promise<Map<string, ApiAnswer>> {
  const ends: (() => unknown)[] = [];
  const out = new Map<string, ApiAnswer>();
  try {
    const servers = await ApiServers.start({ after: (end) => void ends.push(end) }, programs, api, [
      ...new Set(['plain' as const, ...cases.map(({ server = 'plain' }) => server)]),
    ]);
    const sender = new ApiSender(servers);
    const left = [...cases];
    const work = async (): Promise<void> => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) {
        out.set(one.name, await answerOf(sender, one));
        if (out.size % 100 === 0) process.stderr.write(`${programs.name}: ${out.size} of ${cases.length}\n`);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  } finally {
    for (const end of ends.reverse()) await end();
  }
  return out;
}

async function answerOf(sender: ApiSender, one: ApiCase): Promise<ApiAnswer> {
  try {
    return await sender.send(one);
  } catch (error) {
    return { status: 0, headers: {}, body: `no answer: ${String(error)}` };
  }
}

function salt3006(): Programs {
  const salt = realSalt('3006');
  if (salt === undefined) throw new Error('No real Salt 3006 is found; BRINE_REAL_SALT names its folder.');
  return salt;
}

const recorded = new Map<string, RecordedAnswers>(readAnswers());
const theirs = has('recorded')
  ? new Map([...recorded].map(([name, { salt }]) => [name, salt]))
  : await answersOf(salt3006());
const own = has('api-of-salt')
  ? await answersOf(ours, salt3006())
  : has('master-of-salt')
    ? await answersOf(salt3006(), ours)
    : await answersOf(ours);
const counts = { same: 0, reason: 0, open: 0 };
for (const one of cases) {
  const [salt, given] = [theirs.get(one.name), own.get(one.name)];
  if (salt === undefined || given === undefined) continue;
  const { isSame, reason, brine } = differenceOf(one, salt, given);
  recorded.set(one.name, { salt, ...(isSame ? {} : { brine }) });
  if (isSame) counts.same++;
  else if (reason !== undefined) counts.reason++;
  else {
    counts.open++;
    print(one, salt, brine);
  }
}
if (has('record'))
  writeAnswers(
    recorded,
    apiCases().map(({ name }) => name),
  );
process.stdout.write(`\n${counts.same} same, ${counts.reason} with a reason, ${counts.open} open\n`);

function print({ name }: ApiCase, salt: ApiAnswer, brine: ApiAnswer): void {
  const lines = [name.slice(0, 150)];
  const line = (what: string, theirValue: unknown, ownValue: unknown): void => {
    if (isDeepStrictEqual(theirValue, ownValue)) return;
    const text = (value: unknown): string => (JSON.stringify(value) ?? 'none').slice(0, 600);
    lines.push(`  ${what}`, `    Salt  ${text(theirValue)}`, `    Brine ${text(ownValue)}`);
  };
  line('status', salt.status, brine.status);
  for (const header of new Set([...Object.keys(salt.headers), ...Object.keys(brine.headers)]))
    line(header, salt.headers[header], brine.headers[header]);
  line('body', salt.body, brine.body);
  process.stdout.write(`\n${lines.join('\n')}\n`);
}
