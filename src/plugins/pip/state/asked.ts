/** What files of requirements ask for, as far as that can be said without pip. */
import { readTextIfExists } from '../../../host/files.ts';
import { dirName, joinPath } from '../../../python/paths.ts';
import { missingSentence, prepareRequirements } from '../module/requirements.ts';
import { truthy, type Value } from '../../../python/values/value.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { mayBeMade } from '../../shared/made-earlier.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { readPackage, type WantedPackage } from './check.ts';

/** More files are a circle or a mistake. */
const MOST_FILES = 200;
/** Options that say where pip looks and what it takes, and do not ask for anything. */
const SEARCHING =
  /^(?:-[if]|--(?:index-url|extra-index-url|find-links|no-index|trusted-host|pre|prefer-binary|only-binary|no-binary|require-hashes))(?:[\s=]|$)/;
const FURTHER_FILE = /^(?:-r\s*|--requirement[\s=]\s*)(.+)$/;

/** What is asked for. */
export interface AskedPackages {
  readonly packages: readonly WantedPackage[];
  /** Whether that is all: only pip can judge some lines, as those of repositories and of constraints. */
  readonly isAll: boolean;
}

/** The lines of a file, without comments. */
function linesOf(text: string): string[] {
  return text
    .replaceAll(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s+)#.*$/, '').trim())
    .filter((line) => line !== '');
}

/** The package that a line names; undefined where only pip can say whether it is there. */
function packageOf(line: string): WantedPackage | undefined {
  const [text = ''] = line.split(/\s--\w/);
  const isPlain = !/^-|[/@[\]$]/.test(text.split(';')[0] ?? '');
  const wanted = isPlain ? readPackage(text.trim()) : undefined;
  return wanted === undefined || typeof wanted === 'string' || wanted.prefix === '' ? undefined : wanted;
}

/**
 * What files ask for, with the files that they lead to.
 * @param from where pip runs, by which paths of files are meant, and whether it fails without a file
 * @returns a sentence where one is not there, and no earlier state of a run in test mode would make it
 */
function askedBy(
  ctx: StateContext,
  files: readonly string[],
  { cwd, isNeeded }: AskedFrom,
): AskedPackages | string {
  const folder = truthy(cwd) ? pyStr(cwd) : '';
  const packages: WantedPackage[] = [];
  let isAll = true;
  const [waiting, seen] = [files.map((file) => joinPath(folder, file)), new Set<string>()];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (seen.has(file)) continue;
    const text = seen.size < MOST_FILES ? readTextIfExists(file) : undefined;
    seen.add(file);
    const isMissing = text === undefined && seen.size <= MOST_FILES && !/:\/\/|\$\{/.test(file);
    if (isMissing && isNeeded && !mayBeMade(ctx, file)) return missingSentence(file);
    if (text === undefined) isAll = false;
    for (const line of linesOf(text ?? '')) {
      if (SEARCHING.test(line)) continue;
      const further = FURTHER_FILE.exec(line)?.[1];
      if (further !== undefined) waiting.push(joinPath(dirName(file), further));
      else {
        const wanted = packageOf(line);
        if (wanted === undefined) isAll = false;
        else packages.push(wanted);
      }
    }
  }
  return { packages, isAll };
}

/** Where pip runs, and whether a file that is not there is a fault. */
interface AskedFrom {
  readonly cwd: Value;
  readonly isNeeded: boolean;
}

/**
 * What `requirements` ask for.
 * @param from where pip runs, and whether a file of this machine has to be there
 * @returns a sentence where there is no such file
 */
export async function askedPackages(
  ctx: StateContext,
  requirements: Value,
  from: AskedFrom,
): Promise<AskedPackages | string> {
  if (!truthy(requirements)) return { packages: [], isAll: true };
  const saltenv = ctx.state.low.get('__env__') ?? 'base';
  const prepared = await prepareRequirements(ctx, { requirements, saltenv, user: null });
  if ('missing' in prepared) return missingSentence(prepared.missing);
  try {
    return askedBy(ctx, prepared.files, from);
  } finally {
    prepared.release();
  }
}
