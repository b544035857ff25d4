/**
 * The external pillar consul: a tree of keys of Consul (3006.16 salt/pillar/consul_pillar.py), over its HTTP interface.
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { updateDict } from '../../../formats/data/dict-merge.ts';
import { loadYaml } from '../../../formats/yaml/load.ts';
import type { Clock } from '../../../host/clock.ts';
import { ConsulClient } from '../../../network/http/consul-client.ts';
import { compilePattern } from '../../../python/regex/pattern.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { matchMinion } from '../../targeting/match-minion.ts';
import { nodegroupsOf } from '../../targeting/nodegroups.ts';
import { parseTarget } from '../../targeting/parse-target.ts';
import { SOURCE_BYTES_MAX, type ExtPillar, type ExtPillarContext } from './ext-pillar.ts';

/** What `consul: my_consul root=salt/%(minion_id)s …` says. */
interface Wish {
  readonly target: string | undefined;
  readonly root: string;
  readonly pillarRoot: string;
  readonly profile: string | undefined;
  readonly expandsKeys: boolean;
}

/** Makes the external pillar. Salt compat: a Consul that cannot be asked fails the pillar. */
export function consulPillar(clock: Clock): ExtPillar {
  return async (settings, context) => {
    const wish = readWish(pyStr(Array.isArray(settings) ? (settings[0] ?? '') : settings));
    const { opts, minionId, grains, pillar } = context;
    if (wish.target !== undefined) {
      const groups = nodegroupsOf(opts.get('nodegroups'));
      const target = parseTarget(wish.target, 'compound', ':', groups);
      if (!matchMinion(target, { id: minionId, grains, pillar })) return new Map();
    }
    const root = filled(wish.root, context);
    const tree = treeOf(await itemsBelow(root, profileOf(wish, context), context, clock), root, wish);
    if (wish.pillarRoot === '') return tree;
    return wish.pillarRoot
      .split('/')
      .reduceRight<Dict>((below, key) => new Map<Value, Value>([[key, below]]), tree);
  };
}

function readWish(text: string): Wish {
  let rest = text;
  const take = (pattern: RegExp): string | undefined => {
    const found = pattern.exec(rest);
    if (found === null) return undefined;
    rest = rest.replace(found[0], '');
    return found[1] ?? '';
  };
  const target = take(/target="(.*?)"/);
  const root = (take(/(?<!_)root=(\S*)/) ?? '').replace(/\/+$/, '');
  const pillarRoot = (take(/pillar_root=(\S*)/) ?? '').replace(/\/+$/, '');
  // before the profile, which is the first word that is left
  const expandsKeys = take(/expand_keys=False/i) === undefined;
  return { target, root, pillarRoot, profile: take(/(?:profile=)?(\S+)/), expandsKeys };
}

/** `%(minion_id)s`, `%(role)s` and `%(environment)s` in a path. */
function filled(path: string, { minionId, grains }: ExtPillarContext): string {
  const known = new Map<string, Value>([
    ['minion_id', minionId],
    ['role', grains.get('role') ?? null],
    ['environment', grains.get('environment') ?? null],
  ]);
  return path.replace(/%\((\w+)\)s|%%/g, (whole, name: string | undefined) => {
    if (name === undefined) return '%';
    const value = known.get(name);
    if (value === undefined)
      throw new CommandExecutionError(
        `the path ${path} has ${whole}; there are ${[...known.keys()].join(', ')}`,
      );
    return pyStr(value);
  });
}

/** The options `consul.*` of a profile, or of the whole configuration. */
function profileOf({ profile }: Wish, { opts }: ExtPillarContext): ReadonlyMap<string, Value> {
  const given = profile === undefined ? opts : opts.get(profile);
  if (!isDict(given))
    throw new CommandExecutionError(`the configuration has no profile ${profile ?? ''} with consul.host`);
  return new Map(
    [...given].flatMap(([name, value]) => {
      const text = pyStr(name);
      return text.startsWith('consul.') ? [[text.slice('consul.'.length), value]] : [];
    }),
  );
}

function itemsBelow(
  root: string,
  profile: ReadonlyMap<string, Value>,
  { opts }: ExtPillarContext,
  clock: Clock,
): Promise<readonly Value[]> {
  const centre = datacenter(profile.get('dc') ?? null, pyStr(opts.get('pillarenv') ?? 'base'));
  const client = new ConsulClient(new Map([...profile, ['dc', centre ?? null]]), clock, 2 * SOURCE_BYTES_MAX);
  return client.below(root === '' ? '' : `${root}/`);
}

/** A data centre by name, or by patterns of the pillar's environment, the longest first. */
function datacenter(given: Value, environment: string): string | undefined {
  if (given === null) return undefined;
  if (!isDict(given)) return pyStr(given);
  const patterns = [...given]
    .map(([pattern, target]) => [pyStr(pattern), pyStr(target)] as const)
    .sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1));
  for (const [pattern, target] of patterns) {
    const match = compilePattern(pattern).matchStart(environment);
    if (match) return target.replace(/\{(\w+)\}/g, (_, name: string) => match.group(name) ?? '');
  }
  return undefined;
}

function treeOf(items: readonly Value[], root: string, { expandsKeys }: Wish): Dict {
  const tree: Dict = new Map();
  for (const item of [...items].reverse()) {
    if (!isDict(item)) continue;
    const full = pyStr(item.get('Key') ?? '');
    const key = full.startsWith(root) ? full.slice(root.length).replace(/^\//, '') : full;
    const encoded = item.get('Value');
    // a folder of Consul has a key of its own, and no value
    if (key.endsWith('/') || typeof encoded !== 'string') continue;
    const text = Buffer.from(encoded, 'base64').toString('utf8');
    const value = expandsKeys ? loadYaml(text) : text;
    const nested = key
      .split('/')
      .reduceRight<Value>((below, name) => new Map<Value, Value>([[name, below]]), value);
    if (isDict(nested)) updateDict(tree, nested);
  }
  return tree;
}
