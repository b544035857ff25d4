/** `consul`: the catalog, health and the servers (3006.16 salt/modules/consul.py). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type FunctionSpec } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { chosen, listOf, PLACE, refused, renamed, required, TOKEN_PARAM, withConsul } from './server.ts';

const STATES = ['any', 'unknown', 'passing', 'warning', 'critical'];
const STATUSES = STATES.slice(1);
const RETURNS = '{data, res}';

/** Grains that the catalog may keep of a node, under the names that it has for them. */
const NODE_META = [
  ['cpu', 'Cpu'],
  ['num_cpus', 'Cpu_num'],
  ['mem', 'Memory'],
  ['oscode', 'Os'],
  ['osarch', 'Osarch'],
  ['kernel', 'Kernel'],
  ['kernelrelease', 'Kernelrelease'],
  ['localhost', 'localhost'],
  ['nodename', 'nodename'],
  ['os_family', 'os_family'],
  ['lsb_distrib_description', 'lsb_distrib_description'],
  ['master', 'master'],
] as const;

/** A function that lists something; `dc` says of which datacenter. */
const listing = (
  doc: string,
  path: readonly [string, string],
  filters: readonly string[] = [],
): FunctionSpec =>
  defineFunction({
    doc,
    params: PLACE,
    ...(filters.length === 0 ? {} : { kwargs: 'kwargs' }),
    returns: RETURNS,
    examples: [`salt '*' consul.${path.join('_')}`],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => (await ask({ path, params: chosen(given, ...filters) })).whole),
  });

/** A function that tells about one thing. @param name the parameter that names it */
const telling = (
  doc: string,
  path: readonly [string, string],
  name: string,
  filters: readonly string[] = ['dc'],
): FunctionSpec =>
  defineFunction({
    doc,
    params: { ...PLACE, [name]: param.textIfGiven({ default: null, doc: `The ${name}.` }) },
    kwargs: 'kwargs',
    returns: RETURNS,
    examples: [`salt '*' consul.${path.join('_')} ${name}='redis1'`],
    run: (ctx, { consul_url, token, ...named }, _rest, given) =>
      withConsul(ctx, { consul_url, token }, async (ask) => {
        const thing = required((named as Readonly<Record<string, string | undefined>>)[name], name);
        return (await ask({ path: [...path, thing], params: chosen(given, ...filters) })).whole;
      }),
  });

/** The first address of each interface. */
function taggedAddresses(given: Value): Dict {
  if (!isDict(given)) return dict();
  return new Map(
    [...given].flatMap(([name, all]): [Value, Value][] =>
      truthy(all) ? [[name, listOf(all)[0] ?? null]] : [],
    ),
  );
}

function serviceOf(given: Dict): Dict {
  const tags = given.get('service_tags');
  const listed: Dict = tags === undefined ? given : new Map([...given, ['service_tags', listOf(tags)]]);
  return renamed(listed, [
    ['service', 'Service'],
    ['service_address', 'Address'],
    ['service_port', 'Port'],
    ['service_id', 'ID'],
    ['service_tags', 'Tags'],
  ]);
}

/** What is registered, or what is wrong with it. */
function registration(given: Dict): Dict | string {
  const data = dict({ NodeMeta: dict() });
  for (const [name, value] of renamed(given, [
    ['datacenter', 'Datacenter'],
    ['node', 'Node'],
  ]))
    data.set(name, value);
  for (const name of ['node', 'address'])
    if (!given.has(name)) return `Required argument ${name} argument is missing.`;
  data.set('Address', listOf(given.get('address') ?? null)[0] ?? null);
  if (given.has('ip_interfaces'))
    data.set('TaggedAddresses', taggedAddresses(given.get('ip_interfaces') ?? null));
  if (given.has('service')) data.set('Service', serviceOf(given));
  data.set('NodeMeta', renamed(given, NODE_META));
  if (!given.has('check')) return data;
  if (given.has('check_status') && !STATUSES.includes(pyStr(given.get('check_status') ?? null)))
    return 'Check status must be unknown, passing, warning, or critical.';
  return data.set(
    'Check',
    renamed(given, [
      ['check', 'Name'],
      ['check_status', 'Status'],
      ['check_service', 'ServiceID'],
      ['check_id', 'CheckID'],
      ['check_notes', 'Notes'],
    ]),
  );
}

/** Functions for the catalog, for health and for the servers. */
export const catalogFunctions = {
  catalog_register: defineFunction({
    doc: 'Adds a node, a service or a check: `node` and `address`; `datacenter`, `ip_interfaces`; `service`, `service_address`, `service_port`, `service_id`, `service_tags`; `check`, `check_status`, `check_service`, `check_id`, `check_notes`; and grains of the node (`cpu`, `mem`, `osarch` …).',
    params: PLACE,
    kwargs: 'kwargs',
    returns: '{message: what was done, res, data: what was sent}',
    examples: [
      "salt '*' consul.catalog_register node='node1' address='192.168.1.1' service='redis' service_address='127.0.0.1' service_port='8080' service_id='redis_server1'",
    ],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const data = registration(given);
        if (typeof data === 'string') return refused(data);
        const { isGood } = await ask({ path: ['catalog', 'register'], method: 'PUT', data });
        const message = `Catalog registration for ${pyStr(given.get('node') ?? null)} ${isGood ? 'successful' : 'failed'}.`;
        return dict({ res: isGood, message, data });
      }),
  }),
  catalog_deregister: defineFunction({
    doc: 'Removes a node, or a service (`serviceid`) or a check (`checkid`) of it.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: '{message: what was done, res}',
    examples: [
      "salt '*' consul.catalog_deregister node='node1' serviceid='redis_server1' checkid='redis_check1'",
    ],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const node = given.get('node');
        if (node === undefined) return refused('Node argument required.');
        const data = renamed(given, [
          ['datacenter', 'Datacenter'],
          ['node', 'Node'],
          ['checkid', 'CheckID'],
          ['serviceid', 'ServiceID'],
        ]);
        const { isGood } = await ask({ path: ['catalog', 'deregister'], method: 'PUT', data });
        const message = isGood
          ? `Catalog item ${pyStr(node)} removed.`
          : `Removing Catalog item ${pyStr(node)} failed.`;
        return dict({ res: isGood, message });
      }),
  }),
  catalog_datacenters: listing('Lists the datacenters.', ['catalog', 'datacenters']),
  catalog_nodes: listing('Lists the nodes.', ['catalog', 'nodes'], ['dc']),
  catalog_services: listing('Lists the services.', ['catalog', 'services'], ['dc']),
  catalog_service: telling('Returns where a service is.', ['catalog', 'service'], 'service', ['dc', 'tag']),
  catalog_node: telling('Returns what a node has.', ['catalog', 'node'], 'node'),
  health_node: telling('Returns the checks of a node.', ['health', 'node'], 'node'),
  health_checks: telling('Returns the checks of a service.', ['health', 'checks'], 'service'),
  health_service: telling(
    'Returns the nodes of a service and how they do.',
    ['health', 'service'],
    'service',
    ['dc', 'tag', 'passing'],
  ),
  health_state: defineFunction({
    doc: 'Returns the checks that are in a state.',
    params: {
      ...PLACE,
      state: param.textIfGiven({
        default: null,
        doc: 'any, unknown, passing, warning or critical.',
      }),
    },
    kwargs: 'kwargs',
    returns: RETURNS,
    examples: ["salt '*' consul.health_state state='critical'"],
    run: (ctx, { state, ...place }, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const wanted = required(state, 'state');
        if (!STATES.includes(wanted))
          return refused('State must be any, unknown, passing, warning, or critical.');
        return (await ask({ path: ['health', 'state', wanted], params: chosen(given, 'dc') })).whole;
      }),
  }),
  status_leader: listing('Returns the leader of the servers.', ['status', 'leader']),
  status_peers: defineFunction({
    doc: 'Returns the servers.',
    params: { consul_url: param.textIfGiven({ doc: 'The address of Consul.' }), ...TOKEN_PARAM },
    returns: RETURNS,
    examples: ["salt '*' consul.status_peers http://127.0.0.1:8500"],
    run: (ctx, place) =>
      withConsul(ctx, place, async (ask) => (await ask({ path: ['status', 'peers'] })).whole),
  }),
} as const;
