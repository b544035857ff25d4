/** `elasticsearch`: pipelines and templates of searches (3006.16 salt/modules/elasticsearch.py). */
import { defineFunction, type FunctionSpec } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { filled } from './bodies.ts';
import { acknowledged, act, PLACE } from './server.ts';

/** A kind of things that have an id and a definition. */
interface Kind {
  /** What messages call it. */
  readonly noun: string;
  /** What messages say when one cannot be read. */
  readonly unread: string;
  readonly path: readonly string[];
  readonly fun: string;
}

const PIPELINE: Kind = {
  noun: 'pipeline',
  // Salt compat: as Salt has it
  unread: 'Cannot create pipeline',
  path: ['_ingest', 'pipeline'],
  fun: 'pipeline',
};
const SEARCH_TEMPLATE: Kind = {
  noun: 'search template',
  unread: 'Cannot obtain search template',
  path: ['_search', 'template'],
  fun: 'search_template',
};

const id = ({ noun }: Kind) => ({ id: param.text({ doc: `The ${noun}.` }) }) as const;
const BODY = { body: param.value({ type: 'dict or str', doc: 'The definition, or its JSON.' }) } as const;

const getting = (kind: Kind): FunctionSpec =>
  defineFunction({
    doc: `Returns a ${kind.noun}.`,
    params: { ...id(kind), ...PLACE },
    returns: 'mapping; None where there is none',
    examples: [`salt myminion elasticsearch.${kind.fun}_get my`],
    run: (ctx, { id: name, ...place }) =>
      act(ctx, place, {
        question: { method: 'GET', path: [...kind.path, name] },
        failed: `${kind.unread} ${name}`,
        missing: null,
      }),
  });

const deleting = (kind: Kind): FunctionSpec =>
  defineFunction({
    doc: `Removes a ${kind.noun}.`,
    params: { ...id(kind), ...PLACE },
    returns: 'true or false',
    examples: [`salt myminion elasticsearch.${kind.fun}_delete my`],
    run: (ctx, { id: name, ...place }) =>
      act(ctx, place, {
        question: { method: 'DELETE', path: [...kind.path, filled(name, 'id')] },
        failed: `Cannot delete ${kind.noun} ${name}`,
        missing: true,
        take: acknowledged,
      }),
  });

const creating = (kind: Kind): FunctionSpec =>
  defineFunction({
    doc: `Makes or replaces a ${kind.noun}.`,
    params: { ...id(kind), ...BODY, ...PLACE },
    returns: 'true or false',
    examples: [`salt myminion elasticsearch.${kind.fun}_create my '{"description": "…"}'`],
    run: (ctx, { id: name, body, ...place }) =>
      act(ctx, place, {
        question: { method: 'PUT', path: [...kind.path, name], body: filled(body, 'body') },
        failed: `Cannot create ${kind.noun} ${name}`,
        take: acknowledged,
      }),
  });

/** Functions for pipelines and templates of searches. */
export const pipelineFunctions = {
  pipeline_get: getting(PIPELINE),
  pipeline_delete: deleting(PIPELINE),
  pipeline_create: creating(PIPELINE),
  pipeline_simulate: defineFunction({
    doc: 'Tries a pipeline on documents.',
    params: {
      ...id(PIPELINE),
      ...BODY,
      verbose: param.flag({ default: false, doc: 'Each step.' }),
      ...PLACE,
    },
    returns: 'mapping',
    examples: [
      `salt myminion elasticsearch.pipeline_simulate mypipeline '{"docs":[{"_index":"index","_id":"id","_source":{"foo":"bar"}}]}' verbose=True`,
    ],
    run: (ctx, { id: name, body, verbose, ...place }) =>
      act(ctx, place, {
        question: {
          method: 'POST',
          path: [...PIPELINE.path, name, '_simulate'],
          params: { verbose },
          body: filled(body, 'body'),
        },
        failed: `Cannot simulate pipeline ${name}`,
      }),
  }),
  search_template_get: getting(SEARCH_TEMPLATE),
  search_template_create: creating(SEARCH_TEMPLATE),
  search_template_delete: deleting(SEARCH_TEMPLATE),
} as const;
