/** Commands and scripts that are templates. */
import { CommandExecutionError } from '../../errors/errors.ts';

/** Salt's template engines (3006.16 salt/utils/templates.py); all but the first are not going to come. */
const KNOWN_ENGINES = new Set(['jinja', 'mako', 'wempy', 'genshi', 'cheetah', 'py']);

const JINJA_MARKUP = /\{[{%#]/;

/**
 * Renders a command or a script. Text without any markup is its own rendering.
 * @throws CommandExecutionError for an unknown engine, and for markup as long as there is no engine for it
 */
export function renderText(text: string, engine: string): string {
  if (!KNOWN_ENGINES.has(engine)) {
    throw new CommandExecutionError(`Attempted to render file paths with unavailable engine ${engine}`);
  }
  if (engine === 'jinja' && !JINJA_MARKUP.test(text)) return text;
  throw new CommandExecutionError(
    `Templates are not available for commands yet (template: ${engine}). Use a state, or render the text beforehand.`,
  );
}
