/** `cmd`: commands and scripts as states (3006.16 salt/states/cmd.py). */
import { BrineError, CommandExecutionError, messageOf, SaltInvocationError } from '../../errors/errors.ts';
import { isExecutable } from '../../host/which.ts';
import { isDir } from '../../python/paths.ts';
import { defineModule, type Params } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { describeOsError, PythonError } from '../../python/exceptions.ts';
import { decodeOutput } from './module/decode.ts';
import { findAccount } from './module/environment.ts';
import {
  listUnlessNone,
  successCodes,
  textIfSet,
  textUnlessNone,
  timeoutOf,
  timeoutSeconds,
} from './module/options.ts';
import { handedOn as params, mergedOptions } from './module/params.ts';
import { pyStr } from '../../python/values/repr.ts';
import {
  asData,
  dict,
  isDict,
  PyObject,
  pyTypeName,
  truthy,
  type Dict,
  type Value,
} from '../../python/values/value.ts';
import { reinterpreted, statefulOf } from './state/stateful.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { missingSource } from '../shared/missing-source.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { stateEnvironment } from '../shared/state-environment.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const BAD_ENV = "Invalidly-formatted 'env' parameter. See documentation.";

/** One option, null when it was not given. */
const option = (options: Dict, name: string): Value => options.get(name) ?? null;

/** Whether an option was given and Python would call it true. */
const isSet = (options: Dict, name: string): boolean => truthy(options.get(name));

/** What stops a command before it is run, or undefined. */
function refusal(options: Dict): string | undefined {
  const env = option(options, 'env');
  if (env !== null && !Array.isArray(env) && !isDict(env)) return BAD_ENV;
  for (const key of ['context', 'defaults'])
    if (isSet(options, key) && !isDict(options.get(key)))
      return `Invalidly-formatted '${key}' parameter. Must be formed as a dict.`;
  try {
    timeoutSeconds(timeoutOf(option(options, 'timeout')));
    successCodes(listUnlessNone(option(options, 'success_retcodes')));
    decodeOutput(Buffer.alloc(0), textUnlessNone(option(options, 'output_encoding')));
    return undefined;
  } catch (error) {
    if (error instanceof BrineError) return error.message;
    throw error;
  }
}

function missingFolder(options: Dict): string | undefined {
  const cwd = option(options, 'cwd');
  return truthy(cwd) && !isDir(pyStr(cwd))
    ? `Desired working directory "${pyStr(cwd)}" is not available`
    : undefined;
}

/**
 * What a command needs that is not there, and that no earlier state of the run would make.
 * Salt compat: there, test mode promises the command.
 */
async function missingPart(ctx: StateContext, options: Dict): Promise<string | undefined> {
  const cwd = pyStr(option(options, 'cwd') ?? '');
  const noFolder = missingFolder(options);
  if (noFolder !== undefined && !mayBeMade(ctx, cwd)) return noFolder;
  const shell = isSet(options, 'shell') ? pyStr(option(options, 'shell')) : undefined;
  if (shell !== undefined && !isExecutable(shell) && !mayBeMade(ctx, shell))
    return `The shell ${shell} is not available`;
  if (isSet(options, 'template') || mayBeMade(ctx)) return undefined;
  try {
    await findAccount({
      runas: textIfSet(option(options, 'runas')),
      group: textIfSet(option(options, 'group')),
    });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Why there is no script, by its whole name and by the first word of it. */
async function missingScript(
  ctx: StateContext,
  { source, name, saltenv }: { readonly source: Value; readonly name: Value; readonly saltenv: string },
): Promise<string | undefined> {
  const missing = await missingSource(ctx, pyStr(source), saltenv);
  if (missing === undefined) return undefined;
  const first = source === name ? (pyStr(name).trim().split(/\s+/)[0] ?? '') : '';
  const isThere = first !== '' && (await missingSource(ctx, first, saltenv)) === undefined;
  return isThere ? undefined : uncached(source, saltenv);
}

const uncached = (source: Value, saltenv: string): string =>
  `Unable to cache script ${pyStr(source)} from saltenv '${saltenv}'`;

/** The shell that was asked for, or that of the user who started the minion. */
function withShell(ctx: StateContext, options: Dict): Dict {
  const call = new Map(options);
  return isSet(options, 'shell') ? call : call.set('shell', ctx.grains.get('shell') ?? null);
}

/** The result of a command that has run. */
function ended(
  ctx: StateContext,
  given: Value,
  { ran, comment, stateful }: { ran: Dict; comment: string; stateful: boolean },
): StateResult {
  const retcode = ran.get('retcode');
  if (retcode === undefined) throw new PythonError('KeyError', "'retcode'");
  const plain = outcome(given, !truthy(retcode), comment, ran);
  const state = stateful ? reinterpreted(plain) : plain;
  return ctx.state.test && retcode === 0 && state.changes.size > 0 ? { ...state, result: null } : state;
}

/** With `ignore_timeout`, a command that ran out of time counts as a success. */
function forgivenTimeout(ran: Dict): Dict {
  const timedOut = ran.get('retcode') === 1 && pyStr(ran.get('stdout') ?? null).includes('Timed out after');
  return timedOut ? new Map(ran).set('retcode', 0) : ran;
}

async function runCommandState(ctx: StateContext, options: Dict): Promise<StateResult> {
  const given = option(options, 'name');
  const { isOn, testName } = statefulOf(option(options, 'stateful'));
  const command = ctx.state.test && truthy(testName) ? (testName as Value) : given;
  const refused = refusal(options);
  if (refused !== undefined) return failure(given, refused);
  if (ctx.state.test && !truthy(testName)) {
    const impossible = await missingPart(ctx, options);
    if (impossible !== undefined) return failure(given, impossible);
    const comment = `Command "${pyStr(command)}" would have been executed`;
    const planned = outcome(given, null, comment, dict({ cmd: command }));
    return isOn ? reinterpreted(planned) : planned;
  }
  const noFolder = missingFolder(options);
  if (noFolder !== undefined) return failure(given, noFolder);
  const call = withShell(ctx, options).set('cmd', command).set('python_shell', true);
  for (const key of ['name', 'stateful', 'ignore_timeout']) call.delete(key);
  let ran: Dict;
  try {
    const fun = isSet(options, 'root') ? 'cmd.run_chroot' : 'cmd.run_all';
    if (fun === 'cmd.run_all') call.delete('root');
    ran = (await ctx.functions.call(fun, [], call)) as Dict;
  } catch (error) {
    return failure(given, messageOf(error));
  }
  if (isSet(options, 'ignore_timeout')) ran = forgivenTimeout(ran);
  return ended(ctx, given, { ran, comment: `Command "${pyStr(command)}" run`, stateful: isOn });
}

/** The keywords for `cmd.script`: words behind the name are its arguments. */
function scriptCall(ctx: StateContext, options: Dict, name: Value, saltenv: string): Dict {
  const context = new Map([...dictOf(options.get('defaults')), ...dictOf(options.get('context'))]);
  const call = new Map([...withShell(ctx, options), ...dict({ context, saltenv, python_shell: true })]);
  for (const key of ['name', 'stateful', 'defaults']) call.delete(key);
  const words = wordsBehind(name);
  if (words !== undefined && !isSet(options, 'args')) call.set('args', words);
  return call;
}

/** What stands behind the first blank of a name of several words. */
function wordsBehind(name: Value): string | undefined {
  const text = pyStr(name);
  if (text.trim().split(/\s+/).length < 2) return undefined;
  return text.includes(' ') ? text.slice(text.indexOf(' ') + 1) : '';
}

const dictOf = (value: Value | undefined): Dict => (isDict(value) ? value : new Map());

async function runScriptState(ctx: StateContext, options: Dict): Promise<StateResult> {
  const { isOn, testName } = statefulOf(option(options, 'stateful'));
  const name = ctx.state.test && truthy(testName) ? (testName as Value) : option(options, 'name');
  const refused = refusal(options);
  if (refused !== undefined) return failure(name, refused);
  const saltenv = stateEnvironment(ctx);
  const source = option(options, 'source') ?? name;
  if (ctx.state.test && !truthy(testName)) {
    const impossible =
      (await missingScript(ctx, { source, name, saltenv })) ?? (await missingPart(ctx, options));
    if (impossible !== undefined) return failure(name, impossible);
    const planned = outcome(name, null, `Command '${pyStr(name)}' would have been executed`);
    return isOn ? reinterpreted(planned) : planned;
  }
  const noFolder = missingFolder(options);
  if (noFolder !== undefined) return failure(name, noFolder);
  const call = scriptCall(ctx, options, name, saltenv);
  let ran: Dict;
  try {
    ran = (await ctx.functions.call('cmd.script', [], call.set('source', source))) as Dict;
    // Salt compat: the name with its words may be a name with blanks; where it is none, its first word is the script
    if (truthy(ran.get('cache_error')) && source === name && wordsBehind(name) !== undefined) {
      const first = pyStr(name).trim().split(/\s+/)[0] as string;
      ran = (await ctx.functions.call('cmd.script', [], call.set('source', first))) as Dict;
    }
  } catch (error) {
    const isKnown = error instanceof CommandExecutionError || error instanceof SaltInvocationError;
    if (!isKnown && !(error instanceof Error && describeOsError(error))) throw error;
    return failure(name, messageOf(error));
  }
  const comment = truthy(ran.get('cache_error')) ? uncached(source, saltenv) : `Command '${pyStr(name)}' run`;
  return ended(ctx, name, { ran, comment, stateful: isOn });
}

/** Calls a function that an SLS in Python has handed over: what it gives is the result, or says what has changed. */
async function callGiven(options: Dict): Promise<StateResult | Dict> {
  const func = option(options, 'func');
  if (!(func instanceof PyObject && func.isCallable))
    throw new PythonError('TypeError', `'${pyTypeName(func)}' object is not callable`);
  const [args, kws] = [option(options, 'args'), option(options, 'kws')];
  const given = await func.ask('call', Array.isArray(args) ? args : [], isDict(kws) ? kws : new Map());
  const value = asData(given ?? null);
  const name = option(options, 'name');
  if (isDict(value))
    return new Map([...dict({ name, changes: dict(), result: false, comment: '' }), ...value]);
  const comment = typeof value === 'string' ? value : '';
  return outcome(name, value === null || truthy(value), comment, dict({ retval: value }));
}

/** Runs what watches, when a watched state has changed something. */
async function watched(ctx: StateContext, options: Dict): Promise<StateResult | Dict> {
  const sfun = pyStr(option(options, 'sfun'));
  const stateful = isSet(options, 'stateful');
  const call = stateful ? new Map(options).set('stateful', false) : options;
  if (['wait', 'run', 'watch'].includes(sfun)) {
    const result = await runCommandState(ctx, call);
    return stateful ? reinterpreted(result) : result;
  }
  if (sfun === 'wait_script' || sfun === 'script') {
    const result = await runScriptState(ctx, call);
    return stateful ? reinterpreted(result) : result;
  }
  const name = option(options, 'name');
  if (sfun === 'wait_call' || sfun === 'call')
    return isSet(options, 'func')
      ? callGiven(options)
      : failure(name, `cmd.${sfun} needs a named parameter func`);
  return failure(
    name,
    `cmd.${sfun} does not work with the watch requisite, please use cmd.wait or cmd.wait_script`,
  );
}

const STATEFUL = param.value({
  default: false,
  type: 'bool or list',
  doc: 'The output says what was changed: JSON, or `changed=yes comment=text` in its last line. A list with `test_name` names a command for test mode.',
});
const COMMAND = param.value({ type: 'str', doc: 'The command; a shell runs it.' });
const SCRIPT_NAME = param.value({
  type: 'str',
  doc: 'The script, when there is no `source`; words behind the first are its arguments.',
});
const SUCCESS = 'success_retcodes success_stdout success_stderr';
const FUNC = {
  func: param.value({
    type: 'function',
    doc: 'A function of Python, which only renderers written in Python can give.',
  }),
  args: param.value({ default: [], type: 'list', doc: 'Its arguments.' }),
  kws: param.value({ default: null, type: 'dict', doc: 'Its keywords.' }),
} satisfies Params;

const SCRIPT_PARAMS = {
  ...params('source template cwd runas', { source: null }),
  ...params('password shell env'),
};

const wait = defineState({
  doc: 'Runs a command only when a watched state has changed something.',
  params: {
    name: COMMAND,
    ...params('cwd root runas shell env', { root: null, env: [] }),
    stateful: STATEFUL,
    ...params(`output_loglevel hide_output use_vt ${SUCCESS}`),
  },
  kwargs: 'kwargs',
  run: (_ctx, { name = null }) => outcome(name, true, ''),
});

/** The states of `cmd`. */
export const cmdStates = defineModule({
  name: 'cmd',
  file: 'cmd',
  doc: 'Commands and scripts. What they do counts as a change each time they run, unless they say more with `stateful`.',
  functions: {
    run: defineState({
      doc: 'Runs a command.',
      params: {
        name: COMMAND,
        ...params('cwd root runas shell env prepend_path', { root: null }),
        stateful: STATEFUL,
        ...params('output_loglevel hide_output timeout'),
        ignore_timeout: param.value({
          default: false,
          type: 'bool',
          doc: 'Running out of time counts as a success.',
        }),
        ...params(`use_vt ${SUCCESS}`),
      },
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => runCommandState(ctx, mergedOptions(args, kwargs)),
    }),
    script: defineState({
      doc: 'Fetches a script and runs it.',
      params: {
        name: SCRIPT_NAME,
        ...SCRIPT_PARAMS,
        stateful: STATEFUL,
        ...params('timeout use_vt output_loglevel hide_output'),
        defaults: param.value({ default: null, type: 'dict', doc: 'Variables for the template.' }),
        context: param.value({
          default: null,
          type: 'dict',
          doc: 'More of them, which win over `defaults`.',
        }),
        ...params(SUCCESS),
      },
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => runScriptState(ctx, mergedOptions(args, kwargs)),
    }),
    wait,
    watch: wait,
    wait_script: defineState({
      doc: 'Runs a script only when a watched state has changed something.',
      params: {
        name: SCRIPT_NAME,
        ...params('source template cwd runas shell env', { source: null }),
        stateful: STATEFUL,
        ...params(`use_vt output_loglevel hide_output ${SUCCESS}`),
      },
      kwargs: 'kwargs',
      run: (_ctx, { name = null }) => outcome(name, true, ''),
    }),
    call: defineState({
      doc: 'Calls a function of Python, which only renderers written in Python can give.',
      params: { name: COMMAND, ...FUNC, ...params('output_loglevel hide_output use_vt') },
      kwargs: 'kwargs',
      run: (_ctx, args) => callGiven(mergedOptions(args, new Map())),
    }),
    wait_call: defineState({
      doc: 'Calls a function of Python only when a watched state has changed something.',
      params: {
        name: COMMAND,
        ...FUNC,
        stateful: STATEFUL,
        ...params('use_vt output_loglevel hide_output'),
      },
      kwargs: 'kwargs',
      run: (_ctx, { name = null }) => outcome(name, true, ''),
    }),
    mod_watch: defineState({
      doc: 'Runs the command or the script of a state that watches.',
      params: { name: COMMAND },
      kwargs: 'kwargs',
      run: (ctx, args, kwargs) => watched(ctx, mergedOptions(args, kwargs)),
    }),
  },
});
