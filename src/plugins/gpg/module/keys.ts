/** Keys as gpg lists them (as python-gnupg reads it), and as 3006.16 salt/modules/gpg.py tells of them. */
import { localTimeMs, strftime } from '../../../python/text/strftime.ts';
import { dict, type Dict } from '../../../python/values/value.ts';
import type { Keyring } from './keyring.ts';

/** What the letters of gpg mean. */
const TRUST: ReadonlyMap<string, string> = new Map([
  ['e', 'Expired'],
  ['q', 'Unknown'],
  ['n', 'Not Trusted'],
  ['f', 'Fully Trusted'],
  ['m', 'Marginally Trusted'],
  ['u', 'Ultimately Trusted'],
  ['r', 'Revoked'],
  ['-', 'Unknown'],
]);
const ESCAPES: readonly (readonly [from: string, to: string])[] = [
  ['\\n', '\n'],
  ['\\r', '\r'],
  ['\\f', '\f'],
  ['\\v', '\v'],
  ['\\b', '\b'],
  ['\\0', '\0'],
];

/** A key. */
export interface Key {
  readonly keyid: string;
  fingerprint: string;
  readonly uids: string[];
  readonly expires: string;
  readonly date: string;
  readonly length: string;
  readonly ownertrust: string;
  readonly trust: string;
}

/** A key of a keyserver. */
export type FoundKey = Pick<Key, 'keyid' | 'uids' | 'expires' | 'date' | 'length'>;

/** The keys of a keyring. */
export async function listKeys(keyring: Keyring, isSecret = false): Promise<Key[]> {
  const list = `--list-${isSecret ? 'secret-' : ''}keys`;
  const keys: Key[] = [];
  let isOfSubkey = false;
  for (const fields of await keyring.list([list, '--fingerprint', '--fingerprint', '--with-keygrip'])) {
    const at = (i: number): string => fields[i] ?? '';
    const key = keys.at(-1);
    if (at(0) === 'pub' || at(0) === 'sec') {
      isOfSubkey = false;
      const [trust, length, keyid, date] = [at(1), at(2), at(4), at(5)];
      const uids = at(9) === '' ? [] : [at(9)];
      keys.push({ keyid, fingerprint: '', uids, expires: at(6), date, length, ownertrust: at(8), trust });
    } else if (at(0) === 'uid') key?.uids.push(unescaped(at(9)));
    else if (at(0) === 'fpr' && key !== undefined && !isOfSubkey) key.fingerprint = at(9);
    else if (at(0) === 'sub' || at(0) === 'ssb') isOfSubkey = true;
  }
  return keys;
}

/** The keys that a keyserver finds. */
export async function searchKeys(keyring: Keyring, text: string, keyserver: string): Promise<FoundKey[]> {
  const query = text.trim();
  const words = ['--fingerprint', '--keyserver', keyserver];
  const search = ['--search-keys', '--', /^[0-9a-f]+$/i.test(query) ? `0x${query}` : query];
  const keys: FoundKey[] = [];
  for (const fields of await keyring.list([...words, ...search])) {
    const at = (i: number): string => fields[i] ?? '';
    if (at(0) === 'pub') keys.push({ keyid: at(1), uids: [], length: at(3), date: at(4), expires: at(5) });
    else if (at(0) === 'uid') keys.at(-1)?.uids.push(unescaped(at(1)));
  }
  return keys;
}

function unescaped(uid: string): string {
  const plain = uid.replace(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return ESCAPES.reduce((text, [from, to]) => text.replaceAll(from, to), plain);
}

const dayOf = (seconds: string): string => strftime(localTimeMs(Number(seconds) * 1000), '%Y-%m-%d');

function addDates(about: Dict, { expires, date, length }: FoundKey): Dict {
  if (expires !== '') about.set('expires', dayOf(expires));
  if (date !== '') about.set('created', dayOf(date));
  if (length !== '') about.set('keyLength', length);
  return about;
}

/** A key of a keyring, as functions tell of it. */
export function describeKey(key: Key): Dict {
  const about = addDates(dict({ keyid: key.keyid, fingerprint: key.fingerprint, uids: key.uids }), key);
  if (key.ownertrust !== '') about.set('ownerTrust', trustText(key.ownertrust));
  if (key.trust !== '') about.set('trust', trustText(key.trust));
  return about;
}

/** A key of a keyserver, as functions tell of it. */
export function describeFound(key: FoundKey): Dict {
  return addDates(dict({ keyid: key.keyid, uids: key.uids }), key);
}

/** What a letter of gpg means. Salt compat: one that Salt does not know ends its function; here it is unknown. */
function trustText(letter: string): string {
  return TRUST.get(letter.charAt(0)) ?? 'Unknown';
}

/** The key of an id, short or long, or of a fingerprint; the last that fits, as in Salt. */
export function keyOf(
  keys: readonly Key[],
  keyid: string | undefined,
  fingerprint: string | undefined,
): Key | undefined {
  return keys.findLast(
    (key) =>
      key.fingerprint === fingerprint ||
      key.keyid === keyid ||
      (keyid !== undefined && key.keyid.slice(8) === keyid),
  );
}
