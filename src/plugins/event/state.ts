/** `event`: events as states (3006.16 salt/states/event.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { dict } from '../../python/values/value.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';

const NAME = param.text({ doc: 'The tag of the event.' });
const DATA = param.value({ default: null, type: 'dict', doc: 'The data of the event.' });

const send = defineState({
  doc: 'Sends an event to the master; without a master it is fired on the bus of this minion.',
  params: {
    name: NAME,
    data: DATA,
    preload: param.value({
      default: null,
      type: 'dict',
      doc: 'Fields to add to the message that carries the event.',
    }),
    with_env: param.value({
      default: false,
      type: 'bool or list',
      doc: 'Add the environment, or these variables of it.',
    }),
    with_grains: param.value({ default: false, type: 'bool or list', doc: 'Add all grains, or these.' }),
    with_pillar: param.value({
      default: false,
      type: 'bool or list',
      doc: 'Add the whole pillar, or these keys. Mind secrets.',
    }),
    show_changed: param.flag({ default: true, doc: 'The event counts as a change.' }),
  },
  kwargs: 'kwargs',
  run: async (ctx, args, kwargs) => {
    const { name, data, preload, with_env, with_grains, with_pillar, show_changed } = args;
    const changes = show_changed ? dict({ tag: name, data }) : dict();
    if (ctx.state.test) return outcome(name, null, 'Event would have been fired', changes);
    const options = new Map([...dict({ data, preload, with_env, with_grains, with_pillar }), ...kwargs]);
    const sent = await ctx.functions.call('event.send', [name], options);
    return outcome(name, sent === true, 'Event fired', changes);
  },
});

/** The states of `event`. */
export const eventStates = defineModule({
  name: 'event',
  file: 'event',
  doc: 'Sends events.',
  functions: {
    send,
    fire_master: send,
    wait: defineState({
      doc: 'Sends an event only when a watched state has changed something.',
      params: {
        name: NAME,
        sfun: param.value({ default: null, type: 'str', doc: 'The function that watches.' }),
        data: DATA,
      },
      run: (_ctx, { name }) => outcome(name, true, ''),
    }),
    mod_watch: send,
  },
});
