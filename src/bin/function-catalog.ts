import { parentPort } from 'node:worker_threads';
import { functionCatalog } from '../programs/api/function-catalog.ts';

void functionCatalog().then((catalog) => parentPort?.postMessage(JSON.parse(JSON.stringify(catalog))));
