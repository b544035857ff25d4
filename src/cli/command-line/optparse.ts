/**
 * Command lines as Python's optparse reads them (3.11 Lib/optparse.py, salt/utils/parsers.py 3006.16): options and
 * words mixed, unique prefixes of long names, `-b10%`, clusters, `--`, Python's number formats and messages. A program
 * is a table of options; help, man page and completion come from the same table.
 */
import { UsageError } from '../../errors/errors.ts';
import { closestNames } from '../../errors/did-you-mean.ts';
import { textRepr } from '../../python/values/repr.ts';
import { toNumber, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { parsePyFloat, parsePyInt } from './py-number.ts';

/** What an option does: keeps a value, collects values, sets true or false, or ends the program with a text. */
export type CliAction = 'store' | 'append' | 'true' | 'false' | 'help' | 'version';

/** How the text after an option is read. */
export type CliType = 'str' | 'int' | 'float' | 'choice';

/** One option of a program. */
export interface CliOption {
  /** Every spelling, short ones first, as help shows them: `['-b', '--batch', '--batch-size']`. */
  readonly flags: readonly [string, ...string[]];
  /** Name under which the value is kept; also the configuration key that serves as its default. */
  readonly dest: string;
  readonly action: CliAction;
  /** Only for options that take a value. */
  readonly type?: CliType;
  readonly choices?: readonly string[];
  /** Value when neither the command line, a Saltfile nor the configuration says anything. */
  readonly default: Value;
  /** Environment variable that replaces the default when it is set and not empty. */
  readonly env?: string;
  readonly metavar?: string;
  /** Sentence for help and man page; `%default` stands for the default. */
  readonly help: string;
  /** Checks and converts a value that was given. @throws UsageError */
  readonly convert?: (value: Value) => Value;
  /** Not Salt's but ours: never found by a prefix, so that every prefix that works in Salt keeps its meaning. */
  readonly own?: boolean;
  /** Set where Brine does not serve it: using it is refused, or a line says that it does nothing. */
  readonly unserved?: { readonly action: 'refuse' | 'warn'; readonly why: string };
  /** Known, not built yet: left out of help, and using it is a usage error. */
  readonly planned?: boolean;
}

/** Options that cannot be served together: each of `these` with each of `others`. */
export interface Contradiction {
  readonly these: readonly string[];
  readonly others: readonly string[];
  /** Why, in half a sentence. */
  readonly why: string;
}

/** An option that does nothing unless one of others is given. */
export interface Dependence {
  readonly option: string;
  readonly needs: readonly string[];
}

/** An option that does nothing beside another, or beside certain values of it. */
export interface IdleBeside {
  readonly option: string;
  readonly beside: string;
  /** Those values; without them it is enough that the other is asked for. */
  readonly values?: readonly string[];
  /** Why, in half a sentence. */
  readonly why: string;
}

/** How the options of a program go together; options are named by destination. */
export interface OptionRules {
  readonly contradictions: readonly Contradiction[];
  readonly dependences?: readonly Dependence[];
  readonly idle?: readonly IdleBeside[];
}

/** Options under one heading of the help. */
export interface CliGroup {
  readonly title: string;
  readonly description?: string;
  readonly options: readonly CliOption[];
}

/** A program's command line. */
export interface CliProgram {
  readonly name: string;
  /** What follows the program's name in the usage line. */
  readonly usage: string;
  readonly description: string;
  /** The configuration file below the configuration folder. */
  readonly configFile: 'master' | 'minion';
  /** Options without a heading of their own. */
  readonly options: readonly CliOption[];
  readonly groups: readonly CliGroup[];
  /** A command line as people write it, shown where one is not complete. */
  readonly example?: string;
  /** What cannot hold together, and what does nothing alone. */
  readonly rules?: OptionRules;
}

/** Something with configuration values, e.g. `Options`. */
export interface ConfigSource {
  raw(key: string): Value | undefined;
}

/** What scanning ends with: a command line, or the wish to see a text and leave. */
export type ScanResult =
  | { readonly kind: 'options'; readonly parsed: ParsedOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

/** All options of a program, in the order of its help. */
export function allOptions(program: CliProgram): CliOption[] {
  return [...program.options, ...program.groups.flatMap((group) => group.options)];
}

/** True for an option that is followed by a value. */
export function takesValue(option: CliOption): boolean {
  return option.action === 'store' || option.action === 'append';
}

/** The name Salt uses for an option in messages: its first long spelling. */
export function optionName(option: CliOption): string {
  return option.flags.find((flag) => flag.startsWith('--')) ?? option.flags[0];
}

/** A command line after reading: values by destination, which of them were given, and the words. */
export class ParsedOptions {
  readonly program: CliProgram;
  /** The words that are no options, in order. */
  args: string[] = [];
  readonly #values = new Map<string, Value>();
  readonly #explicit = new Set<string>();
  /** Those among them that a Saltfile gave. */
  readonly #fromSaltfile = new Set<string>();

  /** @param env where options with `env` find their default */
  constructor(program: CliProgram, env: Readonly<Record<string, string | undefined>> = {}) {
    this.program = program;
    for (const option of allOptions(program)) {
      if (option.action === 'help' || option.action === 'version') continue;
      this.#values.set(option.dest, defaultOf(option, env));
    }
  }

  /** The value, null when there is none. */
  get(dest: string): Value {
    return this.#values.get(dest) ?? null;
  }

  /** True when the command line or a Saltfile gave it. */
  isExplicit(dest: string): boolean {
    return this.#explicit.has(dest);
  }

  /** True when the command line itself gave it. */
  isTyped(dest: string): boolean {
    return this.#explicit.has(dest) && !this.#fromSaltfile.has(dest);
  }

  /** The value as text; '' when there is none. */
  text(dest: string): string {
    const value = this.get(dest);
    return value === null ? '' : String(value);
  }

  /** Python's truth of the value. */
  flag(dest: string): boolean {
    return truthy(this.get(dest));
  }

  /** The value as a number, or undefined when it is none. */
  number(dest: string): number | undefined {
    return toNumber(this.get(dest));
  }

  /** Gives an option a value. */
  set(dest: string, value: Value, explicit: boolean): void {
    this.#values.set(dest, value);
    if (explicit) this.#explicit.add(dest);
  }

  /** Gives an option what a Saltfile says. */
  setFromSaltfile(dest: string, value: Value): void {
    this.set(dest, value, true);
    this.#fromSaltfile.add(dest);
  }

  /** Values that were given, by destination: what beats the configuration. Null values are left out. */
  overrides(): Dict {
    const out: Dict = new Map();
    for (const dest of this.#explicit) if (this.get(dest) !== null) out.set(dest, this.get(dest));
    return out;
  }

  /** Every destination with its value. */
  entries(): [string, Value][] {
    return [...this.#values];
  }

  /** Takes over what another command line gives, and appends its words (`--args-stdin`). */
  absorb(other: ParsedOptions): void {
    for (const dest of other.#explicit) this.set(dest, other.get(dest), true);
    this.args.push(...other.args);
  }
}

/** The default of an option in an environment. */
export function defaultOf(option: CliOption, env: Readonly<Record<string, string | undefined>>): Value {
  const fromEnv = option.env === undefined ? undefined : env[option.env];
  return fromEnv ? fromEnv : option.default;
}

/**
 * The value that counts (`MergeConfigMixIn` in salt/utils/parsers.py): given on the command line or in the Saltfile,
 * else the configuration key of the same name, else the option's default.
 * @param config configuration with its defaults; undefined when there is none
 */
export function effectiveOption(
  parsed: ParsedOptions,
  config: ConfigSource | undefined,
  dest: string,
): Value {
  const own = parsed.get(dest);
  if (own !== null && parsed.isExplicit(dest)) return own;
  return config?.raw(dest) ?? own;
}

/** The configuration with every option of the command line laid over it, as Salt's programs see it. */
export function mergedOptions(parsed: ParsedOptions, config: ConfigSource & { toDict(): Dict }): Dict {
  const out = config.toDict();
  for (const [dest] of parsed.entries()) {
    const value = effectiveOption(parsed, config, dest);
    if (value !== null) out.set(dest, value);
  }
  return out;
}

/** True when the value is still the option's default, as a Saltfile may replace it. */
export function isDefault(
  parsed: ParsedOptions,
  option: CliOption,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return valuesEqual(parsed.get(option.dest), defaultOf(option, env));
}

/**
 * Reads a command line.
 * @param argv the words after the program's name
 * @throws UsageError with optparse's message
 */
export function scan(
  program: CliProgram,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): ScanResult {
  const scanner = new Scanner(program, argv, env);
  return scanner.run();
}

class Scanner {
  readonly #rest: string[];
  readonly #parsed: ParsedOptions;
  readonly #flags = new Map<string, CliOption>();
  #end: 'help' | 'version' | undefined;

  constructor(
    program: CliProgram,
    argv: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.#rest = [...argv];
    this.#parsed = new ParsedOptions(program, env);
    for (const option of allOptions(program)) for (const flag of option.flags) this.#flags.set(flag, option);
  }

  run(): ScanResult {
    const words = this.#parsed.args;
    let word: string | undefined;
    while (this.#end === undefined && (word = this.#rest.shift()) !== undefined) {
      if (word === '--') words.push(...this.#rest.splice(0));
      else if (word.startsWith('--')) this.#long(word);
      else if (word.startsWith('-') && word.length > 1) this.#cluster(word);
      else words.push(word);
    }
    return this.#end === undefined ? { kind: 'options', parsed: this.#parsed } : { kind: this.#end };
  }

  #long(word: string): void {
    const equals = word.indexOf('=');
    const typed = equals < 0 ? word : word.slice(0, equals);
    const flag = this.#match(typed);
    const option = this.#flags.get(flag) as CliOption;
    if (takesValue(option)) {
      this.#store(option, flag, equals < 0 ? this.#take(flag) : word.slice(equals + 1));
      return;
    }
    if (equals >= 0) throw new UsageError(`${flag} option does not take a value`);
    this.#switch(option);
  }

  #match(typed: string): string {
    if (this.#flags.has(typed)) return typed;
    const names = [...this.#flags].filter(([name, option]) => name.startsWith('--') && !option.own);
    const hits = names.map(([name]) => name).filter((name) => name.startsWith(typed));
    if (hits.length === 1) return hits[0] as string;
    if (hits.length > 1) throw new UsageError(`ambiguous option: ${typed} (${hits.sort().join(', ')}?)`);
    const [near] = closestNames(
      typed,
      names.map(([name]) => name),
      1,
    );
    const hint = near === undefined ? '' : `\nDid you mean ${near}?`;
    throw new UsageError(`no such option: ${typed}${hint}`);
  }

  #cluster(word: string): void {
    const letters = [...word.slice(1)];
    while (letters.length > 0 && this.#end === undefined) {
      const flag = `-${letters.shift() as string}`;
      const option = this.#flags.get(flag);
      if (option === undefined) throw new UsageError(`no such option: ${flag}`);
      if (takesValue(option)) {
        const attached = letters.splice(0).join('');
        this.#store(option, flag, attached === '' ? this.#take(flag) : attached);
      } else {
        this.#switch(option);
      }
    }
  }

  #take(flag: string): string {
    const value = this.#rest.shift();
    if (value === undefined) throw new UsageError(`${flag} option requires 1 argument`);
    return value;
  }

  #switch(option: CliOption): void {
    refusePlanned(option);
    if (option.action === 'help' || option.action === 'version') this.#end = option.action;
    else this.#parsed.set(option.dest, option.action === 'true', true);
  }

  #store(option: CliOption, flag: string, text: string): void {
    refusePlanned(option);
    const value = readValue(option, flag, text);
    if (option.action !== 'append') return this.#parsed.set(option.dest, value, true);
    const before = this.#parsed.get(option.dest);
    this.#parsed.set(option.dest, [...(Array.isArray(before) ? before : []), value], true);
  }
}

function refusePlanned(option: CliOption): void {
  if (option.planned) throw new UsageError(`option ${optionName(option)} is not available yet`);
}

function readValue(option: CliOption, flag: string, text: string): Value {
  if (option.type === 'int') return parsePyInt(text) ?? invalid(flag, 'integer', text);
  if (option.type === 'float') return parsePyFloat(text) ?? invalid(flag, 'floating-point', text);
  if (option.type === 'choice' && !option.choices?.includes(text)) {
    const known = (option.choices ?? []).map(textRepr).join(', ');
    throw new UsageError(`option ${flag}: invalid choice: ${textRepr(text)} (choose from ${known})`);
  }
  return text;
}

function invalid(flag: string, what: string, text: string): never {
  throw new UsageError(`option ${flag}: invalid ${what} value: ${textRepr(text)}`);
}
