/**
 * A pillar that a caller gives encrypted (`pillar_enc`): salt/state.py `_gather_pillar`, salt/modules/pillar.py
 * `items`, 3006.16.
 */
import { messageOf } from '../../../errors/errors.ts';
import { loadYaml } from '../../../formats/yaml/load.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { decrypterName } from '../../../runtime/pillar/decrypt.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { templateContext } from '../../shared/render-file.ts';

/**
 * Decrypts the values of a pillar, or a whole pillar that is one encrypted text of YAML, with the keys of this minion.
 *
 * Salt compat: Salt's state runs log what fails here, and go on without the pillar.
 *
 * @param fault makes the error for a sentence
 * @throws what `fault` makes
 */
export async function decryptOverride(
  ctx: ModuleContext,
  given: Value,
  { renderer, fault }: { readonly renderer: Value; readonly fault: (message: string) => Error },
): Promise<Dict> {
  let out: Value;
  try {
    const { RenderPipe } = await import('../../../runtime/renderers/pipe.ts');
    const { clock, random, log } = ctx;
    const context = templateContext(ctx, { saltenv: 'base', path: 'pillar', variables: new Map() });
    const name = decrypterName(pyStr(renderer), context.opt);
    out = await new RenderPipe({ clock, random, log }).apply(name, withLineEnds(given), context);
    if (typeof out === 'string') out = loadYaml(out);
  } catch (error) {
    throw fault(`Failed to decrypt pillar override: ${messageOf(error)}`);
  }
  if (!isDict(out)) throw fault('Failed to decrypt pillar override: it is no mapping');
  return out;
}

/** On command lines `\n` stands for the end of a line. */
function withLineEnds(value: Value): Value {
  if (typeof value === 'string') return value.replaceAll('\\n', '\n');
  if (Array.isArray(value)) return value.map(withLineEnds);
  if (isDict(value)) return new Map([...value].map(([key, item]) => [key, withLineEnds(item)]));
  return value;
}
