/** What becomes of states, pillar and reactions: the trees that the options name. */
import { join, resolve } from 'node:path';
import type { Options } from '../../config/option.ts';
import { globPaths } from '../../config/paths.ts';
import { isDirectory, isFile } from '../../config/read-file.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Value } from '../../python/values/value.ts';
import type { Finding, RuleName } from '../../runtime/sls-check/rules.ts';
import { findSources, type Found } from '../sls/find-sources.ts';
import { placeOf, type ConfigFile } from './config-files.ts';
import type { Remark, Verdict } from './remark.ts';

/** What findings of `sls check` mean for a takeover; the others are faults that Salt has with the file, too. */
const VERDICTS: ReadonlyMap<RuleName, Verdict> = new Map([
  ['state-not-here', 'missing'],
  ['function-not-here', 'missing'],
  ['gone-from-salt', 'gone'],
]);

/** The folders of states and of pillar that exist, and the files of reactions. */
export interface Trees {
  readonly fileRoots: readonly string[];
  readonly pillarRoots: readonly string[];
  readonly reactions: readonly string[];
  readonly remarks: readonly Remark[];
}

const SUBJECT = 'states, pillar and reactions';

/** The trees that options name. Those that come from elsewhere, by git or S3, are only named. */
export function treesOf(options: Options, files: readonly ConfigFile[]): Trees {
  const remarks: Remark[] = [];
  const note = (option: string, message: string): void =>
    void remarks.push({ subject: SUBJECT, verdict: 'differs', message, ...placeOf(files, option) });
  const folders = (option: string): string[] => {
    const named = [...new Set(environments(options.raw(option)).map((path) => resolve(path)))];
    // the usual folders need not be there
    if (placeOf(files, option) !== undefined)
      for (const path of named)
        if (!isDirectory(path))
          note(option, `${option} names ${path}, which is no folder: nothing comes from it.`);
    return named.filter(isDirectory);
  };
  const fileRoots = folders('file_roots');
  const pillarRoots = folders('pillar_roots');
  const backends = listOf(options.raw('fileserver_backend')).filter((name) => !name.startsWith('roots'));
  if (backends.length > 0)
    note(
      'fileserver_backend',
      `Files of ${backends.join(', ')} are not looked at: check a copy of them with brine-sls check.`,
    );
  const reactions = listOf(options.raw('reactor')).flatMap((path) => {
    const found = filesAt(path, fileRoots);
    if (found.length === 0)
      note('reactor', `reactor names ${path}, and there is no such file: nothing is done.`);
    return found;
  });
  return { fileRoots, pillarRoots, reactions, remarks };
}

/** The paths of all environments. */
function environments(value: Value | undefined): string[] {
  if (!isDict(value)) return [];
  return [...value.values()].flatMap((paths) => (Array.isArray(paths) ? paths.map(pyStr) : []));
}

/** The texts in a list, and those in mappings in it. */
function listOf(value: Value | undefined): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => (isDict(item) ? [...item.values()].flatMap(listOf) : [pyStr(item)]));
}

/** The files of a rule: a path, which may have wildcards, or an address below the roots. */
function filesAt(path: string, roots: readonly string[]): string[] {
  const [, name] = /^salt:\/\/([^?]*)/.exec(path) ?? [];
  const places = name === undefined ? [path] : roots.map((root) => join(root, name));
  return places.flatMap((place) => globPaths(place)).filter(isFile);
}

/** The files of the trees; undefined where there are none. */
export function sourcesOf({ fileRoots, pillarRoots, reactions }: Trees): Found | undefined {
  const paths = [...fileRoots, ...pillarRoots, ...reactions];
  return paths.length === 0 ? undefined : findSources(paths, { fileRoots, pillarRoots });
}

/** What the findings mean. @param files how many were looked at */
export function remarksOn(
  findings: readonly Finding[],
  files: number,
  { fileRoots, pillarRoots }: Trees,
): Remark[] {
  const remarks: Remark[] = [];
  let others = 0;
  for (const { rule, severity, message, path, line } of findings) {
    const verdict = VERDICTS.get(rule);
    if (verdict !== undefined) remarks.push({ subject: SUBJECT, verdict, message, path, line });
    else if (severity === 'error') others++;
  }
  const roots = [...fileRoots, ...pillarRoots];
  const hint =
    others === 0
      ? ''
      : ` ${others} have faults that Salt has with them, too: brine-sls check ${roots.join(' ')} shows them.`;
  remarks.push({
    subject: SUBJECT,
    verdict: 'served',
    message: `${files} ${files === 1 ? 'file' : 'files'} below ${roots.join(', ')}.${hint}`,
  });
  return remarks;
}
