/** The short name of the local time zone (`CEST`), which JavaScript does not know outside America. */
import type { GrainsHost } from '../host.ts';

const ZONES = '/usr/share/zoneinfo';

/**
 * The abbreviation in force at a moment.
 * @returns undefined when the machine's zone cannot be read
 */
export function timezoneName(host: GrainsHost, atMs: number): string | undefined {
  const setting = host.env.get('TZ');
  const rule = setting === undefined ? ruleOfFile(host, '/etc/localtime') : ruleOfSetting(host, setting);
  if (rule === undefined) return setting === undefined ? 'UTC' : undefined;
  return nameInRule(rule, host.utcOffsetMinutes(atMs));
}

function ruleOfSetting(host: GrainsHost, setting: string): string | undefined {
  const name = setting.replace(/^:/, '');
  if (name === '') return 'UTC0';
  // no path from the environment that would leave the zones' folder
  const isZone = /^[A-Za-z0-9_+-]+(\/[A-Za-z0-9_+-]+)*$/.test(name);
  const path = name.startsWith('/') ? name : `${ZONES}/${name}`;
  const ofFile = isZone || name.startsWith('/') ? ruleOfFile(host, path) : undefined;
  if (ofFile !== undefined || RULE.test(name)) return ofFile ?? name;
  // the C library takes an unknown name for another name of UTC
  return `${/^[A-Za-z]{3,}/.exec(name)?.[0] ?? 'UTC'}0`;
}

/** The last line of a TZif file is its rule for today (`CET-1CEST,M3.5.0,M10.5.0/3`). */
function ruleOfFile(host: GrainsHost, path: string): string | undefined {
  const content = host.readText(path);
  if (content === undefined || !content.startsWith('TZif')) return undefined;
  const lines = content.split('\n');
  return lines.at(-2);
}

const RULE =
  /^(<[^>]+>|[A-Za-z]+)([+-]?\d+)(?::(\d+))?(?::\d+)?(?:(<[^>]+>|[A-Za-z]+)(?:([+-]?\d+)(?::(\d+))?)?)?/;

/**
 * The name a POSIX time zone rule gives a zone.
 * @param offsetMinutes what local time adds to UTC now; it tells summer from winter
 */
function nameInRule(rule: string, offsetMinutes: number): string | undefined {
  const match = RULE.exec(rule);
  if (!match) return undefined;
  const [, standard = '', hours = '0', minutes = '0', summer] = match;
  const sign = hours.startsWith('-') ? 1 : -1;
  const standardOffset = sign * (Math.abs(Number(hours)) * 60 + Number(minutes));
  const name = summer !== undefined && offsetMinutes !== standardOffset ? summer : standard;
  return name.replace(/^<|>$/g, '');
}
