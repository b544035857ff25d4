/** Finding renderers that run outside this process, custom ones and `py`, without loading anything where none is used. */
import { extensionFiles } from '../extensions/folder.ts';
import type { FindRenderer } from '../renderers/pipe.ts';
import type { OwnRendererDeps, OwnRenderers } from './own-renderers.ts';
import type { PythonTemplates } from './python-templates.ts';

/**
 * Custom renderers, and Python; each part of the program is loaded when there is something for it.
 * @param job whose files are rendered, when they are those of a job; default: of this finder
 */
export function findOwn({ opts, clock, log }: OwnRendererDeps, job: object = {}): FindRenderer {
  let own: Promise<OwnRenderers> | undefined;
  let python: Promise<PythonTemplates> | undefined;
  return async (name) => {
    if (own !== undefined || extensionFiles(opts, 'renderers').length > 0) {
      own ??= import('./own-renderers.ts').then(
        ({ OwnRenderers: Renderers }) => new Renderers({ opts, clock, log }),
      );
      const found = await (await own).find(name);
      if (found !== undefined) return found;
    }
    if (name !== 'py') return undefined;
    python ??= import('./python-templates.ts').then(({ pythonTemplatesOf }) =>
      pythonTemplatesOf(job, { clock, log }),
    );
    return python;
  };
}
