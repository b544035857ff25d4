/** `elasticsearch_index`: indices of Elasticsearch (3006.16 salt/states/elasticsearch_index.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineState } from '../shared/state-function.ts';
import { absent, present, type Kind } from './state/things.ts';

const INDEX: Kind = { noun: 'Index', fun: 'index', key: 'index' };

const NAME = { name: param.text({ doc: 'The index.' }) } as const;

/** The state that there is an index. */
export const indexPresent = defineState({
  doc: 'Makes sure that there is an index; one that is there is left as it is.',
  params: {
    ...NAME,
    definition: param.value({
      default: null,
      type: 'dict',
      doc: 'Settings, mappings and aliases of a new one.',
    }),
  },
  run: (ctx, wanted) => present(ctx, INDEX, wanted),
});

/** The state that there is no such index. */
export const indexAbsent = defineState({
  doc: 'Makes sure that there is no such index.',
  params: NAME,
  run: (ctx, { name }) => absent(ctx, INDEX, name),
});

/** The states of `elasticsearch_index`. */
export const elasticsearchIndexStates = defineModule({
  name: 'elasticsearch_index',
  file: 'elasticsearch_index',
  doc: 'Indices of Elasticsearch, as the states of elasticsearch have them.',
  functions: { present: indexPresent, absent: indexAbsent },
});
