/** The backends that `fileserver_backend` names, in its order. */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import type { Dict } from '../../python/values/value.ts';
import { safeJoin } from '../../host/files.ts';
import { repositoriesFolder } from '../git/repository.ts';
import { createAzurefs } from './azurefs.ts';
import { createGitfs } from './gitfs.ts';
import { createHgfs } from './hgfs.ts';
import type { FileBackend } from './layer.ts';
import { createMinionfs } from './minionfs.ts';
import { createRoots } from './roots.ts';
import { createS3fs } from './s3fs.ts';
import { createSvnfs } from './svnfs.ts';
import type { FileServerSettings } from './settings.ts';

/** What backends are made of. */
export interface BackendDeps {
  readonly opts: Dict;
  readonly settings: FileServerSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

type CreateBackend = (deps: BackendDeps) => FileBackend;

const gitfs: CreateBackend = ({ opts, settings, clock, random, log }) =>
  createGitfs({ opts, folder: repositoriesFolder(settings.cachedir), clock, random, log });

/** A folder for the copies of one kind. */
const copies = ({ settings }: BackendDeps, name: string): string => safeJoin(settings.cachedir, name);

/** By the names that the option takes. */
const BACKENDS: ReadonlyMap<string, CreateBackend> = new Map<string, CreateBackend>([
  ['roots', ({ settings }) => createRoots(settings)],
  ['git', gitfs],
  ['hg', (deps) => createHgfs({ ...deps, folder: copies(deps, 'hg') })],
  ['svn', (deps) => createSvnfs({ ...deps, folder: copies(deps, 'svn') })],
  ['s3', (deps) => createS3fs({ ...deps, folder: copies(deps, 's3') })],
  ['azure', (deps) => createAzurefs({ ...deps, folder: copies(deps, 'azure') })],
  ['minion', ({ opts }) => createMinionfs(opts)],
]);

/** A name as the option has it: `gitfs` is `git`. */
export function backendName(name: string): string {
  return name === 'roots' ? name : name.replace(/fs$/, '');
}

/**
 * Makes the backends. One that does not exist has stopped the program at its start, unless `unserved_options` lets it
 * go on without.
 * @throws ConfigError for what the options of a backend say wrongly
 */
export function createBackends(deps: BackendDeps): readonly FileBackend[] {
  return [...new Set(deps.settings.backends.map(backendName))].flatMap(
    (name) => BACKENDS.get(name)?.(deps) ?? [],
  );
}
