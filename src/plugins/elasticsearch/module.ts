/**
 * `elasticsearch`: indices, documents, templates, pipelines and snapshots of Elasticsearch. Follows 3006.16
 * salt/modules/elasticsearch.py.
 */
import { defineModule } from '../../runtime/loader/module.ts';
import { aliasFunctions } from './module/aliases.ts';
import { clusterFunctions } from './module/cluster.ts';
import { documentFunctions } from './module/documents.ts';
import { indexFunctions } from './module/indices.ts';
import { pipelineFunctions } from './module/pipelines.ts';
import { snapshotFunctions } from './module/snapshots.ts';

/** The module. */
export const elasticsearchModule = defineModule({
  name: 'elasticsearch',
  file: 'elasticsearch',
  doc: 'Asks Elasticsearch, or OpenSearch, over HTTP. Where it is says the option elasticsearch, or another that profile names.',
  failsWith: {
    false: [
      'alias_create',
      'alias_delete',
      'document_create',
      'document_delete',
      'index_close',
      'index_create',
      'index_delete',
      'index_open',
      'index_put_settings',
      'index_template_create',
      'index_template_delete',
      'mapping_create',
      'mapping_delete',
      'pipeline_create',
      'pipeline_delete',
      'repository_create',
      'repository_delete',
      'search_template_create',
      'search_template_delete',
      'snapshot_create',
      'snapshot_delete',
      'snapshot_restore',
    ],
    none: ['document_delete', 'index_put_settings', 'repository_verify'],
  },
  functions: {
    ...clusterFunctions,
    ...aliasFunctions,
    ...documentFunctions,
    ...indexFunctions,
    ...pipelineFunctions,
    ...snapshotFunctions,
  },
});
