/**
 * `test.*`: functions to try the minion, its arguments, its errors and its speed with (3006.16 salt/modules/test.py).
 */
import { optionOf } from '../../runtime/loader/option-of.ts';
import { createHash } from 'node:crypto';
import { messageOf } from '../../errors/errors.ts';
import { fromBigInt } from '../../python/values/int-text.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { pyCount } from '../../python/conversions.ts';
import { PythonError } from '../../python/exceptions.ts';
import { raisePythonError } from '../../python/raise.ts';
import { versionsInformation, versionsReport } from '../../runtime/loader/versions.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, float, pyTypeName, type Dict, type Value } from '../../python/values/value.ts';
import { saltCompatVersion } from '../../version.ts';
import { param } from '../../runtime/loader/params.ts';

/** Longer sleeps are made of pieces, because a timer of the system takes at most 2^31 milliseconds. */
const LONGEST_NAP_MS = 86_400_000;
/** Python's names of hash functions, where Node's differ. */
const HASH_NAMES: ReadonlyMap<string, string> = new Map([
  ...['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'].map((name) => [name, name] as const),
  ...['224', '256', '384', '512'].map((bits) => [`sha3_${bits}`, `sha3-${bits}`] as const),
  ['blake2b', 'blake2b512'],
  ['blake2s', 'blake2s256'],
]);

/**
 * A return code as a number: None is none, what is no number a failure. Salt hands both on, and its programs fail over
 * them.
 */
function retcodeOf(code: Value): number {
  if (code === null) return 0;
  try {
    return pyCount(code);
  } catch {
    return 1;
  }
}

async function sleepSeconds(ctx: ModuleContext, seconds: number): Promise<void> {
  if (seconds < 0) throw new PythonError('ValueError', 'sleep length must be non-negative');
  let leftMs = seconds * 1000;
  while (leftMs > 0 && !ctx.signal.aborted) {
    const napMs = Math.min(leftMs, LONGEST_NAP_MS);
    await ctx.clock.sleep(napMs, ctx.signal);
    leftMs -= napMs;
  }
}

function elapsedSeconds(ctx: ModuleContext, startMs: number): Value {
  return float((ctx.clock.monotonicMs() - startMs) / 1000);
}

function withoutDunder(kwargs: Dict): Dict {
  return new Map([...kwargs].filter(([key]) => !pyStr(key).startsWith('__')));
}

/** Python's `repr` of a tuple. */
function tupleRepr(items: readonly Value[]): string {
  return `(${items.map((item) => pyRepr(item)).join(', ')}${items.length === 1 ? ',' : ''})`;
}

/** Python's `str(type(value))`. */
function classText(value: Value): string {
  const name = pyTypeName(value);
  return `<class '${name === 'datetime' ? 'datetime.datetime' : name}'>`;
}

/** @returns the Collatz sequence without its final 1; halves are floats, as Python's `/` makes them */
function collatzSteps(start: number | bigint): Value[] {
  if (start <= 0) {
    // Salt compat: Salt's loop would never end, and fill the memory.
    throw new PythonError('ValueError', 'The Collatz sequence starts from a number above zero.');
  }
  const steps: Value[] = [];
  let exact: bigint | undefined = BigInt(start);
  let halved = 0;
  while (exact === undefined ? halved !== 1 : exact !== 1n) {
    if (exact === undefined) {
      steps.push(float(halved));
      halved = halved % 2 === 0 ? halved / 2 : halved * 3 + 1;
    } else {
      steps.push(fromBigInt(exact));
      if (exact % 2n === 0n) {
        halved = Number(exact) / 2;
        exact = undefined;
      } else exact = exact * 3n + 1n;
    }
  }
  return steps;
}

function randomHash(ctx: ModuleContext, size: number, hashType: Value | undefined): string {
  const wanted = hashType !== undefined ? hashType : optionOf(ctx.opts, 'hash_type');
  const algorithm = typeof wanted === 'string' ? HASH_NAMES.get(wanted) : undefined;
  if (algorithm === undefined) {
    throw new PythonError('AttributeError', `module 'hashlib' has no attribute '${pyStr(wanted)}'`);
  }
  const most = size;
  if (most < 0)
    throw new PythonError('ValueError', `empty range for randrange() (0, ${most + 1}, ${most + 1})`);
  return createHash(algorithm)
    .update(String(ctx.random.int(0, Math.min(most, 2 ** 47))))
    .digest('hex');
}

const randomHashFunction = {
  params: {
    size: param.count({ default: 9999999999, doc: 'The greatest number that may be drawn.' }),
    hash_type: param.valueIfGiven({
      default: null,
      type: 'str',
      doc: 'Name of the hash function (`md5`, `sha512`…); without it the option `hash_type` decides.',
    }),
  },
  returns: 'text: the hash in hexadecimal digits',
} as const;

const argFunction = {
  varargs: 'args',
  kwargs: 'kwargs',
  examples: [`salt '*' test.arg 1 "two" 3.1 txt="hello" wow='{a: 1, b: "hello"}'`],
} as const;

async function functionNames(ctx: ModuleContext): Promise<string[]> {
  const modules = await ctx.functions.modules();
  return [...modules].flatMap(([name, module]) =>
    Object.keys(module.functions).map((fun) => `${name}.${fun}`),
  );
}

/** What Python's `*args` makes of a value: the characters of a text, the items of a list. */
function elementsOf(value: Value): Value[] {
  if (typeof value === 'string') return [...value];
  return Array.isArray(value) ? value : [];
}

/** The module. */
export const testModule = defineModule({
  name: 'test',
  file: 'test',
  doc: 'Functions to try a minion with: is it there, what does it make of arguments, how do errors and return codes arrive.',
  functions: {
    ping: defineFunction({
      doc: 'Checks that the minion is up and answers. It has nothing to do with ICMP.',
      returns: 'True',
      run: () => true,
    }),
    echo: defineFunction({
      doc: 'Gives back what it was given.',
      params: { text: param.value({ type: 'any', doc: 'What comes back.' }) },
      returns: 'the text, or whatever value was given',
      run: (_ctx, { text }) => text,
    }),
    sleep: defineFunction({
      doc: 'Waits, and so keeps a job running.',
      params: { length: param.count({ doc: 'Seconds to wait; fractions are cut off.' }) },
      returns: 'True, when the time is over',
      examples: ["salt '*' test.sleep 20"],
      run: async (ctx, { length }) => {
        await sleepSeconds(ctx, length);
        return true;
      },
    }),
    rand_sleep: defineFunction({
      doc: 'Waits for a random number of seconds, so that minions return at different times.',
      params: { max: param.count({ default: 60, doc: 'The longest time in seconds.' }) },
      returns: 'True, when the time is over',
      run: async (ctx, { max }) => {
        const most = max;
        if (most < 0)
          throw new PythonError('ValueError', `empty range for randrange() (0, ${most + 1}, ${most + 1})`);
        await sleepSeconds(ctx, ctx.random.int(0, Math.min(most, 2 ** 47)));
        return true;
      },
    }),
    version: defineFunction({
      doc: 'Returns the version of Salt that the minion follows.',
      returns: 'text, `3006.16`',
      run: () => saltCompatVersion,
    }),
    versions_information: defineFunction({
      doc: 'Lists the versions of the minion, of the software it runs on, and of the system.',
      returns: 'mapping of section to mapping of name to version',
      run: (ctx) => versionsInformation(ctx.grains),
    }),
    versions_report: defineFunction({
      doc: 'Reports the versions of the minion, of the software it runs on, and of the system as text.',
      returns: 'text of several lines',
      run: (ctx) => versionsReport(versionsInformation(ctx.grains)).join('\n'),
    }),
    versions: defineFunction({
      doc: 'Another name of `test.versions_report`.',
      pythonName: 'versions_report',
      returns: 'text of several lines',
      run: (ctx) => versionsReport(versionsInformation(ctx.grains)).join('\n'),
    }),
    conf_test: defineFunction({
      doc: 'Gives the option `test.foo` of the minion, to try that its configuration is read.',
      returns: 'the value of the option, or `unconfigured`',
      run: (ctx) => ctx.functions.call('config.option', ['test.foo']),
    }),
    get_opts: defineFunction({
      doc: 'Gives all options with which this minion runs.',
      returns: 'mapping of option to value',
      run: (ctx) => ctx.opts,
    }),
    opts_pkg: defineFunction({
      doc: 'Gives all options with which this minion runs, with its grains among them.',
      returns: 'mapping of option to value, the grains under `grains`',
      run: (ctx) => new Map([...ctx.opts, ['grains', ctx.grains]]),
    }),
    cross_test: defineFunction({
      doc: 'Calls another function from inside this module, the way modules call each other.',
      params: {
        func: param.text({ doc: 'Full name of the function.' }),
        args: param.by(elementsOf, { default: null, type: 'list', doc: 'Its positional arguments.' }),
      },
      returns: 'what that function returns',
      isolation: 'process',
      examples: ["salt '*' test.cross_test test.echo '[hello]'"],
      run: (ctx, { func, args }) => ctx.functions.call(func, args),
    }),
    attr_call: defineFunction({
      doc: 'Calls `grains.items` from inside this module.',
      returns: 'mapping of grain to value',
      run: (ctx) => ctx.functions.call('grains.items'),
    }),
    module_report: defineFunction({
      doc: 'Reports which functions and modules can be reached, and in which ways.',
      returns:
        'mapping of seven lists of names; Salt can reach functions by full name only, so most lists are empty',
      run: async (ctx) => {
        const functions = await functionNames(ctx);
        return dict({
          functions,
          function_attrs: [],
          function_subs: [],
          modules: [],
          module_attrs: [],
          missing_attrs: [...functions],
          missing_subs: [...functions],
        });
      },
    }),
    kwarg: defineFunction({
      doc: 'Gives back the keywords it was called with, the data of the publish among them.',
      kwargs: 'kwargs',
      returns: 'mapping of keyword to value',
      examples: [`salt '*' test.kwarg num=1 txt="two" env='{a: 1, b: "hello"}'`],
      run: (_ctx, _args, _rest, kwargs) => kwargs,
    }),
    arg: defineFunction({
      doc: 'Gives back all arguments it was called with, the data of the publish among them.',
      ...argFunction,
      returns: '`{args: [...], kwargs: {...}}`',
      run: (_ctx, _args, rest, kwargs) => dict({ args: [...rest], kwargs }),
    }),
    arg_type: defineFunction({
      doc: 'Returns of which Python type each argument would be.',
      ...argFunction,
      returns: "`{args: [...], kwargs: {...}}` with texts such as `<class 'int'>`",
      run: (_ctx, _args, rest, kwargs) =>
        dict({
          args: rest.map(classText),
          kwargs: new Map([...kwargs].map(([key, value]) => [key, classText(value)])),
        }),
    }),
    arg_repr: defineFunction({
      doc: 'Shows all arguments as Python would print them.',
      ...argFunction,
      returns: '`{args: text, kwargs: text}`',
      run: (_ctx, _args, rest, kwargs) => dict({ args: tupleRepr(rest), kwargs: pyRepr(kwargs) }),
    }),
    arg_clean: defineFunction({
      doc: 'Gives back all arguments it was called with, without the data of the publish.',
      ...argFunction,
      returns: '`{args: [...], kwargs: {...}}`, without keywords that start with two underscores',
      run: (_ctx, _args, rest, kwargs) => dict({ args: [...rest], kwargs: withoutDunder(kwargs) }),
    }),
    fib: defineFunction({
      doc: 'Computes a Fibonacci number, to measure the speed of the machine.',
      params: { num: param.wholeNumber({ doc: 'Which one, counted from 0.' }) },
      returns: '`[number, seconds]`',
      isolation: 'process',
      examples: ["salt '*' test.fib 3"],
      run: (ctx, { num }) => {
        const count = num;
        if (count < 0) throw new PythonError('ValueError', 'Negative number is not allowed!');
        const startMs = ctx.clock.monotonicMs();
        let [previous, current] = [0n, 1n];
        if (count < 2) return [count, elapsedSeconds(ctx, startMs)];
        for (let i = 1; i < count; i += 1) [previous, current] = [current, previous + current];
        return [fromBigInt(current), elapsedSeconds(ctx, startMs)];
      },
    }),
    collatz: defineFunction({
      doc: 'Computes the Collatz sequence of a number, to measure the speed of the machine.',
      params: { start: param.wholeNumber({ doc: 'The first number, at least 1.' }) },
      returns: '`[[number, ...], seconds]`; the final 1 is left out',
      isolation: 'process',
      examples: ["salt '*' test.collatz 3"],
      run: (ctx, { start }) => {
        const first = start;
        const startMs = ctx.clock.monotonicMs();
        return [collatzSteps(first), elapsedSeconds(ctx, startMs)];
      },
    }),
    outputter: defineFunction({
      doc: 'Gives back what it was given, to try how an outputter prints it.',
      params: { data: param.value({ type: 'any', doc: 'What comes back.' }) },
      returns: 'the data',
      run: (_ctx, { data }) => data,
    }),
    retcode: defineFunction({
      doc: 'Sets the return code of the job, to try how failures arrive.',
      params: { code: param.by(retcodeOf, { default: 42, type: 'int', doc: 'The return code.' }) },
      returns: 'True',
      run: (ctx, { code }) => {
        ctx.setRetcode(code);
        return true;
      },
    }),
    true: defineFunction({
      doc: 'Returns True, whatever happens.',
      pythonName: 'true_',
      returns: 'True',
      run: () => true,
    }),
    false: defineFunction({
      doc: 'Returns False, which is no failure.',
      pythonName: 'false_',
      returns: 'False',
      run: () => false,
    }),
    exception: defineFunction({
      doc: 'Raises an exception, to try how one arrives.',
      params: { message: param.text({ default: 'Test Exception', doc: 'What the exception says.' }) },
      returns: 'nothing: the job fails',
      examples: ["salt '*' test.exception 'Oh noes!'"],
      run: (_ctx, { message }) => {
        throw new PythonError('Exception', message);
      },
    }),
    raise_exception: defineFunction({
      doc: 'Raises one of the exceptions of Python or Salt by its name, to try how it arrives.',
      params: { name: param.text({ doc: '`TypeError`, `salt.exceptions.CommandExecutionError`…' }) },
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'False when there is no such exception; else nothing: the job fails',
      examples: [
        "salt '*' test.raise_exception TypeError 'An integer is required'",
        "salt '*' test.raise_exception salt.exceptions.CommandExecutionError 'Something went wrong'",
      ],
      run: (ctx, { name }, rest) => {
        raisePythonError(name, rest);
        ctx.log.error(`No such exception: ${name}`);
        return false;
      },
    }),
    assertion: defineFunction({
      doc: 'Fails when what it is given is not true in the sense of Python.',
      params: { assertion: param.flag({ type: 'any', doc: 'What shall be true.' }) },
      returns: 'None; when not true the job fails with an AssertionError',
      run: (_ctx, { assertion }) => {
        if (!assertion) throw new PythonError('AssertionError');
        return null;
      },
    }),
    provider: defineFunction({
      doc: "Returns which of Salt's module files stands behind a virtual name.",
      params: { module: param.text({ doc: 'The virtual name (`pkg`).' }) },
      returns: "the file's name (`aptpkg`), or an empty text when no such module is loaded",
      examples: ["salt '*' test.provider service"],
      run: async (ctx, { module }) => (await ctx.functions.module(module))?.file ?? '',
    }),
    providers: defineFunction({
      doc: "Lists all loaded modules with Salt's file behind each.",
      returns: 'mapping of file name to virtual name',
      run: async (ctx) =>
        new Map([...(await ctx.functions.modules()).values()].map((module) => [module.file, module.name])),
    }),
    not_loaded: defineFunction({
      doc: 'Lists the module files that are not in use on this minion.',
      returns: 'sorted list of file names',
      run: async (ctx) => [...(await ctx.functions.notLoaded())],
    }),
    rand_str: defineFunction({
      doc: 'The old name of `test.random_hash`.',
      ...randomHashFunction,
      run: (ctx, { size, hash_type }) => randomHash(ctx, size, hash_type),
    }),
    random_hash: defineFunction({
      doc: 'Draws a random number and gives its hash.',
      ...randomHashFunction,
      examples: ["salt '*' test.random_hash", "salt '*' test.random_hash hash_type=sha512"],
      run: (ctx, { size, hash_type }) => randomHash(ctx, size, hash_type),
    }),
    stack: defineFunction({
      doc: 'Shows from where inside the minion this function is called.',
      returns: 'text of several lines',
      run: () => (new Error('stack').stack ?? '').split('\n').slice(1).join('\n'),
    }),
    tty: defineFunction({
      doc: 'Has moved to `cmd.tty`.',
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'a text that says so',
      run: () => 'ERROR: This function has been moved to cmd.tty',
    }),
    try: defineFunction({
      doc: 'Calls a function and swallows its failure, for templates in which a call may well fail.',
      pythonName: 'try_',
      params: {
        module: param.text({ doc: 'Full name of the function.' }),
        return_try_exception: param.flag({
          default: false,
          doc: 'Give the text of the error instead of None.',
        }),
      },
      kwargs: 'kwargs',
      returns: 'what the function returns; None, or the text of the error, when it fails',
      isolation: 'process',
      examples: ["salt '*' test.try module=test.echo text=hello"],
      run: async (ctx, { module, return_try_exception }, _rest, kwargs) => {
        try {
          // Salt compat: Salt hands the publish data on, so that most functions refuse the call.
          return await ctx.functions.call(module, [], withoutDunder(kwargs));
        } catch (error) {
          return return_try_exception ? messageOf(error) : null;
        }
      },
    }),
    deprecation_warning: defineFunction({
      doc: 'Logs a warning as a function that will be removed one day would do.',
      returns: 'True',
      run: (ctx) => {
        ctx.log.warning(
          'test.deprecation_warning: this is what a warning about a deprecated function looks like.',
        );
        return true;
      },
    }),
  },
});
