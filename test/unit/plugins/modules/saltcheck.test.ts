/**
 * `saltcheck`: what `salt-call --local` of 3006.16 answered for the files of test/fixtures/saltcheck, times apart; and
 * where ours says more.
 */
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { localMinion, type LocalMinion } from '../../../support/local-minion.ts';

const FIXTURES = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test/fixtures/saltcheck');
/** Calls that name what is no SLS. */
const ABSENT: ReadonlyMap<string, string> = new Map([
  ['saltcheck.run_state_tests web.sub,notest,notest2,one only_fails=True', 'notest2'],
  ['saltcheck.run_state_tests web.loose,deep.x.y,web.conf,nonesuch', 'nonesuch'],
  ['saltcheck.run_state_tests web saltenv=dev', 'web'],
]);
interface Row {
  readonly words: readonly string[];
  readonly code: number;
  readonly ret: unknown;
}

function minionWithTests(t: TestContext, options: Readonly<Record<string, unknown>> = {}): LocalMinion {
  const minion = localMinion(t, options);
  cpSync(join(FIXTURES, 'srv'), minion.path('srv'), { recursive: true });
  return minion;
}

/** A return without its times. */
function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [
    key,
    /^(?:duration|Execution Time)$/.test(key) ? 0 : timeless(one),
  ]);
  return Object.fromEntries(entries) as unknown;
}

test('saltcheck - answers as a real Salt does', async (t) => {
  const rows = JSON.parse(readFileSync(join(FIXTURES, 'answers.json'), 'utf8')) as Row[];
  const minion = minionWithTests(t);
  for (const row of rows) {
    await t.test(row.words.join(' '), async () => {
      const { code, ret } = await minion.run(...row.words);
      // Salt counts a name that is nothing among those without tests, and says 0
      const absent = ABSENT.get(row.words.join(' '));
      if (absent !== undefined) {
        assert.match(JSON.stringify(ret), new RegExp(`Fail: there is no SLS ${absent} in the environment`));
        return assert.equal(code, 1);
      }
      assert.deepEqual(timeless(ret), row.ret);
      assert.equal(code, row.code);
    });
  }
});

test('saltcheck - tests that may run at the same time give the same', async (t) => {
  const minion = minionWithTests(t, { saltcheck_parallel: true, saltcheck_processes: 4 });
  minion.write(
    'srv/many/saltcheck-tests/init.tst',
    Array.from(
      { length: 9 },
      (_, at) =>
        `t${at}: {module_and_function: test.echo, args: [${at}], assertion: assertEqual, expected_return: ${at % 4}}\n`,
    ).join(''),
  );
  const { code, ret } = await minion.run('saltcheck.run_state_tests', 'many');
  const [{ many }] = ret as [{ many: Record<string, { status: string }> }];
  assert.deepEqual(
    Object.keys(many),
    Array.from({ length: 9 }, (_, at) => `t${at}`),
  );
  assert.deepEqual(Object.values(many).filter(({ status }) => status === 'Pass').length, 4);
  assert.equal(code, 1);
});

test('saltcheck - a folder of tests and details are configured', async (t) => {
  const minion = localMinion(t, { saltcheck_test_location: 'tests/check', saltcheck_output_details: true });
  minion.write('srv/app/init.sls', 'a: {test.nop: []}\n');
  minion.write(
    'srv/app/tests/check/init.tst',
    'p: {module_and_function: test.ping, assertion: assertTrue}\n',
  );
  const { ret } = await minion.run('saltcheck.run_state_tests', 'app');
  assert.deepEqual(timeless((ret as unknown[])[0]), {
    app: {
      p: {
        status: 'Pass',
        'module.function [args]': 'test.ping null',
        'saltcheck assertion': 'True is True',
        duration: 0,
      },
    },
  });
});

test('saltcheck - what cannot be compared or called fails alone, and the other tests run', async (t) => {
  const minion = localMinion(t);
  minion.write(
    'srv/odd/saltcheck-tests/init.tst',
    `
raises: {module_and_function: test.exception, args: [no way], assertion: assertTrue}
notext: {module_and_function: test.echo, args: [hello], assertion: assertIn, expected_return: 5}
nolist: {module_and_function: test.ping, assertion: assertIn, expected_return: a}
unlike: {module_and_function: test.echo, args: [[1]], assertion: assertGreater, expected_return: 5}
nodot: {module_and_function: test, assertion: assertTrue}
text: just a text
last: {module_and_function: test.ping, assertion: assertTrue}
`,
  );
  const { ret, code } = await minion.run('saltcheck.run_state_tests', 'odd');
  const [{ odd }] = ret as [{ odd: Record<string, { status: string }> }];
  assert.deepEqual(Object.fromEntries(Object.entries(odd).map(([name, { status }]) => [name, status])), {
    raises: 'Fail: test.exception raised an error: no way',
    notext: "Fail: 'in <string>' requires string as left operand, not int",
    nolist: "Fail: argument of type 'bool' is not iterable",
    unlike: 'Fail: int and list cannot be compared',
    nodot: 'Fail - invalid test',
    text: 'Fail - invalid test',
    last: 'Pass',
  });
  assert.equal(code, 1);
  assert.equal(
    (await minion.run('saltcheck.run_test', 'test={module_and_function: test.false, assertion: assertTrue}'))
      .code,
    1,
  );
});

test("saltcheck - gives JUnit's XML", async (t) => {
  const minion = minionWithTests(t);
  minion.write(
    'srv/j/saltcheck-tests/init.tst',
    'b: {module_and_function: test.echo, args: ["<&"], assertion: assertEqual, expected_return: x}\na: {module_and_function: test.ping, assertion: assertTrue, skip: True}\n',
  );
  const { ret } = await minion.run('saltcheck.run_state_tests', 'j,notest', 'junit=True');
  assert.equal(
    String(ret).replace(/ time="[0-9.]+"/g, ''),
    `<?xml version="1.0" ?>
<testsuites disabled="0" errors="0" failures="1" tests="3">
	<testsuite disabled="0" errors="0" failures="1" name="test_results" skipped="1" tests="3">
		<testcase name="a">
			<skipped type="skipped" message="Skip"/>
		</testcase>
		<testcase name="b">
			<failure type="failure" message="Fail: x is not equal to &lt;&amp;"/>
		</testcase>
		<testcase name="missing_test">
			<system-out>Test(s) Missing</system-out>
		</testcase>
	</testsuite>
</testsuites>
`,
  );
});
