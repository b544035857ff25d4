/** The documents that are made from the tables: man pages, completion scripts, the reference of commands. */
import { MODULE_TABLE } from '../../plugins/registry/module/table.generated.ts';
import type { ModuleDescription } from '../../runtime/loader/module.ts';
import { OUTPUTTER_NAMES } from '../../plugins/outputters/registry.ts';
import type { RunnerModule } from '../../plugins/shared/runner/runner.ts';
import { RUNNER_TABLE } from '../../plugins/registry/runner/table.generated.ts';
import { WHEEL_TABLE } from '../../plugins/registry/wheel/table.generated.ts';
import { STATE_TABLE } from '../../plugins/registry/state/table.generated.ts';
import { brineVersion } from '../../version.ts';
import { COMPLETION_SHELLS, renderCompletion, type CompletionShell } from './completion.ts';
import { renderManPage } from './man.ts';
import { allPrograms, commandsOf } from '../options/programs.ts';
import { renderReference } from './reference.ts';
import {
  FUNCTIONS_HEAD,
  renderFunctionReference,
  RUNNERS_HEAD,
  STATES_HEAD,
  WHEEL_HEAD,
} from './function-reference.ts';
import { CLIENT_TYPES_PATH, renderClientTypes } from './api-client-types.ts';
import { API_PATH, renderApiReference } from './api-reference.ts';
import { renderEventReference } from './event-reference.ts';
import { renderErrorReference } from './error-reference.ts';
import { renderOptionReference } from './option-reference.ts';
import { masterOptions } from '../../config/master-options.ts';
import { minionOptions } from '../../config/minion-options.ts';
import { METRICS_PATH, renderMetricsReference } from './metrics-reference.ts';
import { renderSlsRules, SLS_RULES_PATH } from './sls-rules.ts';
import {
  PYTHON_DEFAULTS_PATH,
  PYTHON_NAMES_PATH,
  renderPythonDefaults,
  renderPythonNames,
} from './python-names.ts';

/** Where each shell looks for a script of its kind. */
const COMPLETION_FILES: Readonly<Record<CompletionShell, string>> = {
  bash: 'salt.bash',
  zsh: '_salt',
  fish: 'salt.fish',
};

/** The page that is written by hand in its first part. */
export const REFERENCE_PATH = 'docs/reference/commands.md';
const RUNNERS_PATH = 'docs/reference/runners.md';
const WHEEL_PATH = 'docs/reference/wheel.md';
const FUNCTIONS_PATH = 'docs/reference/functions.md';
const STATES_PATH = 'docs/reference/states.md';
const OPTIONS_PATH = 'docs/reference/configuration.md';
const EVENTS_PATH = 'docs/reference/events.md';
const ERRORS_PATH = 'docs/reference/errors.md';

/**
 * Path below the repository to content, of every generated file.
 * @param reference the page of commands as it is
 */
export async function generatedDocuments(reference: string): Promise<Map<string, string>> {
  const out = new Map([[REFERENCE_PATH, renderReference(reference, allPrograms)]]);
  // no date, so that a page changes only when its program does
  const facts = { date: '', version: brineVersion, programs: allPrograms };
  for (const program of allPrograms)
    for (const name of commandsOf(program))
      out.set(`docs/man/${name}.1`, renderManPage({ ...program, name }, facts));
  const names = {
    programs: allPrograms,
    functions: await executionFunctions(),
    runners: await runnerFunctions(),
    outputters: OUTPUTTER_NAMES,
  };
  for (const shell of COMPLETION_SHELLS)
    out.set(`docs/completion/${COMPLETION_FILES[shell]}`, renderCompletion(shell, names));
  out.set(RUNNERS_PATH, renderFunctionReference(RUNNERS_HEAD, await runnerModules()));
  out.set(WHEEL_PATH, renderFunctionReference(WHEEL_HEAD, await modulesOf(WHEEL_TABLE)));
  out.set(FUNCTIONS_PATH, renderFunctionReference(FUNCTIONS_HEAD, await executionModules()));
  out.set(STATES_PATH, renderFunctionReference(STATES_HEAD, await stateModules()));
  out.set(OPTIONS_PATH, renderOptionReference());
  out.set(EVENTS_PATH, renderEventReference());
  out.set(ERRORS_PATH, renderErrorReference());
  out.set(API_PATH, renderApiReference());
  out.set(CLIENT_TYPES_PATH, renderClientTypes());
  out.set(METRICS_PATH, renderMetricsReference());
  out.set(SLS_RULES_PATH, renderSlsRules());
  out.set(PYTHON_NAMES_PATH, renderPythonNames(MODULE_TABLE, STATE_TABLE));
  out.set(PYTHON_DEFAULTS_PATH, renderPythonDefaults(minionOptions, masterOptions));
  return out;
}

async function executionFunctions(): Promise<string[]> {
  return fullNames(await executionModules());
}

function executionModules(): Promise<ModuleDescription[]> {
  return Promise.all(MODULE_TABLE.map(async ({ name, load }) => ({ ...(await load()), name })));
}

/** The state modules; what the state system calls by itself (`mod_watch` and the like) is left out. */
function stateModules(): Promise<ModuleDescription[]> {
  return Promise.all(
    STATE_TABLE.map(async ({ name, load }) => {
      const module = await load();
      const declared = Object.entries(module.functions).filter(([fun]) => !fun.startsWith('mod_'));
      return { ...module, name, functions: Object.fromEntries(declared) };
    }),
  );
}

async function runnerFunctions(): Promise<string[]> {
  return fullNames(await runnerModules());
}

function runnerModules(): Promise<RunnerModule[]> {
  return modulesOf(RUNNER_TABLE);
}

function modulesOf(table: ReadonlyMap<string, () => Promise<RunnerModule>>): Promise<RunnerModule[]> {
  return Promise.all([...table.values()].map((load) => load()));
}

function fullNames(modules: readonly { name: string; functions: object }[]): string[] {
  const names = modules.flatMap(({ name, functions }) =>
    Object.keys(functions).map((fun) => `${name}.${fun}`),
  );
  return [...new Set(names)].sort();
}
