/** What `sys.list_renderers` and `sys.renderer_doc` tell of the renderers of this program. */
import type { ModuleDescription } from '../../runtime/loader/module.ts';

const DOCS: readonly (readonly [string, string])[] = [
  ['jinja', 'Renders templates of Jinja2 to text.'],
  ['json', 'Reads JSON.'],
  ['text', 'Hands text on as it is.'],
  ['yaml', 'Reads YAML as Salt does.'],
];

/** The renderers by name. */
export function rendererDescriptions(): ReadonlyMap<string, ModuleDescription> {
  return new Map(DOCS.map(([name, doc]) => [name, { name, doc, functions: {} }]));
}
