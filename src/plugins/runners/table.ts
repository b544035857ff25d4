/** The runners there are. Each is imported when it is first needed. */
import type { RunnerModule } from './runner.ts';

/** Name to the import of its file; the paths are literal, so that a bundler finds them. */
export const RUNNER_TABLE: ReadonlyMap<string, () => Promise<RunnerModule>> = new Map([
  ['auth', async () => (await import('./auth.ts')).authRunners],
  ['cache', async () => (await import('./cache.ts')).cacheRunners],
  ['cluster', async () => (await import('./cluster.ts')).clusterRunners],
  ['config', async () => (await import('./config.ts')).configRunners],
  ['doc', async () => (await import('./doc.ts')).docRunners],
  ['error', async () => (await import('./error.ts')).errorRunners],
  ['event', async () => (await import('./event.ts')).eventRunners],
  ['fileserver', async () => (await import('./fileserver.ts')).fileserverRunners],
  ['git_pillar', async () => (await import('./git-pillar.ts')).gitPillarRunners],
  ['http', async () => (await import('./http.ts')).httpRunners],
  ['jobs', async () => (await import('./jobs.ts')).jobsRunners],
  ['manage', async () => (await import('./manage.ts')).manageRunners],
  ['mine', async () => (await import('./mine.ts')).mineRunners],
  ['nacl', async () => (await import('./nacl.ts')).naclRunners],
  ['network', async () => (await import('./network.ts')).networkRunners],
  ['pillar', async () => (await import('./pillar.ts')).pillarRunners],
  ['queue', async () => (await import('./queue.ts')).queueRunners],
  ['reactor', async () => (await import('./reactor.ts')).reactorRunners],
  ['returner', async () => (await import('./returner.ts')).returnerRunners],
  ['salt', async () => (await import('./salt.ts')).saltRunners],
  ['saltutil', async () => (await import('./saltutil.ts')).saltutilRunners],
  ['sdb', async () => (await import('./sdb.ts')).sdbRunners],
  ['state', async () => (await import('./state.ts')).stateRunners],
  ['survey', async () => (await import('./survey.ts')).surveyRunners],
  ['test', async () => (await import('./test.ts')).testRunners],
  ['vault', async () => (await import('./vault.ts')).vaultRunners],
]);
