/** `elasticsearch`: indices, documents, templates, pipelines and snapshots of Elasticsearch. Follows 3006.16 salt/modules/elasticsearch.py. */
import { defineModule } from '../../runtime/loader/module.ts';
import { aliasFunctions } from './elasticsearch/aliases.ts';
import { clusterFunctions } from './elasticsearch/cluster.ts';
import { documentFunctions } from './elasticsearch/documents.ts';
import { indexFunctions } from './elasticsearch/indices.ts';
import { pipelineFunctions } from './elasticsearch/pipelines.ts';
import { snapshotFunctions } from './elasticsearch/snapshots.ts';

/** The module. */
export const elasticsearchModule = defineModule({
  name: 'elasticsearch',
  file: 'elasticsearch',
  doc: 'Asks Elasticsearch, or OpenSearch, over HTTP. Where it is says the option elasticsearch, or another that profile names.',
  functions: {
    ...clusterFunctions,
    ...aliasFunctions,
    ...documentFunctions,
    ...indexFunctions,
    ...pipelineFunctions,
    ...snapshotFunctions,
  },
});
