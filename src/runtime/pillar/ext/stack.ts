/**
 * The external pillar stack: YAML files that a list of them names, joined one over the other (3006.16
 * salt/pillar/stack.py).
 */
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { TFunction, toValue, type TValue } from '../../../formats/jinja/index.ts';
import { traverse } from '../../../formats/data/traverse.ts';
import { loadYaml, YamlError } from '../../../formats/yaml/load.ts';
import { safeJoin } from '../../../host/files.ts';
import { globPaths } from '../../../host/glob.ts';
import { fnmatch } from '../../../python/text/fnmatch.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { renderBudget, renderTemplate, type JinjaRendererDeps } from '../../renderers/jinja.ts';
import type { TemplateFunctions } from '../../renderers/renderer.ts';
import { SaltFunctions } from '../../renderers/salt-functions.ts';
import type { PillarCompilerDeps } from '../request.ts';
import { checkSourceSize, type ExtPillar, type ExtPillarContext } from './ext-pillar.ts';
import { mergeStack } from './stack-merge.ts';

const ENVIRONMENT = '__env__';
/** `traverse_dict_and_list` for templates: path, default and delimiter. */
const TRAVERSE = new TFunction('traverse_dict_and_list', (args, kwargs) => {
  const given = (at: number, name: string): TValue | undefined => args[at] ?? kwargs?.get(name);
  const delimiter = given(3, 'delimiter');
  return traverse(toValue(args[0] ?? null), pyStr(toValue(given(1, 'key') ?? null)), {
    fallback: toValue(given(2, 'default') ?? null),
    ...(typeof delimiter === 'string' ? { delimiter } : {}),
  });
});

/** Makes the external pillar. @param functions those behind `__salt__` in its files */
export function stackPillar(deps: JinjaRendererDeps, functions: PillarCompilerDeps['functions']): ExtPillar {
  return async (settings, context) => {
    const { opts, grains, pillar, log } = context;
    const reading = { context, deps, functions: functions({ opts, grains, pillar }) };
    let stack: Dict = new Map();
    for (const path of configFiles(settings, context)) {
      if (!isFile(path)) log.info(`Ignoring pillar stack cfg "${path}": file does not exist`);
      else stack = await new StackFile(path, reading).addTo(stack);
    }
    return stack;
  };
}

/**
 * The files that list files: those named as such, and those that hold for the minion's data, by `grains:os: {Debian:
 * path}`.
 */
function configFiles(settings: Value, { opts, grains, pillar }: ExtPillarContext): string[] {
  if (!isDict(settings)) return (Array.isArray(settings) ? settings : [settings]).map(pyStr);
  const environment = pyStr([opts.get('pillarenv'), opts.get('saltenv'), 'base'].find(truthy) ?? 'base');
  const sources = new Map<string, Dict>([
    ['pillar', pillar],
    ['grains', grains],
    ['opts', opts],
  ]);
  const files: string[] = [];
  for (const [key, choices] of settings) {
    const matcher = pyStr(key);
    const colon = matcher.indexOf(':');
    const source = sources.get(matcher.slice(0, Math.max(colon, 0)));
    if (source === undefined)
      throw new CommandExecutionError(
        `Unknown traverse option "${matcher.split(':')[0]}", should be one of ${[...sources.keys()].join(', ')}`,
      );
    const value = traverse(source, matcher.slice(colon + 1), { fallback: null });
    const found = isDict(choices)
      ? [...choices].find(([name]) => (name === ENVIRONMENT ? environment : name) === value)?.[1]
      : undefined;
    const list = found === undefined ? [] : Array.isArray(found) ? found : [found];
    files.push(...list.map((path) => pyStr(path).replaceAll(ENVIRONMENT, environment)));
  }
  return files;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

interface Reading {
  readonly context: ExtPillarContext;
  readonly deps: JinjaRendererDeps;
  readonly functions: TemplateFunctions;
}

/** One list of files, and the files that it names. */
class StackFile {
  readonly #path: string;
  readonly #folder: string;
  readonly #reading: Reading;

  constructor(path: string, reading: Reading) {
    this.#path = path;
    this.#folder = dirname(path);
    this.#reading = reading;
  }

  async addTo(start: Dict): Promise<Dict> {
    let stack = start;
    const { log } = this.#reading.context;
    const budget = renderBudget((name) => this.#reading.context.opts.get(name), this.#reading.deps.clock);
    const listed = await this.#render(this.#path, new Map([['stack', stack]]), budget);
    for (const item of itemsIn(listed)) {
      const paths = globPaths(join(this.#folder, item), fnmatch).sort();
      if (paths.length === 0)
        log.info(`Ignoring pillar stack template "${item}": can't find from root dir "${this.#folder}"`);
      for (const path of paths) {
        const text = await this.#rendered(path, stack, budget);
        const data = this.#parsed(path, text);
        if (isDict(data)) stack = mergeStack(stack, data);
      }
    }
    return stack;
  }

  async #rendered(path: string, stack: Dict, budget: ReturnType<typeof renderBudget>): Promise<string> {
    try {
      const variables = new Map<string, TValue>([
        ['stack', stack],
        ['ymlpath', path],
      ]);
      return await this.#render(path, variables, budget);
    } catch (error) {
      throw new CommandExecutionError(
        `Stack pillar template render error in ${path}:\n"${messageOf(error)}"`,
        { cause: error },
      );
    }
  }

  /** Salt compat: Salt shows the whole text behind the error, and with it what it holds of secrets. */
  #parsed(path: string, text: string): Value {
    try {
      return loadYaml(text);
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      throw new CommandExecutionError(`Stack pillar yaml parsing error in ${path}:\n${error.message}`, {
        cause: error,
      });
    }
  }

  #render(
    path: string,
    more: ReadonlyMap<string, TValue>,
    budget: ReturnType<typeof renderBudget>,
  ): Promise<string> {
    const { context, deps, functions } = this.#reading;
    const { opts, grains, pillar, minionId } = context;
    checkSourceSize(path, statSync(path).size);
    return renderTemplate(
      readFileSync(path, 'utf8'),
      {
        opt: (name) => (name === 'allow_undefined' ? true : opts.get(name)),
        saltenv: 'base',
        sls: undefined,
        path,
        variables: new Map<string, TValue>([
          ['__opts__', opts],
          ['__salt__', new SaltFunctions(functions)],
          ['__grains__', grains],
          [
            '__stack__',
            new Map<TValue, TValue>([
              ['traverse', TRAVERSE],
              ['cfg_path', this.#path],
            ]),
          ],
          ['minion_id', minionId],
          ['pillar', pillar],
          ['pillarenv', opts.get('pillarenv') ?? null],
          ...more,
        ]),
        functions,
        budget,
        readTemplate: (name) => {
          const found = safeJoin(this.#folder, name);
          return isFile(found) ? { text: readFileSync(found, 'utf8'), path: basename(found) } : undefined;
        },
      },
      deps,
    );
  }
}

/** A list of files is a list in YAML, or a line for each. */
function itemsIn(text: string): string[] {
  let items: readonly Value[] = text.split(/\r?\n/);
  try {
    const data = loadYaml(text);
    if (Array.isArray(data)) items = data;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
  }
  return items.map(pyStr).filter((item) => item.trim() !== '');
}
