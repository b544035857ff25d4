/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */
import type { EngineSpec } from '../../shared/engine/engine.ts';

/** Every engine. `reactor` is not among them: its daemon starts it itself. */
export const ENGINE_TABLE: ReadonlyMap<string, () => Promise<EngineSpec>> = new Map([
  ['docker_events', async () => (await import('../../docker/events.engine.ts')).dockerEventsEngine],
  ['fluent', async () => (await import('../../fluent/engine.ts')).fluentEngine],
  ['http_logstash', async () => (await import('../../logstash/http.engine.ts')).httpLogstashEngine],
  ['logstash', async () => (await import('../../logstash/engine.ts')).logstashEngine],
  ['redis_sentinel', async () => (await import('../../redis/sentinel.engine.ts')).redisSentinelEngine],
  ['script', async () => (await import('../../script/engine.ts')).scriptEngine],
  ['slack_bolt', async () => (await import('../../slack/bolt.engine.ts')).slackBoltEngine],
  ['stalekey', async () => (await import('../../stalekey/engine.ts')).stalekeyEngine],
  ['test', async () => (await import('../../test/engine.ts')).testEngine],
  ['webhook', async () => (await import('../../webhook/engine.ts')).webhookEngine],
]);
