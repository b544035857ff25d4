import { runCommand } from '../cli/run-command.ts';
import { runSalt } from '../cli/salt/salt.ts';

runCommand('salt', runSalt);
