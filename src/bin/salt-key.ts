import { runSaltKey } from '../cli/key/salt-key.ts';
import { runCommand } from '../cli/run-command.ts';

runCommand('salt-key', runSaltKey);
