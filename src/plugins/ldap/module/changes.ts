/** Entries and changes of them: from values to what a server is told (python-ldap's `ldap.modlist`, 3.4). */
import { ArgumentError } from '../../../errors/errors.ts';
import type { AttributeChange } from '../../../network/ldap/editor.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isBytes, isDict, pyTypeName, type Value } from '../../../python/values/value.ts';

/** An entry's values by their attributes. */
export type Attributes = ReadonlyMap<string, readonly Uint8Array[]>;

/** Active Directory's, which wants its value in quotes and in UTF-16. */
const UNICODE_PASSWORD = 'unicodePwd';

/** A value as bytes. */
export function bytesOf(value: Value): Uint8Array {
  return isBytes(value) ? value : Buffer.from(pyStr(value));
}

/** Values as bytes. Salt compat: a text is one value, and not one for each of its letters. */
export function valuesOf(value: Value): Uint8Array[] {
  const values = Array.isArray(value) ? value : isDict(value) ? [...value.keys()] : [value];
  return values.filter((each) => each !== null).map(bytesOf);
}

/** @param isWanted whether they are what shall be, in which a password has its form */
export function attributesOf(given: Value, isWanted: boolean): Map<string, Uint8Array[]> {
  if (!isDict(given)) throw new ArgumentError(`'${pyTypeName(given)}' object has no attribute 'items'`);
  return new Map(
    [...given].map(([name, value]) => {
      const values = valuesOf(value);
      const isPassword = isWanted && name === UNICODE_PASSWORD;
      return [pyStr(name), isPassword ? values.map(quotedPassword) : values];
    }),
  );
}

function quotedPassword(value: Uint8Array): Uint8Array {
  return Buffer.from(`"${Buffer.from(value).toString('utf8')}"`, 'utf16le');
}

/** Directives as `ldap3.modify` takes them: operation, attribute, values. */
export function directivesOf(given: Value): AttributeChange[] {
  if (!Array.isArray(given)) throw new ArgumentError(`'${pyTypeName(given)}' object is not iterable`);
  return given.map((directive) => {
    const [operation, name = null, value = null] = Array.isArray(directive) ? directive : [];
    if (operation !== 'add' && operation !== 'delete' && operation !== 'replace')
      throw new ArgumentError(
        `module 'ldap' has no attribute 'MOD_${pyStr(operation ?? null).toUpperCase()}'`,
      );
    const values = value === null ? [] : valuesOf(value);
    return {
      operation,
      name: pyStr(name),
      values: name === UNICODE_PASSWORD ? values.map(quotedPassword) : values,
    };
  });
}

const textOf = (value: Uint8Array): string => Buffer.from(value).toString('latin1');

/** Whether two lists have the same values, in whatever order. */
export function hasSameValues(one: readonly Uint8Array[], other: readonly Uint8Array[]): boolean {
  const texts = new Set(other.map(textOf));
  return one.length === other.length && one.every((value) => texts.has(textOf(value)));
}

/** What makes of an entry another one: whole attributes are deleted, and added anew. */
export function changesBetween(before: Attributes, after: Attributes): AttributeChange[] {
  const left = new Map([...before.keys()].map((name) => [name.toLowerCase(), name]));
  const changes: AttributeChange[] = [];
  for (const [name, values] of after) {
    const old = before.get(left.get(name.toLowerCase()) ?? '') ?? [];
    left.delete(name.toLowerCase());
    if (old.length > 0 && (values.length === 0 || !hasSameValues(old, values)))
      changes.push({ operation: 'delete', name, values: [] });
    if (values.length > 0 && (old.length === 0 || !hasSameValues(old, values)))
      changes.push({ operation: 'add', name, values });
  }
  for (const name of left.values()) changes.push({ operation: 'delete', name, values: [] });
  return changes;
}
