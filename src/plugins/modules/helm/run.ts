/** Running helm: its words, and what is made of its answer. Follows 3006.16 salt/modules/helm.py. */
import { BrineError, CommandExecutionError } from '../../../errors/errors.ts';
import { parseJson } from '../../../formats/json/parse.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll } from '../program.ts';

/** Options of helm: those without a value, and those with one. */
export interface HelmOptions {
  readonly flags: Value;
  readonly kvflags: Value;
}

/** What helm is asked. */
export interface HelmCommand extends HelmOptions {
  readonly words: readonly string[];
  /** What the command is about: releases, charts, paths. */
  readonly operands: readonly Value[];
}

const optionOf = (name: Value): string => {
  const text = pyStr(name);
  return text.startsWith('--') ? text : `--${text}`;
};

/** @throws CommandExecutionError for what helm would take for an option */
function operandOf(value: Value): string {
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

/** @throws CommandExecutionError for what is neither a mapping nor nothing */
function mappingIn(value: Value): Dict {
  if (isDict(value)) return value;
  if (truthy(value)) throw new CommandExecutionError(`kvflags must be a mapping, not ${pyRepr(value)}.`);
  return new Map();
}

function wordsOf({ words, operands, flags, kvflags }: HelmCommand): string[] {
  const keyed = [...mappingIn(kvflags)];
  return [
    ...['helm', ...words, ...operands.map(operandOf)],
    ...listIn(flags, 'flags').map(optionOf),
    ...keyed.flatMap(([name, value]) => {
      const option = optionOf(name);
      const values = option === '--set' && Array.isArray(value) ? value : [value];
      return values.flatMap((each) => [option, pyStr(each)]);
    }),
  ];
}

/** Options with further ones behind them, where they have a value. */
export function withOptions(kvflags: Value, further: Readonly<Record<string, Value>>): Value {
  const added = Object.entries(further).filter(([, value]) => truthy(value));
  if (added.length === 0) return kvflags;
  return new Map<Value, Value>([...mappingIn(kvflags), ...added]);
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
  const left = new Map(mappingIn(kvflags));
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
      flags: password === undefined ? flags : [...listIn(flags, 'flags'), 'password-stdin'],
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
  const words = wordsOf({ ...command, ...options });
  try {
    const ended = await runAll(ctx, words, input);
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
  const given = mappingIn(command.kvflags);
  const asked = given.get('output') ?? given.get('--output') ?? 'json';
  const kvflags = withOptions(
    command.kvflags,
    given.has('output') || given.has('--output') ? {} : { output: 'json' },
  );
  const { works, out, problem } = await run(ctx, { ...command, kvflags });
  if (!works) return problem;
  return asked === 'json' ? parseJson(out) : out;
}
