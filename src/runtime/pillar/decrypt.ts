/**
 * The option `decrypt_pillar`: values of the finished pillar that are decrypted (3006.16 salt/pillar/__init__.py
 * `decrypt_pillar`).
 */
import { DEFAULT_DELIMITER, traverse } from '../../formats/data/traverse.ts';
import { repackList } from '../../formats/data/repack-list.ts';
import { messageOf, SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { RenderPipe } from '../renderers/pipe.ts';
import type { RenderContext } from '../renderers/renderer.ts';

/** What decrypting needs. */
export interface DecryptDeps {
  readonly pipe: Pick<RenderPipe, 'apply'>;
  readonly context: RenderContext;
  readonly fail: (message: string) => void;
}

/**
 * Decrypts in place what the option names. A value that cannot be decrypted is taken out of the pillar, and told of.
 *
 * Salt compat: Salt leaves the encrypted text in the pillar beside the error.
 */
export async function decryptPillar(pillar: Dict, { pipe, context, fail }: DecryptDeps): Promise<void> {
  const { opt } = context;
  const asked = opt('decrypt_pillar') ?? null;
  if (!truthy(asked)) return;
  const keys = isDict(asked) ? asked : Array.isArray(asked) ? repackList(asked) : undefined;
  if (keys === undefined || keys.size === 0) return fail('decrypt_pillar config option is malformed');
  const delimiter = pyStr(opt('decrypt_pillar_delimiter') ?? DEFAULT_DELIMITER);
  for (const [name, chosen] of keys) {
    const path = pyStr(name).split(delimiter);
    const parent = path.length === 1 ? pillar : traverse(pillar, path.slice(0, -1));
    const child = path.at(-1) ?? '';
    const key = isDict(parent) ? keyOf(parent, child) : undefined;
    if (!isDict(parent) || key === undefined) continue;
    try {
      const renderer = decrypterName(
        pyStr(truthy(chosen) ? chosen : (opt('decrypt_pillar_default') ?? 'gpg')),
        opt,
      );
      parent.set(key, await pipe.apply(renderer, parent.get(key) ?? null, context));
    } catch (error) {
      parent.delete(key);
      fail(`Failed to decrypt pillar key '${pyStr(name)}': ${messageOf(error)}`);
    }
  }
}

/** A level's word as the mapping has it: YAML may have read it as a number. */
function keyOf(parent: Dict, word: string): Value | undefined {
  if (parent.has(word)) return word;
  return [...parent.keys()].find((key) => typeof key !== 'string' && pyStr(key) === word);
}

/** @throws SaltInvocationError for a renderer that may not decrypt */
export function decrypterName(name: string, opt: RenderContext['opt']): string {
  const allowed = opt('decrypt_pillar_renderers');
  const names = Array.isArray(allowed) ? allowed.map(pyStr) : ['gpg'];
  if (!names.includes(name))
    throw new SaltInvocationError(
      `'${name}' is not a valid decryption renderer. Valid choices are: ${names.join(', ')}`,
    );
  return name;
}
