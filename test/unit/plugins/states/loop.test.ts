/** `loop`, held against what a real Salt 3006.16 answered; `process.absent` with a process of the test's own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { exceptionText } from '../../../../src/runtime/loader/execute.ts';
import { loadYaml } from '../../../../src/formats/yaml/load.ts';
import { callState, fakeStateContext } from '../../../support/state-context.ts';

type Answer = readonly [result: boolean | null, comment: string];
type Recorded = readonly [args: string, applied: Answer, tested: Answer];

const willRun = (fun: string): Answer => [null, `The execution module ${fun} will be run`];
const wouldWait = (fun: string, expected = 'a'): Answer => [
  null,
  `Would have waited for "${fun}" to produce "${expected}".`,
];
const both = (result: boolean | null, comment: string): [Answer, Answer] => [
  [result, comment],
  [result, comment],
];
const met = (attempts = 1): Answer => [true, `Call provided the expected results in ${attempts} attempts`];
const threw = (fun: string, what: string): Answer => [
  false,
  `Exception occurred while executing ${fun}: ${what}`,
];
const raised = (what: string): Answer => [
  false,
  `An exception occurred in this state: Traceback (most recent call last):\n${what}\n`,
];

const UNTIL: readonly Recorded[] = [
  [
    `{name: test.echo, m_args: [[{state: In}]], condition: "m_ret[0]['state'] == 'In'", period: 0.1, timeout: 5}`,
    [true, "Condition m_ret[0]['state'] == 'In' was met"],
    willRun('test.echo'),
  ],
  [
    `{name: test.echo, m_args: [x], condition: "m_ret == 'y'", period: 0.01, timeout: 0.02}`,
    [false, "Timed out while waiting for condition m_ret == 'y'"],
    willRun('test.echo'),
  ],
  ['{name: no.such, condition: "1"}', ...both(false, 'Cannot find module no.such')],
  ['{name: test.ping}', ...both(false, 'An exit condition must be specified')],
  [
    '{name: test.ping, condition: m_ret, period: a}',
    ...both(false, 'Period must be specified as a float in seconds'),
  ],
  [
    '{name: test.ping, condition: m_ret, timeout: a}',
    ...both(false, 'Timeout must be specified as a float in seconds'),
  ],
  [
    '{name: test.ping, condition: nosuch}',
    raised("NameError: name 'nosuch' is not defined"),
    willRun('test.ping'),
  ],
  [
    '{name: test.ping, condition: true}',
    raised('TypeError: eval() arg 1 must be a string, bytes or code object'),
    willRun('test.ping'),
  ],
  [
    `{name: test.ping, condition: "m_ret is True and name == 'test.ping' and __opts__['id'] == 'minion'"}`,
    [true, "Condition m_ret is True and name == 'test.ping' and __opts__['id'] == 'minion' was met"],
    willRun('test.ping'),
  ],
  [
    '{name: test.ping, condition: m_ret, timeout: 0}',
    [false, 'Timed out while waiting for condition m_ret'],
    willRun('test.ping'),
  ],
];

const UNTIL_NO_EVAL: readonly Recorded[] = [
  ['{name: test.echo, expected: a, args: [a]}', met(), wouldWait('test.echo')],
  [
    '{name: test.echo, expected: a, args: [b], timeout: 0.3, period: 0.1}',
    [false, 'Call did not produce the expected result after 3 attempts'],
    wouldWait('test.echo'),
  ],
  [
    '{name: no.such, expected: a}',
    [false, 'Module.function "no.such" is unavailable.'],
    wouldWait('no.such'),
  ],
  [
    '{name: test.ping, expected: a, period: x}',
    [false, 'Period must be specified as a float in seconds'],
    wouldWait('test.ping'),
  ],
  [
    '{name: test.ping, expected: a, timeout: x}',
    [false, 'Timeout must be specified as a float in seconds'],
    wouldWait('test.ping'),
  ],
  [
    '{name: test.ping, expected: a, compare_operator: nosuch}',
    [false, 'Invalid operator "nosuch" supplied.'],
    wouldWait('test.ping'),
  ],
  [
    '{name: test.ping, expected: a, compare_operator: lt}',
    raised("TypeError: '<' not supported between instances of 'bool' and 'str'"),
    wouldWait('test.ping'),
  ],
  [
    '{name: test.echo, expected: b, args: [[a, b]], compare_operator: contains}',
    met(),
    wouldWait('test.echo', 'b'),
  ],
  [
    '{name: test.echo, expected: "a:b", args: [{a: b}], compare_operator: data.subdict_match}',
    met(),
    wouldWait('test.echo', 'a:b'),
  ],
  [
    '{name: test.exception, args: [boo], expected: a}',
    threw('test.exception', "<class 'Exception'>:boo"),
    wouldWait('test.exception'),
  ],
  [
    '{name: test.echo, args: [3], expected: 2, compare_operator: gt, init_wait: 0.01}',
    met(),
    wouldWait('test.echo', '2'),
  ],
  ['{name: test.kwarg, kwargs: {a: 1}, expected: {a: 1}}', met(), wouldWait('test.kwarg', "{'a': 1}")],
  [
    '{name: test.raise_exception, args: [KeyError], expected: a}',
    threw('test.raise_exception', "<class 'KeyError'>:"),
    wouldWait('test.raise_exception'),
  ],
  [
    "{name: cmd.run, args: ['exit 3'], kwargs: {cwd: /nosuch}, expected: a}",
    threw(
      'cmd.run',
      "<class 'salt.exceptions.CommandExecutionError'>:Specified cwd '/nosuch' either not absolute or does not exist",
    ),
    wouldWait('cmd.run'),
  ],
];

/** What a state run makes of it, exceptions included. */
async function answer(fun: string, args: Dict, isTest: boolean): Promise<Answer> {
  try {
    const result = await callState(fun, args, { test: isTest });
    assert.deepEqual(result.get('changes'), dict());
    return [result.get('result') as boolean | null, String(result.get('comment'))];
  } catch (error) {
    const trace = exceptionText(error, fakeStateContext());
    return [false, `An exception occurred in this state: ${trace}`];
  }
}

for (const [fun, table] of [
  ['loop.until', UNTIL],
  ['loop.until_no_eval', UNTIL_NO_EVAL],
] as const) {
  test(`states of loop - ${fun} answers as a real Salt does, applied and in test mode`, async () => {
    for (const [text, applied, tested] of table) {
      const args = loadYaml(text);
      assert.ok(args instanceof Map);
      assert.deepEqual(await answer(fun, args, false), applied, text);
      assert.deepEqual(await answer(fun, args, true), tested, text);
    }
  });
}

test('states of loop - a function that gives something else later is called until then', async () => {
  let calls = 0;
  const functions = { 'my.state': () => (++calls < 4 ? 'starting' : 'up') };
  const wait = dict({ name: 'my.state', expected: 'up', period: 5, timeout: 20 });
  assert.equal(
    (await callState('loop.until_no_eval', wait, { functions })).get('comment'),
    'Call provided the expected results in 4 attempts',
  );
  assert.equal(calls, 4);
});

test('states of loop - what a function gives is data to the condition and never code', async () => {
  const hostile = `'); import os; os._exit(3) #\\'\n"""`;
  const args = dict({ name: 'my.text', condition: `len(m_ret) == ${hostile.length}` });
  const result = await callState('loop.until', args, { functions: { 'my.text': hostile } });
  assert.equal(result.get('result'), true);
});

test('states of process - absent ends the processes that are named, and says so', async (t) => {
  const mark = `brine-doomed-${process.pid}`;
  const doomed = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', mark], { stdio: 'ignore' });
  t.after(() => doomed.kill('SIGKILL'));
  await once(doomed, 'spawn');
  const ended = once(doomed, 'exit');
  const result = await callState('process.absent', dict({ name: mark }));
  assert.deepEqual(
    [result.get('result'), result.get('comment'), result.get('changes')],
    [true, 'Killed 1 processes', dict({ killed: [doomed.pid ?? 0] })],
  );
  assert.equal((await ended)[1], 'SIGTERM');
  const none: Value[] = ['No matching processes running', dict()];
  const again = await callState('process.absent', dict({ name: mark }));
  assert.deepEqual([again.get('result'), again.get('comment'), again.get('changes')], [true, ...none]);
  const tested = await callState('process.absent', dict({ name: mark }), { test: true });
  assert.deepEqual([tested.get('result'), tested.get('comment'), tested.get('changes')], [null, ...none]);
  const functions = { 'ps.pgrep': [7, 8] };
  const foretold = await callState('process.absent', dict({ name: mark }), { test: true, functions });
  assert.equal(foretold.get('comment'), '2 processes will be killed');
});
