/** `openvswitch_port`: ports of bridges of Open vSwitch (3006.16 salt/states/openvswitch_port.py). */
import { PythonError } from '../../python/exceptions.ts';
import { toPyInt } from '../../python/conversions.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { textIfSaid } from '../shared/optional-params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const PRESENT = {
  name: param.text({ doc: 'The port.' }),
  bridge: param.text({ doc: 'The bridge.' }),
  tunnel_type: textIfSaid('What is made with the port: vlan, vxlan or gre.'),
  id: param.text({ default: null, type: 'int', doc: 'The VLAN, or the key of the tunnel.' }),
  remote: param.text({ default: null, doc: 'The address of the other end of the tunnel.' }),
  dst_port: param.value({ default: null, type: 'int', doc: 'The port of the other end of the tunnel.' }),
  internal: param.flag({ default: false, doc: 'Make an interface of its own for the port.' }),
} as const;
type Wanted = TypedArguments<typeof PRESENT>;

const PORT_MAX = 65_535;
const ask = (ctx: StateContext, fun: string, ...args: Value[]): Promise<Value> =>
  ctx.functions.call(`openvswitch.${fun}`, args);
const change = (name: string, old: string, now: string): Dict => dict({ [name]: dict({ old, new: now }) });
const asList = (value: Value): readonly Value[] => (Array.isArray(value) ? value : []);

/** What is made with a port, and how it is spoken of. */
interface Kind {
  readonly idMax: bigint;
  readonly badId: string;
  /** Why nothing is to be made: true where it is there already, false where it cannot be. */
  readonly look: (
    ctx: StateContext,
    wanted: Wanted,
    ports: readonly Value[],
  ) => Promise<[boolean, string] | undefined>;
  readonly fun: string;
  readonly args: (wanted: Wanted) => Value[];
  readonly texts: (wanted: Wanted) => {
    readonly made: string;
    readonly failed: string;
    readonly old: string;
    readonly now: string;
  };
}

/** The port at the other end; undefined where none is wanted. */
function targetPort({ dst_port }: Wanted): number | undefined {
  const port = Number(toPyInt(dst_port) ?? 0);
  return port > 0 && port <= PORT_MAX ? port : undefined;
}
/** Salt compat: as it is written there. */
function behind(wanted: Wanted): string {
  const port = targetPort(wanted);
  return port === undefined ? '' : ` (dst_port${port})`;
}

/** The options of an interface as ovs-vsctl prints them: `{key="1", remote_ip="10.0.0.9"}`. */
const optionsIn = (said: Value): ReadonlyMap<string, string> =>
  new Map(
    [...String(said).matchAll(/([\w-]+)=(?:"([^"]*)"|([^,}]*))/g)].map(
      ([, name = '', quoted, bare = '']): [string, string] => [name, quoted ?? bare],
    ),
  );

async function lookAtTunnel(
  ctx: StateContext,
  wanted: Wanted,
  ports: readonly Value[],
  type: 'gre' | 'vxlan',
): Promise<[boolean, string] | undefined> {
  const { name, bridge, id, remote } = wanted;
  const options = asList(await ask(ctx, 'interface_get_options', name));
  const types = asList(await ask(ctx, 'interface_get_type', name));
  if (!truthy(await ctx.functions.call('dig.check_ip', [remote])))
    return [false, 'Remote is not valid ip address.'];
  // Salt compat: Salt compares the text, and so makes a tunnel at each run that has a further option, or whose id is
  // written otherwise
  const now = optionsIn(options[0] ?? '');
  const port = type === 'vxlan' ? targetPort(wanted) : undefined;
  const isThere =
    ports.includes(name) &&
    types[0] === type &&
    now.get('key') === String(toPyInt(id)) &&
    now.get('remote_ip') === remote &&
    (port === undefined || now.get('dst_port') === String(port));
  const what = `${type.toUpperCase()} tunnel interface ${name} with rempte ip ${remote} and key ${id}`;
  return isThere
    ? [true, `${what} already exists on bridge ${bridge}${type === 'vxlan' ? behind(wanted) : ''}.`]
    : undefined;
}

function tunnelTexts(wanted: Wanted, type: 'gre' | 'vxlan'): ReturnType<Kind['texts']> {
  const { name, bridge, id, remote } = wanted;
  const kind = `${type.toUpperCase()} tunnel interface`;
  const where = `on bridge ${bridge}${type === 'vxlan' ? behind(wanted) : ''}`;
  const what = `${kind} ${name} with remote ip ${remote} and key ${id} ${where}`;
  return {
    made: `Created ${kind} ${name} with remote ip ${remote}  and key ${id} ${where}.`,
    failed: `Unable to create ${what}.`,
    old: `No ${what} present.`,
    now: `Created ${what}.`,
  };
}

const KINDS: Readonly<Record<string, Kind>> = {
  vlan: {
    idMax: 4095n,
    badId: 'VLANs id must be between 0 and 4095.',
    fun: 'port_create_vlan',
    look: async (ctx, { name, bridge, id, internal }, ports) => {
      const tag = asList(await ask(ctx, 'port_get_tag', name));
      const interfaces = await ctx.functions.call('network.interfaces');
      if (!internal && !(isDict(interfaces) && interfaces.has(name)))
        return [false, `Could not find network interface ${name}.`];
      return ports.includes(name) && toPyInt(tag[0] ?? null) === toPyInt(id)
        ? [true, `Port ${name} with access to VLAN ${id} already exists on bridge ${bridge}.`]
        : undefined;
    },
    args: ({ name, bridge, id, internal }) => [bridge, name, toPyInt(id) ?? id, internal],
    texts: ({ name, bridge, id }) => ({
      made: `Created port ${name} with access to VLAN ${id} on bridge ${bridge}.`,
      failed: `Unable to create port ${name} with access to VLAN ${id} on bridge ${bridge}.`,
      old: `No port named ${name} with access to VLAN ${id} present on bridge ${bridge} present.`,
      now: `Created port ${name} with access to VLAN ${id} on bridge ${bridge}.`,
    }),
  },
  gre: {
    idMax: 1n << 32n,
    badId: 'Id of GRE tunnel must be an unsigned 32-bit integer.',
    fun: 'port_create_gre',
    look: (ctx, wanted, ports) => lookAtTunnel(ctx, wanted, ports, 'gre'),
    args: ({ name, bridge, id, remote }) => [bridge, name, toPyInt(id) ?? id, remote],
    texts: (wanted) => tunnelTexts(wanted, 'gre'),
  },
  vxlan: {
    idMax: 1n << 64n,
    badId: 'Id of VXLAN tunnel must be an unsigned 64-bit integer.',
    fun: 'port_create_vxlan',
    look: (ctx, wanted, ports) => lookAtTunnel(ctx, wanted, ports, 'vxlan'),
    args: ({ name, bridge, id, remote, dst_port }) => [bridge, name, toPyInt(id) ?? id, remote, dst_port],
    texts: (wanted) => tunnelTexts(wanted, 'vxlan'),
  },
};

async function special(
  ctx: StateContext,
  wanted: Wanted,
  kind: Kind,
  ports: readonly Value[],
): Promise<StateResult> {
  const { name } = wanted;
  const id = toPyInt(wanted.id);
  if (id === undefined || id < 0 || BigInt(id) > kind.idMax) return outcome(name, false, kind.badId);
  const seen = await kind.look(ctx, wanted, ports);
  if (seen !== undefined) return outcome(name, ...seen);
  const { made, failed, old, now } = kind.texts(wanted);
  if (ctx.state.test) return outcome(name, null, made);
  return truthy(await ask(ctx, kind.fun, ...kind.args(wanted)))
    ? outcome(name, true, made, change(name, old, now))
    : outcome(name, false, failed);
}

async function ordinary(ctx: StateContext, wanted: Wanted, ports: readonly Value[]): Promise<StateResult> {
  const { name, bridge, internal } = wanted;
  const made = `Port ${name} created on bridge ${bridge}.`;
  if (ports.includes(name)) {
    const types = asList(await ask(ctx, 'interface_get_type', name));
    if (!internal || (types.length === 1 && types[0] === 'internal'))
      return outcome(name, true, `Port ${name} already exists.`);
    const turned = `Port ${name} already exists, but interface type has been changed to internal.`;
    // Salt compat: Salt says true
    if (ctx.state.test) return outcome(name, null, turned);
    // there is no way to set the type alone
    return truthy(
      await ctx.functions.call('openvswitch.port_add', [bridge, name], { may_exist: true, internal }),
    )
      ? outcome(name, true, turned, dict({ internal: dict({ old: false, new: true }) }))
      : outcome(
          name,
          false,
          `Port ${name} already exists, but the interface type could not be changed to internal.`,
        );
  }
  if (ctx.state.test) return outcome(name, null, made);
  return truthy(await ctx.functions.call('openvswitch.port_add', [bridge, name], { internal }))
    ? outcome(
        name,
        true,
        made,
        change(name, `No port named ${name} present.`, `Created port ${name} on bridge ${bridge}.`),
      )
    : outcome(name, false, `Unable to create port ${name} on bridge ${bridge}.`);
}

async function present(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, bridge, tunnel_type } = wanted;
  const kind = tunnel_type === undefined ? undefined : KINDS[tunnel_type];
  if (tunnel_type !== undefined && kind === undefined)
    throw new PythonError(
      'TypeError',
      "The optional type argument must be one of these values: ('vlan', 'vxlan', 'gre').",
    );
  if (!truthy(await ask(ctx, 'bridge_exists', bridge)))
    return outcome(name, ctx.state.test ? null : false, `Bridge ${bridge} does not exist.`);
  const ports = asList(await ask(ctx, 'port_list', bridge));
  return kind === undefined ? ordinary(ctx, wanted, ports) : special(ctx, wanted, kind, ports);
}

async function absent(
  ctx: StateContext,
  { name, bridge }: { readonly name: string; readonly bridge: string | undefined },
): Promise<StateResult> {
  if (bridge !== undefined) {
    if (!truthy(await ask(ctx, 'bridge_exists', bridge)))
      return outcome(name, ctx.state.test ? null : false, `Bridge ${bridge} does not exist.`);
    if (!asList(await ask(ctx, 'port_list', bridge)).includes(name))
      return outcome(name, true, `Port ${name} does not exist on bridge ${bridge}.`);
  }
  if (ctx.state.test) return outcome(name, null, `Port ${name} deleted.`);
  const wish = dict({ br: bridge ?? null, port: name });
  return truthy(await ctx.functions.call('openvswitch.port_remove', [], wish))
    ? outcome(
        name,
        true,
        `Port ${name} deleted.`,
        change(name, `Port named ${name} may exist.`, `Deleted port ${name}.`),
      )
    : outcome(name, false, `Unable to delete port ${name}.`);
}

/** The states of `openvswitch_port`. */
export const openvswitchPortStates = defineModule({
  name: 'openvswitch_port',
  file: 'openvswitch_port',
  doc: 'Ports of bridges of Open vSwitch.',
  needs: { fun: 'openvswitch.port_add', otherwise: 'openvswitch module could not be loaded' },
  words: {},
  functions: {
    present: defineState({ doc: 'Makes sure of a port of a bridge.', params: PRESENT, run: present }),
    absent: defineState({
      doc: 'Makes sure that a port is not there.',
      params: {
        name: param.text({ doc: 'The port.' }),
        bridge: textIfSaid('The bridge; whichever has the port, without it.'),
      },
      run: absent,
    }),
  },
});
