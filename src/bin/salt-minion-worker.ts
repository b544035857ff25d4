import { runMinionWorker } from '../minion/worker.ts';

runMinionWorker();
