/** `glusterfs`: peers and volumes of GlusterFS (3006.16 salt/states/glusterfs.py). */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { SaltInvocationError } from '../../errors/errors.ts';
import { toPyInt } from '../../python/conversions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeResultLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const BAD_NAME = /[^a-zA-Z0-9._-]/;
const STARTED = 1;
const ask = (ctx: StateContext, fun: string, ...args: Value[]): Promise<Value> =>
  ctx.functions.call(`glusterfs.${fun}`, args);
const failure = (name: string, why: Value): StateResult => outcome(name, false, why);
const asList = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : []);

/** Whether a name is one of this machine. A name that nobody knows is none. */
async function isHere(ctx: StateContext, name: string): Promise<boolean> {
  const found = isIP(name) === 0 ? await lookup(name, { all: true }).catch(() => []) : [{ address: name }];
  const own = [
    ...asList(await ctx.functions.call('network.ip_addrs')),
    ...asList(await ctx.functions.call('network.ip_addrs6')),
  ];
  return found.some(({ address }) => /^127\./.test(address) || address === '::1' || own.includes(address));
}

const isPeer = (peers: Value, name: string): boolean =>
  isDict(peers) &&
  [...peers.values()].some((peer) => isDict(peer) && asList(peer.get('hostnames')).includes(name));

async function peered(ctx: StateContext, name: string): Promise<StateResult> {
  if (BAD_NAME.test(name)) return failure(name, 'Invalid characters in peer name.');
  if (await isHere(ctx, name)) return outcome(name, true, 'Peering with localhost is not needed');
  const old = await ask(ctx, 'peer_status');
  if (isPeer(old, name)) return outcome(name, true, `Host ${name} already peered`);
  if (ctx.state.test) return outcome(name, null, `Peer ${name} will be added.`);
  if (!truthy(await ask(ctx, 'peer', name)))
    return failure(name, `Failed to peer with ${name}, please check logs for errors`);
  const now = await ask(ctx, 'peer_status');
  return isPeer(now, name)
    ? outcome(name, true, `Host ${name} successfully peered`, dict({ new: now, old }))
    : failure(name, `Host ${name} was successfully peered but did not appear in the list of peers`);
}

/** One volume; undefined where it is not there. */
async function volume(ctx: StateContext, name: string): Promise<Dict | undefined> {
  const all = await ask(ctx, 'info');
  const found = isDict(all) ? all.get(name) : undefined;
  return isDict(found) ? found : undefined;
}

const isStarted = (found: Dict | undefined): boolean => toPyInt(found?.get('status') ?? null) === STARTED;

const VOLUME = {
  name: param.text({ doc: 'The volume.' }),
  bricks: param.value({ type: 'list of str', doc: 'Where it is kept, each as peer:/path.' }),
  stripe: param.value({ default: false, type: 'int', doc: 'Over how many bricks a file goes.' }),
  replica: param.value({ default: false, type: 'int', doc: 'How often a file is kept.' }),
  device_vg: param.value({ default: false, type: 'bool', doc: 'Keep it on a block device.' }),
  transport: param.value({ default: 'tcp', type: 'str', doc: 'tcp, rdma or tcp,rdma.' }),
  start: param.flag({ default: false, doc: 'It is started, too.' }),
  force: param.value({ default: false, type: 'bool', doc: 'Even where gluster warns.' }),
  arbiter: param.value({ default: false, type: 'bool', doc: 'Every third brick only arbitrates.' }),
} as const;

async function volumePresent(ctx: StateContext, wanted: TypedArguments<typeof VOLUME>): Promise<StateResult> {
  const { name, start } = wanted;
  if (BAD_NAME.test(name))
    throw new SaltInvocationError(
      `A volume cannot be named ${name}: its name is of letters, digits, '.', '_' and '-'.`,
    );
  const old = asList(await ask(ctx, 'list_volumes'));
  let [comment, changes] = [`Volume ${name} already exists`, dict()];
  if (!old.includes(name)) {
    if (ctx.state.test)
      return outcome(name, null, `Volume ${name} will be created${start ? ' and started' : ''}`);
    const { bricks, stripe, replica, device_vg, transport, force, arbiter } = wanted;
    const words = [name, bricks, stripe, replica, device_vg, transport, start, force, arbiter];
    if (!truthy(await ask(ctx, 'create_volume', ...words)))
      return failure(name, `Creation of volume ${name} failed`);
    const now = asList(await ask(ctx, 'list_volumes'));
    comment = now.includes(name) ? `Volume ${name} is created` : '';
    if (now.includes(name)) changes = dict({ new: now, old });
  } else if (ctx.state.test) {
    // Salt compat: Salt says of a volume that is there and as it should be that something would be done
    if (!start || isStarted(await volume(ctx, name))) return outcome(name, true, comment);
    return outcome(name, null, `${comment} and will be started`);
  }
  if (!start) return outcome(name, true, comment, changes);
  if (isStarted(await volume(ctx, name))) return outcome(name, true, `${comment} and is started`, changes);
  if (!truthy(await ask(ctx, 'start_volume', name)))
    return outcome(
      name,
      false,
      `${comment} but failed to start. Check logs for further information`,
      changes,
    );
  return outcome(
    name,
    true,
    `${comment} and is now started`,
    changes.size > 0 ? changes : dict({ new: 'started', old: 'stopped' }),
  );
}

async function started(ctx: StateContext, name: string): Promise<StateResult> {
  const found = await volume(ctx, name);
  if (found === undefined) return failure(name, `Volume ${name} does not exist`);
  if (isStarted(found)) return outcome(name, true, `Volume ${name} is already started`);
  if (ctx.state.test) return outcome(name, null, `Volume ${name} will be started`);
  // Salt compat: Salt has what has changed under `change`, where nobody looks
  return truthy(await ask(ctx, 'start_volume', name))
    ? outcome(name, true, `Volume ${name} is started`, dict({ new: 'started', old: 'stopped' }))
    : failure(name, `Failed to start volume ${name}`);
}

const pathsOf = (found: Dict | undefined): Value[] => {
  const bricks = found?.get('bricks');
  return isDict(bricks)
    ? [...bricks.values()].map((brick) => (isDict(brick) ? (brick.get('path') ?? null) : null))
    : [];
};

async function bricksAdded(
  ctx: StateContext,
  { name, bricks }: { readonly name: string; readonly bricks: readonly string[] },
): Promise<StateResult> {
  const found = await volume(ctx, name);
  if (found === undefined) return failure(name, `Volume ${name} does not exist`);
  if (!isStarted(found)) return failure(name, `Volume ${name} is not started`);
  const old = pathsOf(found);
  if (bricks.every((brick) => old.includes(brick)))
    return outcome(name, true, `Bricks already added in volume ${name}`);
  // Salt compat: Salt adds them in test mode, too
  if (ctx.state.test) return outcome(name, null, `Bricks will be added to volume ${name}`);
  return truthy(await ask(ctx, 'add_volume_bricks', name, [...bricks]))
    ? outcome(
        name,
        true,
        `Bricks successfully added to volume ${name}`,
        dict({ new: pathsOf(await volume(ctx, name)), old }),
      )
    : failure(name, `Adding bricks to volume ${name} failed`);
}

/** A version as a number, or why there is none. */
function versionIn(said: Value): { readonly number?: Value; readonly why?: Value } {
  if (Array.isArray(said)) return { why: said[1] ?? '' };
  const number = toPyInt(said);
  return number === undefined ? { why: `gluster says no version: ${pyStr(said)}` } : { number };
}

async function setVersion(
  ctx: StateContext,
  name: string,
  wanted: {
    readonly version: Value;
    readonly there: (current: string) => string;
    readonly announced: string;
  },
): Promise<StateResult> {
  const { number: current, why } = versionIn(await ask(ctx, 'get_op_version', name));
  if (current === undefined) return failure(name, why ?? '');
  const { version } = wanted;
  if (valuesEqual(current, version)) return outcome(name, true, wanted.there(pyStr(current)));
  if (ctx.state.test) return outcome(name, null, wanted.announced);
  const said = await ask(ctx, 'set_op_version', version);
  if (Array.isArray(said)) return failure(name, said[1] ?? '');
  return outcome(name, true, said, dict({ old: current, new: version }));
}

/** A version that is written as a text is a number, too. */
const asNumber = (value: Value): number | bigint | string => toPyInt(value) ?? pyStr(value);

const NAME = { name: param.text({ doc: 'The volume.' }) } as const;

/** The states of `glusterfs`. */
export const glusterfsStates = defineModule({
  name: 'glusterfs',
  file: 'glusterfs',
  doc: 'Peers and volumes of GlusterFS.',
  needs: { fun: 'glusterfs.list_volumes', otherwise: 'glusterfs module could not be loaded' },
  words: {},
  functions: {
    peered: defineState({
      doc: 'Makes sure that a host is a peer.',
      params: { name: param.text({ doc: 'The host.' }) },
      run: (ctx, { name }) => peered(ctx, name),
    }),
    volume_present: defineState({
      doc: 'Makes sure of a volume.',
      params: VOLUME,
      run: volumePresent,
    }),
    started: defineState({
      doc: 'Makes sure that a volume is started.',
      params: NAME,
      run: (ctx, { name }) => started(ctx, name),
    }),
    add_volume_bricks: defineState({
      doc: 'Makes sure that bricks are in a volume.',
      params: { ...NAME, bricks: param.texts({ doc: 'The bricks, each as peer:/path.' }) },
      run: bricksAdded,
    }),
    op_version: defineState({
      doc: 'Makes sure of the version by which the cluster works.',
      params: { ...NAME, version: param.by(asNumber, { type: 'int', doc: 'The version: 30707.' }) },
      run: (ctx, { name, version }) =>
        setVersion(ctx, name, {
          version,
          there: () => `Glusterfs cluster.op-version for ${name} already set to ${version}`,
          announced: `An attempt would be made to set the cluster.op-version for ${name} to ${version}.`,
        }),
    }),
    max_op_version: defineState({
      doc: 'Makes sure that the cluster works by the newest version that it can.',
      params: NAME,
      run: async (ctx, { name }) => {
        const { number: version, why } = versionIn(await ask(ctx, 'get_max_op_version'));
        if (version === undefined) return failure(name, why ?? '');
        return setVersion(ctx, name, {
          version,
          there: (current) =>
            `The cluster.op-version is already set to the cluster.max-op-version of ${current}`,
          announced: `An attempt would be made to set the cluster.op-version to ${pyStr(version)}.`,
        });
      },
    }),
  },
});
