/** The states and functions that `sls` knows: those of the tables of plug-ins, whatever machine they are for. */
import { MODULE_TABLE } from '../../plugins/registry/module/table.generated.ts';
import { isSaltsRunner } from '../../plugins/registry/runner/salts-runners.ts';
import { RUNNER_TABLE } from '../../plugins/registry/runner/table.generated.ts';
import { STATE_TABLE } from '../../plugins/registry/state/table.generated.ts';
import { WHEEL_TABLE } from '../../plugins/registry/wheel/table.generated.ts';
import type { FunctionDescription, ModuleDescription } from '../../runtime/loader/module.ts';
import type { ModuleEntry } from '../../runtime/loader/module-entry.ts';
import { isSaltsFunction } from '../../runtime/loader/salts-modules.ts';
import { isSaltsState } from '../../runtime/loader/salts-states.ts';
import type { SlsCatalog, ModuleSource } from '../../runtime/sls-check/catalog.ts';
import type { LaterSalt } from '../../runtime/sls-check/later-salt.ts';
import { KINDS } from '../../runtime/sls-check/catalog.ts';
import { ownModules } from './own-modules.ts';

/**
 * The catalog of a check.
 * @param ownFolders folders with modules of the site's own
 * @param insteadOf the release of Salt that the site would go to
 */
export function openCatalog(ownFolders: readonly string[], insteadOf?: LaterSalt): SlsCatalog {
  return {
    ...(insteadOf === undefined ? {} : { insteadOf }),
    states: { ...ofEntries(STATE_TABLE), isSalts: (fun) => isSaltsState(fun.split('.')[0] ?? '') },
    modules: { ...ofEntries(MODULE_TABLE), isSalts: isSaltsFunction },
    runners: { ...ofTable(RUNNER_TABLE), isSalts: isSaltsRunner },
    wheel: { ...ofTable(WHEEL_TABLE), isSalts: () => false },
    own: new Map(
      [...Object.values(KINDS).map(({ folder }) => folder), '_renderers'].map((folder) => [
        folder,
        ownModules(ownFolders, folder),
      ]),
    ),
  };
}

type Functions = ReadonlyMap<string, readonly FunctionDescription[]>;

function ofEntries(table: readonly ModuleEntry[]): Omit<ModuleSource, 'isSalts'> {
  const loads = new Map<string, (() => Promise<ModuleDescription>)[]>();
  for (const { name, load } of table) loads.set(name, [...(loads.get(name) ?? []), load]);
  return remembered(loads);
}

function ofTable(
  table: ReadonlyMap<string, () => Promise<ModuleDescription>>,
): Omit<ModuleSource, 'isSalts'> {
  return remembered(new Map(Array.from(table, ([name, load]) => [name, [load]])));
}

/** Each module is imported once, when it is first asked for. */
function remembered(
  loads: ReadonlyMap<string, readonly (() => Promise<ModuleDescription>)[]>,
): Omit<ModuleSource, 'isSalts'> {
  const loaded = new Map<string, Promise<Functions>>();
  return {
    names: new Set(loads.keys()),
    functions: (module) => {
      let functions = loaded.get(module);
      if (functions === undefined) loaded.set(module, (functions = load(loads.get(module) ?? [])));
      return functions;
    },
  };
}

async function load(loads: readonly (() => Promise<ModuleDescription>)[]): Promise<Functions> {
  const functions = new Map<string, FunctionDescription[]>();
  for (const one of loads) {
    for (const [name, spec] of Object.entries((await one()).functions))
      functions.set(name, [...(functions.get(name) ?? []), spec]);
  }
  return functions;
}
