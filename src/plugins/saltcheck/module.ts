/**
 * `saltcheck`: tests of states, written as calls of functions and what is asserted of their results (3006.16
 * salt/modules/saltcheck.py).
 */
import { optionOf } from '../../runtime/loader/option-of.ts';
import { availableParallelism } from 'node:os';
import { CommandExecutionError } from '../../errors/errors.ts';
import { toPyInt } from '../../python/conversions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import {
  defineFunction,
  defineModule,
  type FunctionSpec,
  type ModuleContext,
} from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { mapLimited } from '../../storage/fileclient/limited.ts';
import { hasFailed, junitXml, outList, type StateResults } from './module/report.ts';
import { runTest, STATE_APPLY } from './module/run-test.ts';
import { TestFiles } from './module/test-files.ts';
import { splitNames } from '../state/module/show.ts';
import { settingFlag, settingText } from '../shared/settings.ts';

/** The environment of the call, else the minion's, else `base`. */
function environmentOf(ctx: ModuleContext, saltenv: Value): string {
  const own = optionOf(ctx.opts, 'saltenv');
  if (truthy(saltenv)) return pyStr(saltenv);
  return truthy(own) ? pyStr(own) : 'base';
}

async function testFiles(ctx: ModuleContext, saltenv: string): Promise<TestFiles> {
  const location = await settingText(ctx, ['saltcheck_test_location', 'saltcheck-tests']);
  return new TestFiles(ctx, saltenv, location ?? 'saltcheck-tests');
}

/**
 * The SLS that the top file gives this minion in an environment.
 * @throws CommandExecutionError when the top file has errors
 */
async function topStates(ctx: ModuleContext, saltenv: string): Promise<string[]> {
  const top = await ctx.functions.call('state.show_top', [], { saltenv });
  if (Array.isArray(top)) throw new CommandExecutionError(top.map((one) => pyStr(one)).join('\n'));
  const names = isDict(top) ? top.get(saltenv) : undefined;
  return Array.isArray(names) ? names.map((one) => pyStr(one)) : [];
}

/** Tests of states change what others look at: they are run one after the other. */
function changesThings(test: Value): boolean {
  const fun = isDict(test) ? pyStr(test.get('module_and_function') ?? null) : '';
  return fun === STATE_APPLY || fun.startsWith('state.');
}

/** How many tests may run at the same time: `saltcheck_parallel`, `saltcheck_processes`. */
async function atOnce(ctx: ModuleContext, tests: Dict): Promise<number> {
  if (!(await settingFlag(ctx, ['saltcheck_parallel']))) return 1;
  if ([...tests.values()].some(changesThings)) {
    ctx.log.warning('Saltcheck: some tests apply states, so they are run one after the other.');
    return 1;
  }
  const wanted = await ctx.functions.call('config.get', ['saltcheck_processes']);
  return Math.max(1, Number(truthy(wanted) ? (toPyInt(wanted) ?? 1) : availableParallelism()));
}

interface Wanted {
  readonly states: readonly Value[];
  readonly saltenv: string;
  readonly checkAll: boolean;
  readonly onlyFails: boolean;
  readonly junit: boolean;
}

async function runStateTests(ctx: ModuleContext, wanted: Wanted): Promise<Value> {
  const files = await testFiles(ctx, wanted.saltenv);
  const states = new Map<string, StateResults>();
  for (const name of wanted.states) {
    const state = pyStr(name);
    const paths = await files.of(state, wanted.checkAll);
    const fault = files.faultOf(state, paths);
    if (fault !== undefined) {
      const status = `Fail: ${fault}`;
      states.set(state, { state, results: dict({ [state]: dict({ status, duration: 0 }) }) });
      continue;
    }
    const tests = await files.load(paths);
    const run = async ([test, spec]: [Value, Value]): Promise<[Value, Value]> => [
      test,
      await runTest(ctx, spec),
    ];
    const results = new Map(await mapLimited([...tests], await atOnce(ctx, tests), run));
    // an SLS that is named twice keeps what its first run has found
    if ((states.get(state)?.results.size ?? 0) === 0) states.set(state, { state, results });
  }
  const all = [...states.values()];
  ctx.setRetcode(hasFailed(all) ? 1 : 0);
  return wanted.junit ? junitXml(all) : outList(all, wanted.onlyFails);
}

async function report(ctx: ModuleContext, saltenv: string): Promise<Value> {
  const files = await testFiles(ctx, saltenv);
  const missing: string[] = [];
  for (const state of await topStates(ctx, saltenv)) {
    await files.of(state, false);
    if (!files.foundStates.includes(state)) missing.push(state);
  }
  ctx.setRetcode(missing.length);
  const found = files.foundStates;
  const results = {
    'Missing Tests': missing.length,
    'States missing tests': missing,
    'States with tests': found,
  };
  return dict({ 'TEST REPORT RESULTS': results });
}

const saltenvParam = param.value({
  default: null,
  type: 'str',
  doc: "The environment; else the minion's own, or `base`.",
});
const reporting = {
  only_fails: param.flag({ default: false, doc: 'Show only what has failed.' }),
} as const;
const junit = param.flag({ default: false, doc: "Give the results as JUnit's XML, as Salt 3007 does." });

const runStates: FunctionSpec = defineFunction({
  doc: 'Runs the tests of some SLS and of those that they include.',
  isolation: 'process',
  params: {
    state: param.by(splitNames, {
      type: 'str or list of str',
      doc: 'SLS, or files of tests, separated by commas.',
    }),
    saltenv: saltenvParam,
    check_all: param.flag({ default: false, doc: 'Run all tests that lie beside those of the SLS.' }),
    ...reporting,
    junit,
  },
  returns: 'list of results by SLS, with the figures at its end; the return code is 1 when a test has failed',
  examples: ["salt '*' saltcheck.run_state_tests postfix,common check_all=True"],
  run: (ctx, args) =>
    runStateTests(ctx, {
      states: args.state,
      saltenv: environmentOf(ctx, args.saltenv),
      checkAll: args.check_all,
      onlyFails: args.only_fails,
      junit: args.junit,
    }),
});

/** The module `saltcheck`. */
export const saltcheckModule = defineModule({
  name: 'saltcheck',
  file: 'saltcheck',
  doc: 'Tests of states.',
  functions: {
    run_test: defineFunction({
      doc: 'Runs one test.',
      isolation: 'process',
      kwargs: 'kwargs',
      returns: 'mapping `{status, duration}`; the return code is 1 when the test has failed',
      examples: [
        `salt '*' saltcheck.run_test test='{"module_and_function": "test.echo", "assertion": "assertEqual", "expected_return": "This works!", "args": ["This works!"]}'`,
      ],
      run: async (ctx, _args, _rest, kwargs) => {
        const test = kwargs.get('test') ?? null;
        if (!isDict(test) || test.size === 0) return 'Test argument must be a dictionary';
        const result = await runTest(ctx, test);
        ctx.setRetcode(hasFailed([{ state: '', results: dict({ test: result }) }]) ? 1 : 0);
        return result;
      },
    }),
    state_apply: defineFunction({
      doc: 'Runs `state.apply`: what a test calls to make ready for others, or to clean up after them.',
      isolation: 'process',
      params: { state_name: param.value({ type: 'str', doc: 'The SLS.' }) },
      kwargs: 'kwargs',
      returns: 'the results of the states',
      examples: ["salt '*' saltcheck.state_apply postfix"],
      run: (ctx, { state_name }, _rest, kwargs) =>
        ctx.functions.call(
          'state.apply',
          [state_name],
          new Map([...kwargs].filter(([name]) => !pyStr(name).startsWith('__'))),
        ),
    }),
    run_state_tests: runStates,
    run_state_tests_ssh: runStates,
    run_highstate_tests: defineFunction({
      doc: 'Runs the tests of all SLS that the top file gives this minion.',
      isolation: 'process',
      params: { saltenv: saltenvParam, ...reporting, junit },
      returns: 'as `saltcheck.run_state_tests`',
      run: async (ctx, args) => {
        const saltenv = environmentOf(ctx, args.saltenv);
        const states = await topStates(ctx, saltenv);
        const { only_fails: onlyFails } = args;
        return runStateTests(ctx, { states, saltenv, checkAll: false, onlyFails, junit: args.junit });
      },
    }),
    report_highstate_tests: defineFunction({
      doc: 'Says which SLS of the top file have tests.',
      params: { saltenv: saltenvParam },
      returns: 'mapping; the return code is the number of SLS without tests',
      run: (ctx, { saltenv }) => report(ctx, environmentOf(ctx, saltenv)),
    }),
  },
});
