/** `schedule.add` and `modify` say at once what of a job can have no effect. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

/** A minion that takes each job into its schedule. */
function minion(): { add(fun: string, job: DictInit): Promise<string> } {
  const schedule: Dict = new Map();
  const ctx = fakeContext({
    services: {
      manage: (_what, order) => {
        const given = order.get('schedule');
        const name = order.get('name') ?? null;
        if (isDict(given)) schedule.set(name, given.get(name) ?? given);
        return Promise.resolve(dict({ complete: true, schedule }));
      },
    },
  });
  return {
    add: async (fun, job) => {
      const answer = await ctx.functions.call(`schedule.${fun}`, ['job'], dict(job));
      return isDict(answer) ? String(answer.get('comment')) : String(answer);
    },
  };
}

test('schedule.add - says of a job that it never runs, or that a keyword does nothing', async () => {
  const cases: readonly (readonly [DictInit, RegExp])[] = [
    [{ function: 'test.ping', seconds: 5 }, /^Added job: job to schedule\.$/],
    [{ function: 'test.ping', cron: '*/5 * * * *', splay: 3 }, /^Added job: job to schedule\.$/],
    [
      { function: 'test.ping', seconds: '60', persist: false, __pub_jid: '1' },
      /^Added job: job to schedule\.$/,
    ],
    [
      { function: 'test.ping' },
      /^Added job: job to schedule\. But it has no time and never runs; add one of /,
    ],
    [
      { function: 'test.ping', secnds: 5 },
      /But there is no field secnds; .* Did you mean 'seconds'\? It has no time/,
    ],
    [
      { function: 'test.ping', seconds: 'often' },
      /But seconds must be a number, not often; the job never runs\.$/,
    ],
    [
      { function: 'test.ping', cron: 'x y' },
      /But cron is x y; it takes five fields, .* The job never runs\.$/,
    ],
    [
      { function: 'test.ping', seconds: 5, returner: 'smtp', return_kwargs: { frm: 'a@b.example' } },
      /But return_kwargs has frm, which the returner smtp does not read; .* Did you mean 'from'\?$/,
    ],
    [
      { function: 'test.ping', seconds: 5, returner: ['redis', 'smtp'], return_kwargs: { to: 'x', db: 1 } },
      /^Added job: job to schedule\.$/,
    ],
    [
      { function: 'test.ping', seconds: 5, returner: 'smtp', return_kwargs: 'to' },
      /But return_kwargs must be a mapping, not str; smtp gets none of it\.$/,
    ],
  ];
  for (const [job, comment] of cases) assert.match(await minion().add('add', job), comment);
});

test('schedule.modify - says the same', async () => {
  const job = minion();
  await job.add('add', { function: 'test.ping', seconds: 5 });
  const cron: Value = 'every monday';
  assert.match(
    await job.add('modify', { cron }),
    /^Modified job: job in schedule\. But cron is every monday; /,
  );
});
