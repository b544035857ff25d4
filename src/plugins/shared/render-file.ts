/**
 * Templates as `cp` knows them: files that are rendered when they are fetched, and paths (salt/modules/cp.py, 3006.16).
 */
import { readFileSync } from 'node:fs';
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { functionsForTemplates } from '../../runtime/loader/for-templates.ts';
import { isAbsoluteTemplate, readAbsoluteTemplate } from '../../runtime/state/absolute-template.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { PYTHON_RENDERERS } from '../../config/renderer-names.ts';
import type { RenderContext } from '../../runtime/renderers/renderer.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { cacheUrl } from './cp-client.ts';

/** What a template is rendered with. */
export interface TemplateUse {
  readonly engine: string;
  readonly saltenv: string;
  /** The file, as errors name it. */
  readonly path: string;
  /** The keywords of the call: variables of the template. */
  readonly variables: Dict;
}

/**
 * Renders a text. It sees `salt`, `grains`, `pillar`, `opts`, `saltenv`, and can import and include files of the
 * master.
 * @throws the engine's error; CommandExecutionError for an engine that there is not
 */
export async function renderTemplateText(
  ctx: ModuleContext,
  text: string,
  { engine, saltenv, path, variables }: TemplateUse,
): Promise<string> {
  const { clock, random, log } = ctx;
  const context = templateContext(ctx, { saltenv, path, variables });
  if (engine === 'py') return renderPython(ctx, text, context);
  if (PYTHON_RENDERERS.includes(engine)) return renderByPackage(ctx, text, engine, context);
  if (engine !== 'jinja') throw new CommandExecutionError(`there is no engine ${engine}`);
  const { renderTemplate } = await import('../../runtime/renderers/jinja.ts');
  return renderTemplate(text, context, { clock, random, log });
}

async function renderPython(ctx: ModuleContext, text: string, context: RenderContext): Promise<string> {
  const { pythonTemplatesOf } = await import('../../runtime/pillar/python-templates.ts');
  const python = pythonTemplatesOf(ctx.job, ctx);
  const { saltenv } = context;
  const made = await python.run(text, context, [
    ['saltenv', saltenv],
    ['__env__', saltenv],
  ]);
  if (typeof made === 'string') return made;
  const decoded = made instanceof Uint8Array ? decodeUtf8(made) : undefined;
  if (decoded !== undefined) return decoded;
  throw new CommandExecutionError(`run() of ${context.path} gives no text: ${pyRepr(made)}`);
}

/** Renders with a template engine that is a package of Python. */
async function renderByPackage(
  ctx: ModuleContext,
  text: string,
  engine: string,
  context: RenderContext,
): Promise<string> {
  const { guestRenderer } = await import('../../runtime/pillar/python-renderers.ts');
  const { clock, log, job } = ctx;
  const made = await guestRenderer(engine, { clock, log, owner: job }).render(text, context, '');
  return typeof made === 'string' ? made : '';
}

/**
 * What a template of this minion sees: `salt`, `grains`, `pillar`, `opts`, `saltenv`, its variables, and files of the
 * master.
 */
export function templateContext(
  ctx: ModuleContext,
  { saltenv, path, variables }: Omit<TemplateUse, 'engine'>,
): RenderContext {
  const { functions } = ctx;
  const given = new Map([...variables].map(([name, value]): [string, Value] => [pyStr(name), value]));
  for (const name of [...given.keys()]) if (name.startsWith('__pub_')) given.delete(name);
  return {
    opt: (name) => ctx.opts.get(name),
    saltenv,
    sls: undefined,
    path,
    variables: new Map<string, Value>([
      ['grains', ctx.grains],
      ['pillar', ctx.pillar],
      ['opts', ctx.opts],
      ...given,
    ]),
    functions: functionsForTemplates(functions),
    readTemplate: (name) =>
      isAbsoluteTemplate(name) ? readAbsoluteTemplate(name) : readIncluded(ctx, name, saltenv),
  };
}

async function readIncluded(
  ctx: ModuleContext,
  name: string,
  saltenv: string,
): Promise<{ readonly text: string; readonly path: string } | undefined> {
  const path = await cacheUrl(ctx, `salt://${name}`, saltenv);
  const text = path === false ? undefined : decodeUtf8(readFileSync(path));
  return text === undefined || path === false ? undefined : { text, path };
}

/**
 * Two paths, rendered when `template` says so.
 * @throws CommandExecutionError `Failed to render file path with error: …`
 */
export async function renderPaths(
  ctx: ModuleContext,
  paths: readonly Value[],
  template: Value,
  { saltenv, kwargs }: { readonly saltenv: string; readonly kwargs: Dict },
): Promise<string[]> {
  const texts = paths.map(pyStr);
  if (!truthy(template)) return texts;
  const engine = pyStr(template);
  if (engine !== 'jinja')
    throw new CommandExecutionError(`Attempted to render file paths with unavailable engine ${engine}`);
  const pillar = kwargs.get('pillar');
  const variables: Dict = isDict(pillar)
    ? new Map([['pillar', new Map([...ctx.pillar, ...pillar])]])
    : new Map();
  try {
    return await Promise.all(
      texts.map((text) => renderTemplateText(ctx, text, { engine, saltenv, path: text, variables })),
    );
  } catch (error) {
    throw new CommandExecutionError(`Failed to render file path with error: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
