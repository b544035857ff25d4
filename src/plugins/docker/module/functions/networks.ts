/** `docker`: networks and volumes. */
import { SaltInvocationError } from '../../../../errors/errors.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../../runtime/loader/module.ts';
import { param } from '../../../../runtime/loader/params.ts';
import { networkDifferences } from '../compare-networks.ts';
import { askDaemon, askForValue } from '../daemon.ts';
import { ipamConfig, networkInput, takeIpam } from '../network-input.ts';
import {
  connectContainer,
  connectedContainers,
  disconnectAll,
  disconnectContainer,
  inspectNetwork,
  makeNetwork,
  networks,
} from '../networks.ts';
import { texts } from '../translate.ts';
import { CHOICE, CLIENT_TIMEOUT, warnWithoutEffect } from '../choice-params.ts';

const CONTAINER = { container: param.text({ doc: 'The container.' }) } as const;
const NETWORK = { network_id: param.text({ doc: 'The network: its name or id.' }) } as const;
const VOLUME = { name: param.text({ doc: 'The volume.' }) } as const;

/** A network by name, or what is known of one. */
const named = (value: Value): Dict | string => (isDict(value) ? value : pyStr(value));

const textsOrNone = (value: Value): string[] | undefined => (truthy(value) ? texts(value) : undefined);

async function networkFacts(ctx: ModuleContext, given: Dict | string): Promise<Dict> {
  return typeof given === 'string' ? inspectNetwork(ctx, given) : given;
}

/** Functions about networks and volumes. */
export const networkFunctions = {
  networks: defineFunction({
    doc: 'Lists the networks.',
    params: {
      names: param.by(textsOrNone, { default: null, type: 'list or str', doc: 'Only these.' }),
      ids: param.by(textsOrNone, { default: null, type: 'list or str', doc: 'Only those with these ids.' }),
    },
    returns: 'list of mappings',
    examples: ["salt '*' docker.networks names=network-web"],
    run: (ctx, { names, ids }) =>
      networks(
        ctx,
        dict({
          ...(names === undefined ? {} : { name: names }),
          ...(ids === undefined ? {} : { id: ids }),
        }),
      ),
  }),
  inspect_network: defineFunction({
    doc: 'Returns what a network is.',
    params: NETWORK,
    returns: 'what the daemon knows, a mapping',
    examples: ["salt '*' docker.inspect_network web_network"],
    run: (ctx, { network_id }) => inspectNetwork(ctx, network_id),
  }),
  create_network: defineFunction({
    doc: 'Makes a network.',
    params: {
      name: param.text({ doc: 'The network.' }),
      ...CHOICE,
      ...CLIENT_TIMEOUT,
    },
    kwargs: 'kwargs',
    returns: 'mapping with Id',
    examples: ["salt '*' docker.create_network web_network driver=bridge subnet=192.168.50.0/24"],
    run: (ctx, { name, skip_translate, ignore_collisions, validate_ip_addrs, ...rest }, _rest, kwargs) => {
      warnWithoutEffect(ctx, rest);
      const options = networkInput(kwargs, {
        skipTranslate: skip_translate,
        ignoreCollisions: ignore_collisions,
        validates: validate_ip_addrs,
      });
      if (!options.has('ipam')) {
        const said = takeIpam(options);
        if (said.size > 0) options.set('ipam', ipamConfig(said));
      }
      return makeNetwork(ctx, name, options);
    },
  }),
  remove_network: defineFunction({
    doc: 'Removes a network.',
    params: NETWORK,
    returns: 'true',
    examples: ["salt '*' docker.remove_network mynet"],
    run: async (ctx, { network_id }) => {
      await askDaemon(ctx, { method: 'DELETE', path: ['networks', network_id] });
      return true;
    },
  }),
  connected: defineFunction({
    doc: 'Lists the containers that are connected to a network.',
    params: {
      name: param.text({ doc: 'The network.' }),
      verbose: param.flag({ default: false, doc: 'Tell more about each.' }),
    },
    returns: 'list of names, or mapping of name to facts',
    examples: ["salt '*' docker.connected net_name"],
    run: async (ctx, { name, verbose }) => {
      const found = await connectedContainers(ctx, name);
      return verbose ? found : [...found.keys()];
    },
  }),
  connect_container_to_network: defineFunction({
    doc: 'Connects a container to a network.',
    params: { ...CONTAINER, net_id: param.text({ doc: 'The network: its name or id.' }) },
    kwargs: 'kwargs',
    returns: 'true',
    examples: ["salt '*' docker.connect_container_to_network web-1 mynet ipv4_address=10.20.0.10"],
    run: (ctx, { container, net_id }, _rest, config) =>
      connectContainer(ctx, { container, network: net_id, config }),
  }),
  disconnect_container_from_network: defineFunction({
    doc: 'Takes a container away from a network.',
    params: { ...CONTAINER, ...NETWORK },
    returns: 'true',
    examples: ["salt '*' docker.disconnect_container_from_network web-1 mynet"],
    run: (ctx, { container, network_id }) => disconnectContainer(ctx, container, network_id),
  }),
  disconnect_all_containers_from_network: defineFunction({
    doc: 'Takes all containers away from a network.',
    params: NETWORK,
    returns: 'list of names',
    examples: ["salt '*' docker.disconnect_all_containers_from_network mynet"],
    run: (ctx, { network_id }) => disconnectAll(ctx, network_id),
  }),
  compare_networks: defineFunction({
    doc: 'Returns what two networks differ in.',
    params: {
      first: param.by(named, { type: 'str', doc: 'A network, or what `inspect_network` says of it.' }),
      second: param.by(named, { type: 'str', doc: 'The other.' }),
      ignore: param.by(textsOrNone, {
        default: 'Name,Id,Created,Containers',
        type: 'str or list',
        doc: 'Fields that do not count.',
      }),
    },
    returns: 'mapping of field to old and new',
    examples: ["salt '*' docker.compare_networks foo bar"],
    run: async (ctx, { first, second, ignore }) =>
      networkDifferences(await networkFacts(ctx, first), await networkFacts(ctx, second), ignore ?? []),
  }),
  create_volume: defineFunction({
    doc: 'Makes a volume.',
    params: {
      ...VOLUME,
      driver: param.value({ default: null, type: 'str', doc: "Its driver; the daemon's own without one." }),
      driver_opts: param.value({ default: null, type: 'dict', doc: 'Options of the driver.' }),
    },
    returns: 'what the daemon knows of it',
    examples: ["salt '*' docker.create_volume my_volume driver=local"],
    run: (ctx, { name, driver, driver_opts }) => {
      if (driver_opts !== null && !isDict(driver_opts))
        throw new SaltInvocationError('Unable to perform create_volume: driver_opts must be a dictionary');
      const body = dict({ Name: name, Driver: driver, DriverOpts: driver_opts });
      return askForValue(ctx, { method: 'POST', path: ['volumes', 'create'], body });
    },
  }),
  remove_volume: defineFunction({
    doc: 'Removes a volume.',
    params: VOLUME,
    returns: 'true',
    examples: ["salt '*' docker.remove_volume my_volume"],
    run: async (ctx, { name }) => {
      await askDaemon(ctx, { method: 'DELETE', path: ['volumes', name] });
      return true;
    },
  }),
};
