// A minion starts its workers with this (src/programs/minion/worker-pool.ts): the program in its layers, with the flags
// of src/programs/minion/worker-process.ts.
'use strict';
require('./launch.cjs')('salt-minion-worker', [], {
  '--max-semi-space-size': 0,
  '--heap-growing-percent': 0,
});
