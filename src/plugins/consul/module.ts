/**
 * `consul`: keys, agent, catalog, health, sessions, events and ACLs of Consul. Follows 3006.16 salt/modules/consul.py.
 */
import { defineModule } from '../../runtime/loader/module.ts';
import { aclFunctions } from './module/acl.ts';
import { agentFunctions } from './module/agent.ts';
import { catalogFunctions } from './module/catalog.ts';
import { kvFunctions } from './module/kv.ts';
import { sessionFunctions } from './module/sessions.ts';

/** The module. */
export const consulModule = defineModule({
  name: 'consul',
  file: 'consul',
  doc: 'Asks Consul over HTTP; the options consul.url and consul.token say where, and as whom.',
  failsWith: {
    error: [
      'list',
      'get',
      'put',
      'delete',
      'agent_checks',
      'agent_services',
      'agent_self',
      'agent_members',
      'agent_maintenance',
      'agent_join',
      'agent_leave',
      'agent_check_register',
      'agent_check_deregister',
      'agent_check_pass',
      'agent_check_warn',
      'agent_check_fail',
      'agent_service_register',
      'agent_service_deregister',
      'agent_service_maintenance',
      'session_create',
      'session_list',
      'session_destroy',
      'session_info',
      'event_fire',
      'event_list',
      'catalog_register',
      'catalog_deregister',
      'catalog_datacenters',
      'catalog_nodes',
      'catalog_services',
      'catalog_service',
      'catalog_node',
      'health_node',
      'health_checks',
      'health_service',
      'health_state',
      'status_leader',
      'status_peers',
      'acl_create',
      'acl_update',
      'acl_delete',
      'acl_info',
      'acl_clone',
      'acl_list',
    ],
  },
  functions: {
    ...kvFunctions,
    ...agentFunctions,
    ...sessionFunctions,
    ...catalogFunctions,
    ...aclFunctions,
  },
});
