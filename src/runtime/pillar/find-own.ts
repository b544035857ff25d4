/**
 * Finding renderers that run outside this process, custom ones and `py`, without loading anything where none is used.
 */
import { extensionFiles, pythonFiles } from '../extensions/folder.ts';
import type { Clock } from '../../host/clock.ts';
import { PYTHON_RENDERERS, SALTS_RENDERERS, STATE_RENDERERS } from '../../config/renderer-names.ts';
import type { FindRenderer } from '../renderers/renderer.ts';
import type { Renderer } from '../renderers/renderer.ts';
import type { Dict } from '../../python/values/value.ts';
import type { OwnRendererDeps, OwnRenderers } from './own-renderers.ts';
import type { PythonSingleDeps } from './python-single.ts';
import type { PythonTemplates } from './python-templates.ts';
import type { PillarCompilerDeps } from './request.ts';

/**
 * How long the folders of custom renderers are taken to be as they were: each step of each file of a pillar asks for
 * its renderer.
 */
const GLANCE_MS = 5;

/** Whether there are custom renderers: of ours, and in Python. */
function lookForRenderers(
  opts: Dict,
  clock: Clock,
): () => { readonly ours: boolean; readonly python: boolean } {
  let seen = { ours: false, python: false };
  let seenAtMs = -Infinity;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - seenAtMs < GLANCE_MS) return seen;
    seenAtMs = nowMs;
    return (seen = {
      ours: extensionFiles(opts, 'renderers').length > 0,
      python: pythonFiles(opts, 'renderers').length > 0,
    });
  };
}

/**
 * Custom renderers, and Python; each part of the program is loaded when there is something for it.
 * @param job whose files are rendered, when they are those of a job; default: of this finder
 */
export function findOwn({ opts, clock, log }: OwnRendererDeps, job: object = {}): FindRenderer {
  let own: Promise<OwnRenderers> | undefined;
  let python: Promise<PythonTemplates> | undefined;
  const look = lookForRenderers(opts, clock);
  return async (name) => {
    const there = look();
    if (own !== undefined || there.ours) {
      own ??= import('./own-renderers.ts').then(
        ({ OwnRenderers: Renderers }) => new Renderers({ opts, clock, log }),
      );
      const found = await (await own).find(name);
      if (found !== undefined) return found;
    }
    if (there.python) {
      const { pythonRenderer } = await import('./python-single.ts');
      const found = pythonRenderer(opts, name, { clock, log, owner: job });
      if (found !== undefined) return found;
    }
    const further = await furtherPython(name, { clock, log, owner: job }, opts);
    if (further !== undefined) return further;
    if (name !== 'py') return undefined;
    python ??= import('./python-templates.ts').then(({ pythonTemplatesOf }) =>
      pythonTemplatesOf(job, { clock, log }),
    );
    return python;
  };
}

/**
 * Template engines that are packages of Python, languages for states, and renderers that are Salt's own Python where
 * one is installed.
 */
async function furtherPython(
  name: string,
  deps: PythonSingleDeps,
  opts: Dict,
): Promise<Renderer | undefined> {
  if (PYTHON_RENDERERS.includes(name) || STATE_RENDERERS.includes(name)) {
    const { guestRenderer } = await import('./python-renderers.ts');
    return guestRenderer(name, deps);
  }
  if (!SALTS_RENDERERS.includes(name) || opts.get('salt_python') !== true) return undefined;
  const { installedRenderer } = await import('./python-renderers.ts');
  return installedRenderer(name, deps, opts);
}

/** External pillars in Python; what runs them is loaded when there are some. */
export function findOwnPillar(
  deps: PythonSingleDeps,
  functions: PillarCompilerDeps['functions'],
): NonNullable<PillarCompilerDeps['ownPillar']> {
  return async (opts, name) => {
    if (pythonFiles(opts, 'pillar').length === 0) return undefined;
    const { pythonPillar } = await import('./python-single.ts');
    return pythonPillar(opts, name, deps, functions);
  };
}

/** External pillars of an installed Salt (`salt_python`), for those that this program does not have. */
export function findInstalledPillar(
  deps: PythonSingleDeps,
  functions: PillarCompilerDeps['functions'],
): NonNullable<PillarCompilerDeps['installedPillar']> {
  return async (opts, name) => {
    if (opts.get('salt_python') !== true) return undefined;
    const { installedPillar } = await import('./python-renderers.ts');
    return installedPillar(name, deps, opts, functions);
  };
}
