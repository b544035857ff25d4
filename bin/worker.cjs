// A minion starts its workers with this (src/programs/minion/worker-pool.ts): the program in its layers, with its code
// cache.
'use strict';
require('./launch.cjs')('salt-minion-worker');
