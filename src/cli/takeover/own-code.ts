/** What becomes of a site's own modules in Python: whether there is a Python, and whether what they import is there. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../host/which.ts';
import { programPath } from '../../runtime/python-host/program-path.ts';
import type { Remark } from './remark.ts';

const SUBJECT = 'modules of the site';
/** Folders of the file server and of `extension_modules` that hold modules, each for one kind. */
const KINDS: ReadonlySet<string> = new Set(
  (
    'auth beacons cache clouds engines executors grains log_handlers matchers modules output outputters pillar proxy ' +
    'queues renderers returners roster runners sdb serializers states thorium tokens tops utils wheel wrapper'
  ).split(' '),
);
/** Kinds that Brine has no place for. */
const NOT_SERVED: ReadonlyMap<string, string> = new Map([
  ['clouds', 'there is no salt-cloud'],
  ['proxy', 'there are no proxy minions'],
  ['roster', 'there is no salt-ssh'],
  ['thorium', 'there is no thorium'],
  ['wrapper', 'there is no salt-ssh'],
]);
/** Parts of Salt whose members are made on demand, from the functions of the minion. */
const ON_DEMAND = /^salt\.(?:modules|states|returners|runners|grains)\b/;
const FILES_MAX = 5_000;

/** @param folders the file roots, and folders of extension modules */
export function lookAtOwnCode(folders: readonly string[], python = 'python3'): Remark[] {
  const files = folders.flatMap(modulesBelow);
  if (files.length === 0) return [];
  const remarks: Remark[] = files.flatMap(({ path, kind }) => [
    ...kindRemark(path, kind),
    ...importRemarks(path),
  ]);
  const words = `${files.length} ${files.length === 1 ? 'module' : 'modules'} in Python`;
  remarks.push(
    findProgram(python) === undefined
      ? {
          subject: SUBJECT,
          verdict: 'missing',
          message: `${words} need a Python of 3.8 or newer, and there is no ${python}.`,
        }
      : { subject: SUBJECT, verdict: 'served', message: `${words} run in ${python} as they do in Salt.` },
  );
  return remarks;
}

interface OwnFile {
  readonly path: string;
  readonly kind: string;
}

function modulesBelow(folder: string): OwnFile[] {
  return namesIn(folder)
    .filter((name) => KINDS.has(name.replace(/^_/, '')))
    .flatMap((name) =>
      pythonBelow(join(folder, name)).map((path) => ({ path, kind: name.replace(/^_/, '') })),
    );
}

function pythonBelow(folder: string, depth = 0): string[] {
  if (depth > 5) return [];
  return namesIn(folder)
    .flatMap((name) => {
      const path = join(folder, name);
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
        return name === '__pycache__' ? [] : pythonBelow(path, depth + 1);
      return name.endsWith('.py') ? [path] : [];
    })
    .slice(0, FILES_MAX);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function kindRemark(path: string, kind: string): Remark[] {
  const why = NOT_SERVED.get(kind);
  return why === undefined
    ? []
    : [{ subject: SUBJECT, verdict: 'missing', path, line: 1, message: `Not used: ${why}.` }];
}

/** Imports of parts of `salt` that are not there. */
function importRemarks(path: string): Remark[] {
  const remarks: Remark[] = [];
  for (const [index, line] of textOf(path).split('\n').entries()) {
    const part = /^\s*(?:import|from)\s+(salt(?:\.\w+)+)/.exec(line)?.[1];
    if (part === undefined || ON_DEMAND.test(part) || isThere(part)) continue;
    remarks.push({
      subject: SUBJECT,
      verdict: 'missing',
      path,
      line: index + 1,
      message: `${part} is imported, which Brine does not have; where a Salt is installed it is there with salt_python: True.`,
    });
  }
  return remarks;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isThere(part: string): boolean {
  const below = join(programPath('names'), ...part.split('.'));
  return existsSync(`${below}.py`) || existsSync(below);
}
