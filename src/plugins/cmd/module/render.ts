/** Commands and scripts that are templates (3006.16 salt/modules/cmdmod.py `_render_cmd`). */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import type { Dict } from '../../../python/values/value.ts';
import { renderTemplateText } from '../../shared/render-file.ts';
import { textIfSet } from './options.ts';
import type { CommandOptions } from './params.ts';

/** Salt's template engines (3006.16 salt/utils/templates.py). */
const KNOWN_ENGINES = new Set(['jinja', 'mako', 'wempy', 'genshi', 'cheetah', 'py']);

const JINJA_MARKUP = /\{[{%#]/;

/**
 * Renders a command, its folder or a script, when the options name an engine. Text without any markup is its own
 * rendering.
 * @param options of the call
 * @param context further variables, which win
 * @throws CommandExecutionError for an unknown engine, and when the template fails
 */
export async function renderText(
  ctx: ModuleContext,
  text: string,
  { template: engine, saltenv: named, pillar }: CommandOptions,
  context: Dict = new Map(),
): Promise<string> {
  if (engine === undefined) return text;
  if (!KNOWN_ENGINES.has(engine)) {
    throw new CommandExecutionError(`Attempted to render file paths with unavailable engine ${engine}`);
  }
  if (engine === 'jinja' && !JINJA_MARKUP.test(text)) return text;
  const saltenv = named ?? textIfSet(ctx.opts.get('saltenv') ?? null) ?? 'base';
  const variables: Dict = new Map(context);
  if (pillar !== undefined && !context.has('pillar'))
    variables.set('pillar', new Map([...ctx.pillar, ...pillar]));
  try {
    return await renderTemplateText(ctx, text, { engine, saltenv, path: '<command>', variables });
  } catch (error) {
    throw new CommandExecutionError(`Failed to execute cmd with error: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
