/** `event.*`: events on the master's bus (salt/runners/event.py, 3006.16). */
import { defineRunner, defineRunners } from '../shared/runner/runner.ts';
import { param } from '../../runtime/loader/params.ts';
import { SaltInvocationError } from '../../errors/errors.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { isDict } from '../../python/values/value.ts';

/** The event runner. */
export const eventRunners = defineRunners({
  name: 'event',
  doc: 'Events on the bus of the master.',
  failsWith: { false: ['send'] },
  functions: {
    send: defineRunner({
      doc: 'Fires an event on the bus of the master.',
      params: {
        tag: param.text({ doc: 'The tag; use slashes to make families (`myco/build/start`).' }),
        data: { default: null, type: 'dict', doc: 'The data.' },
      },
      returns: 'True; False when no master runs',
      examples: [`salt-run event.send my/custom/event '{"foo": "bar"}'`],
      run: (ctx, { tag, data }) => {
        if (data !== null && !isDict(data))
          throw new SaltInvocationError(
            `data must be a mapping, such as '{"foo": "bar"}', not ${pyRepr(data)}.`,
          );
        return ctx.fire(tag, data ?? new Map());
      },
    }),
  },
});
