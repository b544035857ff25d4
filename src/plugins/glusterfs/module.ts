/** `glusterfs`: peers and volumes of GlusterFS. Follows 3006.16 salt/modules/glusterfs.py. */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { childOf, parseXml, textIn, XmlError, type XmlElement } from '../../formats/xml/read.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runText } from '../shared/program.ts';

const OLDEST = [3, 6];
/** The first version that says how far a cluster can go. */
const KNOWS_MAXIMUM = [3, 10];
const PROMPT = 'gluster>';

async function version(ctx: ModuleContext): Promise<readonly number[]> {
  const lines = splitLines(await runText(ctx, ['gluster', '--version']));
  const said = lines.flatMap((line) => /^glusterfs ((?:\d+\.)+\d+)/.exec(line)?.[1] ?? []).at(-1);
  return said === undefined ? OLDEST : said.split('.').map(Number);
}

const isBefore = (one: readonly number[], other: readonly number[]): boolean => {
  const at = other.findIndex((part, i) => part !== one[i]);
  return at >= 0 && (one[at] ?? -1) < (other[at] ?? 0);
};

/**
 * Runs a command of gluster, which is told on its input, where it may be long.
 * @throws CommandExecutionError for an answer that is no XML
 */
async function ask(ctx: ModuleContext, command: string): Promise<XmlElement> {
  if (isBefore(await version(ctx), OLDEST))
    throw new CommandExecutionError(
      'gluster is older than 3.6, which needs a terminal; such a one is not served.',
    );
  const said = await runText(ctx, ['gluster', '--xml', '--mode=script'], { stdin: `${command}\n` });
  const lines = splitLines(said)
    .filter((line) => !line.startsWith('Welcome to gluster prompt'))
    .map((line) => (line.startsWith(PROMPT) ? line.slice(PROMPT.length) : line).trim());
  try {
    const root = parseXml(lines.join(''));
    if (!isFine(root)) ctx.log.error(`Failed gluster call: ${command}: ${textIn(root, 'opErrstr')}`);
    return root;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new CommandExecutionError(splitLines(said).slice(0, -1).join('\n'), { cause: error });
  }
}

const isFine = (root: XmlElement): boolean => Number(textIn(root, 'opRet')) === 0;
const isDone = async (ctx: ModuleContext, command: string): Promise<boolean> =>
  isFine(await ask(ctx, command));

/** All elements of a name, wherever they are. */
function* below(element: XmlElement, name: string): Generator<XmlElement, void> {
  if (element.name === name) yield element;
  for (const child of element.children) yield* below(child, name);
}

/** The text of an element; None where it has none. */
const textOf = (element: XmlElement): Value => (element.text === '' ? null : element.text);
const plain = (element: XmlElement): Value =>
  element.children.length === 0
    ? textOf(element)
    : new Map(element.children.map((child): [Value, Value] => [child.name, plain(child)]));

async function peers(ctx: ModuleContext): Promise<Dict | null> {
  const root = await ask(ctx, 'peer status');
  if (!isFine(root)) return null;
  const found = dict();
  for (const peer of below(root, 'peer')) {
    const names: string[] = [];
    const about = dict({ hostnames: names });
    for (const item of peer.children) {
      if (item.name === 'hostname') names.push(item.text);
      else if (item.name === 'hostnames')
        names.push(...item.children.map(({ text }) => text).filter((text) => !names.includes(text)));
      else if (item.name !== 'uuid') about.set(item.name, textOf(item));
    }
    found.set(textIn(peer, 'uuid'), about);
  }
  return found;
}

function bricksOf(volume: XmlElement): Dict {
  const bricks = [...below(volume, 'brick')].map((brick, i): [Value, Value] => {
    const about = dict({ path: textOf(brick) });
    for (const child of brick.children) if (child.name !== 'name') about.set(child.name, textOf(child));
    for (const [name, value] of brick.attributes) about.set(name, value);
    return [`brick${i + 1}`, about];
  });
  return new Map(bricks);
}

/** The volumes. @returns undefined where gluster knows no such volume */
async function volumes(ctx: ModuleContext, name?: string): Promise<Map<string, Dict> | undefined> {
  const root = await ask(ctx, name === undefined ? 'volume info' : `volume info ${name}`);
  if (!isFine(root)) return undefined;
  const found = new Map<string, Dict>();
  for (const volume of below(root, 'volume')) {
    const about = plain(volume);
    const whole: Dict = about instanceof Map ? about : dict();
    whole.set('bricks', bricksOf(volume));
    const options = [...below(volume, 'option')].map((one): [Value, Value] => [
      textIn(one, 'name'),
      textIn(one, 'value'),
    ]);
    whole.set('options', new Map(options));
    found.set(textIn(volume, 'name'), whole);
  }
  return found;
}

const STARTED = '1';

async function start(ctx: ModuleContext, name: string, force: boolean): Promise<boolean> {
  const volume = (await volumes(ctx, name))?.get(name);
  if (volume === undefined) {
    ctx.log.error(`Cannot start non-existing volume ${name}`);
    return false;
  }
  if (!force && volume.get('status') === STARTED) return true;
  return isDone(ctx, `volume start ${name}${force ? ' force' : ''}`);
}

async function stop(ctx: ModuleContext, name: string, force: boolean): Promise<boolean> {
  const volume = (await volumes(ctx))?.get(name);
  if (volume === undefined) {
    ctx.log.error(`Cannot stop non-existing volume ${name}`);
    return false;
  }
  if (volume.get('status') !== STARTED) {
    ctx.log.warning(`Attempt to stop already stopped volume ${name}`);
    return true;
  }
  return isDone(ctx, `volume stop ${name}${force ? ' force' : ''}`);
}

async function remove(ctx: ModuleContext, name: string, isStopping: boolean): Promise<boolean> {
  const volume = (await volumes(ctx))?.get(name);
  const isRunning = volume?.get('status') === STARTED;
  if (volume === undefined || (isRunning && !isStopping)) {
    const why =
      volume === undefined ? 'Cannot delete non-existing volume' : 'Must be stopped before deletion:';
    ctx.log.error(`${why} ${name}`);
    return false;
  }
  if (isRunning && !(await stop(ctx, name, true))) return false;
  return isDone(ctx, `volume delete ${name}`);
}

async function addBricks(ctx: ModuleContext, name: string, bricks: readonly string[]): Promise<boolean> {
  const volume = (await volumes(ctx))?.get(name);
  if (volume === undefined) {
    ctx.log.error(`Volume ${name} does not exist, cannot add bricks`);
    return false;
  }
  const own = volume.get('bricks');
  const paths =
    own instanceof Map ? [...own.values()].map((brick) => brick instanceof Map && brick.get('path')) : [];
  const fresh = bricks.filter((brick) => !paths.includes(brick));
  return fresh.length === 0 || isDone(ctx, `volume add-brick ${name} ${fresh.join(' ')}`);
}

/** A volume as it is wanted. */
interface NewVolume {
  readonly name: string;
  readonly bricks: readonly string[];
  readonly stripe: string | undefined;
  readonly replica: string | undefined;
  readonly device_vg: boolean;
  readonly transport: string;
  readonly start: boolean;
  readonly force: boolean;
  readonly arbiter: boolean;
}

async function create(ctx: ModuleContext, wanted: NewVolume): Promise<boolean> {
  const { name, bricks, stripe, replica, transport } = wanted;
  if (wanted.device_vg && bricks.length > 1)
    throw new SaltInvocationError('Block device backend volume does not support multiple bricks');
  for (const brick of bricks) {
    const [, path, ...more] = brick.split(':');
    if (path === undefined || more.length > 0)
      throw new SaltInvocationError(`Brick syntax is <peer>:<path> got ${brick}`);
    if (!path.startsWith('/')) throw new SaltInvocationError(`Brick paths must start with / in ${brick}`);
  }
  if (wanted.arbiter && replica !== '3')
    throw new SaltInvocationError('Arbiter configuration only valid in replica 3 volume');
  const words = [
    `volume create ${name}`,
    ...(stripe === undefined ? [] : [`stripe ${stripe}`]),
    ...(replica === undefined ? [] : [`replica ${replica}`]),
    ...(wanted.arbiter ? ['arbiter 1'] : []),
    ...(wanted.device_vg ? ['device vg'] : []),
    ...(transport === 'tcp' ? [] : [`transport ${transport}`]),
    ...bricks,
    ...(wanted.force ? ['force'] : []),
  ];
  if (!(await isDone(ctx, words.join(' ')))) return false;
  return !wanted.start || start(ctx, name, false);
}

function* nodesOf(root: XmlElement): Generator<readonly [kind: string, host: string, about: Dict], void> {
  const hosts = new Map<string, string>();
  const kinds: Readonly<Record<string, string>> = { 'NFS Server': 'nfs', 'Self-heal Daemon': 'healers' };
  const nodes = [...below(root, 'node')];
  for (const node of nodes)
    if (kinds[textIn(node, 'hostname')] === undefined)
      hosts.set(textIn(node, 'peerid'), textIn(node, 'hostname'));
  for (const node of nodes) {
    const host = textIn(node, 'hostname');
    const about = plain(node);
    const whole: Dict = about instanceof Map ? about : dict();
    whole.set('online', whole.get('status') === STARTED).set('host', whole.get('hostname') ?? null);
    const kind = kinds[host];
    if (kind === undefined) yield ['bricks', `${host}:${textIn(node, 'path')}`, whole];
    else yield [kind, hosts.get(textIn(node, 'peerid')) ?? host, whole];
  }
}

async function statusOf(ctx: ModuleContext, name: string): Promise<Dict | null> {
  const root = await ask(ctx, `volume status ${name}`);
  if (!isFine(root)) return null;
  const parts: Readonly<Record<string, Dict>> = { bricks: dict(), nfs: dict(), healers: dict() };
  for (const [kind, host, about] of nodesOf(root)) parts[kind]?.set(host, about);
  return dict({ ...parts });
}

/** What `volume get` says of an option. @returns false and why, where gluster fails */
async function optionOf(ctx: ModuleContext, volume: string, option: string): Promise<Value> {
  const root = await ask(ctx, `volume get ${volume} ${option}`);
  if (!isFine(root)) return [false, textIn(root, 'opErrstr')];
  const values = [...below(root, 'volGetopts')].flatMap((one) => [...below(one, 'Value')]);
  const last = values.at(-1);
  return last === undefined ? dict() : textOf(last);
}

const NAME = { name: param.text({ doc: 'The volume.' }) } as const;
/** Salt compat: a text is one brick, whatever is in it. */
const bricksOfValue = (value: Value): string[] => (Array.isArray(value) ? value : [value]).map(pyStr);
const BRICKS = {
  bricks: param.by(bricksOfValue, { type: 'list or str', doc: 'Where it is kept, each as peer:/path.' }),
} as const;
const FORCE = { force: param.flag({ default: false, doc: 'Even where gluster warns.' }) } as const;
const DONE = 'true or false';

const peerFunctions = {
  peer_status: defineFunction({
    doc: 'Lists the peers.',
    returns: 'mapping of id to hostnames and what gluster says; None where it fails',
    examples: ["salt '*' glusterfs.peer_status"],
    run: (ctx) => peers(ctx),
  }),
  peer: defineFunction({
    doc: 'Adds a peer.',
    params: { name: param.text({ doc: 'Its host.' }) },
    returns: DONE,
    examples: ["salt '*' glusterfs.peer two"],
    run: (ctx, { name }) => {
      if (/[^a-zA-Z0-9._-]/.test(name))
        throw new SaltInvocationError(`Invalid characters in peer name "${name}"`);
      return isDone(ctx, `peer probe ${name}`);
    },
  }),
};

const volumeFunctions = {
  create_volume: defineFunction({
    doc: 'Makes a volume.',
    params: {
      ...NAME,
      ...BRICKS,
      stripe: param.textIfGiven({ default: false, type: 'int', doc: 'Over how many bricks a file goes.' }),
      replica: param.textIfGiven({ default: false, type: 'int', doc: 'How often a file is kept.' }),
      device_vg: param.flag({ default: false, doc: 'Keep it on a block device.' }),
      transport: param.text({ default: 'tcp', doc: 'tcp, rdma or tcp,rdma.' }),
      start: param.flag({ default: false, doc: 'Start it, too.' }),
      ...FORCE,
      arbiter: param.flag({ default: false, doc: 'Every third brick only arbitrates.' }),
    },
    returns: DONE,
    examples: ["salt '*' glusterfs.create_volume newvolume host1:/brick"],
    run: (ctx, wanted) => create(ctx, wanted),
  }),
  list_volumes: defineFunction({
    doc: 'Lists the volumes.',
    returns: 'list of names; None where gluster fails',
    examples: ["salt '*' glusterfs.list_volumes"],
    run: async (ctx) => {
      const root = await ask(ctx, 'volume list');
      return isFine(root) ? [...below(root, 'volume')].map(textOf) : null;
    },
  }),
  status: defineFunction({
    doc: 'Says how the parts of a volume are.',
    params: NAME,
    returns: 'mapping of bricks, nfs and healers; None where gluster fails',
    examples: ["salt '*' glusterfs.status myvolume"],
    run: (ctx, { name }) => statusOf(ctx, name),
  }),
  info: defineFunction({
    doc: 'Describes volumes.',
    params: { name: param.textOrNone({ default: null, doc: 'Only this one.' }) },
    returns: 'mapping of volume to what gluster says; None where it fails',
    examples: ["salt '*' glusterfs.info"],
    run: async (ctx, { name }) => ((await volumes(ctx, name)) ?? null) as Dict | null,
  }),
  start_volume: defineFunction({
    doc: 'Starts a volume.',
    params: { ...NAME, ...FORCE },
    returns: DONE,
    examples: ["salt '*' glusterfs.start_volume mycluster"],
    run: (ctx, { name, force }) => start(ctx, name, force),
  }),
  stop_volume: defineFunction({
    doc: 'Stops a volume.',
    params: { ...NAME, ...FORCE },
    returns: DONE,
    examples: ["salt '*' glusterfs.stop_volume mycluster"],
    run: (ctx, { name, force }) => stop(ctx, name, force),
  }),
  delete_volume: defineFunction({
    doc: 'Removes a volume.',
    params: {
      target: param.text({ doc: 'The volume.' }),
      stop: param.flag({ default: true, doc: 'Stop it before.' }),
    },
    returns: DONE,
    examples: ["salt '*' glusterfs.delete_volume myvolume"],
    run: (ctx, { target, stop: isStopping }) => remove(ctx, target, isStopping),
  }),
  add_volume_bricks: defineFunction({
    doc: 'Adds bricks to a volume.',
    params: { ...NAME, ...BRICKS },
    returns: DONE,
    examples: ["salt '*' glusterfs.add_volume_bricks myvolume host1:/brick"],
    run: (ctx, { name, bricks }) => addBricks(ctx, name, bricks),
  }),
};

const quotaFunctions = {
  enable_quota_volume: defineFunction({
    doc: 'Turns quotas of a volume on.',
    params: NAME,
    returns: DONE,
    examples: ["salt '*' glusterfs.enable_quota_volume myvolume"],
    run: (ctx, { name }) => isDone(ctx, `volume quota ${name} enable`),
  }),
  disable_quota_volume: defineFunction({
    doc: 'Turns quotas of a volume off.',
    params: NAME,
    returns: DONE,
    examples: ["salt '*' glusterfs.disable_quota_volume myvolume"],
    run: (ctx, { name }) => isDone(ctx, `volume quota ${name} disable`),
  }),
  set_quota_volume: defineFunction({
    doc: 'Sets the quota of a folder of a volume.',
    params: {
      ...NAME,
      path: param.textIfGiven({ doc: 'The folder.' }),
      size: param.textIfGiven({ doc: 'The most that may be in it.' }),
      enable_quota: param.flag({ default: false, doc: 'Turn quotas on, too.' }),
    },
    returns: DONE,
    examples: ["salt '*' glusterfs.set_quota_volume myvolume /path 10GB enable_quota=True"],
    run: async (ctx, { name, path, size, enable_quota }) => {
      if (enable_quota) await isDone(ctx, `volume quota ${name} enable`);
      const words = [
        ...(path === undefined ? [] : ['limit-usage', path]),
        ...(size === undefined ? [] : [size]),
      ];
      return isDone(ctx, [`volume quota ${name}`, ...words].join(' '));
    },
  }),
  unset_quota_volume: defineFunction({
    doc: 'Takes the quota of a folder of a volume away.',
    params: { ...NAME, path: param.textIfGiven({ doc: 'The folder.' }) },
    returns: DONE,
    examples: ["salt '*' glusterfs.unset_quota_volume myvolume /path"],
    run: (ctx, { name, path }) =>
      isDone(ctx, `volume quota ${name}${path === undefined ? '' : ` remove ${path}`}`),
  }),
  list_quota_volume: defineFunction({
    doc: 'Lists the quotas of a volume.',
    params: NAME,
    returns: 'mapping of folder to what gluster says; None where it fails',
    examples: ["salt '*' glusterfs.list_quota_volume myvolume"],
    run: async (ctx, { name }) => {
      const root = await ask(ctx, `volume quota ${name} list`);
      if (!isFine(root)) return null;
      const limits = [...below(root, 'limit')];
      return new Map(limits.map((limit): [Value, Value] => [textIn(limit, 'path'), plain(limit)]));
    },
  }),
};

const versions = {
  get_op_version: defineFunction({
    doc: 'Returns the version by which the cluster works.',
    params: NAME,
    returns: 'text; false and why, where gluster fails',
    examples: ["salt '*' glusterfs.get_op_version myvolume"],
    run: (ctx, { name }) => optionOf(ctx, name, 'cluster.op-version'),
  }),
  get_max_op_version: defineFunction({
    doc: 'Returns the newest version by which the cluster could work.',
    returns: 'text; false and why, where gluster fails',
    examples: ["salt '*' glusterfs.get_max_op_version"],
    run: async (ctx) => {
      const own = await version(ctx);
      return isBefore(own, KNOWS_MAXIMUM)
        ? [false, `Glusterfs version must be 3.10+.  Your version is ${own.join('.')}.`]
        : optionOf(ctx, 'all', 'cluster.max-op-version');
    },
  }),
  set_op_version: defineFunction({
    doc: 'Sets the version by which the cluster works.',
    params: { version: param.text({ type: 'int', doc: 'The version: 30707.' }) },
    returns: 'what gluster says; false and why, where it fails',
    examples: ["salt '*' glusterfs.set_op_version 30707"],
    run: async (ctx, { version: wanted }) => {
      const root = await ask(ctx, `volume set all cluster.op-version ${wanted}`);
      if (!isFine(root)) return [false, textIn(root, 'opErrstr')];
      const output = childOf(root, 'output');
      return output === undefined ? null : textOf(output);
    },
  }),
  get_version: defineFunction({
    doc: 'Returns the version of GlusterFS.',
    returns: 'text',
    examples: ["salt '*' glusterfs.get_version"],
    run: async (ctx) => (await version(ctx)).map(pyStr).join('.'),
  }),
};

/** The module. */
export const glusterfsModule = defineModule({
  name: 'glusterfs',
  file: 'glusterfs',
  doc: 'Peers and volumes of GlusterFS.',
  unavailable: () => (findProgram('gluster') === undefined ? 'glusterfs server is not installed' : undefined),
  // its commands are lines
  words: {},
  failsWith: {
    false: [
      'add_volume_bricks',
      'create_volume',
      'delete_volume',
      'disable_quota_volume',
      'enable_quota_volume',
      'get_max_op_version',
      'get_op_version',
      'peer',
      'set_op_version',
      'set_quota_volume',
      'start_volume',
      'stop_volume',
      'unset_quota_volume',
    ],
    none: ['info', 'list_quota_volume', 'list_volumes', 'peer_status', 'status'],
  },
  functions: { ...peerFunctions, ...volumeFunctions, ...quotaFunctions, ...versions },
});
