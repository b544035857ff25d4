import { join } from 'node:path';
import { runCommand } from '../cli/program/run-command.ts';
import { saltMaster } from '../cli/daemons/salt-master.ts';

runCommand('salt-master', (argv, io) =>
  saltMaster(argv, io, join(import.meta.dirname, '../bin/salt-master-child.cjs')),
);
