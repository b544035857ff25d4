/**
 * `yaml` and `json`: values in files, which are merged into one mapping and searched like a pillar (salt/sdb/yaml.py,
 * 3006.16; `json`, which Salt does not have, reads its files as JSON).
 */
import { readFileSync } from 'node:fs';
import { messageOf } from '../../errors/errors.ts';
import { mergeDicts, type MergeStrategy } from '../../formats/data/dict-merge.ts';
import { traverse } from '../../formats/data/traverse.ts';
import { parseJson } from '../../formats/json/text.ts';
import { loadYaml } from '../../formats/yaml/load.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { SdbError, type SdbContext, type SdbDriver } from '../shared/sdb/sdb-driver.ts';

const STRATEGIES: ReadonlySet<string> = new Set([
  'smart',
  'recurse',
  'aggregate',
  'overwrite',
  'list',
  'none',
]);

/** The driver `yaml`. */
export const yamlDriver = fileDriver('yaml', loadYaml);
/** The driver `json`. */
export const jsonDriver = fileDriver('json', parseJson);

function fileDriver(name: string, read: (text: string) => Value): SdbDriver {
  return {
    name,
    get: ({ ctx, key, profile }) => {
      if (truthy(profile.get('gpg') ?? null))
        throw new SdbError(
          'its files are said to be encrypted (gpg), and nothing is decrypted here; take the option out.',
        );
      return traverse(merged(ctx, profile, read), key) ?? null;
    },
  };
}

/** A file that is missing or no mapping is told and left out, as in Salt. */
function merged({ log }: SdbContext, profile: Dict, read: (text: string) => Value): Dict {
  const files = profile.get('files');
  const options = profile.get('merge');
  const merge: Dict = isDict(options) ? options : new Map();
  const named = pyStr(merge.get('strategy') ?? 'smart');
  const strategy = (STRATEGIES.has(named) ? named : 'recurse') as MergeStrategy;
  let out: Dict = new Map();
  for (const file of Array.isArray(files) ? files.map(pyStr) : []) {
    const content = contentOf(file, read);
    if (isDict(content)) out = mergeDicts(out, content, strategy, truthy(merge.get('merge_lists') ?? null));
    else log.error(content);
  }
  return out;
}

/** The mapping in a file, or what is wrong with it; a text of the file is never told. */
function contentOf(file: string, read: (text: string) => Value): Dict | string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return `The sdb file ${file} cannot be read: ${messageOf(error)}`;
  }
  try {
    const value = read(text);
    return isDict(value) ? value : `The sdb file ${file} is no mapping.`;
  } catch (error) {
    const line = /line \d+/.exec(messageOf(error))?.[0];
    throw new SdbError(`the file ${file} cannot be understood${line === undefined ? '' : `, see ${line}`}.`, {
      cause: error,
    });
  }
}
