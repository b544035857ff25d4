/** Networks of the Docker daemon (3006.16 salt/modules/dockermod.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { askDaemon, askForDict, askForDicts, filterText } from './daemon.ts';

/** `docker.inspect_network` */
export function inspectNetwork(ctx: ModuleContext, id: string): Promise<Dict> {
  return askForDict(ctx, { path: ['networks', id] });
}

/** `docker.networks` */
export async function networks(ctx: ModuleContext, filters: Dict): Promise<Dict[]> {
  const query = { filters: filterText(filters) ?? '{}' };
  const found = await askForDicts(ctx, { path: ['networks'], query });
  for (const network of found) {
    const containers = await inspectNetwork(ctx, pyStr(network.get('Id') ?? null)).then(
      (facts) => facts.get('Containers') ?? null,
      () => null,
    );
    if (truthy(containers)) network.set('Containers', containers);
  }
  return found;
}

/** What the daemon takes of the keywords for a network; options come in Salt's names. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['driver', 'Driver'],
  ['options', 'Options'],
  ['ipam', 'IPAM'],
  ['check_duplicate', 'CheckDuplicate'],
  ['labels', 'Labels'],
  ['enable_ipv6', 'EnableIPv6'],
  ['internal', 'Internal'],
  ['attachable', 'Attachable'],
  ['ingress', 'Ingress'],
  ['scope', 'Scope'],
]);
/** Left out where they are false, as the daemon's own are. */
const FLAGS = ['enable_ipv6', 'internal'];

/**
 * Has the daemon make a network.
 * @param config translated keywords with `ipam`
 * @throws CommandExecutionError for one that is unknown
 */
export async function makeNetwork(ctx: ModuleContext, name: string, config: Dict): Promise<Value> {
  const body = dict({ Name: name });
  for (const [key, value] of config) {
    const field = FIELDS.get(pyStr(key));
    if (field === undefined)
      throw new CommandExecutionError(
        `Unable to perform create_network: there is no option '${pyStr(key)}' of networks`,
      );
    if (!FLAGS.includes(pyStr(key)) || truthy(value)) body.set(field, value);
  }
  return askForDict(ctx, { method: 'POST', path: ['networks', 'create'], body });
}

/** How a container is connected, as the daemon takes it. @throws CommandExecutionError for an option that is unknown */
export function endpointConfig(given: Dict): Dict {
  const out = dict();
  const addresses = dict();
  for (const [key, value] of given) {
    if (key === 'aliases') {
      if (truthy(value)) out.set('Aliases', value);
    } else if (key === 'links') {
      if (truthy(value)) out.set('Links', linkTexts(value));
    } else if (key === 'ipv4_address') {
      if (truthy(value)) addresses.set('IPv4Address', value);
    } else if (key === 'ipv6_address') {
      if (truthy(value)) addresses.set('IPv6Address', value);
    } else if (key === 'link_local_ips') {
      if (value !== null) addresses.set('LinkLocalIPs', value);
    } else if (key === 'driver_opt') {
      if (truthy(value)) out.set('DriverOpts', value);
    } else
      throw new CommandExecutionError(
        `Unable to perform connect_container_to_network: there is no option '${pyStr(key)}' of connections`,
      );
  }
  return addresses.size > 0 ? out.set('IPAMConfig', addresses) : out;
}

/** Links as `container:alias`: of a mapping, of pairs, or as they are. */
export function linkTexts(given: Value): string[] {
  const pairs: [string, string][] = isDict(given)
    ? [...given].map(([name, alias]) => [pyStr(name), truthy(alias) ? pyStr(alias) : ''])
    : (Array.isArray(given) ? given : [given]).map((link) =>
        Array.isArray(link) ? [pyStr(link[0] ?? ''), pyStr(link[1] ?? '')] : [pyStr(link), ''],
      );
  return pairs.map(([name, alias]) => (alias === '' ? name : `${name}:${alias}`)).sort();
}

/** `docker.connect_container_to_network` */
export async function connectContainer(
  ctx: ModuleContext,
  { container, network, config }: { container: string; network: string; config: Dict },
): Promise<true> {
  const body = dict({ Container: container, EndpointConfig: endpointConfig(config) });
  await askDaemon(ctx, { method: 'POST', path: ['networks', network, 'connect'], body });
  return true;
}

/** `docker.disconnect_container_from_network` */
export async function disconnectContainer(
  ctx: ModuleContext,
  container: string,
  network: string,
): Promise<true> {
  const body = dict({ Container: container });
  await askDaemon(ctx, { method: 'POST', path: ['networks', network, 'disconnect'], body });
  return true;
}

/** The containers of a network by name, each with its id. */
export async function connectedContainers(ctx: ModuleContext, name: string): Promise<Dict> {
  const containers = (await inspectNetwork(ctx, name)).get('Containers');
  const out = dict();
  for (const [id, facts] of isDict(containers) ? containers : []) {
    const own = isDict(facts) ? facts.get('Name') : undefined;
    if (!isDict(facts) || own === undefined) continue;
    const rest: Dict = new Map([...facts].filter(([key]) => key !== 'Name'));
    out.set(own, rest.set('Id', id));
  }
  return out;
}

/** Takes all containers of a network away. @throws CommandExecutionError with what failed */
export async function disconnectAll(ctx: ModuleContext, network: string): Promise<Value[]> {
  const gone: Value[] = [];
  const failed: string[] = [];
  for (const name of (await connectedContainers(ctx, network)).keys())
    try {
      await disconnectContainer(ctx, pyStr(name), network);
      gone.push(name);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      if (!error.message.includes('404')) failed.push(error.message);
    }
  if (failed.length > 0)
    throw new CommandExecutionError(`One or more containers failed to be removed: ${failed.join('; ')}`);
  return gone;
}
