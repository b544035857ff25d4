/** `elasticsearch`: indices, their settings and mappings (3006.16 salt/modules/elasticsearch.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type FunctionSpec } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { BODY, bodyOf, filled, SOURCE } from './bodies.ts';
import { acknowledged, act, connect, PLACE } from './server.ts';

const INDEX = { index: param.text({ doc: 'The index.' }) } as const;
const DOC_TYPE = {
  doc_type: param.textOrEmpty({ doc: 'The type of documents, of servers before 7.' }),
} as const;

/** The keywords of a call that go into the address. */
function words(given: Dict, ...names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, given.get(name) ?? null]));
}

const SETTINGS_WORDS = [
  'allow_no_indices',
  'expand_wildcards',
  'flat_settings',
  'ignore_unavailable',
  'include_defaults',
  'local',
  'master_timeout',
  'preserve_existing',
  'timeout',
];
const FLUSH_WORDS = ['allow_no_indices', 'expand_wildcards', 'ignore_unavailable'];

/** Keywords as messages show them, without what the program itself adds. */
const shown = (given: Dict): string =>
  pyRepr(new Map([...given].filter(([name]) => !pyStr(name).startsWith('__'))));

/** `index_open` and `index_close`. @param wildcards what wildcards stand for */
const switching = (verb: 'close' | 'open', wildcards: string): FunctionSpec =>
  defineFunction({
    doc: `${verb === 'open' ? 'Opens' : 'Closes'} an index.`,
    params: {
      ...INDEX,
      allow_no_indices: param.flag({ default: true, doc: 'A wildcard may match none.' }),
      expand_wildcards: param.text({
        default: wildcards,
        doc: 'What wildcards stand for: open, closed, none or all.',
      }),
      ignore_unavailable: param.flag({ default: true, doc: 'An index may be missing.' }),
      ...PLACE,
    },
    returns: 'true or false',
    examples: [`salt myminion elasticsearch.index_${verb} testindex`],
    run: (ctx, { index, allow_no_indices, expand_wildcards, ignore_unavailable, ...place }) =>
      act(ctx, place, {
        question: {
          method: 'POST',
          path: [index, `_${verb}`],
          params: { allow_no_indices, expand_wildcards, ignore_unavailable },
        },
        failed: `Cannot ${verb} index ${index}`,
        take: acknowledged,
      }),
  });

/** Functions for indices. */
export const indexFunctions = {
  index_create: defineFunction({
    doc: 'Makes an index.',
    params: { ...INDEX, ...BODY, ...PLACE, ...SOURCE },
    returns: 'true or false',
    examples: [
      'salt myminion elasticsearch.index_create testindex',
      `salt myminion elasticsearch.index_create testindex2 '{"settings" : {"index" : {"number_of_shards" : 3, "number_of_replicas" : 2}}}'`,
    ],
    run: async (ctx, { index, body, source, ...place }) =>
      act(ctx, place, {
        question: { method: 'PUT', path: [index], body: await bodyOf(ctx, { body, source }) },
        failed: `Cannot create index ${index}`,
        take: (data) =>
          truthy(acknowledged(data)) && isDict(data)
            ? (data.get('shards_acknowledged') ?? true)
            : acknowledged(data),
        isDone: ({ error }) => error === 'index_already_exists_exception',
      }),
  }),
  index_delete: defineFunction({
    doc: 'Removes an index.',
    params: { ...INDEX, ...PLACE },
    returns: 'true or false',
    examples: ['salt myminion elasticsearch.index_delete testindex'],
    run: (ctx, { index, ...place }) =>
      act(ctx, place, {
        question: { method: 'DELETE', path: [filled(index, 'index')] },
        failed: `Cannot delete index ${index}`,
        missing: true,
        take: acknowledged,
      }),
  }),
  index_exists: defineFunction({
    doc: 'Returns whether there is an index.',
    params: { ...INDEX, ...PLACE },
    returns: 'true or false',
    examples: ['salt myminion elasticsearch.index_exists testindex'],
    run: (ctx, { index, ...place }) =>
      act(ctx, place, {
        question: { method: 'HEAD', path: [filled(index, 'index')] },
        failed: `Cannot retrieve index ${index}`,
      }),
  }),
  index_get: defineFunction({
    doc: 'Returns an index.',
    params: { ...INDEX, ...PLACE },
    returns: 'mapping of its name to aliases, mappings and settings; None where there is none',
    examples: ['salt myminion elasticsearch.index_get testindex'],
    run: (ctx, { index, ...place }) =>
      act(ctx, place, {
        question: { method: 'GET', path: [filled(index, 'index')] },
        failed: `Cannot retrieve index ${index}`,
        missing: null,
      }),
  }),
  index_open: switching('open', 'closed'),
  index_close: switching('close', 'open'),
  index_get_settings: defineFunction({
    doc: 'Returns the settings of indices: `index`, `name`, `allow_no_indices`, `expand_wildcards`, `flat_settings`, `ignore_unavailable`, `include_defaults`, `local`.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: 'mapping; None where there is no such index',
    examples: ['salt myminion elasticsearch.index_get_settings index=testindex'],
    run: (ctx, place, _rest, given) =>
      act(ctx, place, {
        question: {
          method: 'GET',
          path: [given.get('index') ?? null, '_settings', given.get('name') ?? null],
          params: words(given, ...SETTINGS_WORDS),
        },
        failed: `Cannot retrieve index settings ${shown(given)}`,
        missing: null,
      }),
  }),
  index_put_settings: defineFunction({
    doc: 'Changes the settings of an index: `index`, `allow_no_indices`, `expand_wildcards`, `flat_settings`, `ignore_unavailable`, `master_timeout`, `preserve_existing`.',
    params: { ...BODY, ...PLACE, ...SOURCE },
    kwargs: 'kwargs',
    returns: 'true or false; None where there is no such index',
    examples: [
      `salt myminion elasticsearch.index_put_settings index=testindex body='{"settings" : {"index" : {"number_of_replicas" : 2}}}'`,
    ],
    run: async (ctx, { body, source, ...place }, _rest, given) =>
      act(ctx, place, {
        question: {
          method: 'PUT',
          path: [given.get('index') ?? null, '_settings'],
          params: words(given, ...SETTINGS_WORDS),
          body: filled(await bodyOf(ctx, { body, source }), 'body'),
        },
        failed: `Cannot update index settings ${shown(given)}`,
        missing: null,
        take: acknowledged,
      }),
  }),
  mapping_create: defineFunction({
    doc: 'Adds fields to the mapping of an index.',
    params: { ...INDEX, ...DOC_TYPE, ...BODY, ...PLACE, ...SOURCE },
    returns: 'true or false',
    examples: [
      `salt myminion elasticsearch.mapping_create testindex user '{ "user" : { "properties" : { "message" : {"type" : "string", "store" : true } } } }'`,
    ],
    run: async (ctx, { index, doc_type, body, source, ...place }) =>
      act(ctx, place, {
        question: {
          method: 'PUT',
          path: [index, doc_type, '_mapping'],
          body: filled(await bodyOf(ctx, { body, source }), 'body'),
        },
        failed: `Cannot create mapping ${index}`,
        take: acknowledged,
      }),
  }),
  mapping_delete: defineFunction({
    doc: 'Says that types of documents can no longer be removed, since Elasticsearch 5.',
    params: { ...INDEX, ...DOC_TYPE, ...PLACE },
    returns: 'nothing; it fails',
    examples: ['salt myminion elasticsearch.mapping_delete testindex user'],
    run: async (ctx, { hosts, profile }) => {
      await connect(ctx, { hosts, profile });
      throw new CommandExecutionError('Method is not applicable for Elasticsearch 5.0+');
    },
  }),
  mapping_get: defineFunction({
    doc: 'Returns the mapping of an index.',
    params: { ...INDEX, ...DOC_TYPE, ...PLACE },
    returns: 'mapping; None where there is none',
    examples: ['salt myminion elasticsearch.mapping_get testindex user'],
    run: (ctx, { index, doc_type, ...place }) =>
      act(ctx, place, {
        question: { method: 'GET', path: [index, '_mapping', doc_type] },
        failed: `Cannot retrieve mapping ${index}`,
        missing: null,
      }),
  }),
  flush_synced: defineFunction({
    doc: 'Flushes indices and marks their shards, of servers before 8: `index`, `allow_no_indices`, `expand_wildcards`, `ignore_unavailable`.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: 'mapping',
    examples: ["salt myminion elasticsearch.flush_synced index='index1,index2' ignore_unavailable=True"],
    run: (ctx, place, _rest, given) =>
      // Salt compat: Salt takes all keywords together for the name of an index
      act(ctx, place, {
        question: {
          method: 'POST',
          path: [given.get('index') ?? null, '_flush', 'synced'],
          params: words(given, ...FLUSH_WORDS),
        },
        failed: 'Cannot flush synced',
      }),
  }),
} as const;
