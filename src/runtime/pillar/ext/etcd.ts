/** The external pillar etcd: a tree of keys (3006.16 salt/pillar/etcd_pillar.py, salt/utils/etcd_util.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { decode } from '../../../formats/wire/msgpack.ts';
import type { Clock } from '../../../host/clock.ts';
import { EtcdClient, etcdOptions } from '../../../network/http/etcd-client.ts';
import { treeOfPairs } from '../../../network/http/etcd-tree.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { namedSettings, type ExtPillar } from './ext-pillar.ts';

/**
 * Makes the external pillar; `etcd: my_profile root=/salt/%(minion_id)s`.
 * Salt compat: an etcd that cannot be asked fails the pillar; Salt logs it and goes on without the data.
 */
export function etcdPillar(clock: Clock): ExtPillar {
  return async (settings, { minionId, opts }) => {
    const [profile, second] = pyStr(namedSettings(settings, ['conf']).get('conf') ?? '')
      .split(/\s+/)
      .filter((word) => word !== '');
    const given = profile === undefined ? opts : opts.get(profile);
    if (!isDict(given))
      throw new CommandExecutionError(`the configuration has no profile ${profile ?? ''} with etcd.host`);
    const root = second?.startsWith('root=') === true ? second.slice('root='.length) : '/';
    const options = etcdOptions(given);
    const client = new EtcdClient(options, clock);
    const path = filled(root, minionId);
    if (!client.isSecondVersion) return thirdTree(client, path, options);
    const node = await client.node(path);
    return node === undefined ? new Map() : secondTree(node);
  };
}

/** @throws CommandExecutionError for an id that would lead elsewhere */
function filled(root: string, minionId: string): string {
  return root.replace(/%\((\w+)\)s|%%/g, (whole, name: string | undefined) => {
    if (name === undefined) return '%';
    if (name !== 'minion_id')
      throw new CommandExecutionError(`the path ${root} has ${whole}; there is only %(minion_id)s`);
    if (/^\.*$/.test(minionId) || minionId.includes('/'))
      throw new CommandExecutionError(`the id ${minionId} is no name of a key`);
    return minionId;
  });
}

function secondTree(node: Dict): Dict {
  if (node.get('dir') !== true) return new Map<Value, Value>([[nameOf(node), node.get('value') ?? null]]);
  const below = node.get('nodes');
  return new Map<Value, Value>(
    (Array.isArray(below) ? below : [])
      .filter(isDict)
      .map((one) => [nameOf(one), one.get('dir') === true ? secondTree(one) : (one.get('value') ?? null)]),
  );
}

const nameOf = (node: Dict): string =>
  pyStr(node.get('key') ?? '')
    .split('/')
    .at(-1) ?? '';

async function thirdTree(
  client: EtcdClient,
  path: string,
  options: ReadonlyMap<string, Value>,
): Promise<Dict> {
  if (truthy(options.get('encode_keys') ?? false))
    throw new CommandExecutionError('etcd.encode_keys is not served; keys are read as texts');
  const isPacked = truthy(options.get('encode_values') ?? true);
  const pairs = await client.range(Buffer.from(path));
  const values = pairs.map(({ key, value }) => {
    const read = isPacked ? decode(value, 'local') : value.toString('utf8');
    return [key.toString('utf8'), read] as const;
  });
  return treeOfPairs(path, values);
}
