/** The jinja renderer (3006.16 salt/renderers/jinja.py, salt/utils/templates.py). */
import {
  jinjaOptions,
  RenderBudget,
  renderJinja,
  RenderError,
  saltLoader,
  compileTemplate,
  type TemplateCache,
  type TValue,
} from '../../formats/jinja/index.ts';
import { toNumber } from '../../python/values/value.ts';
import type { Logger } from '../../host/log.ts';
import type { Clock } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import { hostFilters } from './host-filters.ts';
import { queryFilters } from './query-filters.ts';
import { SaltRenderError, textOf, type RenderContext, type Renderer } from './renderer.ts';
import { ifelse, SaltFunctions } from './salt-functions.ts';
import { slsVariables } from './sls-variables.ts';

/** What the jinja renderer works with. */
export interface JinjaRendererDeps {
  /** Remembers compiled templates from one rendering to the next; left out where there is only one. */
  readonly cache?: Pick<TemplateCache, 'compile'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/**
 * What rendering may cost by the options. Without them it is what a minion allows.
 * @param opt looks an option up by its name
 */
export function renderBudget(opt: RenderContext['opt'], clock: Clock): RenderBudget {
  const seconds = toNumber(opt('jinja_seconds_max') ?? null) ?? 60;
  const characters = toNumber(opt('jinja_output_characters_max') ?? null) ?? 128 * 1024 * 1024;
  const timeMs = seconds > 0 ? seconds * 1000 : Infinity;
  return new RenderBudget({ timeMs, characters }, () => clock.monotonicMs());
}

/** Renders a text as a Jinja template. @throws SaltRenderError */
export async function renderTemplate(
  source: string,
  context: RenderContext,
  deps: JinjaRendererDeps,
): Promise<string> {
  const titles = new WeakMap<object, string>();
  const variables = templateVariables(context);
  const pillar = variables.get('pillar');
  // as Salt's errors call it; grains and options are plain mappings there (salt/loader/__init__.py `render`)
  if (pillar instanceof Map) titles.set(pillar, 'salt.utils.context.NamespacedDictWrapper');
  const { clock, random, log } = deps;
  try {
    return await renderJinja({
      source,
      context: variables,
      options: jinjaOptions(context.opt, (context.sls ?? '') !== '', (name) =>
        log.warning(`Jinja2 environment ${name} is not recognized`),
      ),
      load: saltLoader(context.readTemplate),
      compile: deps.cache?.compile ?? compileTemplate,
      filters: new Map([...hostFilters(clock, random), ...queryFilters(context.functions)]),
      titles,
      log: (level, message) => log[level === 'profile' ? 'debug' : level](message),
      nowMs: () => clock.nowMs(),
      random: () => random.fraction(),
      budget: context.budget ?? renderBudget(context.opt, clock),
    });
  } catch (error) {
    if (error instanceof RenderError) throw new SaltRenderError(error.message, { cause: error });
    throw error;
  }
}

/** What the names of a template stand for. */
function templateVariables({ functions, saltenv, sls, path, variables }: RenderContext): Map<string, TValue> {
  const aboutSls = new Map<string, TValue>(
    sls === undefined
      ? []
      : [
          ['sls', sls],
          ['proxy', null],
        ],
  );
  const whereabouts = sls === undefined ? slsOfFile(variables) : slsVariables(path, sls);
  return new Map<string, TValue>([
    ['salt', new SaltFunctions(functions)],
    ['saltenv', saltenv],
    ...aboutSls,
    ['ifelse', ifelse(functions)],
    ...variables,
    ...whereabouts,
  ]);
}

/** A file's template knows of an SLS what its caller says of one. */
function slsOfFile(variables: RenderContext['variables']): [string, TValue][] {
  const sls = variables.get('sls');
  return typeof sls === 'string' ? slsVariables('', sls) : [];
}

/** Makes the jinja renderer. */
export function jinjaRenderer(deps: JinjaRendererDeps): Renderer {
  return {
    name: 'jinja',
    render: (input, context, argument) => {
      if (argument !== '' && argument !== '-s')
        throw new SaltRenderError(`Unknown renderer option: ${argument}`);
      return renderTemplate(textOf(input, 'jinja'), context, deps);
    },
  };
}
