/** `vault`: values of HashiCorp Vault's key-value engines, versions 1 and 2 (salt/sdb/vault.py, 3006.16). */
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { SdbError, type SdbDriver, type SdbUse } from '../shared/sdb/sdb-driver.ts';
import { VaultClient } from '../../network/http/vault-client.ts';

/** The driver. */
export const vaultDriver: SdbDriver = {
  name: 'vault',
  get: async ({ ctx, key }) => {
    const { path, field } = placeOf(key);
    const vault = clientOf(ctx);
    const { dataPath, isSecondVersion } = await vault.engineOf(path);
    let answer = await vault.ask('GET', dataPath);
    // a secret itself, all of it
    if (answer.status === 404 && isSecondVersion) answer = await vault.ask('GET', `${dataPath}/${field}`);
    if (answer.status === 404) return null;
    const data = dataOf(vault.required(answer, 'read', path));
    if (!isSecondVersion) return data.get(field) ?? null;
    const inner = data.get('data');
    const secret: Dict = isDict(inner) ? inner : new Map();
    return secret.has(field) ? (secret.get(field) ?? null) : secret;
  },
  set: async ({ ctx, key }, value) => {
    const { path, field } = placeOf(key);
    const vault = clientOf(ctx);
    const { dataPath, isSecondVersion } = await vault.engineOf(path);
    const secret: Dict = new Map<Value, Value>([[field, value]]);
    const body = isSecondVersion ? new Map<Value, Value>([['data', secret]]) : secret;
    vault.required(await vault.ask('POST', dataPath, body), 'written', path);
    return true;
  },
};

/** The path of a secret and a field of it: `path?field`, else what stands behind the last slash. */
function placeOf(key: SdbUse['key']): { readonly path: string; readonly field: string } {
  const mark = key.includes('?') ? key.indexOf('?') : key.lastIndexOf('/');
  if (mark <= 0)
    throw new SdbError(`the key ${key} has no path of a secret: write PATH/FIELD or PATH?FIELD.`);
  return { path: key.slice(0, mark), field: key.slice(mark + 1) };
}

function clientOf({ opts, clock, log }: SdbUse['ctx']): VaultClient {
  return new VaultClient({
    options: opts.get('vault'),
    clock,
    log,
    cachedir: pyStr(opts.get('cachedir') ?? ''),
  });
}

function dataOf(answer: Value): Dict {
  const data = isDict(answer) ? answer.get('data') : undefined;
  return isDict(data) ? data : new Map();
}
