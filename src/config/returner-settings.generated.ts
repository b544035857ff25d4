/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */

/** What the options of returners begin with, which may stand in a mapping of that name as well. */
export const RETURNER_SETTINGS: readonly string[] = [
  'elasticsearch',
  'http',
  'local',
  'local_cache',
  'mariadb',
  'master_job_cache.postgres',
  'mongo',
  'mysql',
  'nats',
  'pgjsonb',
  'postgres',
  'postgres_local_cache',
  'rawfile_json',
  'redis',
  'returner.pgjsonb',
  'returner.postgres',
  'slack',
  'slack_webhook',
  'smtp',
  'sqlite3',
  'syslog',
];
