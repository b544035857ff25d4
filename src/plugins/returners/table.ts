/** The table of returners; each is imported on first use. */
import type { ModuleEntry } from '../../runtime/loader/module-entry.ts';
import { STORE_KINDS } from './store-kinds.ts';
import type { OpenStores } from './open-stores.ts';

/** Every returner that is no database, by the name that `--return` takes. */
export const RETURNER_TABLE: readonly ModuleEntry[] = [
  { name: 'http', file: 'http_return', load: async () => (await import('./http.ts')).httpReturner },
  { name: 'local', file: 'local', load: async () => (await import('./local.ts')).localReturner },
  {
    name: 'local_cache',
    file: 'local_cache',
    load: async () => (await import('./local-cache.ts')).localCacheReturner,
  },
  {
    name: 'rawfile_json',
    file: 'rawfile_json',
    load: async () => (await import('./rawfile-json.ts')).rawfileJsonReturner,
  },
  { name: 'slack', file: 'slack_returner', load: async () => (await import('./slack.ts')).slackReturner },
  {
    name: 'slack_webhook',
    file: 'slack_webhook_return',
    load: async () => (await import('./slack-webhook.ts')).slackWebhookReturner,
  },
  { name: 'smtp', file: 'smtp_return', load: async () => (await import('./smtp.ts')).smtpReturner },
  { name: 'syslog', file: 'syslog_return', load: async () => (await import('./syslog.ts')).syslogReturner },
];

/** Every returner, databases included. @param stores where open databases are kept */
export function returnerTable(stores: OpenStores): readonly ModuleEntry[] {
  const databases = STORE_KINDS.map(({ name, file, load }): ModuleEntry => ({
    name,
    file,
    load: async () => {
      const { databaseReturner } = await import('./database-returner.ts');
      return databaseReturner(await load(), file, stores);
    },
  }));
  return [...RETURNER_TABLE, ...databases];
}
