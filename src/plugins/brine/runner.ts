/** `brine.*`: a new version for a fleet, first on a few minions, then on the rest. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { amountOf, parseAmount, type Amount } from '../../runtime/client/amount.ts';
import { param } from '../../runtime/loader/params.ts';
import { callMinions, type MinionAnswers } from '../shared/runner/minion-calls.ts';
import { defineRunner, defineRunners, RunnerRefusal, type RunnerContext } from '../shared/runner/runner.ts';

const STEP_PARAMS = {
  tgt: param.text({ default: '*', doc: 'The minions.' }),
  tgt_type: param.text({ default: 'glob', doc: 'What kind of target that is.' }),
  version: param.textOrNone({ default: null, doc: 'Which version; the newest where none is named.' }),
  canary: param.text({ default: '5%', doc: 'How many are first: a number, or a share of them.' }),
  batch: param.text({ default: '25%', doc: 'How many follow at a time, when those were well.' }),
  wait: param.count({ default: 0, doc: 'Seconds after which those of a step are looked at once more.' }),
  allow_downgrade: param.flag({ default: false, doc: 'Also take a version that is older.' }),
} as const;

interface Plan {
  readonly version: string | undefined;
  readonly canary: Amount;
  readonly batch: Amount;
  readonly waitS: number;
  readonly allowsOlder: boolean;
}

function amount(name: string, text: string): Amount {
  const found = parseAmount(text);
  if (found === undefined)
    throw new SaltInvocationError(`${name} is to be a number of minions or a share such as 5%, not ${text}.`);
  return found;
}

/** Those who answer, and those who do not. */
async function present(ctx: RunnerContext, tgt: string, tgtType: string): Promise<MinionAnswers> {
  const answers = await callMinions(ctx, { tgt, tgtType, fun: 'test.ping' });
  if (answers === undefined) throw new RunnerRefusal(`No minion is meant by ${tgt} (${tgtType}).`);
  return answers;
}

async function rollOut(ctx: RunnerContext, ids: readonly string[], plan: Plan): Promise<Dict> {
  const outcomes = new Map<Value, Value>();
  let done = 0;
  let stopped: string | undefined;
  for (let step = 0; done < ids.length && stopped === undefined; step++) {
    const size = Math.max(1, amountOf(step === 0 ? plan.canary : plan.batch, ids.length));
    const some = ids.slice(done, done + size);
    done += some.length;
    await ctx.progress(dict({ step: step + 1, minions: [...some], reached: done, of: ids.length }));
    const found = await upgradeSome(ctx, some, plan);
    for (const [id, outcome] of found) outcomes.set(id, outcome);
    const bad = some.filter((id) => !isFine(found.get(id)));
    if (bad.length > 0) stopped = bad.join(', ');
  }
  for (const id of ids.slice(done))
    outcomes.set(id, dict({ result: null, comment: `Not tried, since it went wrong on ${stopped ?? ''}.` }));
  return outcomes;
}

function isFine(outcome: Value | undefined): boolean {
  return outcome !== undefined && isDict(outcome) && outcome.get('result') === true;
}

async function upgradeSome(ctx: RunnerContext, ids: readonly string[], plan: Plan): Promise<Dict> {
  const kwarg: Dict = new Map<Value, Value>([['allow_downgrade', plan.allowsOlder]]);
  if (plan.version !== undefined) kwarg.set('version', plan.version);
  const answers = await callMinions(ctx, { tgt: [...ids], tgtType: 'list', fun: 'brine.upgrade', kwarg });
  const outcomes: Dict = new Map(ids.map((id) => [id, outcomeOf(answers?.returns.get(id))]));
  if (plan.waitS > 0) await ctx.clock.sleep(plan.waitS * 1000, ctx.signal);
  // one that said that it was well may have stopped to be so
  const later = await callMinions(ctx, { tgt: [...ids], tgtType: 'list', fun: 'brine.version' });
  for (const id of ids) {
    const outcome = outcomes.get(id) as Dict;
    if (!isFine(outcome)) continue;
    const now = later?.returns.get(id)?.get('return');
    const version = now !== undefined && isDict(now) ? pyStr(now.get('version') ?? null) : undefined;
    if (version === pyStr(outcome.get('to') ?? null)) continue;
    outcome.set('result', false);
    outcome.set('step', 'after');
    outcome.set(
      'comment',
      version === undefined ? 'It does not answer any more.' : `It has gone back to ${version} later.`,
    );
  }
  return outcomes;
}

function outcomeOf(load: Dict | undefined): Dict {
  const said = load?.get('return');
  if (said !== undefined && isDict(said)) return new Map(said);
  const comment = said === undefined ? 'It did not return.' : pyStr(said);
  return dict({ result: false, step: 'ask', comment });
}

/** The runner. */
export const brineRunners = defineRunners({
  name: 'brine',
  doc: 'A new version for a fleet.',
  functions: {
    upgrade: defineRunner({
      doc: 'Has minions become another version with brine.upgrade: a few first, and the rest in batches when each of those is well. One that is not stops it.',
      params: STEP_PARAMS,
      returns: 'a mapping: the outcome of each minion (result, from, to, step, comment, away_s)',
      examples: ["salt-run brine.upgrade '*' version=1.2.0 canary=5% wait=120"],
      run: async (ctx, { tgt, tgt_type, version, canary, batch, wait, allow_downgrade }) => {
        const plan: Plan = {
          version,
          canary: amount('canary', canary),
          batch: amount('batch', batch),
          waitS: wait,
          allowsOlder: allow_downgrade,
        };
        const answers = await present(ctx, tgt, tgt_type);
        const ids = answers.minions.filter((id) => answers.returns.has(id)).sort();
        const outcomes = await rollOut(ctx, ids, plan);
        for (const id of answers.minions)
          if (!answers.returns.has(id))
            outcomes.set(id, dict({ result: null, comment: 'Not tried, since it does not answer.' }));
        const all = [...outcomes.values()];
        if (all.some((each) => isDict(each) && each.get('result') === false)) ctx.fallShort('some failed');
        else if (!all.every(isFine)) ctx.fallShort('some silent');
        return outcomes;
      },
    }),
  },
});
