/** The documents that are made from the tables: man pages, completion scripts, the reference. */
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
import { functionPages, MODULES, RUNNERS, STATES, WHEEL } from './function-reference.ts';
import { CLIENT_TYPES_PATH, renderClientTypes } from './api-client-types.ts';
import { API_PATH, renderApiReference } from './api-reference.ts';
import { renderEventReference } from './event-reference.ts';
import { renderErrorReference } from './error-reference.ts';
import { renderOptionReference } from './option-reference.ts';
import { masterOptions } from '../../config/master-options.ts';
import { minionOptions } from '../../config/minion-options.ts';
import { METRICS_PATH, renderMetricsReference } from './metrics-reference.ts';
import { renderSlsRules, SLS_RULES_PATH } from './sls-rules.ts';
import { renderSubjectDifferences, SUBJECTS_PATH } from './subject-differences.ts';
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
const REFERENCE_FOLDER = 'docs/reference';
const OPTIONS_PATH = 'docs/reference/configuration.md';
const EVENTS_PATH = 'docs/reference/events.md';
const ERRORS_PATH = 'docs/reference/errors.md';

/** Folders whose files are all generated: what else lies there is of a module that is gone. */
export const GENERATED_FOLDERS = [MODULES, STATES, RUNNERS, WHEEL].map(
  ({ folder }) => `${REFERENCE_FOLDER}/${folder}`,
);

/**
 * Path below the repository to content, of every generated file that is kept in git: people read it where the
 * repository is shown.
 * @param reference the page of commands as it is
 * @param differences what each subject of plug-ins says of its differences from Salt, by its folder
 */
export async function generatedDocuments(
  reference: string,
  differences: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  return new Map([
    [REFERENCE_PATH, renderReference(reference, allPrograms)],
    ...(await functionReferences()),
    [OPTIONS_PATH, renderOptionReference()],
    [EVENTS_PATH, renderEventReference()],
    [ERRORS_PATH, renderErrorReference()],
    [API_PATH, renderApiReference()],
    [CLIENT_TYPES_PATH, renderClientTypes()],
    [METRICS_PATH, renderMetricsReference()],
    [SLS_RULES_PATH, renderSlsRules()],
    [SUBJECTS_PATH, renderSubjectDifferences(differences)],
    [PYTHON_NAMES_PATH, renderPythonNames(MODULE_TABLE, STATE_TABLE)],
    [PYTHON_DEFAULTS_PATH, renderPythonDefaults(minionOptions, masterOptions)],
  ]);
}

/**
 * Path below the repository to content, of what each build writes and git does not keep: programs read it, `man` and
 * the shells.
 */
export async function builtDocuments(): Promise<Map<string, string>> {
  const out = new Map<string, string>();
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
  return out;
}

async function functionReferences(): Promise<[string, string][]> {
  const pages = [
    functionPages(MODULES, await executionModules()),
    functionPages(STATES, await stateModules()),
    functionPages(RUNNERS, await runnerModules()),
    functionPages(WHEEL, await modulesOf(WHEEL_TABLE)),
  ];
  return pages.flatMap((each) =>
    [...each].map(([path, text]): [string, string] => [`${REFERENCE_FOLDER}/${path}`, text]),
  );
}

async function executionFunctions(): Promise<string[]> {
  return fullNames(await executionModules());
}

function executionModules(): Promise<(ModuleDescription & { readonly file: string })[]> {
  return Promise.all(MODULE_TABLE.map(async ({ name, file, load }) => ({ ...(await load()), name, file })));
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
