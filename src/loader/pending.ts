/** Stand-ins for parts that are not there yet (yaml/load.ts, yaml/dump.ts, values/traverse.ts). */
import type { Value } from '../values/value.ts';

export function loadYaml(text: string): Value {
  if (/^(true|yes|on)$/i.test(text)) return true;
  if (/^(false|no|off)$/i.test(text)) return false;
  if (/^(null|~)?$/i.test(text)) return null;
  if (/^[-+]?\d+(\.\d*)?$/.test(text)) return Number(text);
  if (text.startsWith('{') || text.startsWith('[')) {
    return fromJson(JSON.parse(text) as unknown);
  }
  return text;
}

function fromJson(value: unknown): Value {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value === 'object' && value !== null) {
    return new Map(Object.entries(value).map(([k, v]) => [k, fromJson(v)]));
  }
  return value as Value;
}
