/**
 * `docker`: containers, images, networks and volumes, through the daemon's socket. Follows 3006.16
 * salt/modules/dockermod.py.
 */
import { defineModule } from '../../runtime/loader/module.ts';
import { commandFunctions } from './module/functions/commands.ts';
import { containerFunctions } from './module/functions/containers.ts';
import { imageFunctions } from './module/functions/images.ts';
import { inspectFunctions } from './module/functions/inspect.ts';
import { networkFunctions } from './module/functions/networks.ts';

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
