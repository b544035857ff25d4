/** The folder that `target` has pip install into. */
import { readdirSync } from 'node:fs';
import { readTextIfExists } from '../../../host/files.ts';
import { isDir, joinPath } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** Files that say what a package is, by the end of the folder's name. */
const DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ['.dist-info', 'METADATA'],
  ['.egg-info', 'PKG-INFO'],
]);

/** The folder; undefined where there is none, or where only pip knows which one it is. */
export function targetFolder({
  target = process.env['VENV_PIP_TARGET'],
  cwd,
}: {
  readonly target: Value | undefined;
  readonly cwd: Value;
}): string | undefined {
  if (!truthy(target ?? null)) return undefined;
  const path = pyStr(target ?? null);
  if (path.startsWith('/')) return path;
  return truthy(cwd) ? joinPath(pyStr(cwd), path) : undefined;
}

/** What the description of a package says in a field. */
const fieldIn = (text: string, field: string): string | undefined =>
  new RegExp(`^${field}:[ \\t]*(\\S+)`, 'm').exec(text.split(/\r?\n\r?\n/)[0] ?? '')?.[1];

/** The packages in a folder: mapping of name to version. */
export function packagesIn(folder: string): Dict {
  if (!isDir(folder)) return new Map();
  return new Map(
    readdirSync(folder).flatMap((entry): [Value, Value][] => {
      const file = [...DESCRIPTIONS].find(([end]) => entry.endsWith(end))?.[1];
      const text = file === undefined ? undefined : readTextIfExists(joinPath(folder, entry, file));
      const [name, version] = ['Name', 'Version'].map((field) => fieldIn(text ?? '', field));
      return name === undefined || version === undefined ? [] : [[name, version]];
    }),
  );
}
