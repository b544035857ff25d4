import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  errorOutcome,
  ExitCodes,
  exitCodeMode,
  exitStatus,
  jobOutcome,
  OUTCOMES,
  type CommandOutcome,
  type Way,
} from '../../../src/cli/program/exit-codes.ts';
import { ParsedOptions, scan } from '../../../src/cli/command-line/optparse.ts';
import { saltProgram } from '../../../src/cli/options/salt.ts';
import { BrineError, SaltInvocationError, UsageError } from '../../../src/errors/errors.ts';
import {
  ClientError,
  MasterDownError,
  NoMinionsError,
  NotAuthorisedError,
} from '../../../src/runtime/client/errors.ts';
import { UnusableGroupError } from '../../../src/runtime/targeting/nodegroups.ts';
import { dict, type Value } from '../../../src/python/values/value.ts';

const ALL = Object.keys(OUTCOMES) as CommandOutcome[];
const WAYS: readonly Way[] = ['plain', 'batch', 'static', 'async', 'docs', 'run', 'call', 'key', 'cp'];

test('exit codes - only what was done is 0, whatever the way', () => {
  for (const outcome of ALL)
    for (const way of WAYS) {
      const code = new ExitCodes('strict', way).of(outcome);
      assert.equal(code === 0, outcome === 'done', `${outcome} ${way}`);
      assert.equal(code, OUTCOMES[outcome].strict, `${outcome} ${way}`);
    }
});

test("exit codes - Salt's own, for those who want them", () => {
  const table: readonly [CommandOutcome, Way, number][] = [
    ['done', 'plain', 0],
    ['some failed', 'plain', 1],
    ['some failed', 'static', 0],
    ['some failed', 'cp', 0],
    ['some failed', 'key', 0],
    ['none matched', 'plain', 2],
    ['none matched', 'batch', 0],
    ['none matched', 'async', 0],
    ['none matched', 'static', 2],
    ['target unusable', 'plain', 0],
    ['target unusable', 'async', 1],
    ['not authorised', 'async', 1],
    ['master down', 'async', 1],
    ['refused', 'async', 1],
    ['some silent', 'plain', 1],
    ['not authorised', 'plain', 0],
    ['not authorised', 'batch', 1],
    ['not authorised', 'docs', 2],
    ['not authorised', 'run', 1],
    ['not authorised', 'key', 0],
    ['master down', 'static', 1],
    ['refused', 'plain', 0],
    ['user not switchable', 'run', 0],
    ['interrupted', 'plain', 0],
    ['interrupted', 'call', 1],
  ];
  for (const [outcome, way, code] of table)
    assert.equal(new ExitCodes('salt', way).of(outcome), code, `${outcome} ${way}`);
});

test('exit codes - what a job came to: a failure wins over silence', () => {
  assert.equal(jobOutcome({ returned: 2, failed: 0, silent: 0 }), 'done');
  assert.equal(jobOutcome({ returned: 2, failed: 1, silent: 1 }), 'some failed');
  assert.equal(jobOutcome({ returned: 2, failed: 0, silent: 1 }), 'some silent');
  assert.equal(jobOutcome({ returned: 0, failed: 0, silent: 1 }), 'some silent');
  assert.equal(jobOutcome({ returned: 0, failed: 0, silent: 0 }), 'none matched');
});

test('exit codes - errors before there is anything to count', () => {
  const outcomes = [
    new NoMinionsError('x'),
    new NotAuthorisedError('x'),
    new MasterDownError('x'),
    new ClientError('x'),
    new SaltInvocationError('x', { code: 'target-invalid' }),
    // with Salt a group that contains itself has no minions
    new UnusableGroupError('x'),
    new BrineError('x'),
  ].map(errorOutcome);
  assert.deepEqual(outcomes, [
    'none matched',
    'not authorised',
    'master down',
    'refused',
    'target unusable',
    'none matched',
    'refused',
  ]);
});

test('exit codes - a return code that is not 0 is never 0 for whoever called', () => {
  assert.deepEqual([0, 1, 255, 256, 512, -1, -15].map(exitStatus), [0, 1, 255, 1, 1, 255, 241]);
});

test('exit codes - the command line, then the variable, then the option', () => {
  const mode = (argv: readonly string[], env: NodeJS.ProcessEnv, config: Record<string, Value>): string => {
    const result = scan(saltProgram, argv);
    const parsed = result.kind === 'options' ? result.parsed : new ParsedOptions(saltProgram);
    const given = parsed.isExplicit('exit_codes') ? { exit_codes: parsed.get('exit_codes') } : {};
    return exitCodeMode(parsed, dict({ exit_codes: 'strict', ...config, ...given }), env);
  };
  assert.equal(mode([], {}, {}), 'strict');
  assert.equal(mode([], {}, { exit_codes: 'salt' }), 'salt');
  assert.equal(mode([], { BRINE_EXIT_CODES: 'strict' }, { exit_codes: 'salt' }), 'strict');
  assert.equal(mode([], { BRINE_EXIT_CODES: 'salt' }, {}), 'salt');
  assert.equal(mode(['--exit-codes=strict'], { BRINE_EXIT_CODES: 'salt' }, {}), 'strict');
  assert.equal(mode(['--exit-codes=salt'], {}, {}), 'salt');
  assert.throws(() => mode([], { BRINE_EXIT_CODES: 'old' }, {}), UsageError);
  assert.throws(
    () => mode([], {}, { exit_codes: 'lax' }),
    /exit_codes: 'lax' is neither 'strict' nor 'salt'/,
  );
});

test('exit codes - the reference has a line for each outcome', () => {
  const page = readFileSync('docs/reference/exit-codes.md', 'utf8');
  for (const outcome of ALL) assert.match(page, new RegExp(`^\\| ${outcome} `, 'm'), outcome);
});
