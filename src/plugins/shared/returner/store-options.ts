/** Reading single options of a returner's database. */
import { ConfigError } from '../../../errors/errors.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** The options of one returner, by name. */
export type StoreOptions = ReadonlyMap<string, Value>;

/** The text of an option, or undefined where nothing sets it. */
export function textOption(options: StoreOptions, name: string): string | undefined {
  const value = options.get(name);
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

/**
 * A whole number, also as text.
 * @throws ConfigError for anything else
 * @param full the name as the configuration has it
 */
export function intOption(options: StoreOptions, name: string, full: string): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new ConfigError(`${full} must be a whole number, not ${text}.`);
  return Number(text);
}

/** Seconds of an option in milliseconds. @throws ConfigError for what is no number above 0 */
export function secondsOption(options: StoreOptions, name: string, full: string): number | undefined {
  const value = options.get(name);
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === 'string' ? Number(value) : toNumber(value);
  if (seconds === undefined || !(seconds > 0))
    throw new ConfigError(`${full} must be a number of seconds above 0, not ${String(value)}.`);
  return seconds * 1000;
}

/** Whether an option is set to something that Python takes for true. */
export function flagOption(options: StoreOptions, name: string): boolean {
  return truthy(options.get(name));
}

/** A list of texts; a single text is a list of one. */
export function listOption(options: StoreOptions, name: string): string[] {
  const value = options.get(name);
  if (value === undefined || value === null || value === '') return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

/** The mappings in a list; others are left out. */
export function dictsOption(options: StoreOptions, name: string): Dict[] {
  const value = options.get(name);
  return Array.isArray(value) ? value.filter(isDict) : isDict(value) ? [value] : [];
}
