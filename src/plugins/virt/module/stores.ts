/** Networks, pools and volumes of libvirt (3006.16 salt/modules/virt.py). */
import { childOf, textIn } from '../../../formats/xml/read.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { volumesIn } from './describe.ts';
import { asking, DONE, STATE } from './functions.ts';
import { LibvirtError, leadingNumber, type Virsh } from './virsh.ts';

const NETWORK = { name: param.text({ doc: 'The network.' }) } as const;
const POOL = { name: param.text({ doc: 'The pool.' }) } as const;

/** A function that has one thing done to a network or a pool. */
const actOn = (what: typeof NETWORK | typeof POOL, doc: string, verb: string) =>
  defineFunction({
    doc,
    params: what,
    kwargs: 'kwargs',
    returns: DONE,
    run: asking((virsh, { name }) => virsh.act([verb, name])),
  });

/** Says whether a network or a pool is started with libvirt. */
const autostartOf = (what: typeof NETWORK | typeof POOL, verb: string) =>
  defineFunction({
    doc: 'Says whether it is started with libvirt.',
    params: { ...what, ...STATE },
    kwargs: 'kwargs',
    returns: DONE,
    run: asking((virsh, { name, state }) =>
      virsh.act([verb, name, ...(state === 'on' ? [] : ['--disable'])]),
    ),
  });

const flagOf = (fact: string | undefined): number => Number(fact === 'yes');

async function leasesOf(virsh: Virsh, network: string): Promise<Value> {
  const { retcode, stdout } = await virsh.run(['net-dhcp-leases', network]);
  if (retcode !== 0) throw new LibvirtError(`the leases of ${network} cannot be had`);
  return stdout.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s{2,}/);
    const [expiry = '', mac = '', protocol = '', address = '', hostname = '', clientid = ''] = fields;
    if (!/^[\da-f]{2}(:[\da-f]{2}){5}$/i.test(mac)) return [];
    const [ipaddr = '', prefix = ''] = address.split('/');
    const known = (text: string): Value => (text === '-' || text === '' ? null : text);
    return dict({
      expirytime: Math.floor(Date.parse(expiry.replace(' ', 'T')) / 1000),
      type: protocol,
      mac,
      ipaddr,
      prefix: Number(prefix),
      hostname: known(hostname),
      clientid: known(clientid),
    });
  });
}

/** Networks or pools as they are described; nothing where libvirt refuses (Salt compat). */
async function described(
  virsh: Virsh,
  list: readonly string[],
  { name, about }: { readonly name: string | undefined; readonly about: (one: string) => Promise<Value> },
): Promise<Dict> {
  try {
    const found = dict();
    for (const one of await virsh.names(list))
      if (name === undefined || name === one) found.set(one, await about(one));
    return found;
  } catch (error) {
    if (error instanceof LibvirtError) return dict();
    throw error;
  }
}

/** Functions of networks. */
export const networks = {
  list_networks: defineFunction({
    doc: 'Lists the networks.',
    kwargs: 'kwargs',
    returns: 'list of names',
    run: asking((virsh) => virsh.names(['net-list', '--all', '--name'])),
  }),
  network_info: defineFunction({
    doc: 'Describes networks.',
    params: { name: param.textOrNone({ default: null, doc: 'Only this one.' }) },
    kwargs: 'kwargs',
    returns: 'mapping of network to uuid, bridge, autostart, active, persistent and leases',
    run: asking((virsh, { name }) =>
      described(virsh, ['net-list', '--all', '--name'], {
        name,
        about: async (network) => {
          const facts = await virsh.facts(['net-info', network]);
          return dict({
            uuid: facts.get('uuid') ?? '',
            bridge: facts.get('bridge') ?? null,
            autostart: flagOf(facts.get('autostart')),
            active: flagOf(facts.get('active')),
            persistent: flagOf(facts.get('persistent')),
            leases: await leasesOf(virsh, network),
          });
        },
      }),
    ),
  }),
  network_get_xml: defineFunction({
    doc: "Returns libvirt's description of a network.",
    params: NETWORK,
    kwargs: 'kwargs',
    returns: 'XML',
    run: asking((virsh, { name }) => virsh.say(['net-dumpxml', name])),
  }),
  network_start: actOn(NETWORK, 'Starts a network.', 'net-start'),
  network_stop: actOn(NETWORK, 'Stops a network.', 'net-destroy'),
  network_undefine: actOn(NETWORK, 'Forgets a network.', 'net-undefine'),
  network_set_autostart: autostartOf(NETWORK, 'net-autostart'),
};

const VOLUME = {
  pool: param.text({ doc: 'The pool.' }),
  volume: param.text({ doc: 'The volume.' }),
} as const;

/** Functions of pools and volumes. */
export const pools = {
  list_pools: defineFunction({
    doc: 'Lists the pools.',
    kwargs: 'kwargs',
    returns: 'list of names',
    run: asking((virsh) => virsh.names(['pool-list', '--all', '--name'])),
  }),
  pool_info: defineFunction({
    doc: 'Describes pools.',
    params: { name: param.textOrNone({ default: null, doc: 'Only this one.' }) },
    kwargs: 'kwargs',
    returns: 'mapping of pool to uuid, state, capacity, allocation, free (bytes) and more',
    run: asking((virsh, { name }) =>
      described(virsh, ['pool-list', '--all', '--name'], {
        name,
        about: async (pool) => {
          const facts = await virsh.facts(['pool-info', '--bytes', pool]);
          const about = await virsh.xml(['pool-dumpxml', pool]);
          const target = childOf(about, 'target');
          const path = target === undefined ? '' : textIn(target, 'path');
          return dict({
            uuid: facts.get('uuid') ?? '',
            state: facts.get('state') ?? 'unknown',
            capacity: leadingNumber(facts.get('capacity')),
            allocation: leadingNumber(facts.get('allocation')),
            free: leadingNumber(facts.get('available')),
            autostart: flagOf(facts.get('autostart')),
            persistent: flagOf(facts.get('persistent')),
            target_path: path === '' ? null : path,
            type: about.attributes.get('type') ?? null,
          });
        },
      }),
    ),
  }),
  pool_get_xml: defineFunction({
    doc: "Returns libvirt's description of a pool.",
    params: POOL,
    kwargs: 'kwargs',
    returns: 'XML',
    run: asking((virsh, { name }) => virsh.say(['pool-dumpxml', name])),
  }),
  pool_start: actOn(POOL, 'Starts a pool.', 'pool-start'),
  pool_build: actOn(POOL, 'Makes what a pool is kept in.', 'pool-build'),
  pool_stop: actOn(POOL, 'Stops a pool.', 'pool-destroy'),
  pool_undefine: actOn(POOL, 'Forgets a pool, whose data stay.', 'pool-undefine'),
  pool_delete: actOn(POOL, 'Removes what a pool is kept in.', 'pool-delete'),
  pool_refresh: actOn(POOL, 'Looks anew what is in a pool.', 'pool-refresh'),
  pool_set_autostart: autostartOf(POOL, 'pool-autostart'),
  pool_list_volumes: defineFunction({
    doc: 'Lists the volumes of a pool.',
    params: POOL,
    kwargs: 'kwargs',
    returns: 'list of names',
    run: asking(async (virsh, { name }) => (await volumesIn(virsh, name)).map(([volume]) => volume)),
  }),
  volume_delete: defineFunction({
    doc: 'Removes a volume.',
    params: VOLUME,
    kwargs: 'kwargs',
    returns: DONE,
    run: asking((virsh, { pool, volume }) => virsh.act(['vol-delete', '--pool', pool, '--vol', volume])),
  }),
};
