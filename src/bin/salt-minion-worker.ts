import { runMinionWorker } from '../programs/minion/worker.ts';

runMinionWorker();
