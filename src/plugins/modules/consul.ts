/** `consul`: keys, agent, catalog, health, sessions, events and ACLs of Consul. Follows 3006.16 salt/modules/consul.py. */
import { defineModule } from '../../runtime/loader/module.ts';
import { aclFunctions } from './consul/acl.ts';
import { agentFunctions } from './consul/agent.ts';
import { catalogFunctions } from './consul/catalog.ts';
import { kvFunctions } from './consul/kv.ts';
import { sessionFunctions } from './consul/sessions.ts';

/** The module. */
export const consulModule = defineModule({
  name: 'consul',
  file: 'consul',
  doc: 'Asks Consul over HTTP; the options consul.url and consul.token say where, and as whom.',
  functions: {
    ...kvFunctions,
    ...agentFunctions,
    ...sessionFunctions,
    ...catalogFunctions,
    ...aclFunctions,
  },
});
