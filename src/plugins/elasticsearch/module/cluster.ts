/** `elasticsearch`: the server and its cluster (3006.16 salt/modules/elasticsearch.py). */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { defineFunction } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { act, connect, PLACE } from './server.ts';

const NODES = {
  nodes: param.valueIfGiven({
    default: null,
    type: 'list or str',
    doc: 'Nodes, by name or id; `_local` the one that is asked.',
  }),
} as const;
const FLAT = {
  flat_settings: param.flag({ default: false, doc: 'Settings with dots in their names, and not nested.' }),
} as const;

/** Functions for the cluster. */
export const clusterFunctions = {
  ping: defineFunction({
    doc: 'Returns whether Elasticsearch answers.',
    params: {
      allow_failure: param.flag({ default: false, doc: 'Fail where it does not.' }),
      ...PLACE,
    },
    returns: 'true or false',
    examples: ['salt myminion elasticsearch.ping allow_failure=True'],
    run: async (ctx, { allow_failure, ...place }) => {
      try {
        await connect(ctx, place);
        return true;
      } catch (error) {
        if (allow_failure || !(error instanceof CommandExecutionError)) throw error;
        return false;
      }
    },
  }),
  info: defineFunction({
    doc: 'Returns what the server says of itself.',
    params: PLACE,
    returns: 'mapping',
    examples: ['salt myminion elasticsearch.info'],
    run: (ctx, place) =>
      act(ctx, place, {
        question: { method: 'GET', path: [] },
        failed: 'Cannot retrieve server information',
      }),
  }),
  node_info: defineFunction({
    doc: 'Returns what is known of nodes.',
    params: { ...NODES, ...FLAT, ...PLACE },
    returns: 'mapping',
    examples: ['salt myminion elasticsearch.node_info flat_settings=True'],
    run: (ctx, { nodes, flat_settings, ...place }) =>
      act(ctx, place, {
        question: { method: 'GET', path: ['_nodes', nodes ?? null], params: { flat_settings } },
        failed: 'Cannot retrieve node information',
      }),
  }),
  cluster_health: defineFunction({
    doc: 'Returns how the cluster does.',
    params: {
      index: param.value({ default: null, type: 'list or str', doc: 'Of these indices alone.' }),
      level: param.text({ default: 'cluster', doc: 'cluster, indices or shards.' }),
      local: param.flag({ default: false, doc: 'As the node knows it that is asked.' }),
      ...PLACE,
    },
    returns: 'mapping',
    examples: ['salt myminion elasticsearch.cluster_health'],
    run: (ctx, { index, level, local, ...place }) =>
      act(ctx, place, {
        question: { method: 'GET', path: ['_cluster', 'health', index], params: { level, local } },
        failed: 'Cannot retrieve health information',
      }),
  }),
  cluster_stats: defineFunction({
    doc: 'Returns figures of the cluster.',
    params: { ...NODES, ...PLACE },
    returns: 'mapping',
    examples: ['salt myminion elasticsearch.cluster_stats'],
    run: (ctx, { nodes, ...place }) =>
      act(ctx, place, {
        question: {
          method: 'GET',
          path: ['_cluster', 'stats', ...(nodes === undefined ? [] : ['nodes', nodes])],
        },
        failed: 'Cannot retrieve cluster stats',
      }),
  }),
  cluster_get_settings: defineFunction({
    doc: 'Returns the settings of the cluster.',
    params: {
      ...FLAT,
      include_defaults: param.flag({ default: false, doc: 'With those that nobody has set.' }),
      ...PLACE,
    },
    returns: 'mapping',
    examples: ['salt myminion elasticsearch.cluster_get_settings'],
    run: (ctx, { flat_settings, include_defaults, ...place }) =>
      act(ctx, place, {
        question: {
          method: 'GET',
          path: ['_cluster', 'settings'],
          params: { flat_settings, include_defaults },
        },
        failed: 'Cannot retrieve cluster settings',
      }),
  }),
  cluster_put_settings: defineFunction({
    doc: 'Changes settings of the cluster.',
    params: {
      body: param.valueIfGiven({
        default: null,
        type: 'dict or str',
        doc: 'Mapping of persistent and transient.',
      }),
      ...FLAT,
      ...PLACE,
    },
    returns: 'mapping',
    examples: [
      `salt myminion elasticsearch.cluster_put_settings '{"persistent": {"indices.recovery.max_bytes_per_sec": "50mb"}}'`,
    ],
    run: (ctx, { body, flat_settings, ...place }) => {
      if (body === undefined) throw new SaltInvocationError('You must provide a body with settings');
      return act(ctx, place, {
        question: { method: 'PUT', path: ['_cluster', 'settings'], params: { flat_settings }, body },
        failed: 'Cannot update cluster settings',
      });
    },
  }),
} as const;
