/** `rabbitmq_cluster`: the cluster of a broker (3006.16 salt/states/rabbitmq_cluster.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineState } from '../shared/state-function.ts';
import { fieldOf, orFailure, rabbit, switched, withoutRabbitmq } from './state/parts.ts';

/** Whether a text names a node, and not only one whose name goes on: `rabbit@one` is not in `rabbit@one2`. */
function names(status: string, node: string): boolean {
  return status.split(/[^\w@.-]+/).includes(node);
}

const JOINED = defineState({
  doc: 'Makes sure that the broker is in a cluster with another node.',
  params: {
    name: param.text({ doc: 'Not used; `user@host` says most.' }),
    host: param.text({ doc: 'The host of the node to join.' }),
    user: param.text({ default: 'rabbit', doc: 'The name of that node, in front of the host.' }),
    ram_node: param.value({ default: null, type: 'bool', doc: 'Keep data in memory only.' }),
    runas: param.value({
      default: 'root',
      type: 'str',
      account: 'user',
      doc: 'The user of the system who runs the program.',
    }),
  },
  run: (ctx, { name, host, user, ram_node, runas }) => {
    const node = `${user}@${host}`;
    return orFailure(name, async () =>
      switched(ctx, {
        name,
        isRight: names(pyStr(await rabbit(ctx, 'cluster_status', [])), node),
        changes: dict({ old: '', new: node }),
        right: 'Already in cluster',
        foretold: `Node is set to join cluster ${node}`,
        done: (answer) => fieldOf(answer, 'Join'),
        run: () => rabbit(ctx, 'join_cluster', [host, user, ram_node], dict({ runas })),
      }),
    );
  },
});

/** The states of `rabbitmq_cluster`. */
export const rabbitmqClusterStates = defineModule({
  name: 'rabbitmq_cluster',
  file: 'rabbitmq_cluster',
  doc: 'Clusters of RabbitMQ.',
  unavailable: withoutRabbitmq,
  words: { lines: ['name'], dashes: ['name'] },
  functions: { joined: JOINED, join: JOINED },
});
