import { runSaltKey } from '../cli/key/salt-key.ts';
import { runCommand } from '../cli/program/run-command.ts';

runCommand('salt-key', runSaltKey);
