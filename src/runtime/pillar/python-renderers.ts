/** Renderers in Python that are no site's: template engines beside the guest, and those of an installed Salt. */
import { installedFiles } from '../python-host/installed-salt.ts';
import { programPath } from '../python-host/program-path.ts';
import { interpreterOf } from '../python-host/python-process.ts';
import { SaltRenderError, type Renderer } from '../renderers/renderer.ts';
import type { Dict } from '../../python/values/value.ts';
import { fileRenderer, type PythonSingleDeps } from './python-single.ts';

/** The engine of a package for Python (`mako`), which says what is missing when it is used. */
export function guestRenderer(name: string, deps: PythonSingleDeps): Renderer {
  return fileRenderer(name, { file: name, path: programPath(`renderers/${name}.py`) }, deps, true);
}

/** A renderer of an installed Salt. @throws SaltRenderError when there is no such Salt; undefined without the renderer */
export async function installedRenderer(
  name: string,
  deps: PythonSingleDeps,
  opts: Dict,
): Promise<Renderer | undefined> {
  const found = await installedFiles(interpreterOf(opts), 'renderers');
  if ('fault' in found) throw new SaltRenderError(`salt_python is set, and ${found.fault}`);
  const file = found.files.find((one) => one.names.includes(name) || one.file === name);
  return file && fileRenderer(name, file, deps);
}
