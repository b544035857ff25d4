/** `event.*`: events on the master's bus (salt/runners/event.py, 3006.16). */
import { defineRunner, defineRunners } from './runner.ts';
import { param } from '../../runtime/loader/params.ts';

/** The event runner. */
export const eventRunners = defineRunners({
  name: 'event',
  doc: 'Events on the bus of the master.',
  functions: {
    send: defineRunner({
      doc: 'Fires an event on the bus of the master.',
      params: {
        tag: param.text({ doc: 'The tag; use slashes to make families (`myco/build/start`).' }),
        data: param.mapping({ default: null, doc: 'The data.' }),
      },
      returns: 'True; False when no master runs',
      examples: [`salt-run event.send my/custom/event '{"foo": "bar"}'`],
      run: (ctx, { tag, data }) => ctx.fire(tag, data),
    }),
  },
});
