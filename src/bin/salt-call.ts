import { join } from 'node:path';
import { runSaltCall } from '../cli/call/salt-call.ts';
import { runCommand } from '../cli/program/run-command.ts';

runCommand('salt-call', (argv, io) =>
  runSaltCall(argv, io, { grainsScript: join(import.meta.dirname, '../bin/salt-call-grains.cjs') }),
);
