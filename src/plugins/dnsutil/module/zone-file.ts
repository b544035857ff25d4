/** Reading the file of a zone. Follows 3006.16 salt/modules/dnsutil.py `parse_zone`. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';

/** A week, the longest time of RFC 1035. */
const LONGEST_SECONDS = 604_800;

function secondsOf(text: string): number {
  const given = text.toUpperCase();
  const number = (letter: string): number => Number(given.replace(letter, ''));
  const seconds = given.includes('H')
    ? number('H') * 3600
    : given.includes('D')
      ? number('D') * 86_400
      : Number(given);
  return Number.isFinite(seconds) && !given.includes('W') && text !== ''
    ? Math.min(seconds, LONGEST_SECONDS)
    : LONGEST_SECONDS;
}

const words = (line: string): string[] => line.split(/\s+/).filter((word) => word !== '');

/** Records over several lines, in brackets, as one each; without comments. */
function recordLines(text: string): string[] {
  const lines: string[] = [];
  let open: string | undefined;
  for (const whole of splitLines(text)) {
    const line = (whole.split(';')[0] ?? '').trim();
    if (line === '') continue;
    if (open === undefined && line.includes('(') && !line.includes(')')) open = '';
    if (open === undefined) lines.push(line);
    else {
      open += ` ${line}`;
      if (!line.includes(')')) continue;
      lines.push(open.replace(/[()]/g, ''));
      open = undefined;
    }
  }
  return lines;
}

function readStart(zone: Dict, fields: readonly string[]): void {
  const [origin = '', network = '', , source = '', contact = '', serial = '', ...times] =
    fields[1] === 'IN' ? fields : [...fields.slice(0, 1), ...fields.slice(2)];
  zone.set('ORIGIN', origin).set('NETWORK', network).set('SOURCE', source);
  zone.set('CONTACT', contact.replace('.', '@')).set('SERIAL', serial);
  ['REFRESH', 'RETRY', 'EXPIRE', 'MINTTL'].forEach((name, i) => zone.set(name, secondsOf(times[i] ?? '')));
}

function entriesOf(zone: Dict, key: string): Dict {
  const known = zone.get(key);
  if (isDict(known)) return known;
  const made = dict();
  zone.set(key, made);
  return made;
}

function readRecord(zone: Dict, fields: readonly string[], line: string): void {
  const origin = zone.get('ORIGIN');
  const all = fields[0] === 'IN' ? [String(origin ?? ''), ...fields] : [...fields];
  let [name = ''] = all;
  const [, second = '', third = '', fourth = '', fifth = ''] = all;
  if (!name.endsWith('.') && !line.includes('NS')) {
    if (typeof origin !== 'string')
      throw new CommandExecutionError(
        `The zone has no origin for its record '${line.trim()}'; give it a record SOA.`,
      );
    name = `${name}.${origin}`;
  }
  if (third === 'NS') {
    const known = zone.get('NS');
    zone.set('NS', [...(Array.isArray(known) ? known : []), fourth]);
  } else if (third === 'MX') {
    if (!zone.has('MX')) zone.set('MX', [dict({ priority: fourth, host: fifth })]);
  } else if (fourth === 'A' || fourth === 'AAAA')
    entriesOf(zone, fourth).set(name, dict({ TARGET: fifth, TTL: second }));
  else entriesOf(zone, third).set(name, fourth);
}

/** What a zone's file says. @throws CommandExecutionError for a relative name without an origin */
export function readZone(text: string): Dict {
  const zone = dict();
  for (const line of recordLines(text)) {
    const first = words(line);
    if (line.startsWith('$')) {
      zone.set((first[0] ?? '').replaceAll('$', ''), first[1] ?? '');
      continue;
    }
    const origin: Value | undefined = zone.get('ORIGIN');
    const fields = typeof origin === 'string' ? words(line.replaceAll('@', origin)) : first;
    if (line.includes('SOA')) readStart(zone, fields);
    else readRecord(zone, fields, line);
  }
  return zone;
}
