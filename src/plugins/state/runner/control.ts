/**
 * Halting, resuming and ending an orchestration that runs (salt/runners/state.py `pause`, `resume`, `soft_kill`,
 * 3006.16).
 */
import type { Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import { defineRunner, type RunnerSpec } from '../../shared/runner/runner.ts';

const params = {
  jid: param.text({ doc: 'The job of the orchestration.' }),
  state_id: { default: null, type: 'str', doc: 'The id of a step; the next one when left out.' },
} as const;

function steering(
  name: 'pause' | 'resume' | 'soft_kill',
  { doc, examples }: { readonly doc: string; readonly examples: readonly string[] },
): RunnerSpec {
  return defineRunner({
    ...{ doc, params, examples, returns: 'None' },
    run: (ctx, { jid, state_id }) => ctx.execute(`state.${name}`, [jid, state_id], new Map()),
  });
}

const pause = defineRunner({
  doc: 'Halts an orchestration before one of its steps, or before the next one.',
  params: {
    ...params,
    duration: param.valueIfGiven({
      default: null,
      type: 'int',
      doc: 'Seconds after which it goes on by itself.',
    }),
  },
  returns: 'None',
  examples: [
    'salt-run state.pause 20171130110407769519',
    'salt-run state.pause 20171130110407769519 deploy 60',
  ],
  run: (ctx, { jid, state_id, duration }) => {
    const args: Value[] = [jid, state_id, ...(duration === undefined ? [] : [duration])];
    return ctx.execute('state.pause', args, new Map());
  },
});
const resume = steering('resume', {
  doc: 'Lets a halted orchestration go on.',
  examples: ['salt-run state.resume 20171130110407769519'],
});

/** The functions that steer orchestrations. */
export const controlRunners: Readonly<Record<string, RunnerSpec>> = {
  pause,
  set_pause: pause,
  resume,
  rm_pause: resume,
  soft_kill: steering('soft_kill', {
    doc: 'Ends an orchestration before one of its steps, or before the next one.',
    examples: ['salt-run state.soft_kill 20171130110407769519 deploy'],
  }),
};
