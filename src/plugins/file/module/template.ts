/** Templates as sources of files. The one place of `file` that knows how templates are rendered. */
import { readBytes } from '../../../host/file-operations.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { renderTemplateText } from '../../shared/render-file.ts';
import { decodeText, isBinaryFile } from '../../shared/file-text.ts';

/** The template engines that Salt has (3006.16 salt/utils/templates.py). */
export const TEMPLATE_ENGINES: ReadonlySet<string> = new Set([
  'jinja',
  'mako',
  'wempy',
  'genshi',
  'cheetah',
  'py',
]);

/** Variables of a template: the defaults, and the context over them. */
export function templateVariables(context: Value, defaults: Value): Dict {
  return new Map([...(isDict(defaults) ? defaults : []), ...(isDict(context) ? context : [])]);
}

/** What a template may know about what it is rendered for. */
export interface TemplateUse {
  readonly saltenv: string;
  /** Variables by name. */
  readonly variables: Dict;
  /** What states hand on: name, source, user, group, mode… */
  readonly extra?: Dict;
  /** The file, as errors name it. */
  readonly path?: string;
}

/**
 * Renders text.
 * @throws the engine's error, whose message is for the user
 */
export function renderTemplate(
  ctx: ModuleContext,
  text: string,
  engine: string,
  { saltenv, variables, extra = new Map(), path = '<file>' }: TemplateUse,
): Promise<string> {
  // a template in Python has the mapping as a whole, and it is the others that have its items
  const own: Dict = engine === 'py' ? new Map([['context', variables]]) : variables;
  return renderTemplateText(ctx, text, { engine, saltenv, path, variables: new Map([...extra, ...own]) });
}

/**
 * Renders a file.
 * @returns undefined for a file that is no text, which is its own result
 * @throws the engine's error, whose message is for the user
 */
export async function renderFile(
  ctx: ModuleContext,
  path: string,
  engine: string,
  use: TemplateUse,
): Promise<string | undefined> {
  const bytes = readBytes(path);
  if (decodeUtf8(bytes) === undefined && isBinaryFile(path)) return undefined;
  return renderTemplate(ctx, decodeText(bytes), engine, { path, ...use });
}
