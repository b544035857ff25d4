/** External pillars (`_pillar`) and renderers (`_renderers`) in Python. */
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { PythonError } from '../../python/exceptions.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { pythonFiles } from '../extensions/folder.ts';
import { templateCaller, type PythonCaller, type PythonTemplateFunctions } from '../python-host/callers.ts';
import type { PythonCall } from '../python-host/python-modules.ts';
import { SaltRenderError, type Renderer } from '../renderers/renderer.ts';
import type { ExtPillar } from './ext/ext-pillar.ts';
import { pythonTemplatesOf, type PythonTemplates } from './python-templates.ts';

const NO_PILLAR: Dict = new Map();
/** What files see in any case. */
const SURROUNDING: ReadonlySet<string> = new Set(['opts', 'grains', 'pillar']);

/** What runs them. */
export interface PythonSingleDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Whose process it is. */
  readonly owner: object;
}

interface Surroundings {
  readonly opts: Dict;
  readonly grains: Dict;
  readonly pillar: Dict;
}

/**
 * The external pillar of a name in Python (3006.16 salt/pillar/__init__.py `_external_pillar_data`).
 * @param functions those behind `__salt__`, for a minion
 */
export function pythonPillar(
  opts: Dict,
  name: string,
  deps: PythonSingleDeps,
  functions: (context: Surroundings) => PythonTemplateFunctions,
): ExtPillar | undefined {
  const found = pythonFiles(opts, 'pillar').find((one) => one.name === name || one.file === name);
  return found && filePillar(found, deps, functions);
}

/** The external pillar that a Python file has: one of the site, or of an installed Salt. */
export function filePillar(
  found: Pick<PythonCall, 'file' | 'path'>,
  deps: PythonSingleDeps,
  functions: (context: Surroundings) => PythonTemplateFunctions,
): ExtPillar {
  const call = { kind: 'pillar', file: found.file, path: found.path, fun: 'ext_pillar' } as const;
  return (settings, { minionId, grains, pillar, opts: seen, extraMinionData = new Map() }) => {
    const kwargs: Dict = new Map(isDict(settings) ? settings : []);
    // the process leaves it out where the function has no parameter for it
    if (extraMinionData.size > 0) kwargs.set('extra_minion_data', extraMinionData);
    const further = isDict(settings) ? [] : Array.isArray(settings) ? settings : [settings];
    const around = { opts: seen, grains, pillar: NO_PILLAR };
    const args = [minionId, pillar, ...further];
    const caller = templateCaller(functions({ ...around, pillar }), deps.log);
    return callFile(deps, { ...call, args, kwargs }, around, caller);
  };
}

/** The renderer of a name in Python: it has text as a file that is read, and may give such a one. */
export function pythonRenderer(opts: Dict, name: string, deps: PythonSingleDeps): Renderer | undefined {
  const found = pythonFiles(opts, 'renderers').find((one) => one.name === name || one.file === name);
  return found && fileRenderer(name, found, deps);
}

/**
 * The renderer that a Python file has: one of the site, of an installed Salt, or of those that are there beside the
 * guest.
 * @param seesVariables it is handed the variables of the template as `context`
 */
export function fileRenderer(
  name: string,
  found: Pick<PythonCall, 'file' | 'path'>,
  deps: PythonSingleDeps,
  seesVariables = false,
): Renderer {
  const render: Renderer['render'] = async (input, context, argument) => {
    const { saltenv, sls = '', path, variables, functions } = context;
    const kwargs: Dict = new Map([['tmplpath', path]]);
    if (argument !== '') kwargs.set('argline', argument);
    const own = [...variables].filter(([one]) => !SURROUNDING.has(one)) as [Value, Value][];
    if (seesVariables && own.length > 0) kwargs.set('context', new Map(own));
    const part = (one: string): Dict => {
      const value = variables.get(one) as Value | undefined;
      return isDict(value) ? value : new Map();
    };
    const around = { opts: part('opts'), grains: part('grains'), pillar: part('pillar') };
    const { file, path: code } = found;
    const call = { kind: 'renderers', file, path: code, fun: 'render', kwargs } as const;
    try {
      const asked = { ...call, args: [input, saltenv, sls] };
      return await callFile(deps, asked, around, templateCaller(functions, deps.log, context.compilation));
    } catch (error) {
      // what a renderer says on purpose needs no traceback; for what it raises otherwise whoever renders has other
      // words, but a template engine's is that of the template (salt/utils/templates.py `wrap_tmpl_func`, 3006.16)
      const isRaised = error instanceof PythonError && error.type !== 'salt.exceptions.SaltRenderError';
      if (isRaised && !seesVariables) throw error;
      throw new SaltRenderError((isRaised ? error.trace : undefined) ?? messageOf(error), { cause: error });
    }
  };
  return { name, render };
}

/**
 * Calls a function of a file.
 * @throws CommandExecutionError when the file cannot be used, and what its function raises
 */
export async function callFile(
  { owner, clock, log }: PythonSingleDeps,
  call: PythonCall,
  around: Surroundings,
  caller: PythonCaller,
): Promise<Value> {
  const templates: PythonTemplates = pythonTemplatesOf(owner, { clock, log });
  return templates.use(async (python) => {
    const tried = await python.tryFile(call.kind, call, around);
    if (!('module' in tried))
      throw new CommandExecutionError(
        'broken' in tried ? tried.broken : `${call.path} is not available: ${tried.unavailable}`,
      );
    if (tried.module.functions[call.fun] === undefined)
      throw new CommandExecutionError(`${call.path} has no function ${call.fun}`);
    return python.call({ ...call, keeps: templates.keeps }, around, caller);
  });
}
