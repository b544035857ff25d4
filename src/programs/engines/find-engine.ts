/** Engines by name: custom ones (`_engines`, `engines_dirs`) come before built-in ones. */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { extensionFiles, pythonFiles, type PythonFile } from '../../runtime/extensions/folder.ts';
import { EngineRefusal, type EngineSpec } from '../../plugins/shared/engine/engine.ts';
import { ENGINE_ALIASES, MISSING_ENGINES } from '../../plugins/registry/engine/known.ts';
import { ENGINE_TABLE } from '../../plugins/registry/engine/table.generated.ts';
import type { Dict } from '../../python/values/value.ts';
import { commandProcess } from './command-process.ts';
import type { ConfiguredEngine } from './engine-list.ts';
import { pythonEngine } from './python-engine.ts';
import { loadOwnEngine, type OwnEngineDeps } from './own-engine.ts';

/** @throws EngineRefusal with the reason when there is none, or it cannot be loaded */
export async function findEngine(configured: ConfiguredEngine, parts: OwnEngineDeps): Promise<EngineSpec> {
  const { engine: name, kind } = configured;
  if (kind === 'command') return commandProcess;
  if (kind === 'file') return loadOwnEngine({ name, path: name }, parts);
  const files = extensionFiles(parts.opts, 'engines');
  const named = files.find((file) => file.name === name);
  if (named !== undefined) return loadOwnEngine(named, parts);
  const python = pythonFile(name, parts.opts);
  if (python !== undefined) return pythonEngine(python);
  const built = ENGINE_TABLE.get(ENGINE_ALIASES.get(name) ?? name);
  if (built !== undefined) return built();
  throw new EngineRefusal(
    whyMissing(
      name,
      files.map((file) => file.name),
    ),
  );
}

/**
 * Why there is no such engine, told before a process is started for it; undefined when there is one, as far as its name
 * says.
 */
export function missingEngine({ engine: name, kind }: ConfiguredEngine, opts: Dict): string | undefined {
  if (kind !== 'engine' || ENGINE_TABLE.has(ENGINE_ALIASES.get(name) ?? name)) return undefined;
  const own = extensionFiles(opts, 'engines').map((file) => file.name);
  const isOwn = own.includes(name) || pythonFile(name, opts) !== undefined;
  return isOwn ? undefined : whyMissing(name, own);
}

function pythonFile(name: string, opts: Dict): PythonFile | undefined {
  return pythonFiles(opts, 'engines').find((file) => file.file === name || file.name === name);
}

function whyMissing(name: string, own: readonly string[]): string {
  const missing = MISSING_ENGINES.get(name);
  if (missing !== undefined) return missing;
  return (
    `there is no engine of this name.${didYouMean(name, [...ENGINE_TABLE.keys(), ...own])} ` +
    'Correct the name, or bring the engine with saltutil.sync_engines (on a master salt-run saltutil.sync_engines) and start anew.'
  );
}
