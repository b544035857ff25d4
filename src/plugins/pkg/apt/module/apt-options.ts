/**
 * The options of apt's sources: their names in a line (`check-valid-until=no`) and in a stanza (`Check-Valid-Until:
 * no`).
 */
import { wordsOf, type Stanza } from '../../module/deb822.ts';

/** Options of several values, by their names in a line. */
const LISTS = new Map([
  ['arch', 'Architectures'],
  ['lang', 'Languages'],
  ['target', 'Targets'],
]);
const ODD = new Map([
  ['pdiffs', 'PDiffs'],
  ['inrelease-path', 'InRelease-Path'],
]);
/** Fields that are no options, and those that apt does not know. */
const OTHERS = /^(?:types|uris|suites|components|enabled|x-.*)$/i;
/** Options that may differ between the entries of one release; the others apt wants to be the same for all of them. */
const OF_AN_ENTRY = /^(?:arch|lang|target)[+-]?$|^(?:pdiffs|by-hash)$/;
const YES = /^(?:yes|true|with|on|enable|1)$/i;
const NO = /^(?:no|false|without|off|disable|0)$/i;

const baseOf = (option: string): string => option.replace(/[+-]$/, '');
const isList = (option: string): boolean => LISTS.has(baseOf(option)) || option === 'signed-by';

/** Whether an option may be another one for `deb-src` than it is for `deb`. */
export const isOfEntry = (option: string): boolean => OF_AN_ENTRY.test(option);

/** What apt takes for switched off; whatever else stands there is on. */
export const isOff = (value: string): boolean => NO.test(value);

/** What apt takes for switched on. */
export const isOn = (value: string): boolean => YES.test(value);

/** The field of a stanza for an option of a line. */
export function fieldName(option: string): string {
  const list = LISTS.get(baseOf(option));
  if (list !== undefined)
    return option.endsWith('+') ? `${list}-Add` : option.endsWith('-') ? `${list}-Remove` : list;
  return ODD.get(option) ?? option.replace(/(^|-)([a-z])/g, (letters) => letters.toUpperCase());
}

function optionName(field: string): string {
  const [, base = '', sign] = /^(.*?)(-add|-remove)?$/i.exec(field) ?? [];
  const [list] = [...LISTS].find(([, name]) => name.toLowerCase() === base.toLowerCase()) ?? [];
  if (list === undefined) return field.toLowerCase();
  return sign === undefined ? list : `${list}${sign.toLowerCase() === '-add' ? '+' : '-'}`;
}

/** The value of a field for an option's value: words where a line has commas. */
export const fieldValue = (option: string, value: string): string =>
  isList(option) && !value.includes('\n') ? wordsOf(value).join(' ') : value;

/**
 * The options of a stanza by their names in a line; a value that no line could have is not one of them, unless it is a
 * key.
 */
export function stanzaOptions(stanza: Stanza): Map<string, string> {
  const options = new Map<string, string>();
  for (const field of stanza.names) {
    if (OTHERS.test(field)) continue;
    const option = optionName(field);
    const given = stanza.get(field) ?? '';
    const isKey = option === 'signed-by' && given.includes('\n');
    const value = isList(option) && !isKey ? wordsOf(given).join(',') : given;
    if (value !== '' && (isKey || !/\s/.test(value))) options.set(option, value);
  }
  return options;
}

/** Whether two values of an option mean the same. */
export function isSameOption(option: string, a: string | undefined, b: string): boolean {
  if (a === undefined) return false;
  if (isList(option) && !`${a}${b}`.includes('\n'))
    return [...wordsOf(a)].sort().join() === [...wordsOf(b)].sort().join();
  return a === b || (isOn(a) && isOn(b)) || (isOff(a) && isOff(b));
}
