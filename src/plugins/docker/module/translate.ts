/**
 * Keywords as they are written on the command line of Docker or in an SLS, made into what the daemon takes (3006.16
 * salt/utils/dockermod/__init__.py `translate_input` and salt/utils/dockermod/translate/helpers.py).
 */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { ipNetwork, parseIpAddress } from '../../../python/ipaddress.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, isInt, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { repackList } from '../../../formats/data/repack-list.ts';
import { CommandProblem } from '../../shared/command-problem.ts';

/** How values are read. */
export interface TranslateOptions {
  /** Look at addresses whether they are some. */
  readonly validates: boolean;
  /** Keywords that are handed on as they are. */
  readonly skipped: ReadonlySet<string>;
}

/** Makes one value. @throws SaltInvocationError with what is wrong */
export type Reader = (value: Value, options: TranslateOptions) => Value;

/** The keywords of one kind of thing. */
export interface Translator {
  readonly aliases: ReadonlyMap<string, string>;
  readonly readers: ReadonlyMap<string, Reader>;
  /** Joins keywords that are one for the daemon, before aliases are resolved. */
  readonly merge?: (keywords: Dict) => void;
  /** What follows from several keywords together; may say that one is wrong. */
  readonly finish?: (keywords: Dict, options: TranslateOptions, invalid: Map<string, string>) => void;
}

/** What a state or a command line says about translating. */
export interface TranslateChoice {
  readonly skipTranslate: Value;
  readonly ignoreCollisions: boolean;
  readonly validates: boolean;
}

/** Text apart at its commas, or another sign, without blanks around the parts. */
export const splitText = (text: string, sign = ','): string[] => text.split(sign).map((part) => part.trim());

/** A text apart at the first sign; undefined where there is none. */
export function cutAt(text: string, sign: string): [string, string] | undefined {
  const at = text.indexOf(sign);
  return at < 0 ? undefined : [text.slice(0, at).trim(), text.slice(at + sign.length).trim()];
}

function isDictList(value: Value): value is Dict[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isDict(item) && item.size === 1);
}

const repacked = (value: Value): Value => (isDictList(value) ? (repackList(value) ?? value) : value);

/**
 * Translates keywords.
 * @throws CommandExecutionError `Failed to translate input: …` with everything that is wrong
 */
export function translate(translator: Translator, given: Dict, choice: TranslateChoice): Dict {
  if (choice.skipTranslate === true) return new Map(given);
  const { aliases, readers } = translator;
  const skipped = new Set(skippedNames(choice.skipTranslate));
  const options: TranslateOptions = { validates: choice.validates, skipped };
  const invalid = new Map<string, string>();
  const keywords: Dict = new Map();
  for (const [key, value] of given) {
    const name = pyStr(key);
    const real = aliases.get(name) ?? name;
    const reader = readers.get(real);
    try {
      if (skipped.has(real)) keywords.set(name, value);
      else {
        const plain = name === 'ipam_pools' ? value : repacked(value);
        keywords.set(name, reader === undefined ? plain : reader(plain, options));
      }
    } catch (error) {
      if (!(error instanceof SaltInvocationError)) throw error;
      invalid.set(name, error.message);
    }
  }
  translator.merge?.(keywords);
  const collisions = resolveAliases(keywords, aliases);
  translator.finish?.(keywords, options, invalid);
  refuse(invalid, choice.ignoreCollisions ? [] : collisions);
  return keywords;
}

function skippedNames(value: Value): string[] {
  if (!truthy(value)) return [];
  return Array.isArray(value) ? value.map(pyStr) : splitText(pyStr(value));
}

/** @returns a sentence for each keyword that is there under two names */
function resolveAliases(keywords: Dict, aliases: ReadonlyMap<string, string>): string[] {
  const collisions: string[] = [];
  for (const [alias, name] of aliases) {
    if (!keywords.has(alias)) continue;
    const value = keywords.get(alias) ?? null;
    keywords.delete(alias);
    if (keywords.has(name)) collisions.push(`'${alias}' is an alias for '${name}', they cannot both be used`);
    else keywords.set(name, value);
  }
  return collisions;
}

function refuse(invalid: ReadonlyMap<string, string>, collisions: readonly string[]): void {
  if (invalid.size === 0 && collisions.length === 0) return;
  const info = dict({
    ...(invalid.size > 0 ? { invalid: new Map([...invalid]) } : {}),
    ...(collisions.length > 0 ? { collisions: [...collisions] } : {}),
  });
  throw new TranslationError(info);
}

/** Keywords that mean nothing. */
export class TranslationError extends CommandProblem {
  readonly hasInvalid: boolean;
  constructor(info: Dict) {
    super('Failed to translate input', info);
    this.hasInvalid = info.has('invalid');
  }
}

/** Says that a value is wrong. */
export function wrong(text: string): never {
  throw new SaltInvocationError(text);
}

/** The readers that most keywords have. */
export const read = {
  text: (value: Value): Value => pyStr(value),
  flag: (value: Value): Value => truthy(value),
  number: (value: Value): Value => readNumber(value) ?? wrong(`'${pyStr(value)}' is not an integer`),
  mapping: (value: Value): Value => (isDict(value) ? value : wrong(`'${pyStr(value)}' is not a dictionary`)),
  command: (value: Value): Value => (Array.isArray(value) ? value.map(pyStr) : pyStr(value)),
  bytes: (value: Value): Value => readNumber(value) ?? pyStr(value),
  texts: (value: Value): string[] => texts(value),
  pairs:
    (sign: string) =>
    (value: Value): Dict =>
      pairs(value, sign),
  labels: (value: Value): Dict => labels(value),
} as const;

/** A whole number, or undefined. */
export function readNumber(value: Value): number | bigint | undefined {
  if (isInt(value)) return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return Math.trunc(value);
  const text = typeof value === 'string' ? value.trim() : '';
  return /^[+-]?[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A list of texts; a text is taken apart at its commas. */
export function texts(value: Value): string[] {
  return Array.isArray(value) ? value.map(pyStr) : splitText(pyStr(value));
}

function pairs(value: Value, sign: string): Dict {
  if (isDict(value)) return value;
  return new Map(
    texts(value).map(
      (item): [Value, Value] => cutAt(item, sign) ?? wrong(`'${item}' is not a key${sign}value pair`),
    ),
  );
}

function labels(value: Value): Dict {
  if (isDict(value)) return value;
  const out = dict();
  for (const item of Array.isArray(value) ? value : splitText(pyStr(value))) {
    if (isDict(item)) {
      if (item.size !== 1) wrong('Invalid label(s)');
      for (const [key, text] of item) out.set(pyStr(key), pyStr(text));
    } else out.set(...(cutAt(pyStr(item), '=') ?? [pyStr(item), '']));
  }
  return out;
}

/**
 * Mappings with these fields, of texts with colons between the values.
 * @param fill what stands for values that are missing
 */
export function fieldsOf(value: Value, names: readonly string[], fill?: string): Dict[] {
  const given = Array.isArray(value) ? value : splitText(pyStr(value));
  return given.map((item): Dict => {
    if (isDict(item)) return new Map(item);
    const parts = splitText(pyStr(item), ':');
    const isShort = parts.length < names.length && fill === undefined;
    if (isShort || parts.length > names.length) {
      const expected = isShort || fill === undefined ? String(names.length) : `up to ${names.length}`;
      wrong(`'${pyStr(item)}' contains ${parts.length} value(s) (expected ${expected})`);
    }
    return new Map(names.map((name, i) => [name, parts[i] ?? fill ?? '']));
  });
}

/** @throws SaltInvocationError for what is no address */
export function requireIp(value: Value): void {
  if (parseIpAddress(pyStr(value)) === undefined) wrong(`'${pyStr(value)}' is not a valid IP address`);
}

/** @throws SaltInvocationError for what is no network */
export function requireSubnet(value: Value): void {
  try {
    ipNetwork(pyStr(value), false);
  } catch {
    wrong(`'${pyStr(value)}' is not a valid subnet`);
  }
  if (!pyStr(value).includes('/')) wrong(`'${pyStr(value)}' is not a valid subnet`);
}

/** @throws SaltInvocationError for what is no path from the root */
export function requireAbsolute(value: Value): void {
  if (typeof value !== 'string' || !value.startsWith('/')) wrong(`'${pyStr(value)}' is not an absolute path`);
}
