/**
 * What is in Python and no site's: template engines beside the guest, and renderers and external pillars of an
 * installed Salt.
 */
import { installedFiles } from '../python-host/installed-salt.ts';
import { programPath } from '../python-host/program-path.ts';
import { interpreterOf } from '../python-host/python-process.ts';
import { SaltRenderError, type Renderer } from '../renderers/renderer.ts';
import type { Dict } from '../../python/values/value.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import type { ExtPillar } from './ext/ext-pillar.ts';
import { filePillar, fileRenderer, type PythonSingleDeps } from './python-single.ts';
import type { PillarCompilerDeps } from './request.ts';

/** The engine of a package for Python (`mako`), which says what is missing when it is used. */
export function guestRenderer(name: string, deps: PythonSingleDeps): Renderer {
  return fileRenderer(name, { file: name, path: programPath(`renderers/${name}.py`) }, deps, true);
}

/**
 * A renderer of an installed Salt.
 * @throws SaltRenderError when there is no such Salt; undefined without the renderer
 */
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

/**
 * An external pillar of an installed Salt.
 * @throws CommandExecutionError when there is no such Salt; undefined without the pillar
 */
export async function installedPillar(
  name: string,
  deps: PythonSingleDeps,
  opts: Dict,
  functions: PillarCompilerDeps['functions'],
): Promise<ExtPillar | undefined> {
  const found = await installedFiles(interpreterOf(opts), 'pillar');
  if ('fault' in found) throw new CommandExecutionError(`salt_python is set, and ${found.fault}`);
  const file = found.files.find((one) => one.names.includes(name) || one.file === name);
  return file && filePillar(file, deps, functions);
}
