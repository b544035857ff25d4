import assert from 'node:assert/strict';
import { test } from 'node:test';
import { returnerRegistry } from '../../../../src/plugins/registry/returner/run.ts';
import { OpenStores } from '../../../../src/plugins/shared/returner/open-stores.ts';
import {
  returnFurther,
  sayMissingOfJob,
  sayMissingReturners,
} from '../../../../src/programs/minion/further-returns.ts';
import type { MinionState } from '../../../../src/programs/minion/state.ts';
import { dict, type DictInit } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

/** What a minion with these options says. */
async function said(given: DictInit, say: (state: MinionState) => Promise<void>): Promise<string[]> {
  const opts = dict({ conf_file: '/etc/salt/minion', ...given });
  const ctx = fakeContext({ opts });
  const returners = returnerRegistry({ opts, grains: ctx.grains }, new OpenStores({ clock: ctx.clock }));
  const state = {
    opts,
    returners: async () => returners,
    returnerTroubles: async () => undefined,
    context: () => ctx,
    deps: { log: ctx.log, opts },
  };
  await say(state as unknown as MinionState);
  return ctx.logged.map(({ message }) => message);
}

test('further returns - options that name a returner which is not there say so at the start, with the one that may have been meant', async () => {
  const lines = await said(
    {
      return: ['mysqll', 'local'],
      schedule_returner: 'rediss',
      ext_job_cache: 'postgers',
      startup_states: 'highstate',
    },
    sayMissingReturners,
  );
  assert.equal(lines.length, 3);
  assert.match(
    lines[0] ?? '',
    /^The option return names a returner mysqll .*Did you mean 'mysql'\? Correct it in \/etc\/salt\/minion/,
  );
  assert.match(lines[1] ?? '', /schedule_returner names a returner rediss .*Did you mean 'redis'\?/);
  assert.match(lines[2] ?? '', /ext_job_cache names a returner postgers .*Did you mean 'postgres'\?/);
});

test('further returns - ext_job_cache of a minion is only for states of its start, and says so', async () => {
  const lines = await said({ ext_job_cache: 'redis' }, sayMissingReturners);
  assert.match(
    lines.join('\n'),
    /^The option ext_job_cache has no effect on a minion without startup_states/,
  );
  assert.deepEqual(
    await said({ return: 'multi_returner', multi_returner: ['local'] }, sayMissingReturners),
    [],
  );
});

test('further returns - so does a job of the schedule', async () => {
  const lines = await said({}, (state) => sayMissingOfJob(state, 'nightly', ['local', 'mysqll']));
  assert.match(
    lines.join('\n'),
    /^Scheduled job "nightly" names a returner mysqll .*Did you mean 'mysql'\? Correct its field returner/,
  );
});

test('further returns - options of a job that its returners do not read are a line in the log', async () => {
  const run = (ret: string, kwargs: DictInit, more: DictInit = {}): Promise<string[]> =>
    said({}, (state) =>
      returnFurther(
        { jid: '20260101000000000000', funs: ['test.ping'], pub: dict({ ret, ret_kwargs: kwargs }) } as never,
        dict({ jid: '20260101000000000000', fun: 'test.ping', return: true, ...more }),
        { state, services: {} } as never,
      ),
    );
  assert.deepEqual(await run('local', { path: '/x' }), [
    'Job 20260101000000000000: ret_kwargs has path, which the returner local does not read; it has no effect.',
  ]);
  // the schedule has said it when it first saw the job
  assert.deepEqual(await run('local', { path: '/x' }, { schedule: 'nightly' }), []);
});
