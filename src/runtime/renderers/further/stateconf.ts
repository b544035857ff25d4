/**
 * The stateconf renderer: a template engine and a data format, and what it adds to SLS files (3006.16
 * salt/renderers/stateconf.py).
 */
import type { TValue } from '../../../formats/jinja/index.ts';
import { compilePattern } from '../../../python/regex/pattern.ts';
import { copyValue, isDict, type Value } from '../../../python/values/value.ts';
import {
  SaltRenderError,
  textOf,
  type FindRenderer,
  type RenderContext,
  type Renderer,
  type RendererSpec,
} from '../renderer.ts';
import { addImplicitRequires, SharedRequisites } from './stateconf/implicit.ts';
import { addGoalState, addStartState } from './stateconf/marks.ts';
import { absoluteIncludes, longForms, renameIds } from './stateconf/names.ts';
import { Settings } from './stateconf/settings.ts';
import { namesOf, type StateconfNames } from './stateconf/high.ts';

const USAGE = `Invalid use of stateconf renderer!
Usage: #!stateconf [-GoSp] [<data_renderer> [options] . <template_renderer> [options]]

where an example <data_renderer> would be yaml and a <template_renderer> might
be jinja. Each renderer can be passed its renderer specific options.

Options(for this renderer):

  -G   Do not generate the goal state that requires all other states in the sls.

  -o   Indirectly order the states by adding requires such that they will be
       executed in the order they are defined in the sls. Implies using yaml -o.

  -s   Generate the start state that gets inserted as the first state in
       the sls. This only makes sense if your high state data dict is ordered.

  -p   Assume high state input. This option allows you to pipe high state data
       through this renderer. With this option, the use of stateconf.set state
       in the sls will have no effect, but other features of the renderer still
       apply.

  `;
const DEFAULT_STEPS = 'yaml . jinja';
const END_MARKER = '#\\s*-+\\s*end of state config\\s*-+';

interface Flags {
  readonly hasStart: boolean;
  readonly hasGoal: boolean;
  readonly isOrdered: boolean;
  readonly takesData: boolean;
}

/** What the SLS files of a run share: settings, and requisites that others add. */
class Shared {
  readonly settings = new Settings();
  readonly requisites = new SharedRequisites();
}

/** The renderer of files with a template engine and a data format behind its name. */
export const stateconfRenderer: RendererSpec = {
  name: 'stateconf',
  doc: 'Puts names of a file and its parameters before those of states.',
  make: ({ find }) => {
    const runs = new WeakMap<object, Shared>();
    return async (input, context, argument) => {
      const { flags, steps } = readArgument(argument);
      const key = context.run ?? context;
      const shared = runs.get(key) ?? new Shared();
      runs.set(key, shared);
      const use = { flags, context, shared, names: namesOf(context.opt) };
      if (flags.takesData) return processed(copyValue(input), use, false);
      return twoPasses(textOf(input, 'stateconf'), use, await chosen(steps, flags, find));
    };
  },
};

interface Use {
  readonly flags: Flags;
  readonly context: RenderContext;
  readonly shared: Shared;
  readonly names: StateconfNames;
}

interface Steps {
  readonly template: { readonly renderer: Renderer; readonly argument: string };
  readonly data: { readonly renderer: Renderer; readonly argument: string };
}

/** @throws SaltRenderError for options that there are not */
function readArgument(argument: string): { readonly flags: Flags; readonly steps: string } {
  const words = argument.split(/\s+/).filter((word) => word !== '');
  let letters = '';
  while (words[0] !== undefined && /^-./.test(words[0])) {
    const word = words.shift() as string;
    if (word === '--') break;
    letters += word.slice(1);
  }
  const unknown = [...letters].find((letter) => !'Gosp'.includes(letter));
  if (unknown !== undefined) throw new SaltRenderError(`option -${unknown} not recognized`);
  const flags = {
    hasStart: letters.includes('s'),
    hasGoal: !letters.includes('G'),
    isOrdered: letters.includes('o'),
    takesData: letters.includes('p'),
  };
  return { flags, steps: words.length > 0 ? words.join(' ') : DEFAULT_STEPS };
}

/** The two renderers that the words name, before and behind the first dot on its own. @throws SaltRenderError */
async function chosen(steps: string, { isOrdered }: Flags, find: FindRenderer): Promise<Steps> {
  const dot = /\s+\.\s+/.exec(steps);
  const parts = dot === null ? [steps] : [steps.slice(0, dot.index), steps.slice(dot.index + dot[0].length)];
  const named = async (words: string): Promise<Steps['data']> => {
    const [, name = '', argument = ''] = /^(\S*)\s*([^]*)$/.exec(words.trim().replaceAll('\\.', '.')) ?? [];
    const renderer = await find(name);
    if (renderer === undefined) throw new SaltRenderError(`Renderer: '${name}' is not available!`);
    return { renderer, argument: argument.trim() };
  };
  const data = await named(parts[0] ?? '');
  if (isOrdered && data.renderer.name !== 'yaml')
    throw new SaltRenderError('Implicit ordering is only supported if the yaml renderer is used!');
  if (parts[1] === undefined) throw new SaltRenderError(USAGE);
  return { data, template: await named(parts[1]) };
}

/** What stands above the end marker is read first: its settings are variables of the whole. */
async function twoPasses(text: string, use: Use, steps: Steps): Promise<Value> {
  const { context, shared } = use;
  const marker = context.opt('stateconf_end_marker');
  const end = compilePattern(typeof marker === 'string' ? marker : END_MARKER).search(text);
  if (end !== undefined) await onePass(text.slice(0, end.start), use, steps, [], true);
  return onePass(text, use, steps, shared.settings.variables(context.sls ?? ''), false);
}

async function onePass(
  text: string,
  use: Use,
  { data, template }: Steps,
  further: readonly (readonly [string, Value])[],
  isExtract: boolean,
): Promise<Value> {
  const { context } = use;
  const sls = context.sls ?? '';
  const folder = sls.includes('.') ? sls.slice(0, sls.lastIndexOf('.')).replaceAll('.', '/') : sls;
  const variables = new Map<string, TValue>([
    ...context.variables,
    ['sls_dir', folder === '' ? '.' : folder],
    ...further,
  ]);
  const rendered = await template.renderer.render(text, { ...context, variables }, template.argument);
  const high = await data.renderer.render(rendered, context, data.argument);
  return processed(copyValue(high), use, isExtract);
}

/**
 * Works on the data of one file, in place. What is not formed as states are stays as it is: the compiler of states has
 * the sentences about that.
 */
function processed(high: Value, { flags, context, shared, names }: Use, isExtract: boolean): Value {
  if (!isDict(high)) return high;
  const sls = context.sls ?? '';
  longForms(high);
  absoluteIncludes(high, sls, context.saltenv);
  if (!isExtract && flags.isOrdered) addImplicitRequires(high, shared.requisites);
  if (flags.hasStart) addStartState(high, sls, names);
  if (!isExtract && flags.hasGoal) addGoalState(high, names);
  renameIds(high, sls, names);
  shared.settings.take(high, names);
  return high;
}
