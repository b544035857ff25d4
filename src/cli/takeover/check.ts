/** What becomes of a site when Brine takes the place of its Salt: everything that a look at it tells. */
import { join } from 'node:path';
import type { Environment } from '../../config/paths.ts';
import { isDirectory } from '../../config/read-file.ts';
import { ConfigError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { laterSalt } from '../../runtime/sls-check/later-salt.ts';
import { checkFound } from '../sls/check-found.ts';
import { grainsOfSystem } from '../sls/grain-profiles.ts';
import { ownModules } from '../sls/own-modules.ts';
import { lookAtConfiguration, type LookedAt } from './configuration.ts';
import { lookAtLogins } from './logins.ts';
import { lookAtNamedParts } from './named-parts.ts';
import { lookAtOwnCode } from './own-code.ts';
import type { Remark } from './remark.ts';
import { lookAtData, lookAtSalt } from './salt-here.ts';
import { remarksOn, sourcesOf, treesOf } from './trees.ts';

/** What is looked at. */
export interface CheckedPlace {
  /** A folder that there is. */
  readonly configDir: string;
  /** The release of Salt that the site would go to; empty for none. */
  readonly insteadOf: string;
  readonly env: Environment;
}

/** Looks at a site; nothing is changed. @throws ConfigError where there is nothing to look at */
export async function checkSite(place: CheckedPlace): Promise<Remark[]> {
  const { configDir, env } = place;
  const looked = (['master', 'minion'] as const)
    .map((role) => lookAtConfiguration(role, configDir, env))
    .filter((one) => one !== undefined);
  if (looked.length === 0)
    throw new ConfigError(
      `${configDir} has neither a file master nor a file minion, so that there is nothing to look at; -c names another folder.`,
    );
  const remarks = [...lookAtSalt(), ...looked.flatMap((one) => one.remarks)];
  for (const one of looked) remarks.push(...(await remarksOnSite(one, place)));
  return withoutRepeats(remarks);
}

/** Trees, own modules and data of one program; nothing where it has no options. */
async function remarksOnSite(
  looked: LookedAt,
  { configDir, insteadOf, env }: CheckedPlace,
): Promise<Remark[]> {
  const { role, files, options } = looked;
  if (options === undefined) return [];
  const trees = treesOf(options, files);
  const named = lookAtNamedParts(looked, laterSalt(insteadOf), ownParts(trees.fileRoots));
  const isAuthKnown = !named.some(
    ({ verdict, message }) => verdict === 'missing' && message.startsWith('external_auth:'),
  );
  const data = [
    ...named,
    ...(role === 'master' && isAuthKnown ? await lookAtLogins(looked, configDir, env) : []),
    ...lookAtData(role, configDir, options),
  ];
  if (role === 'minion' && options.raw('file_client') !== 'local') return data;
  const sources = sourcesOf(trees);
  const remarks = [...trees.remarks];
  if (sources !== undefined) {
    const knowledge = {
      pillar: new Map(),
      grains: grainsOfSystem('debian') ?? new Map(),
      complete: new Set<'pillar' | 'grains'>(),
    };
    const findings = await checkFound(sources, knowledge, insteadOf);
    remarks.push(...remarksOn(findings, sources.sources.length, trees));
  }
  const further = pyStr(options.raw('extension_modules') ?? '');
  return [...remarks, ...lookAtOwnCode([...trees.fileRoots, ...(further === '' ? [] : [further])]), ...data];
}

/** The site's own modules by folder: what their names are in options. */
function ownParts(fileRoots: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const kinds = ['_returners', '_pillar', '_beacons', '_engines', '_auth'];
  return new Map(
    kinds.map((kind) => [
      kind,
      ownModules(fileRoots.map((root) => join(root, kind)).filter(isDirectory), kind),
    ]),
  );
}

/** A machine that is master and minion has some things twice. */
function withoutRepeats(remarks: readonly Remark[]): Remark[] {
  return [...new Map(remarks.map((one) => [JSON.stringify(one), one])).values()];
}
