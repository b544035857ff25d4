import { join } from 'node:path';
import { runCommand } from '../cli/program/run-command.ts';
import { saltMinion } from '../cli/daemons/salt-minion.ts';

runCommand('salt-minion', (argv, io) =>
  saltMinion(argv, io, {
    workerScript: join(import.meta.dirname, '../bin/worker.cjs'),
    engineScript: join(import.meta.dirname, '../bin/minion-engine.cjs'),
    home: join(import.meta.dirname, '..'),
  }),
);
