/** `elasticsearch`: aliases and templates of indices (3006.16 salt/modules/elasticsearch.py). */
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';
import { defineFunction } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { BODY, bodyOf, filled, SOURCE } from './bodies.ts';
import { acknowledged, act, PLACE } from './server.ts';

const names = (what: string) =>
  param.value({ type: 'list or str', doc: `${what}, several with commas between them.` });
const ALIASES = { aliases: names('Aliases') } as const;
const INDICES = { indices: names('Indices') } as const;
const ANY_INDICES = { indices: { default: null, ...names('Indices') } } as const;
const TEMPLATE = { name: param.text({ doc: 'The template.' }) } as const;

const listed = (value: Value): string => pyStr(value);

/** Functions for aliases and templates. */
export const aliasFunctions = {
  alias_create: defineFunction({
    doc: 'Makes an alias of indices.',
    params: {
      ...INDICES,
      alias: param.text({ doc: 'The alias.' }),
      hosts: PLACE.hosts,
      ...BODY,
      profile: PLACE.profile,
      ...SOURCE,
    },
    returns: 'true or false',
    examples: ['salt myminion elasticsearch.alias_create testindex_v1 testindex'],
    run: async (ctx, { indices, alias, body, source, ...place }) =>
      act(ctx, place, {
        question: {
          method: 'PUT',
          path: [filled(indices, 'index'), '_alias', filled(alias, 'name')],
          body: await bodyOf(ctx, { body, source }),
        },
        failed: `Cannot create alias ${alias} in index ${listed(indices)}`,
        take: acknowledged,
      }),
  }),
  alias_delete: defineFunction({
    doc: 'Removes aliases of indices.',
    params: { ...INDICES, ...ALIASES, hosts: PLACE.hosts, ...BODY, profile: PLACE.profile, ...SOURCE },
    returns: 'true or false',
    examples: ['salt myminion elasticsearch.alias_delete testindex_v1 testindex'],
    run: async (ctx, { indices, aliases, body, source, ...place }) => {
      await bodyOf(ctx, { body, source });
      return act(ctx, place, {
        question: {
          method: 'DELETE',
          path: [filled(indices, 'index'), '_aliases', filled(aliases, 'name')],
        },
        failed: `Cannot delete alias ${listed(aliases)} in index ${listed(indices)}`,
        missing: true,
        take: acknowledged,
      });
    },
  }),
  alias_exists: defineFunction({
    doc: 'Returns whether there is an alias.',
    params: { ...ALIASES, ...ANY_INDICES, ...PLACE },
    returns: 'true or false',
    examples: ['salt myminion elasticsearch.alias_exists testindex'],
    run: (ctx, { aliases, indices, ...place }) =>
      act(ctx, place, {
        question: { method: 'HEAD', path: [indices, '_alias', filled(aliases, 'name')] },
        failed: `Cannot get alias ${listed(aliases)} in index ${listed(indices)}`,
      }),
  }),
  alias_get: defineFunction({
    doc: 'Returns aliases.',
    params: { ...ANY_INDICES, aliases: { default: null, ...names('Aliases') }, ...PLACE },
    returns: 'mapping of indices to aliases; None where there is none',
    examples: ['salt myminion elasticsearch.alias_get testindex'],
    run: (ctx, { indices, aliases, ...place }) =>
      act(ctx, place, {
        question: { method: 'GET', path: [indices, '_alias', aliases] },
        failed: `Cannot get alias ${listed(aliases)} in index ${listed(indices)}`,
        missing: null,
      }),
  }),
  index_template_create: defineFunction({
    doc: 'Makes or replaces a template of indices.',
    params: { ...TEMPLATE, ...BODY, ...PLACE, ...SOURCE },
    returns: 'true or false',
    examples: [
      `salt myminion elasticsearch.index_template_create testindex_templ '{ "template": "logstash-*", "order": 1, "settings": { "number_of_shards": 1 } }'`,
    ],
    run: async (ctx, { name, body, source, ...place }) =>
      act(ctx, place, {
        question: {
          method: 'PUT',
          path: ['_template', name],
          body: filled(await bodyOf(ctx, { body, source }), 'body'),
        },
        failed: `Cannot create template ${name}`,
        take: acknowledged,
      }),
  }),
  index_template_delete: defineFunction({
    doc: 'Removes a template of indices.',
    params: { ...TEMPLATE, ...PLACE },
    returns: 'true or false',
    examples: ['salt myminion elasticsearch.index_template_delete testindex_templ'],
    run: (ctx, { name, ...place }) =>
      act(ctx, place, {
        question: { method: 'DELETE', path: ['_template', filled(name, 'name')] },
        failed: `Cannot delete template ${name}`,
        missing: true,
        take: acknowledged,
      }),
  }),
  index_template_exists: defineFunction({
    doc: 'Returns whether there is a template of indices.',
    params: { ...TEMPLATE, ...PLACE },
    returns: 'true or false',
    examples: ['salt myminion elasticsearch.index_template_exists testindex_templ'],
    run: (ctx, { name, ...place }) =>
      act(ctx, place, {
        question: { method: 'HEAD', path: ['_template', filled(name, 'name')] },
        failed: `Cannot retrieve template ${name}`,
      }),
  }),
  index_template_get: defineFunction({
    doc: 'Returns a template of indices.',
    params: { ...TEMPLATE, ...PLACE },
    returns: 'mapping of its name to its definition; None where there is none',
    examples: ['salt myminion elasticsearch.index_template_get testindex_templ'],
    run: (ctx, { name, ...place }) =>
      act(ctx, place, {
        question: { method: 'GET', path: ['_template', name] },
        failed: `Cannot retrieve template ${name}`,
        missing: null,
      }),
  }),
} as const;
