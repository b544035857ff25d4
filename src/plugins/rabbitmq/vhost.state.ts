/** `rabbitmq_vhost`: virtual hosts of RabbitMQ (3006.16 salt/states/rabbitmq_vhost.py). */
import { dict, truthy } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { defineState } from '../shared/state-function.ts';
import { fieldOf, nameOf, orFailure, rabbit, switched, withoutRabbitmq } from './state/parts.ts';

const NAME = nameOf('virtual host');

/** The states of `rabbitmq_vhost`. */
export const rabbitmqVhostStates = defineModule({
  name: 'rabbitmq_vhost',
  file: 'rabbitmq_vhost',
  doc: 'Virtual hosts of RabbitMQ.',
  unavailable: withoutRabbitmq,
  words: {},
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a virtual host.',
      params: NAME,
      run: (ctx, { name }) =>
        orFailure(name, async () =>
          switched(ctx, {
            name,
            isRight: truthy(await rabbit(ctx, 'vhost_exists', [name])),
            changes: dict({ old: '', new: name }),
            right: `Virtual Host '${name}' already exists.`,
            foretold: `Virtual Host '${name}' will be created.`,
            done: (answer) => fieldOf(answer, 'Added'),
            run: () => rabbit(ctx, 'add_vhost', [name]),
          }),
        ),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such virtual host.',
      params: NAME,
      run: (ctx, { name }) =>
        orFailure(name, async () =>
          switched(ctx, {
            name,
            isRight: !truthy(await rabbit(ctx, 'vhost_exists', [name])),
            changes: dict({ new: '', old: name }),
            right: `Virtual Host '${name}' is not present.`,
            foretold: `Virtual Host '${name}' will be removed.`,
            done: (answer) => fieldOf(answer, 'Deleted'),
            run: () => rabbit(ctx, 'delete_vhost', [name]),
          }),
        ),
    }),
  },
});
