/** The parameters that the module `ip` has on every family. */
import { pyTypeName, type Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import type { WordRules } from '../../../runtime/loader/words.ts';
import { settingError } from './settings.ts';

/** @throws PythonError (AttributeError) for what is no text */
function smallLetters(type: Value): string {
  if (typeof type === 'string') return type.toLowerCase();
  throw settingError(`'${pyTypeName(type)}' object has no attribute 'lower'`);
}

/** Which interface. */
export const IP_PARAMS = {
  iface: param.text({ doc: 'The interface.' }),
  iface_type: param.by(smallLetters, { type: 'str', doc: 'Its type: eth, bond, bridge, slave, vlan …' }),
  enabled: param.flag({ doc: 'Whether it comes up at boot.' }),
} as const;

/** Which interface is switched on or off. */
export const SWITCHED = {
  iface: IP_PARAMS.iface,
  iface_type: param.text({ doc: 'Its type: others bring slaves and sources up and down.' }),
} as const;

/** Settings become lines of files; the names of interfaces, which become operands, are checked where they do. */
export const IP_WORDS: WordRules = { dashes: 'any' };
