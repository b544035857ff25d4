/** `openvswitch`: bridges, ports and records of Open vSwitch. Follows 3006.16 salt/modules/openvswitch.py. */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { parseJson, toJson } from '../../formats/json/text.ts';
import { findProgram } from '../../host/which.ts';
import { toPyInt } from '../../python/conversions.ts';
import { isDict, truthy, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runAll } from '../shared/program.ts';

const VLAN_MAX = 4095;
const PORT_MAX = 65_535;
const GRE_KEY_BITS = 32n;
const VXLAN_KEY_BITS = 64n;

const ovs = (ctx: ModuleContext, words: readonly string[]) => runAll(ctx, ['ovs-vsctl', ...words]);
const isDone = async (ctx: ModuleContext, words: readonly string[]): Promise<boolean> =>
  (await ovs(ctx, words)).retcode === 0;

/** What ovs-vsctl says, line by line; false where it fails. Salt compat: nothing is one empty line. */
async function linesOf(ctx: ModuleContext, words: readonly string[]): Promise<string[] | false> {
  const { retcode, stdout } = await ovs(ctx, words);
  return retcode === 0 && stdout.split('\n');
}

const bridgeExists = (ctx: ModuleContext, br: string): Promise<boolean> => isDone(ctx, ['br-exists', br]);
const ports = (ctx: ModuleContext, br: string): Promise<string[] | false> => linesOf(ctx, ['list-ports', br]);
const hasPort = async (ctx: ModuleContext, br: string, port: string): Promise<boolean> =>
  ((await ports(ctx, br)) || []).includes(port);

/** The JSON of ovs-vsctl, with its sets as lists and its maps as mappings. */
function plain(value: Value): Value {
  if (isDict(value)) return new Map([...value].map(([key, item]) => [plain(key), plain(item)]));
  if (!Array.isArray(value)) return value;
  const [kind, items] = value;
  if (value.length !== 2 || !Array.isArray(items)) return value.length === 2 ? value : value.map(plain);
  if (kind === 'set') return items.map(plain);
  if (kind !== 'map' || !items.every((item) => Array.isArray(item) && item.length === 2)) return value;
  return new Map(items.map((item) => (item as Value[]).slice(0, 2) as [Value, Value]));
}

async function readColumn(ctx: ModuleContext, place: readonly string[], column: string, isCareful: boolean) {
  const careful = isCareful ? ['--if-exists'] : [];
  const { retcode, stdout, stderr } = await ovs(ctx, [
    '--format=json',
    `--columns=${column}`,
    ...careful,
    'list',
    ...place,
  ]);
  if (retcode !== 0) throw new CommandExecutionError(stderr);
  const said = plain(parseJson(stdout));
  const rows = isDict(said) ? said.get('data') : undefined;
  const first = Array.isArray(rows) ? rows[0] : undefined;
  return Array.isArray(first) ? (first[0] ?? null) : null;
}

const internalWords = (port: string, internal: boolean): string[] =>
  internal ? ['--', 'set', 'interface', port, 'type=internal'] : [];

async function makeVlan(
  ctx: ModuleContext,
  {
    br,
    port,
    id,
    internal,
  }: { br: string; port: string; id: number | bigint | undefined; internal: boolean },
): Promise<boolean> {
  const tag = id;
  const interfaces = await ctx.functions.call('network.interfaces');
  if (tag === undefined || tag < 0 || tag > VLAN_MAX || !(await bridgeExists(ctx, br))) return false;
  if (!internal && !(isDict(interfaces) && interfaces.has(port))) return false;
  const words = (await hasPort(ctx, br, port)) ? ['set', 'port', port] : ['add-port', br, port];
  return isDone(ctx, [...words, `tag=${tag}`, ...internalWords(port, internal)]);
}

/** A tunnel as it is wanted. */
interface Tunnel {
  readonly br: string;
  readonly port: string;
  readonly id: number | bigint | undefined;
  readonly remote: string;
  readonly type: 'gre' | 'vxlan';
  readonly bits: bigint;
  /** Further settings of the interface. */
  readonly more: readonly string[];
}

async function makeTunnel(ctx: ModuleContext, tunnel: Tunnel): Promise<boolean> {
  const { br, port, remote, type, more } = tunnel;
  const key = tunnel.id;
  if (key === undefined || key < 0 || BigInt(key) >= 1n << tunnel.bits) return false;
  if (!truthy(await ctx.functions.call('dig.check_ip', [remote])) || !(await bridgeExists(ctx, br)))
    return false;
  const head = (await hasPort(ctx, br, port)) ? [] : ['add-port', br, port, '--'];
  const settings = [`type=${type}`, `options:remote_ip=${remote}`, `options:key=${key}`, ...more];
  return isDone(ctx, [...head, 'set', 'interface', port, ...settings]);
}

const portWords = (dst_port: Value): string[] => {
  const port = toPyInt(dst_port);
  return port !== undefined && port > 0 && port <= PORT_MAX ? [`options:dst_port=${port}`] : [];
};

const BR = { br: param.text({ doc: 'The bridge.' }) } as const;
const PORT = { port: param.text({ doc: 'The port.' }) } as const;
const INTERNAL = {
  internal: param.flag({ default: false, doc: 'Make an interface of its own for the port.' }),
} as const;
const IF_EXISTS = param.flag({ default: true, doc: 'One that is not there is no failure.' });
const RECORD = {
  table: param.text({ doc: 'The table.' }),
  record: param.text({ doc: 'The record.' }),
  column: param.text({ doc: 'The column.' }),
} as const;
const TUNNEL = {
  ...BR,
  ...PORT,
  id: param.by(toPyInt, { type: 'int', doc: 'The key of the tunnel.' }),
  remote: param.text({ doc: 'The address of the other end.' }),
} as const;
const DONE = 'true or false';
const LINES = 'list of lines; false where ovs-vsctl fails';

const bridges = {
  bridge_list: defineFunction({
    doc: 'Lists the bridges.',
    returns: LINES,
    examples: ["salt '*' openvswitch.bridge_list"],
    run: (ctx) => linesOf(ctx, ['list-br']),
  }),
  bridge_exists: defineFunction({
    doc: 'Says whether there is a bridge.',
    params: BR,
    returns: DONE,
    examples: ["salt '*' openvswitch.bridge_exists br0"],
    run: (ctx, { br }) => bridgeExists(ctx, br),
  }),
  bridge_create: defineFunction({
    doc: 'Makes a bridge; with parent and vlan one within another.',
    params: {
      ...BR,
      may_exist: param.flag({ default: true, doc: 'One that is there is no failure.' }),
      parent: param.textOrNone({ default: null, doc: 'The bridge that it is within.' }),
      vlan: param.textOrNone({ default: null, type: 'int', doc: 'The VLAN that it is for.' }),
    },
    returns: DONE,
    examples: ["salt '*' openvswitch.bridge_create br0"],
    run: (ctx, { br, may_exist, parent, vlan }) => {
      if (parent !== undefined && vlan === undefined)
        throw new SaltInvocationError('If parent is specified, vlan must also be specified.');
      if (vlan !== undefined && parent === undefined)
        throw new SaltInvocationError('If vlan is specified, parent must also be specified.');
      const within = parent === undefined || vlan === undefined ? [] : [parent, vlan];
      return isDone(ctx, [...(may_exist ? ['--may-exist'] : []), 'add-br', br, ...within]);
    },
  }),
  bridge_delete: defineFunction({
    doc: 'Removes a bridge with its ports.',
    params: { ...BR, if_exists: IF_EXISTS },
    returns: DONE,
    examples: ["salt '*' openvswitch.bridge_delete br0"],
    run: (ctx, { br, if_exists }) => isDone(ctx, [...(if_exists ? ['--if-exists'] : []), 'del-br', br]),
  }),
  bridge_to_parent: defineFunction({
    doc: 'Returns the bridge that a bridge is within.',
    params: BR,
    returns: 'a name, its own where it is within none; false where there is no such bridge',
    examples: ["salt '*' openvswitch.bridge_to_parent br0"],
    run: async (ctx, { br }) => {
      const { retcode, stdout } = await ovs(ctx, ['br-to-parent', br]);
      return retcode === 0 && stdout.trim();
    },
  }),
  bridge_to_vlan: defineFunction({
    doc: 'Returns the VLAN of a bridge.',
    params: BR,
    returns: 'a number, 0 for none; false where there is no such bridge',
    examples: ["salt '*' openvswitch.bridge_to_vlan br0"],
    run: async (ctx, { br }) => {
      const { retcode, stdout } = await ovs(ctx, ['br-to-vlan', br]);
      return retcode === 0 && (toPyInt(stdout) ?? false);
    },
  }),
};

const portFunctions = {
  port_add: defineFunction({
    doc: 'Makes a port of a bridge.',
    params: {
      ...BR,
      ...PORT,
      may_exist: param.flag({ default: false, doc: 'One that is there is no failure.' }),
      ...INTERNAL,
    },
    returns: DONE,
    examples: ["salt '*' openvswitch.port_add br0 8080"],
    run: (ctx, { br, port, may_exist, internal }) =>
      isDone(ctx, [
        ...(may_exist ? ['--may-exist'] : []),
        'add-port',
        br,
        port,
        ...internalWords(port, internal),
      ]),
  }),
  port_remove: defineFunction({
    doc: 'Removes a port.',
    params: {
      br: param.textIfGiven({ doc: 'The bridge; whichever has the port, without it.' }),
      port: param.text({ doc: 'The port.' }),
      if_exists: IF_EXISTS,
    },
    returns: DONE,
    examples: ["salt '*' openvswitch.port_remove br0 8080"],
    run: (ctx, { br, port, if_exists }) =>
      isDone(ctx, [
        ...(if_exists ? ['--if-exists'] : []),
        'del-port',
        ...(br === undefined ? [] : [br]),
        port,
      ]),
  }),
  port_list: defineFunction({
    doc: 'Lists the ports of a bridge.',
    params: BR,
    returns: LINES,
    examples: ["salt '*' openvswitch.port_list br0"],
    run: (ctx, { br }) => ports(ctx, br),
  }),
  port_get_tag: defineFunction({
    doc: 'Returns the VLAN of a port.',
    params: PORT,
    returns: LINES,
    examples: ["salt '*' openvswitch.port_get_tag tap0"],
    run: (ctx, { port }) => linesOf(ctx, ['get', 'port', port, 'tag']),
  }),
  interface_get_options: defineFunction({
    doc: 'Returns the options of an interface.',
    params: PORT,
    returns: LINES,
    examples: ["salt '*' openvswitch.interface_get_options tap0"],
    run: (ctx, { port }) => linesOf(ctx, ['get', 'interface', port, 'options']),
  }),
  interface_get_type: defineFunction({
    doc: 'Returns the type of an interface.',
    params: PORT,
    returns: LINES,
    examples: ["salt '*' openvswitch.interface_get_type tap0"],
    run: (ctx, { port }) => linesOf(ctx, ['get', 'interface', port, 'type']),
  }),
  port_create_vlan: defineFunction({
    doc: 'Puts a port of a bridge into a VLAN, and makes it where it is not there.',
    params: {
      ...BR,
      ...PORT,
      id: param.by(toPyInt, { type: 'int', doc: 'The VLAN, 0 to 4095.' }),
      ...INTERNAL,
    },
    returns: DONE,
    examples: ["salt '*' openvswitch.port_create_vlan br0 tap0 100"],
    run: (ctx, wanted) => makeVlan(ctx, wanted),
  }),
  port_create_gre: defineFunction({
    doc: 'Makes a tunnel of GRE.',
    params: TUNNEL,
    returns: DONE,
    examples: ["salt '*' openvswitch.port_create_gre br0 gre1 5001 192.168.1.10"],
    run: (ctx, wanted) => makeTunnel(ctx, { ...wanted, type: 'gre', bits: GRE_KEY_BITS, more: [] }),
  }),
  port_create_vxlan: defineFunction({
    doc: 'Makes a tunnel of VXLAN.',
    params: {
      ...TUNNEL,
      dst_port: param.by(portWords, { default: null, type: 'int', doc: 'The port of the other end.' }),
    },
    returns: DONE,
    examples: ["salt '*' openvswitch.port_create_vxlan br0 vx1 5001 192.168.1.10 8472"],
    run: (ctx, { dst_port, ...wanted }) =>
      makeTunnel(ctx, { ...wanted, type: 'vxlan', bits: VXLAN_KEY_BITS, more: dst_port }),
  }),
};

const records = {
  db_get: defineFunction({
    doc: 'Returns a column of a record.',
    params: {
      ...RECORD,
      if_exists: param.flag({ default: false, doc: 'A record that is not there is no failure.' }),
    },
    returns: 'the value; None where there is no such record',
    examples: ["salt '*' openvswitch.db_get Port br0 vlan_mode"],
    run: (ctx, { table, record, column, if_exists }) => readColumn(ctx, [table, record], column, if_exists),
  }),
  db_set: defineFunction({
    doc: 'Sets a column of a record.',
    params: {
      ...RECORD,
      value: param.by(toJson, { doc: 'The value.' }),
      if_exists: param.flag({ default: false, doc: 'A record that is not there is no failure.' }),
    },
    returns: 'None, or what ovs-vsctl says against it',
    examples: ["salt '*' openvswitch.db_set Interface br0 mac 02:03:04:05:06:07"],
    run: async (ctx, { table, record, column, value, if_exists }) => {
      const careful = if_exists ? ['--if-exists'] : [];
      const ended = await ovs(ctx, [...careful, 'set', table, record, `${column}=${value}`]);
      return ended.retcode === 0 ? null : ended.stderr;
    },
  }),
};

/** The module. */
export const openvswitchModule = defineModule({
  name: 'openvswitch',
  file: 'openvswitch',
  doc: 'Bridges, ports and records of Open vSwitch.',
  unavailable: () => (findProgram('ovs-vsctl') === undefined ? 'Missing dependency: ovs-vsctl' : undefined),
  // a value is behind the name of its column, in JSON
  words: { lines: ['value'], dashes: ['value'] },
  failsWith: {
    false: [
      'bridge_create',
      'bridge_delete',
      'bridge_list',
      'interface_get_options',
      'interface_get_type',
      'port_add',
      'port_create_gre',
      'port_create_vlan',
      'port_create_vxlan',
      'port_get_tag',
      'port_list',
      'port_remove',
    ],
    text: ['db_set'],
  },
  functions: { ...bridges, ...portFunctions, ...records },
});
