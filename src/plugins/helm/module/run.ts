/** Running helm: its words, and what is made of its answer. Follows 3006.16 salt/modules/helm.py. */
import { BrineError, CommandExecutionError } from '../../../errors/errors.ts';
import { parseJson } from '../../../formats/json/parse.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll } from '../../shared/program.ts';
import { withSecretFiles } from '../../shared/secret-file.ts';

/** Options of helm: those without a value, and those with one. */
export interface HelmOptions {
  readonly flags: readonly string[];
  readonly kvflags: Dict;
}

/** What helm is asked. */
export interface HelmCommand extends HelmOptions {
  readonly words: readonly string[];
  /** What the command is about: releases, charts, paths. */
  readonly operands: readonly string[];
}

const optionOf = (name: Value): string => {
  const text = pyStr(name);
  return text.startsWith('--') ? text : `--${text}`;
};

/** @throws CommandExecutionError for what helm would take for an option */
export function operandOf(value: Value): string {
  const text = pyStr(value);
  if (text.startsWith('-'))
    throw new CommandExecutionError(`'${text}' begins with a dash: helm would take it for an option.`);
  return text;
}

/** @throws CommandExecutionError for what is neither a list nor nothing */
export function listIn(value: Value, name: string): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (truthy(value)) throw new CommandExecutionError(`${name} must be a list, not ${pyRepr(value)}.`);
  return [];
}

/** Options without a value as they are written. @throws CommandExecutionError for what is neither a list nor nothing */
export const flagsOf = (value: Value): string[] => listIn(value, 'flags').map(optionOf);

/** @throws CommandExecutionError for what is neither a mapping nor nothing */
export function kvflagsOf(value: Value): Dict {
  if (isDict(value)) return value;
  if (truthy(value)) throw new CommandExecutionError(`kvflags must be a mapping, not ${pyRepr(value)}.`);
  return new Map();
}

function wordsOf({ words, operands, flags, kvflags }: HelmCommand): string[] {
  return [
    ...['helm', ...words, ...operands],
    ...flags,
    ...[...kvflags].flatMap(([name, value]) => {
      const option = optionOf(name);
      const values = /^--set(?:-file)?$/.test(option) && Array.isArray(value) ? value : [value];
      return values.flatMap((each) => [option, pyStr(each)]);
    }),
  ];
}

/** Options with further ones behind them, where they have a value. */
export function withOptions(kvflags: Dict, further: Readonly<Record<string, Value | undefined>>): Dict {
  const all = new Map(kvflags);
  for (const [name, value] of Object.entries(further)) if (value !== undefined) all.set(name, value);
  return all;
}

/** What `--set` makes something else of than a text. */
const NO_TEXT = /^(?:true|false|null|0|-\d+|\+?[1-9]\d*)$/i;

/**
 * `a=x,b.c=y` with its texts taken out, for files.
 * @returns undefined where all of it has to stay an argument: lists, and what helm itself refuses
 */
function settingTexts(given: string): { readonly kept: string[]; readonly texts: [string, string][] } {
  const [kept, texts]: [string[], [string, string][]] = [[], []];
  if (/[{}]/.test(given)) return { kept: [given], texts };
  for (const piece of given.match(/(?:\\[^]|[^,\\])+/g) ?? []) {
    const [, name, value = ''] = /^((?:\\[^]|[^=\\])+)=([^]*)$/.exec(piece) ?? [];
    const text = value.replaceAll(/\\([^])/g, '$1');
    if (name === undefined || text === '' || NO_TEXT.test(text)) kept.push(piece);
    else texts.push([name, text]);
  }
  return { kept, texts };
}

/** Names of values that are set more than once, of which the order decides. */
const isSetTwice = (names: readonly string[]): boolean =>
  names.some((name, i) => names.some((other, j) => i !== j && `${other}.`.startsWith(`${name}.`)));

/**
 * The values of `--set` that are texts, as `--set-file` reads them: in helm the two mean the same, and a file is no
 * argument.
 *
 * Salt compat: Salt leaves all values among the arguments, where every user of the machine reads them.
 */
async function withSetFiles<T>(
  ctx: ModuleContext,
  options: Dict,
  use: (kvflags: Dict) => Promise<T>,
): Promise<T> {
  const name = [...options.keys()].find((key) => optionOf(key) === '--set');
  const given = name === undefined ? undefined : options.get(name);
  if (given === undefined || [...options.keys()].some((key) => /^--set-/.test(optionOf(key))))
    return use(options);
  const pieces = (Array.isArray(given) ? given : [given]).map((one) => settingTexts(pyStr(one)));
  const texts = pieces.flatMap((piece) => piece.texts);
  const kept = pieces.flatMap((piece) => piece.kept);
  const names = [...texts.map(([key]) => key), ...kept.map((piece) => piece.replace(/=[^]*$/, ''))];
  if (texts.length === 0 || isSetTwice(names)) return use(options);
  return withSecretFiles(ctx, { contents: texts.map(([, text]) => text), runas: null }, (paths) => {
    const files = texts.map(([key], i): Value => `${key}=${(paths[i] ?? '').replaceAll(/[,\\]/g, '\\$&')}`);
    const left = [...options].filter(([key]) => key !== name);
    return use(new Map<Value, Value>([...left, ['set', kept], ['set-file', files]]));
  });
}

/** Commands that read a password from their standard input. */
const READ_PASSWORDS = ['repo add', 'registry login'];

/**
 * What goes to helm beside its arguments, which every user of the machine reads, and the options that are left.
 *
 * Salt compat: Salt leaves the password and the token among the arguments.
 */
function secretsOf({ words, flags, kvflags }: HelmCommand): {
  readonly options: HelmOptions;
  readonly input: DictInit;
} {
  const left = new Map(kvflags);
  const taken = (option: string): Value | undefined => {
    const name = [...left.keys()].find((key) => optionOf(key) === option);
    const value = name === undefined ? undefined : left.get(name);
    if (name !== undefined) left.delete(name);
    return value;
  };
  const token = taken('--kube-token');
  const password = READ_PASSWORDS.includes(words.join(' ')) ? taken('--password') : undefined;
  if (token === undefined && password === undefined) return { options: { flags, kvflags }, input: {} };
  return {
    options: {
      flags: password === undefined ? flags : [...flags, '--password-stdin'],
      kvflags: left,
    },
    input: {
      ...(token === undefined ? {} : { env: dict({ HELM_KUBETOKEN: pyStr(token) }) }),
      ...(password === undefined ? {} : { stdin: `${pyStr(password)}\n` }),
    },
  };
}

/** Runs helm. @returns what it says, and whether it has worked; that it cannot be run is what it says then */
async function run(
  ctx: ModuleContext,
  command: HelmCommand,
): Promise<{ readonly works: boolean; readonly out: string; readonly problem: string }> {
  const { options, input } = secretsOf(command);
  const all = { ...command, ...options };
  const words = wordsOf(all);
  try {
    const ended = await withSetFiles(ctx, options.kvflags, (kvflags) =>
      runAll(ctx, kvflags === options.kvflags ? words : wordsOf({ ...all, kvflags }), input),
    );
    return { works: ended.retcode === 0, out: ended.stdout, problem: ended.stderr };
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    return { works: false, out: '', problem: error.message };
  }
}

/** @returns true, or what went wrong */
export async function helmDone(ctx: ModuleContext, command: HelmCommand): Promise<true | string> {
  const { works, problem } = await run(ctx, command);
  return works ? true : problem;
}

/** @returns what helm says, whichever way it ended */
export async function helmText(ctx: ModuleContext, command: HelmCommand): Promise<string> {
  const { works, out, problem } = await run(ctx, command);
  return works ? out : problem;
}

/** @returns the data that helm answers with, or what went wrong; a text where another output than JSON is asked for */
export async function helmData(ctx: ModuleContext, command: HelmCommand): Promise<Value> {
  const { kvflags: given } = command;
  const asked = given.get('output') ?? given.get('--output') ?? 'json';
  const kvflags = withOptions(given, given.has('output') || given.has('--output') ? {} : { output: 'json' });
  const { works, out, problem } = await run(ctx, { ...command, kvflags });
  if (!works) return problem;
  return asked === 'json' ? parseJson(out) : out;
}
