/** Finding custom renderers without loading anything where there are none. */
import { extensionFiles } from '../extensions/folder.ts';
import type { FindRenderer } from '../renderers/pipe.ts';
import type { OwnRendererDeps, OwnRenderers } from './own-renderers.ts';

/** Custom renderers; their part of the program is loaded when there are some. */
export function findOwn({ opts, clock, log }: OwnRendererDeps): FindRenderer {
  let own: Promise<OwnRenderers> | undefined;
  return async (name) => {
    if (own === undefined && extensionFiles(opts, 'renderers').length === 0) return undefined;
    own ??= import('./own-renderers.ts').then(
      ({ OwnRenderers: Renderers }) => new Renderers({ opts, clock, log }),
    );
    return (await own).find(name);
  };
}
