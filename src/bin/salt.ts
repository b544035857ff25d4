import { runCommand } from '../cli/program/run-command.ts';
import { runSalt } from '../cli/salt/salt.ts';

runCommand('salt', runSalt);
