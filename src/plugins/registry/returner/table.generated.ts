/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */
import type { ModuleEntry } from '../../../runtime/loader/module-entry.ts';

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
