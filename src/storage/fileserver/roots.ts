/** The backend `roots`: folders of this machine (salt/fileserver/roots.py, 3006.16). */
import { ROOTS, type FileBackend, type Layer } from './layer.ts';
import { foldersOf, type FileServerSettings } from './settings.ts';

/** Makes the backend. */
export function createRoots(settings: FileServerSettings): FileBackend {
  return {
    name: ROOTS,
    environments: () => [...settings.roots.keys()],
    layers: (saltenv) => rootsLayers(settings, saltenv),
  };
}

/** The folders of an environment; none when it is not configured. */
export function rootsLayers(settings: FileServerSettings, saltenv: string): readonly Layer[] {
  return (foldersOf(settings, saltenv) ?? []).map((folder) => ({
    backend: ROOTS,
    folder,
    mountpoint: '',
    isConfined: !settings.followSymlinks,
    isFixed: false,
  }));
}
