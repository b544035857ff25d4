/**
 * SLS that come as they are, without a file server: the forms in which they may be written (salt/state.py
 * `State.render_template`, 3006.16).
 */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { Compiled } from './compiled.ts';

/** What has no meaning without other SLS. */
const OF_SLS = ['include', 'exclude', 'extends'];

/** The high data of a rendered template. @param name as errors name it */
export function readTemplate(rendered: Value, name: string): Compiled<Dict> {
  if (!truthy(rendered)) return { data: new Map(), errors: [] };
  if (!isDict(rendered))
    return { data: new Map(), errors: [`Template ${name} does not render to a dictionary`] };
  const misplaced = OF_SLS.find((word) => rendered.has(word));
  if (misplaced !== undefined) {
    const error = `The '${misplaced}' declaration found on '${name}' is invalid when rendering single templates`;
    return { data: rendered, errors: [error] };
  }
  return { data: rendered, errors: [...rendered].flatMap(([id, body]) => padId(rendered, id, body, name)) };
}

function padId(high: Dict, id: Value, body: Value, name: string): string[] {
  if (isDict(body)) return padBody(body, pyStr(id), name);
  const [module = '', fun] = typeof body === 'string' ? body.split('.') : [];
  if (fun === undefined) return [`ID ${pyStr(id)} in template ${name} is not a dictionary`];
  high.set(id, dict({ [module]: [fun] }));
  return [];
}

function padBody(body: Dict, id: string, name: string): string[] {
  const errors: string[] = [];
  const seen = new Set<string>();
  for (const key of [...body.keys()].map(pyStr).sort()) {
    const list = body.get(key);
    if (key.startsWith('_')) continue;
    if (list === null)
      errors.push(
        `ID '${id}' in template ${name} contains a short declaration (${key}) with a trailing colon. When not passing ` +
          'any arguments to a state, the colon must be omitted.',
      );
    if (!Array.isArray(list)) continue;
    const [module = '', fun] = key.split('.');
    if (fun !== undefined && seen.has(module)) {
      errors.push(`ID '${id}' in template '${name}' contains multiple state declarations of the same type`);
      continue;
    }
    seen.add(module);
    if (fun === undefined) continue;
    body.delete(key);
    body.set(module, [...list, fun]);
  }
  return errors;
}
