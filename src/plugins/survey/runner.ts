/** `survey.*`: which minions answer alike (salt/runners/survey.py, 3006.16). */
import { ClientError } from '../../runtime/client/errors.ts';
import { pyStr, textRepr } from '../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import { answersShortfall, callMinions, returnValues } from '../shared/runner/minion-calls.ts';
import { defineRunner, defineRunners, type RunnerContext } from '../shared/runner/runner.ts';
import { unifiedDiff } from '../../python/text/unified-diff.ts';

/** Minions that gave the same answer. */
interface Pool {
  readonly pool: string[];
  readonly result: string;
}

const surveyFunction = {
  varargs: 'args',
  kwargs: 'kwargs',
} as const;

/** The survey runner. */
export const surveyRunners = defineRunners({
  name: 'survey',
  doc: 'Finds out which minions answer alike, and which are out of the ordinary.',
  functions: {
    hash: defineRunner({
      doc:
        'Runs a function on minions (a compound target, or with tgt_type=pcre another) and groups them by what they ' +
        'return; the greatest group comes first, with survey_sort=up last.',
      ...surveyFunction,
      returns: 'list of `{pool: list of minions, result: text}`',
      examples: [
        'salt-run survey.hash "*" test.ping',
        'salt-run survey.hash "*" cmd.run "uname -r" survey_sort=up',
      ],
      run: async (ctx, _args, rest, kwargs) => {
        const found = await pools(ctx, rest, kwargs);
        return found === undefined ? new Map() : asValue(found);
      },
    }),
    diff: defineRunner({
      doc: 'Does what survey.hash does, and prints how the answer of each group differs from that of the first.',
      ...surveyFunction,
      returns: 'list of `{pool: list of minions, result: text}`',
      examples: ['salt-run survey.diff survey_sort=up "*" cp.get_file_str file:///etc/hosts'],
      run: async (ctx, _args, rest, kwargs) => {
        const found = await pools(ctx, rest, kwargs);
        if (found === undefined) return new Map();
        found.forEach((pool, index) => printPool(ctx, pool, index === 0 ? undefined : found[0]));
        return asValue(found);
      },
    }),
  },
});

function asValue(found: readonly Pool[]): Value[] {
  return found.map(({ pool, result }) => dict({ pool, result }));
}

/** The groups, the first that is shown first; undefined when the master could not be asked, which has been said. */
async function pools(ctx: RunnerContext, rest: readonly Value[], kwargs: Dict): Promise<Pool[] | undefined> {
  const [tgt, fun, ...arg] = rest;
  if (tgt === undefined || fun === undefined)
    throw new CommandExecutionError(
      "A target and a function are needed, as in survey.hash '*' test.version.",
    );
  const kwarg: Dict = new Map([...kwargs].filter(([key]) => !pyStr(key).startsWith('_')));
  const isUp = kwarg.get('survey_sort') === 'up';
  const tgtType = kwarg.get('tgt_type') === 'pcre' ? 'pcre' : 'compound';
  kwarg.delete('survey_sort');
  kwarg.delete('tgt_type');
  let answers: Dict;
  try {
    const found = await callMinions(ctx, { tgt, tgtType, fun: pyStr(fun), arg, kwarg });
    const shortfall = answersShortfall(found);
    if (shortfall !== undefined) ctx.fallShort(shortfall);
    answers = returnValues(found);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    ctx.print(error.message);
    ctx.fallShort('some failed');
    return undefined;
  }
  const byResult = new Map<string, Pool>();
  for (const id of [...answers.keys()].map(pyStr).sort()) {
    const result = pyStr(answers.get(id) ?? null);
    const known = byResult.get(result) ?? { pool: [], result };
    known.pool.push(id);
    byResult.set(result, known);
  }
  const sign = isUp ? 1 : -1;
  return [...byResult.values()].sort((a, b) => sign * (a.pool.length - b.pool.length));
}

function printPool(ctx: RunnerContext, { pool, result }: Pool, first: Pool | undefined): void {
  ctx.print('minion pool :\n------------');
  ctx.print(`[${pool.map(textRepr).join(', ')}]`);
  ctx.print(`pool size :\n----------\n    ${pool.length}`);
  if (first === undefined) return ctx.print(`pool result :\n------------\n    ${result}\n`);
  const title = `differences from "${first.pool[0]}" results :`;
  ctx.print(`${title}\n${'-'.repeat(title.length - 1)}`);
  const names = { from: first.pool[0] as string, to: pool[0] as string };
  ctx.print(`${unifiedDiff(lines(first.result), lines(result), names).join('')}\n`);
}

function lines(text: string): string[] {
  const found = text.split('\n');
  if (found.at(-1) === '') found.pop();
  return found.map((line) => `${line}\n`);
}
