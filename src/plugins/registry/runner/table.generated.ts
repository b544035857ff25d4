/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */
import type { RunnerModule } from '../../shared/runner/runner.ts';

/** Every runner, by its name. */
export const RUNNER_TABLE: ReadonlyMap<string, () => Promise<RunnerModule>> = new Map([
  ['auth', async () => (await import('../../auth/runner.ts')).authRunners],
  ['brine', async () => (await import('../../brine/runner.ts')).brineRunners],
  ['cache', async () => (await import('../../cache/runner.ts')).cacheRunners],
  ['cluster', async () => (await import('../../cluster/runner.ts')).clusterRunners],
  ['config', async () => (await import('../../config/runner.ts')).configRunners],
  ['doc', async () => (await import('../../doc/runner.ts')).docRunners],
  ['error', async () => (await import('../../error/runner.ts')).errorRunners],
  ['event', async () => (await import('../../event/runner.ts')).eventRunners],
  ['fileserver', async () => (await import('../../fileserver/runner.ts')).fileserverRunners],
  ['git_pillar', async () => (await import('../../git-pillar/runner.ts')).gitPillarRunners],
  ['http', async () => (await import('../../http/runner.ts')).httpRunners],
  ['jobs', async () => (await import('../../jobs/runner.ts')).jobsRunners],
  ['manage', async () => (await import('../../manage/runner.ts')).manageRunners],
  ['mine', async () => (await import('../../mine/runner.ts')).mineRunners],
  ['nacl', async () => (await import('../../nacl/runner.ts')).naclRunners],
  ['network', async () => (await import('../../network/runner.ts')).networkRunners],
  ['pillar', async () => (await import('../../pillar/runner.ts')).pillarRunners],
  ['queue', async () => (await import('../../queue/runner.ts')).queueRunners],
  ['reactor', async () => (await import('../../reactor/runner.ts')).reactorRunners],
  ['returner', async () => (await import('../../returner/runner.ts')).returnerRunners],
  ['salt', async () => (await import('../../salt/runner.ts')).saltRunners],
  ['saltutil', async () => (await import('../../saltutil/runner.ts')).saltutilRunners],
  ['sdb', async () => (await import('../../sdb/runner.ts')).sdbRunners],
  ['state', async () => (await import('../../state/runner.ts')).stateRunners],
  ['survey', async () => (await import('../../survey/runner.ts')).surveyRunners],
  ['test', async () => (await import('../../test/runner.ts')).testRunners],
  ['vault', async () => (await import('../../vault/runner.ts')).vaultRunners],
]);
