/** `docker`: containers, images, networks and volumes, through the daemon's socket. Follows 3006.16 salt/modules/dockermod.py. */
import { defineModule } from '../../runtime/loader/module.ts';
import { commandFunctions } from './docker/functions/commands.ts';
import { containerFunctions } from './docker/functions/containers.ts';
import { imageFunctions } from './docker/functions/images.ts';
import { inspectFunctions } from './docker/functions/inspect.ts';
import { networkFunctions } from './docker/functions/networks.ts';

/** The module. */
export const dockerModule = defineModule({
  name: 'docker',
  file: 'dockermod',
  doc: 'Containers, images, networks and volumes of Docker.',
  failsWith: { error: ['login', 'logout', 'pull', 'push', 'rmi', 'build'] },
  functions: {
    ...inspectFunctions,
    ...containerFunctions,
    ...imageFunctions,
    ...networkFunctions,
    ...commandFunctions,
  },
});
