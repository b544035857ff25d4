/** The check of files that were found, with what is here: templates below the roots, functions that only compute. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { TemplateCache } from '../../formats/jinja/index.ts';
import { UnsafePathError } from '../../errors/errors.ts';
import { safeJoin } from '../../host/files.ts';
import { systemClock } from '../../host/clock.ts';
import { silentLogger } from '../../host/log.ts';
import { systemRandom } from '../../host/random.ts';
import { MODULE_TABLE } from '../../plugins/registry/module/table.generated.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { withoutMinion } from '../../runtime/loader/no-minion.ts';
import { createModuleContext, ModuleRegistry } from '../../runtime/loader/registry.ts';
import { checkSources, type CheckDeps } from '../../runtime/sls-check/check.ts';
import { laterSalt } from '../../runtime/sls-check/later-salt.ts';
import type { Knowledge } from '../../runtime/sls-check/known-functions.ts';
import type { Finding } from '../../runtime/sls-check/rules.ts';
import { openCatalog } from './catalog.ts';
import type { Found } from './find-sources.ts';
import { readText } from './read-text.ts';

/**
 * Checks what was found.
 * @param found the files, and what was wrong with others, which comes first in what is returned
 * @param insteadOf the release of Salt that the site would go to; empty for none
 * @param progress called after each file
 */
export async function checkFound(
  { sources, findings, roots, ownFolders }: Found,
  knowledge: Knowledge,
  insteadOf: string,
  progress?: CheckDeps['progress'],
): Promise<Finding[]> {
  const folders = roots.map(({ folder }) => folder);
  const checked = await checkSources(sources, {
    knowledge,
    catalog: openCatalog(ownFolders, laterSalt(insteadOf)),
    jinja: { cache: new TemplateCache(), clock: systemClock, random: systemRandom, log: silentLogger },
    compute: computing(knowledge),
    hasPath: (name, { root }) =>
      [root.folder, ...folders].some((folder) => existsSync(placeBelow(folder, name) ?? '')),
    readTemplate: templatesBelow(folders, new Map(sources.map(({ path }) => [resolve(path), path]))),
    ...(progress === undefined ? {} : { progress }),
  });
  return [...findings, ...checked];
}

/** A name that leads out of the folder, as that of `salt:///x`, names nothing that a master would serve. */
function placeBelow(folder: string, name: string): string | undefined {
  try {
    return safeJoin(folder, name);
  } catch (error) {
    if (error instanceof UnsafePathError) return undefined;
    throw error;
  }
}

/**
 * Finds templates below the root of the file that names them, else below the others. Each is read once.
 * @param shown absolute path to what findings call the file
 */
function templatesBelow(
  folders: readonly string[],
  shown: ReadonlyMap<string, string>,
): CheckDeps['readTemplate'] {
  const texts = new Map<string, string | undefined>();
  return (name, { root }) => {
    for (const folder of new Set([root.folder, ...folders])) {
      const path = placeBelow(folder, name);
      if (path === undefined) continue;
      if (!texts.has(path)) texts.set(path, readText(path));
      const text = texts.get(path);
      if (text !== undefined) return { text, path: shown.get(path) ?? path };
    }
    return undefined;
  };
}

/** Runs functions that only compute, on a minion that has the grains and nothing else. */
function computing({ grains, pillar }: Knowledge): CheckDeps['compute'] {
  const opts: Dict = new Map<Value, Value>([['id', grains.get('id') ?? 'minion']]);
  const registry = new ModuleRegistry({ opts, grains, table: MODULE_TABLE });
  const context = createModuleContext(registry, {
    id: 'minion',
    opts,
    grains,
    pillar,
    job: { jid: '', fun: '', pub: new Map() },
    signal: new AbortController().signal,
    services: withoutMinion('There is no master to ask: this is a check.'),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
  return (fun, args, kwargs) => context.functions.call(fun, args, kwargs);
}
