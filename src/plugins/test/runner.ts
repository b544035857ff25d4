/** `test.*`: runners for trying things out (salt/runners/test.py, 3006.16). */
import { dict, pyTypeName, toNumber, type Value } from '../../python/values/value.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { defineRunner, defineRunners } from '../shared/runner/runner.ts';
import { param } from '../../runtime/loader/params.ts';

const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['us', 'foo bar baz qux quux quuz corge grault garply waldo fred plugh xyzzy thud'],
  ['uk', 'wibble wobble wubble flob'],
]);
const STREAM_STEP_MS = 100;

/** A time in seconds, and how it is printed: as it was given. */
function pauseOf(value: Value): { readonly shown: string; readonly pauseMs: number } {
  const seconds = typeof value === 'string' ? undefined : toNumber(value);
  if (seconds === undefined)
    throw new PythonError('TypeError', `'${pyTypeName(value)}' object cannot be interpreted as an integer`);
  return { shown: pyStr(value), pauseMs: seconds * 1000 };
}

/** The test runner. */
export const testRunners = defineRunners({
  name: 'test',
  doc: 'Functions for trying things out.',
  failsWith: { none: ['metasyntactic'] },
  functions: {
    arg: defineRunner({
      doc: 'Gives back its arguments, but for keywords that begin with two underscores.',
      varargs: 'args',
      kwargs: 'kwargs',
      returns: '`{args: list, kwargs: mapping}`',
      examples: ['salt-run test.arg foo bar=baz'],
      run: (_ctx, _args, rest, kwargs) => {
        const shown = [...kwargs].filter(([key]) => typeof key !== 'string' || !key.startsWith('__'));
        return dict({ args: [...rest], kwargs: new Map(shown) });
      },
    }),
    raw_arg: defineRunner({
      doc: 'Gives back its arguments.',
      varargs: 'args',
      kwargs: 'kwargs',
      returns: '`{args: list, kwargs: mapping}`',
      examples: ['salt-run test.raw_arg foo __bar=baz'],
      run: (_ctx, _args, rest, kwargs) => dict({ args: [...rest], kwargs }),
    }),
    metasyntactic: defineRunner({
      doc: 'Gives names for things that have none.',
      params: { locality: param.text({ default: 'us', doc: '`us` or `uk`.' }) },
      returns: 'list of names; None for another place',
      examples: ['salt-run test.metasyntactic locality=uk'],
      run: (_ctx, { locality }) => VARIABLES.get(locality)?.split(' ') ?? null,
    }),
    stdout_print: defineRunner({
      doc: 'Prints foo and returns bar.',
      returns: 'bar',
      examples: ['salt-run test.stdout_print'],
      run: (ctx) => {
        ctx.print('foo');
        return 'bar';
      },
    }),
    sleep: defineRunner({
      doc: 'Sleeps.',
      params: { s_time: param.by(pauseOf, { default: 10, type: 'int', doc: 'Seconds.' }) },
      returns: 'True',
      examples: ['salt-run test.sleep s_time=5'],
      run: async (ctx, { s_time }) => {
        ctx.print(s_time.shown);
        await ctx.clock.sleep(s_time.pauseMs, ctx.signal);
        return true;
      },
    }),
    stream: defineRunner({
      doc: 'Fires 99 events, one each tenth of a second.',
      returns: 'True',
      examples: ['salt-run test.stream'],
      run: async (ctx) => {
        for (let i = 1; i < 100 && !ctx.signal.aborted; i++) {
          await ctx.progress(dict({ message: `Runner is ${i}% done` }));
          await ctx.clock.sleep(STREAM_STEP_MS, ctx.signal);
        }
        return true;
      },
    }),
    get_opts: defineRunner({
      doc: 'Gives the options of the master.',
      returns: 'mapping of name to value',
      examples: ['salt-run test.get_opts'],
      run: (ctx) => new Map(ctx.settings),
    }),
  },
});
