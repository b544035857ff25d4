/** The table of returners; each is imported on first use. */
import type { ModuleEntry } from '../../../runtime/loader/module-entry.ts';
import { STORE_KINDS } from './store-kinds.generated.ts';
import type { OpenStores } from '../../shared/returner/open-stores.ts';

/** Every returner that is no database, by the name that `--return` takes. */
export const RETURNER_TABLE: readonly ModuleEntry[] = [
  {
    name: 'http',
    file: 'http_return',
    load: async () => (await import('../../http/returner.ts')).httpReturner,
  },
  { name: 'local', file: 'local', load: async () => (await import('../../local/returner.ts')).localReturner },
  {
    name: 'local_cache',
    file: 'local_cache',
    load: async () => (await import('../../local/local-cache.returner.ts')).localCacheReturner,
  },
  {
    name: 'rawfile_json',
    file: 'rawfile_json',
    load: async () => (await import('../../rawfile-json/returner.ts')).rawfileJsonReturner,
  },
  {
    name: 'slack',
    file: 'slack_returner',
    load: async () => (await import('../../slack/returner.ts')).slackReturner,
  },
  {
    name: 'slack_webhook',
    file: 'slack_webhook_return',
    load: async () => (await import('../../slack/webhook.returner.ts')).slackWebhookReturner,
  },
  {
    name: 'smtp',
    file: 'smtp_return',
    load: async () => (await import('../../smtp/returner.ts')).smtpReturner,
  },
  {
    name: 'syslog',
    file: 'syslog_return',
    load: async () => (await import('../../syslog/returner.ts')).syslogReturner,
  },
];

/** Every returner, databases included. @param stores where open databases are kept */
export function returnerTable(stores: OpenStores): readonly ModuleEntry[] {
  const databases = STORE_KINDS.map(({ name, file, load }): ModuleEntry => ({
    name,
    file,
    load: async () => {
      const { databaseReturner } = await import('../../shared/returner/database-returner.ts');
      return databaseReturner(await load(), file, stores);
    },
  }));
  return [...RETURNER_TABLE, ...databases];
}
