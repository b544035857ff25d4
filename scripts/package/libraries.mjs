// The libraries that packages bring beside the bundles.
import { externalPackages } from '../bundle.mjs';

/**
 * The libraries that are not in the bundles, and what these need.
 * @param packages of package-lock.json
 * @returns their paths, as `node_modules/pg`
 */
export function loadedLibraries(packages) {
  const found = new Set();
  const need = (name, from) => {
    // as Node looks for them: beside the one that asks, then further up
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      if (packages[path] !== undefined) return add(path);
      if (folder === '') return undefined;
    }
  };
  const add = (path) => {
    if (found.has(path) || packages[path].dev === true) return;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = packages[path];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      need(name, path);
  };
  for (const name of externalPackages) need(name, '');
  return [...found].sort();
}
