/** The external pillar vault: secrets of HashiCorp Vault (3006.16 salt/pillar/vault.py). */
import { mergeDicts, type MergeStrategy } from '../../../formats/data/dict-merge.ts';
import type { Clock } from '../../../host/clock.ts';
import { VaultClient, VaultError } from '../../../network/http/vault-client.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { namedSettings, type ExtPillar } from './ext-pillar.ts';
import { pathsOf } from './vault-pattern.ts';

const NAMES = ['conf', 'nesting_key', 'merge_strategy', 'merge_lists'];

/**
 * Makes the external pillar. Salt compat: a secret that Vault refuses or cannot give now fails the pillar; Salt goes on
 * without it, and states run with their defaults.
 */
export function vaultPillar(clock: Clock): ExtPillar {
  return async (settings, { minionId, pillar, opts, log }) => {
    const given = namedSettings(settings, NAMES);
    const pattern = pyStr(given.get('conf') ?? '')
      .split(/\s+/)
      .find((word) => word.startsWith('path='));
    if (pattern === undefined)
      throw new VaultError('the entry names no path: write `- vault: path=secret/salt`');
    const paths = pathsOf(
      pattern.slice('path='.length),
      new Map<string, Value>([
        ['minion', minionId],
        ['pillar', pillar],
      ]),
    );
    if (paths === undefined)
      log.warning(`Could not resolve pillar path pattern ${pattern.slice('path='.length)}`);
    const strategy = pyStr(
      given.get('merge_strategy') ?? opts.get('pillar_source_merging_strategy') ?? 'smart',
    );
    const joinsLists = truthy(given.get('merge_lists') ?? opts.get('pillar_merge_lists') ?? null);
    const vault = new VaultClient({
      options: opts.get('vault'),
      clock,
      log,
      cachedir: pyStr(opts.get('cachedir') ?? ''),
    });
    let out: Dict = new Map();
    for (const path of paths ?? [])
      out = mergeDicts(out, await secretAt(vault, path), strategy as MergeStrategy, joinsLists);
    const nesting = given.get('nesting_key');
    return truthy(nesting ?? null) ? new Map<Value, Value>([[nesting as Value, out]]) : out;
  };
}

async function secretAt(vault: VaultClient, path: string): Promise<Dict> {
  const { dataPath, isSecondVersion } = await vault.engineOf(path);
  const answer = await vault.ask('GET', dataPath);
  if (answer.status === 404) return new Map();
  const outer = dictIn(vault.required(answer, 'read', path), 'data');
  return isSecondVersion ? dictIn(outer, 'data') : outer;
}

function dictIn(value: Value, name: string): Dict {
  const found = isDict(value) ? value.get(name) : undefined;
  return isDict(found) ? found : new Map();
}
