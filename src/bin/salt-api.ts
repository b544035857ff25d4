import { runCommand } from '../cli/program/run-command.ts';
import { saltApi } from '../cli/daemons/salt-api.ts';

runCommand('salt-api', saltApi);
