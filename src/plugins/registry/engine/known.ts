/** What Salt knows engines by besides their names, and which of them are not here. */

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
