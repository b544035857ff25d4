import { runCommand } from '../cli/run-command.ts';
import { saltSyndic } from '../cli/salt-syndic.ts';

runCommand('salt-syndic', saltSyndic);
