/** The backend `minion`: files that minions have pushed (salt/fileserver/minionfs.py, 3006.16). */
import { readdirSync } from 'node:fs';
import { isValidMinionId, safeJoin } from '../../host/files.ts';
import { isListed } from '../../python/text/expression-match.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { FileBackend, Layer } from './layer.ts';

/** The backend's name in answers. */
const MINIONFS = 'minionfs';

/** Makes the backend. A minion's `top.sls` is not served: it would say what all are to be. */
export function createMinionfs(opts: Dict): FileBackend {
  const text = (name: string, fallback: string): string => pyStr(opts.get(name) ?? fallback);
  const saltenv = text('minionfs_env', 'base');
  const mountpoint = text('minionfs_mountpoint', '')
    .replace(/^salt:\/\//, '')
    .replace(/^\/+|\/+$/g, '');
  const whitelist = texts(opts.get('minionfs_whitelist'));
  const blacklist = texts(opts.get('minionfs_blacklist'));
  const minions = safeJoin(text('cachedir', ''), 'minions');
  const layer = (id: string): Layer => ({
    backend: MINIONFS,
    folder: safeJoin(minions, id, 'files'),
    mountpoint: mountpoint === '' ? id : `${mountpoint}/${id}`,
    isConfined: true,
    isFixed: false,
    hides: (path) => path === 'top.sls' || path.endsWith('/top.sls'),
  });
  const idsFor = (path: string | undefined): string[] => {
    if (path === undefined) return namesIn(minions);
    const below =
      mountpoint === '' ? path : path.startsWith(`${mountpoint}/`) ? path.slice(mountpoint.length + 1) : '';
    return [below.split('/')[0] ?? ''];
  };
  return {
    name: MINIONFS,
    environments: () => [saltenv],
    layers: (wanted, path) =>
      wanted !== saltenv
        ? []
        : idsFor(path)
            .filter((id) => isValidMinionId(id) && isListed(id, { whitelist, blacklist }))
            .map(layer),
  };
}

function texts(value: Value | undefined): string[] {
  if (Array.isArray(value)) return value.map(pyStr);
  return typeof value === 'string' && value !== '' ? [value] : [];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
