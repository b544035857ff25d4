import { runCommand } from '../cli/program/run-command.ts';
import { saltSyndic } from '../cli/daemons/salt-syndic.ts';

runCommand('salt-syndic', saltSyndic);
