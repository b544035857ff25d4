import { join } from 'node:path';
import { runCommand } from '../cli/program/run-command.ts';
import { saltApi } from '../cli/daemons/salt-api.ts';

runCommand('salt-api', (argv, io) => saltApi(argv, io, join(import.meta.dirname, 'console')));
