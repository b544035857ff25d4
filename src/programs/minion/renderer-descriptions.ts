/**
 * What `sys.list_renderers` and `sys.renderer_doc` tell of the renderers of this program and of the site
 * (salt/modules/sysmod.py, 3006.16).
 */
import {
  PYTHON_RENDERERS,
  SALTS_RENDERERS,
  STATE_RENDERERS,
  USUAL_RENDERERS,
} from '../../config/renderer-names.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Dict } from '../../python/values/value.ts';
import { describeSingles } from '../../runtime/extensions/singles.ts';
import { extensionFiles, pythonFiles } from '../../runtime/extensions/folder.ts';
import { programPath } from '../../runtime/python-host/program-path.ts';
import { installedFiles } from '../../runtime/python-host/installed-salt.ts';
import { PythonModules } from '../../runtime/python-host/python-modules.ts';
import { interpreterOf } from '../../runtime/python-host/python-process.ts';
import type { ModuleDescription } from '../../runtime/loader/module.ts';
import { FURTHER_RENDERERS } from '../../runtime/renderers/further/table.generated.ts';

/** Whose renderers are told, and what looks at them. */
export interface RendererDescriptionDeps {
  readonly opts: Dict;
  readonly grains: Dict;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A file in Python that is tried. */
interface PythonSource {
  readonly file: string;
  readonly path: string;
}

/**
 * The renderers by name: those that are built in, the site's own and, where their packages are installed, those in
 * Python.
 */
export async function rendererDescriptions(
  deps: RendererDescriptionDeps,
): Promise<ReadonlyMap<string, ModuleDescription>> {
  const found = new Map([...USUAL_RENDERERS].map(([name, doc]) => [name, describe(name, doc)]));
  for (const load of FURTHER_RENDERERS.values()) {
    const { name, doc } = await load();
    found.set(name, describe(name, doc));
  }
  for (const each of await inPython(deps)) found.set(each.name, each);
  if (extensionFiles(deps.opts, 'renderers').length === 0) return found;
  const report = (fault: string): void => deps.log.error(fault);
  for (const [name, { doc }] of await describeSingles({ ...deps, report }, 'renderers'))
    found.set(name, describe(name, doc));
  return found;
}

function describe(name: string, doc: string): ModuleDescription {
  return { name, doc, functions: {} };
}

/**
 * Those in Python that can be used: template engines, an installed Salt's where it is used, and the site's, which come
 * last.
 */
async function inPython({ opts, grains, clock, log }: RendererDescriptionDeps): Promise<ModuleDescription[]> {
  const engines = [...PYTHON_RENDERERS, ...STATE_RENDERERS].map((name) => ({
    file: name,
    path: programPath(`renderers/${name}.py`),
  }));
  const sources: PythonSource[] = [...engines, ...(await ofSalt(opts)), ...pythonFiles(opts, 'renderers')];
  const python = new PythonModules({ clock, log, files: pythonFiles, limitsFunctions: true });
  const found: ModuleDescription[] = [];
  try {
    for (const { file, path } of sources) {
      const tried = await python.tryFile('renderers', { file, path }, { opts, grains });
      if (!('module' in tried)) continue;
      const { name, doc, functions } = tried.module;
      found.push(describe(name, functions['render']?.doc ?? doc));
    }
  } finally {
    python.close();
  }
  return found;
}

async function ofSalt(opts: Dict): Promise<readonly PythonSource[]> {
  if (opts.get('salt_python') !== true) return [];
  const found = await installedFiles(interpreterOf(opts), 'renderers');
  return 'fault' in found ? [] : found.files.filter(({ file }) => SALTS_RENDERERS.includes(file));
}
