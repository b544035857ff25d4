/** Files of the reactor: each id is one call. */
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { lookUp, rulesFor, type SlsCatalog } from './catalog.ts';
import { argument, declaredStates, type Declared } from './declared.ts';
import type { RenderedSource } from './render-source.ts';
import { isUncertain } from './unknown.ts';

const CLIENTS: ReadonlyMap<string, 'modules' | 'runners' | 'wheel'> = new Map([
  ['local', 'modules'],
  ['cmd', 'modules'],
  ['caller', 'modules'],
  ['runner', 'runners'],
  ['wheel', 'wheel'],
]);

/** Whether the data are reactions, whatever the file is called. */
export function isReactor(value: Dict): boolean {
  const states = declaredStates(value);
  return (
    states.length > 0 &&
    states.every(({ module, fun }) => module !== 'cmd' && CLIENTS.has(module) && fun?.includes('.') === true)
  );
}

/** Checks the reactions of a file. */
export async function checkReactor(
  rendered: RenderedSource,
  value: Dict,
  catalog: SlsCatalog,
): Promise<void> {
  for (const [id, body] of value)
    if (!isDict(body))
      rendered.tell('wrong-shape', { path: [pyStr(id)] }, `The reaction '${pyStr(id)}' is not a mapping.`);
  for (const reaction of declaredStates(value)) await checkReaction(rendered, reaction, catalog);
}

async function checkReaction(
  rendered: RenderedSource,
  reaction: Declared,
  catalog: SlsCatalog,
): Promise<void> {
  const { id, module, fun, path } = reaction;
  if (isUncertain(`${module}${fun ?? ''}`)) return;
  const kind = CLIENTS.get(module);
  if (kind === undefined) {
    rendered.tell(
      'wrong-shape',
      { path },
      `'${module}' is no kind of reaction: it is one of local, runner, wheel and caller.`,
    );
    return;
  }
  if (module === 'cmd')
    rendered.tell(
      'deprecated',
      { path },
      `Reactions of the kind 'cmd' are an old form: write local.${fun ?? ''}.`,
    );
  if (fun === undefined) {
    rendered.tell('wrong-shape', { path }, `The reaction '${id}' names no function.`);
    return;
  }
  if (kind === 'modules' && module !== 'caller' && argument(reaction, 'tgt') === undefined)
    rendered.tell('missing-argument', { path }, `The reaction '${id}' has no target: add tgt.`);
  for (const { name, path: at } of reaction.args)
    if (name === 'expr_form')
      rendered.tell('deprecated', { path: at }, 'expr_form has been replaced by tgt_type.');
  const found = await lookUp(catalog, kind, fun);
  rendered.tellAll(rulesFor(catalog, found, 'unknown-function', 'function-not-here'), { path });
}
