/** The engines of this program; each file is imported when it is first used. */
import type { EngineSpec } from '../../shared/engine/engine.ts';

/** By Salt's names. `reactor` is not among them: its daemon starts it itself. */
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

/** Further names by which Salt knows them: `__virtualname__` of the module (3006.16). */
export const ENGINE_ALIASES: ReadonlyMap<string, string> = new Map([['redis', 'redis_sentinel']]);

/** Salt's other engines, and why there is none here. */
export const MISSING_ENGINES: ReadonlyMap<string, string> = new Map([
  ['ircbot', 'there is no engine for IRC; fire events from a bot with the webhook engine'],
  ['junos_syslog', 'it needs Python libraries for Junos devices'],
  ['libvirt_events', 'it needs the Python bindings of libvirt'],
  ['logentries', 'the service that it was for is gone'],
  ['napalm_syslog', 'it needs the Python library napalm-logs'],
  ['slack', 'it needs an interface of Slack that Slack has ended; slack_bolt has the one of today'],
  ['sqs_events', 'there is no client for Amazon SQS'],
  ['thorium', 'there is no thorium'],
]);
