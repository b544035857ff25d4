// A minion starts its workers with this (src/programs/minion/worker-pool.ts): the program in its layers, with code
// caches of its own, because V8 has flags there (src/programs/minion/worker-process.ts).
'use strict';
require('./launch.cjs')('salt-minion-worker', [], '.worker.cache');
