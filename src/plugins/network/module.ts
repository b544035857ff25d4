/**
 * `network`: addresses, names, connections and ways of this machine. Follows 3006.16 salt/modules/network.py (Linux).
 */
import { existsSync } from 'node:fs';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { PythonError } from '../../python/exceptions.ts';
import {
  broadcastAddress,
  compareAddresses,
  compareNetworks,
  ipAddress,
  ipAddressText,
  ipNetwork,
  ipNetworkText,
  isInNetwork,
  netmask,
  networkSize,
  reversePointer,
  type DefiniteNetwork,
  type IpNetwork,
} from '../../python/ipaddress.ts';
import { isLoopback, isPrivate } from '../../python/ipaddress-kinds.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { activeTcp, defaultRoutes, neighbours, netstat, routes, routeTo } from './module/connections.ts';
import { fullName, namesOfAddresses, hostName, setHostName } from './module/host-name.ts';
import {
  addressDict,
  addressesIn,
  interfaceDict,
  readInterfaces,
  type NetworkInterface,
} from './module/interfaces.ts';
import { connectTo, needProgram, sanitizeHost, traceRoute, wakeUp } from './module/probes.ts';
import { runAll, runText } from '../shared/program.ts';
import { param } from '../../runtime/loader/params.ts';

/** Names or globs of interfaces: a list, or a text with commas. */
function globsOf(value: Value): string[] | undefined {
  if (value === null) return undefined;
  return Array.isArray(value)
    ? value.map(pyStr)
    : pyStr(value)
        .split(',')
        .map((word) => word.trim());
}

/** One interface, or Salt's sentence that there is none. */
async function oneInterface(ctx: ModuleContext, iface: string): Promise<NetworkInterface | string> {
  const all = await readInterfaces(ctx);
  const found = all.get(iface);
  if (found !== undefined) return found;
  const sentence = `Interface "${iface}" not in available interfaces: "${[...all.keys()].join('", "')}"`;
  ctx.log.error(sentence);
  return sentence;
}

const firstOf = (entry: NetworkInterface): NetworkInterface['addresses'] =>
  entry.addresses.filter(({ family, secondary }) => family === 'inet' && !secondary);

interface AddressQuestion {
  readonly interface: Value;
  readonly include_loopback: boolean;
  readonly cidr: Value;
  readonly type?: string | undefined;
}

async function addresses(
  ctx: ModuleContext,
  family: 'inet' | 'inet6',
  question: AddressQuestion,
): Promise<string[]> {
  const found = addressesIn(await readInterfaces(ctx), family, globsOf(question.interface))
    .map(({ address }) => ipAddress(address))
    .filter((address) => question.include_loopback || !isLoopback(address))
    .sort(compareAddresses);
  const texts = [...new Map(found.map((address) => [ipAddressText(address), address]))];
  const network = truthy(question.cidr) ? networkOrNone(ctx, question.cidr) : undefined;
  return texts
    .filter(([, address]) => {
      if (truthy(question.cidr)) return network !== undefined && isInNetwork(address, network);
      if (question.type === 'public') return !isPrivate(address);
      return question.type !== 'private' || isPrivate(address);
    })
    .map(([text]) => text);
}

function networkOrNone(ctx: ModuleContext, cidr: Value): IpNetwork | undefined {
  try {
    return ipNetwork(cidr);
  } catch (error) {
    if (!(error instanceof PythonError)) throw error;
    ctx.log.error(`Invalid CIDR '${pyStr(cidr)}'`);
    return undefined;
  }
}

async function networks(
  ctx: ModuleContext,
  family: 'inet' | 'inet6',
  globs: readonly string[] | undefined,
  withLoopback: boolean,
): Promise<DefiniteNetwork[]> {
  const all = addressesIn(await readInterfaces(ctx), family, globs)
    .map(({ address, mask }) => ({
      own: ipAddress(address),
      network: ipNetwork(`${address}/${mask}`, false),
    }))
    .filter(({ own }) => withLoopback || !isLoopback(own))
    .map(({ network }) => network);
  const unique = [...new Map(all.map((network) => [ipNetworkText(network), network])).values()];
  return unique.sort(compareNetworks);
}

async function subnets(
  ctx: ModuleContext,
  family: 'inet' | 'inet6',
  wanted: readonly string[] | undefined,
): Promise<Value[]> {
  return (await networks(ctx, family, wanted, false)).map(ipNetworkText);
}

async function networkList(
  ctx: ModuleContext,
  family: 'inet' | 'inet6',
  args: { readonly interface: Value; readonly include_loopback: boolean; readonly verbose: boolean },
): Promise<Value> {
  const found = await networks(ctx, family, globsOf(args.interface), args.include_loopback);
  if (!args.verbose) return found.map(ipNetworkText);
  return new Map<Value, Value>(
    found.map((network) => {
      const size = networkSize(network);
      return [
        ipNetworkText(network),
        dict({
          address: ipAddressText(network.address),
          netmask: ipAddressText(netmask(network)),
          num_addresses: size <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(size) : size,
          prefixlen: network.prefixLength,
        }),
      ];
    }),
  );
}

async function inSubnet(ctx: ModuleContext, cidr: Value, given?: Value): Promise<boolean> {
  const network = networkOrNone(ctx, cidr);
  if (network === undefined) return false;
  const every = { interface: null, include_loopback: false, cidr: null };
  const list =
    (given ?? null) === null
      ? [...(await addresses(ctx, 'inet', every)), ...(await addresses(ctx, 'inet6', every))]
      : Array.isArray(given)
        ? given
        : [given ?? null];
  return list.some((item) => isInNetwork(ipAddress(item), network));
}

async function bufferSizes(ctx: ModuleContext, iface: string): Promise<Dict> {
  if (!existsSync('/sbin/ethtool')) return new Map();
  const output = await runText(ctx, ['/sbin/ethtool', '-g', iface]);
  const out: Dict = new Map<Value, Value>([['result', false]]);
  let suffix = 'max-';
  for (const line of splitLines(output)) {
    const [, name, count] = /^(.+):\s+(\d+)$/.exec(line) ?? [];
    if (name !== undefined) {
      out.set(name.toLowerCase().replaceAll(' ', '-') + suffix, Number(count));
      out.set('result', true);
    } else if (line.endsWith('maximums:')) suffix = '-max';
    else if (line.endsWith('settings:')) suffix = '';
  }
  if (out.get('result') === false) out.set('comment', output);
  return out;
}

async function setBufferSizes(
  ctx: ModuleContext,
  iface: string,
  rest: readonly Value[],
  kwargs: Dict,
): Promise<Value> {
  if (!existsSync('/sbin/ethtool')) return false;
  const answer = (result: boolean, comment: string): Dict => dict({ result, comment });
  const help = 'Requires rx=<val> tx==<val> rx-mini=<val> and/or rx-jumbo=<val>';
  if (rest.length > 0) return answer(false, `Unknown arguments: ${rest.map(pyStr).join(' ')}`);
  const words = ['rx', 'tx', 'rx-mini', 'rx-jumbo'].flatMap((name) => {
    const value = kwargs.get(name) ?? null;
    return value === null ? [] : [name, pyStr(value)];
  });
  if (words.length === 0) return answer(false, help);
  const output = await runText(ctx, ['/sbin/ethtool', '-G', iface, ...words]);
  return output === '' ? answer(true, words.join(' ')) : answer(false, output);
}

const IFACE = { iface: param.text({ doc: 'The name of the interface.' }) } as const;
const IP_ADDR = { ip_addr: param.value({ type: 'str', doc: 'An address.' }) } as const;
const HOST = { host: param.text({ doc: 'Name or address of the host.' }) } as const;
const INTERFACE = param.value({
  default: null,
  type: 'str or list',
  doc: 'Names or globs of interfaces; default: all.',
});
const LOOPBACK = param.flag({ default: false, doc: 'Those of the machine itself, too.' });
const CIDR = param.value({ default: null, type: 'str', doc: 'Only addresses in this network.' });
const FAMILY = { family: param.textOrNone({ default: null, doc: 'inet or inet6; default: both.' }) } as const;
const TRUE_FALSE = 'true or false';

const hardware = {
  doc: 'Returns the hardware address of an interface.',
  params: IFACE,
  returns: 'text; a sentence for an interface that is not there',
} as const;
const readHardware = async (ctx: ModuleContext, iface: string): Promise<string> => {
  const found = await oneInterface(ctx, iface);
  return typeof found === 'string' ? found : (found.hwaddr ?? '');
};
const addressParams = { interface: INTERFACE, include_loopback: LOOPBACK, cidr: CIDR } as const;
const addresses4 = {
  doc: 'Lists the IPv4 addresses of this machine.',
  params: {
    ...addressParams,
    type: param.textAlone({ default: null, doc: 'public or private addresses only.' }),
  },
  returns: 'list in the order of the numbers',
} as const;
const addresses6 = {
  doc: 'Lists the IPv6 addresses of this machine.',
  params: addressParams,
  returns: 'list in the order of the numbers',
} as const;
const networkParams = {
  interface: INTERFACE,
  include_loopback: LOOPBACK,
  verbose: param.flag({ default: false, doc: 'Tell more about each.' }),
} as const;

const own = {
  interfaces: defineFunction({
    doc: 'Describes all network interfaces.',
    returns:
      'mapping of name to `{up, hwaddr, inet: [{address, netmask, broadcast, label}], inet6: [{address, prefixlen, scope}]}`',
    examples: ["salt '*' network.interfaces"],
    run: async (ctx) =>
      new Map([...(await readInterfaces(ctx))].map(([name, entry]) => [name, interfaceDict(entry)])),
  }),
  interface: defineFunction({
    doc: 'Returns the IPv4 addresses of an interface.',
    params: IFACE,
    returns: 'list of `{address, netmask, broadcast, label}`; a sentence for an interface that is not there',
    examples: ["salt '*' network.interface eth0"],
    run: async (ctx, { iface }) => {
      const found = await oneInterface(ctx, iface);
      if (typeof found === 'string') return found;
      return firstOf(found).length === 0 ? '' : firstOf(found).map(addressDict);
    },
  }),
  interface_ip: defineFunction({
    doc: 'Returns the first IPv4 address of an interface.',
    params: IFACE,
    returns: 'text; a sentence for an interface that is not there',
    examples: ["salt '*' network.interface_ip eth0"],
    run: async (ctx, { iface }) => {
      const found = await oneInterface(ctx, iface);
      return typeof found === 'string' ? found : (firstOf(found)[0]?.address ?? '');
    },
  }),
  hw_addr: defineFunction({
    ...hardware,
    examples: ["salt '*' network.hw_addr eth0"],
    run: (ctx, { iface }) => readHardware(ctx, iface),
  }),
  hwaddr: defineFunction({
    ...hardware,
    pythonName: 'hw_addr',
    run: (ctx, { iface }) => readHardware(ctx, iface),
  }),
  ip_addrs: defineFunction({
    ...addresses4,
    examples: ["salt '*' network.ip_addrs"],
    run: (ctx, args) => addresses(ctx, 'inet', args),
  }),
  ipaddrs: defineFunction({
    ...addresses4,
    pythonName: 'ip_addrs',
    run: (ctx, args) => addresses(ctx, 'inet', args),
  }),
  ip_addrs6: defineFunction({
    ...addresses6,
    examples: ["salt '*' network.ip_addrs6"],
    run: (ctx, args) => addresses(ctx, 'inet6', args),
  }),
  ipaddrs6: defineFunction({
    ...addresses6,
    pythonName: 'ip_addrs6',
    run: (ctx, args) => addresses(ctx, 'inet6', args),
  }),
  subnets: defineFunction({
    doc: 'Lists the IPv4 networks this machine is in.',
    params: {
      interfaces: param.oneOrMore({ default: null, doc: 'Only of these interfaces.' }),
    },
    returns: 'list',
    examples: ["salt '*' network.subnets"],
    run: (ctx, { interfaces }) => subnets(ctx, 'inet', interfaces),
  }),
  subnets6: defineFunction({
    doc: 'Lists the IPv6 networks this machine is in.',
    returns: 'list',
    examples: ["salt '*' network.subnets6"],
    run: (ctx) => subnets(ctx, 'inet6', undefined),
  }),
  ip_networks: defineFunction({
    doc: 'Lists the IPv4 networks of interfaces.',
    params: networkParams,
    returns: 'list; with verbose a mapping of network to `{address, netmask, num_addresses, prefixlen}`',
    examples: ["salt '*' network.ip_networks", "salt '*' network.ip_networks interface=docker0"],
    run: (ctx, args) => networkList(ctx, 'inet', args),
  }),
  ip_networks6: defineFunction({
    doc: 'Lists the IPv6 networks of interfaces.',
    params: networkParams,
    returns: 'list; with verbose a mapping of network to `{address, netmask, num_addresses, prefixlen}`',
    examples: ["salt '*' network.ip_networks6"],
    run: (ctx, args) => networkList(ctx, 'inet6', args),
  }),
  ifacestartswith: defineFunction({
    doc: 'Finds interfaces that have an address which begins so.',
    params: { cidr: param.text({ doc: 'The beginning of the address.' }) },
    returns: 'list of names',
    examples: ["salt '*' network.ifacestartswith 10.0"],
    run: async (ctx, { cidr }) =>
      [...(await readInterfaces(ctx)).values()]
        .flatMap(firstOf)
        .filter(({ address }) => address.startsWith(cidr))
        .map(({ label }) => label),
  }),
  in_subnet: defineFunction({
    doc: 'Returns whether this machine has an address in a network.',
    params: { cidr: param.value({ type: 'str', doc: 'The network.' }) },
    returns: TRUE_FALSE,
    examples: ["salt '*' network.in_subnet 10.0.0.0/16"],
    run: (ctx, { cidr }) => inSubnet(ctx, cidr),
  }),
  get_hostname: defineFunction({
    doc: 'Returns the name of this machine.',
    returns: 'text',
    examples: ["salt '*' network.get_hostname"],
    run: () => hostName(),
  }),
  get_fqdn: defineFunction({
    doc: 'Returns the name of this machine with its domain.',
    returns: 'text',
    examples: ["salt '*' network.get_fqdn"],
    run: () => fullName(),
  }),
  fqdns: defineFunction({
    doc: 'Looks up the names of all addresses of this machine.',
    returns: '`{fqdns: [names]}`',
    examples: ["salt '*' network.fqdns"],
    run: async (ctx) => {
      const every = { interface: null, include_loopback: false, cidr: null };
      const list = [...(await addresses(ctx, 'inet', every)), ...(await addresses(ctx, 'inet6', every))];
      return dict({ fqdns: await namesOfAddresses(list) });
    },
  }),
  mod_hostname: defineFunction({
    doc: 'Changes the name of this machine.',
    params: { hostname: param.textOrNone({ doc: 'The new name.' }) },
    returns: TRUE_FALSE,
    examples: ["salt '*' network.mod_hostname master.saltstack.com"],
    run: (ctx, { hostname }) => (hostname === undefined ? false : setHostName(ctx, hostname)),
  }),
  get_bufsize: defineFunction({
    doc: 'Returns the sizes of the ring buffers of an interface.',
    params: IFACE,
    returns: 'mapping; empty without ethtool',
    examples: ["salt '*' network.get_bufsize eth0"],
    run: (ctx, { iface }) => bufferSizes(ctx, iface),
  }),
  mod_bufsize: defineFunction({
    doc: 'Sets the sizes of the ring buffers of an interface: rx, tx, rx-mini, rx-jumbo.',
    params: IFACE,
    varargs: 'args',
    kwargs: 'kwargs',
    returns: '`{result, comment}`; false without ethtool',
    examples: ["salt '*' network.mod_bufsize eth0 tx=512 rx=512"],
    run: (ctx, { iface }, rest, kwargs) => setBufferSizes(ctx, iface, rest, kwargs),
  }),
};

const calculating = {
  calc_net: defineFunction({
    doc: 'Calculates the network of an address.',
    params: { ...IP_ADDR, netmask: param.textOrNone({ default: null, doc: 'The netmask.' }) },
    returns: 'text, as 10.1.0.0/16',
    examples: ["salt '*' network.calc_net 172.17.0.5 255.255.255.240"],
    run: (_ctx, { ip_addr, netmask }) => {
      const given = netmask === undefined ? ip_addr : `${pyStr(ip_addr)}/${netmask}`;
      return ipNetworkText(ipNetwork(given, false));
    },
  }),
  convert_cidr: defineFunction({
    doc: 'Takes a network in CIDR form apart.',
    params: { cidr: param.value({ type: 'str', doc: 'The network.' }) },
    returns: '`{network, netmask, broadcast}`',
    examples: ["salt '*' network.convert_cidr 172.31.0.0/16"],
    run: (_ctx, { cidr }) => {
      const network = ipNetwork(cidr, false);
      return dict({
        network: ipAddressText(network.address),
        netmask: ipAddressText(netmask(network)),
        broadcast: ipAddressText(broadcastAddress(network)),
      });
    },
  }),
  ip_in_subnet: defineFunction({
    doc: 'Returns whether an address lies in a network.',
    params: {
      ip_addr: param.value({ type: 'str', doc: IP_ADDR.ip_addr.doc }),
      cidr: param.value({ type: 'str', doc: 'The network.' }),
    },
    returns: TRUE_FALSE,
    examples: ["salt '*' network.ip_in_subnet 172.17.0.4 172.16.0.0/12"],
    run: (ctx, { ip_addr, cidr }) => inSubnet(ctx, cidr, ip_addr),
  }),
  is_private: defineFunction({
    doc: 'Returns whether an address is a private one.',
    params: IP_ADDR,
    returns: TRUE_FALSE,
    examples: ["salt '*' network.is_private 10.0.0.3"],
    run: (_ctx, { ip_addr }) => isPrivate(ipAddress(ip_addr)),
  }),
  is_loopback: defineFunction({
    doc: 'Returns whether an address means the machine itself.',
    params: IP_ADDR,
    returns: TRUE_FALSE,
    examples: ["salt '*' network.is_loopback 127.0.0.1"],
    run: (_ctx, { ip_addr }) => isLoopback(ipAddress(ip_addr)),
  }),
  reverse_ip: defineFunction({
    doc: 'Returns the name under which the DNS knows an address.',
    params: IP_ADDR,
    returns: 'text',
    examples: ["salt '*' network.reverse_ip 172.17.0.4"],
    run: (_ctx, { ip_addr }) => reversePointer(ipAddress(ip_addr)),
  }),
  iphexval: defineFunction({
    doc: 'Writes an IPv4 address in hexadecimal digits.',
    params: { ip: param.text({ doc: 'The address.' }) },
    returns: 'eight digits',
    examples: ["salt '*' network.iphexval 10.0.0.1"],
    run: (_ctx, { ip }) =>
      ip
        .split('.')
        .map((part) => {
          if (!/^\d+$/.test(part))
            throw new PythonError('ValueError', `invalid literal for int() with base 10: '${part}'`);
          return Number(part).toString(16).toUpperCase().padStart(2, '0');
        })
        .join(''),
  }),
};

const reaching = {
  connect: defineFunction({
    doc: 'Tries to connect. Keywords: proto (tcp or udp), timeout (seconds), family (ipv4 or ipv6).',
    params: {
      host: param.textIfGiven({ doc: HOST.host.doc }),
      port: param.textIfGiven({ default: null, type: 'int', doc: 'The port.' }),
    },
    kwargs: 'kwargs',
    returns: '`{result, comment}`',
    examples: ["salt '*' network.connect archlinux.org 80"],
    run: (ctx, { host, port }, _rest, kwargs) => connectTo(ctx, host, port, kwargs),
  }),
  ping: defineFunction({
    doc: 'Runs ping, four times.',
    params: {
      ...HOST,
      timeout: param.textIfGiven({ default: false, type: 'int', doc: 'Seconds to wait for an answer.' }),
      return_boolean: param.flag({ default: false, doc: 'Only tell whether there was one.' }),
    },
    returns: 'the output; or true or false',
    examples: [
      "salt '*' network.ping archlinux.org",
      "salt '*' network.ping archlinux.org return_boolean=True",
    ],
    run: async (ctx, { host, timeout, return_boolean }) => {
      const wait = timeout !== undefined ? ['-W', timeout] : [];
      const argv = ['ping', ...wait, '-c', '4', sanitizeHost(host)];
      return return_boolean ? (await runAll(ctx, argv)).retcode === 0 : runText(ctx, argv);
    },
  }),
  dig: defineFunction({
    doc: 'Runs dig.',
    params: HOST,
    returns: 'the output',
    examples: ["salt '*' network.dig archlinux.org"],
    run: (ctx, { host }) => {
      needProgram('dig');
      return runText(ctx, ['dig', sanitizeHost(host)]);
    },
  }),
  traceroute: defineFunction({
    doc: 'Traces the way to a host.',
    params: HOST,
    returns: 'list of `{count, hostname, ip, ms1, ms2, ms3}`',
    examples: ["salt '*' network.traceroute archlinux.org"],
    run: (ctx, { host }) => traceRoute(ctx, host),
  }),
  wol: defineFunction({
    doc: 'Sends the packet that wakes a machine up.',
    params: {
      mac: param.text({ doc: 'Its hardware address.' }),
      bcast: param.text({ default: '255.255.255.255', doc: 'Where to send it.' }),
      destport: param.value({ default: 9, type: 'int', doc: 'The port.' }),
    },
    returns: 'true',
    examples: ["salt '*' network.wol 08-00-27-13-69-77"],
    run: (_ctx, { mac, bcast, destport }) => wakeUp(mac, bcast, Number(destport)),
  }),
  netstat: defineFunction({
    doc: 'Lists open connections and ports.',
    returns: 'list of `{proto, recv-q, send-q, local-address, remote-address, state, user, inode, program}`',
    examples: ["salt '*' network.netstat"],
    run: (ctx) => netstat(ctx),
  }),
  active_tcp: defineFunction({
    doc: 'Lists established TCP connections.',
    returns: 'mapping of number to `{local_addr, local_port, remote_addr, remote_port}`',
    examples: ["salt '*' network.active_tcp"],
    run: () => activeTcp(),
  }),
  arp: defineFunction({
    doc: 'Lists neighbours.',
    returns: 'mapping of hardware address to address',
    examples: ["salt '*' network.arp"],
    run: (ctx) => {
      needProgram('arp');
      return neighbours(ctx);
    },
  }),
  routes: defineFunction({
    doc: 'Lists the ways to networks.',
    params: FAMILY,
    returns: 'list of `{addr_family, destination, gateway, netmask, flags, interface}`',
    examples: ["salt '*' network.routes"],
    run: (ctx, { family }) => routes(ctx, family),
  }),
  default_route: defineFunction({
    doc: 'Lists the default routes.',
    params: FAMILY,
    returns: 'list as of network.routes',
    examples: ["salt '*' network.default_route"],
    run: (ctx, { family }) => defaultRoutes(ctx, family),
  }),
  get_route: defineFunction({
    doc: 'Returns the route to an address.',
    params: { ip: param.value({ type: 'str', doc: 'The address.' }) },
    returns: '`{destination, gateway, interface, source}`',
    examples: ["salt '*' network.get_route 10.10.10.10"],
    run: (ctx, { ip }) => routeTo(ctx, ip),
  }),
};

/** The module. */
export const networkModule = defineModule({
  name: 'network',
  file: 'network',
  doc: 'Addresses, names and connections of this machine, and attempts to reach others.',
  unavailable: () =>
    process.platform === 'win32'
      ? 'The network execution module cannot be loaded on Windows: use win_network instead.'
      : undefined,
  words: {},
  failsWith: { false: ['mod_bufsize', 'mod_hostname'] },
  functions: { ...own, ...calculating, ...reaching },
});
