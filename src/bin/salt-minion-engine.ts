import { runMinionEngine } from '../programs/minion/engines/engine-child.ts';

runMinionEngine();
