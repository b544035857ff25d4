/** Pillar for eyes: what looks like a secret becomes stars, and it is said where. */
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';

const STARS = '***';
const MASKED_MAX = 1000;
/** Names whose values are secret, as words of a name. */
const SECRET_NAME =
  /pass(word|wd|phrase)?s?($|[^a-z])|passwd|pwd|secret|token|credential|private|api_?key|(^|[^a-z])key($|[^a-z])|auth_?key|access_?key|(^|[^a-z])(pin|psk|salt|hash|otp|seed|cookie)($|[^a-z])/i;
/** Texts that are secret whatever their name: keys and armoured data, addresses with a password. */
const SECRET_TEXT =
  /-----BEGIN [A-Z0-9 ]*(PRIVATE KEY|PGP MESSAGE)|^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

/** @returns the pillar without secrets, and the paths at which there were some */
export function maskedPillar(pillar: Dict): { readonly data: Dict; readonly masked: readonly string[] } {
  const masked: string[] = [];
  const mask = (path: string): string => {
    if (masked.length < MASKED_MAX) masked.push(path);
    return STARS;
  };
  const shown = (value: Value, path: string): Value => {
    if (typeof value === 'string') return SECRET_TEXT.test(value) ? mask(path) : value;
    if (Array.isArray(value)) return value.map((each, index) => shown(each, `${path}:${index}`));
    if (!isDict(value)) return value;
    return new Map([...value].map(([key, each]) => [key, of(pyStr(key), each, path)]));
  };
  const of = (name: string, value: Value, path: string): Value => {
    const at = path === '' ? name : `${path}:${name}`;
    // a name like that before a mapping is a heading; the secrets are below it
    if (SECRET_NAME.test(name) && !isDict(value)) return value === null || value === '' ? value : mask(at);
    return shown(value, at);
  };
  const data: Dict = new Map([...pillar].map(([key, value]) => [key, of(pyStr(key), value, '')]));
  return { data, masked };
}
