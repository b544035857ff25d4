/** `elasticsearch_index_template`: templates of indices (3006.16 salt/states/elasticsearch_index_template.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineState } from '../shared/state-function.ts';
import { absent, present, type Kind } from './state/things.ts';

/** Templates of indices. */
export const INDEX_TEMPLATE: Kind = { noun: 'Index template', fun: 'index_template', key: 'name' };

const NAME = { name: param.text({ doc: 'The template.' }) } as const;
/** A definition, as a parameter. */
export const DEFINITION = { definition: param.value({ type: 'dict', doc: 'The definition.' }) } as const;

/** The state that there is no such template. */
export const templateAbsent = defineState({
  doc: 'Makes sure that there is no such template of indices.',
  params: NAME,
  run: (ctx, { name }) => absent(ctx, INDEX_TEMPLATE, name),
});

/** The states of `elasticsearch_index_template`. */
export const elasticsearchIndexTemplateStates = defineModule({
  name: 'elasticsearch_index_template',
  file: 'elasticsearch_index_template',
  doc: 'Templates of indices of Elasticsearch.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a template of indices; one that is there is left as it is.',
      params: { ...NAME, ...DEFINITION },
      run: (ctx, wanted) => present(ctx, INDEX_TEMPLATE, wanted),
    }),
    absent: templateAbsent,
  },
});
