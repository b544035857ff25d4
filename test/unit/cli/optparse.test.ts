import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allPrograms } from '../../../src/cli/options/programs.ts';
import { saltProgram } from '../../../src/cli/options/salt.ts';
import { flag } from '../../../src/cli/options/shared.ts';
import {
  allOptions,
  effectiveOption,
  scan,
  takesValue,
  type CliProgram,
  type ParsedOptions,
} from '../../../src/cli/command-line/optparse.ts';
import { formatUsageError } from '../../../src/cli/command-line/help.ts';
import { UsageError } from '../../../src/errors/errors.ts';
import { float, PyFloat, type Value } from '../../../src/python/values/value.ts';

const fixtures = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/cli');

interface RecordedOption {
  flags: string[];
  dest: string | null;
  action: string;
  type: string | null;
  default: unknown;
  metavar: string | null;
  choices: string[] | null;
  group: string | null;
}
const recordedOptions = JSON.parse(readFileSync(join(fixtures, 'options-3006.16.json'), 'utf8')) as Record<
  string,
  { usage: string; options: RecordedOption[] }
>;

interface Vector {
  program: string;
  argv: string[];
  given?: Record<string, unknown>;
  args?: string[];
  error?: string;
  ends?: string;
}
const vectors = JSON.parse(readFileSync(join(fixtures, 'optparse-vectors.json'), 'utf8')) as Vector[];

function programNamed(name: string): CliProgram {
  const program = allPrograms.find((it) => it.name === name);
  assert.ok(program, name);
  return program;
}

function parse(program: CliProgram, argv: string[]): ParsedOptions {
  const result = scan(program, argv);
  assert.equal(result.kind, 'options');
  return (result as { parsed: ParsedOptions }).parsed;
}

/** Salt's actions in our words; its --log-file callback stores a text. */
const ACTIONS = new Map([
  ['store', 'store'],
  ['callback', 'store'],
  ['append', 'append'],
  ['store_true', 'true'],
  ['store_false', 'false'],
  ['help', 'help'],
  ['version', 'version'],
]);
const TYPES = new Map([
  ['string', 'str'],
  ['int', 'int'],
  ['float', 'float'],
  ['choice', 'choice'],
]);

function plainDefault(value: Value): unknown {
  return value instanceof Map ? {} : value;
}

/** Options that take several values since 3008. */
const REPEATED_SINCE_3008 = new Map([['salt-call', new Set(['file_root', 'pillar_root', 'states_dir'])]]);

// sls and brine are ours
for (const program of allPrograms.filter(({ name }) => !['sls', 'brine'].includes(name))) {
  test(`option tables - ${program.name} has exactly the options of Salt 3006.16`, () => {
    const recorded = recordedOptions[program.name];
    assert.ok(recorded);
    const groups = [
      { title: null, options: program.options },
      ...program.groups.map(({ title, options }) => ({ title, options })),
    ];
    const mine = groups.flatMap(({ title, options }) =>
      options
        .filter((option) => !option.own)
        .map((option) => ({
          flags: [...option.flags],
          dest: option.dest,
          action: option.action,
          type: takesValue(option) ? option.type : null,
          default: plainDefault(option.default),
          metavar: option.metavar ?? null,
          choices: option.choices ? [...option.choices] : null,
          group: title,
        })),
    );
    const theirs = recorded.options.map((option) => ({
      ...option,
      nargs: undefined,
      dest: option.dest ?? option.action,
      action: ACTIONS.get(option.action),
      type: option.type === null ? null : TYPES.get(option.type),
      ...(REPEATED_SINCE_3008.get(program.name)?.has(option.dest ?? '') === true
        ? { action: 'append', default: [] }
        : {}),
    }));
    // salt-run has two groups of one title in Salt; here they are one
    const order = (list: { flags: string[] }[]): Map<string, unknown> =>
      new Map(list.map((option) => [option.flags.join(), { ...option, nargs: undefined }]));
    assert.deepEqual(order(mine), order(theirs));
    if (program.name !== 'salt-run') {
      assert.deepEqual(
        mine.map((option) => option.flags),
        theirs.map((option) => option.flags),
      );
    }
    assert.equal(`Usage: ${program.name} ${program.usage}\n`, recorded.usage);
  });
}

test('optparse - recorded command lines are read as Python reads them', () => {
  for (const vector of vectors) {
    const program = programNamed(vector.program);
    const name = `${vector.program} ${JSON.stringify(vector.argv)}`;
    let outcome: Partial<Vector>;
    try {
      const result = scan(program, vector.argv);
      if (result.kind !== 'options') outcome = { ends: result.kind };
      else outcome = { given: given(program, result.parsed), args: result.parsed.args };
    } catch (error) {
      assert.ok(error instanceof UsageError, name);
      assert.equal(error.exitCode, 64);
      outcome = { error: error.message.replace(/\nDid you mean .*$/, '') };
    }
    const { program: _program, argv: _argv, ...expected } = vector;
    assert.deepEqual(outcome, expected, name);
  }
});

/** What was given, in the recorded form. */
function given(program: CliProgram, parsed: ParsedOptions): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const option of allOptions(program)) {
    if (!parsed.isExplicit(option.dest)) continue;
    let value: unknown = parsed.get(option.dest);
    if (option.type === 'float') value = { float: pythonFloat(value as number | PyFloat) };
    else if (typeof value === 'bigint') value = { int: String(value) };
    // 3006 takes the last of several
    if (Array.isArray(value) && REPEATED_SINCE_3008.get(program.name)?.has(option.dest) === true)
      value = value.at(-1);
    // Salt puts a lone file name into the working folder while it reads the line, we do so afterwards
    if (option.convert && option.flags.includes('--log-file')) value = option.convert(value as Value);
    out[option.dest] = value;
  }
  return out;
}

function pythonFloat(value: number | PyFloat): string {
  const plain = value.valueOf();
  if (plain === Infinity) return 'inf';
  if (plain === -Infinity) return '-inf';
  return Number.isInteger(plain) ? `${plain}.0` : String(plain);
}

test('optparse - an integral float stays a float', () => {
  assert.deepEqual(parse(saltProgram, ['--batch-wait', '2']).get('batch_wait'), new PyFloat(2));
  assert.deepEqual(parse(saltProgram, ['--batch-wait', '2.5']).get('batch_wait'), float(2.5));
});

test('optparse - a mistyped option names its neighbour', () => {
  assert.throws(() => scan(saltProgram, ['--timeuot=3']), {
    name: 'UsageError',
    message: 'no such option: --timeuot\nDid you mean --timeout?',
  });
  assert.throws(() => scan(saltProgram, ['--foo']), { message: 'no such option: --foo' });
});

test('optparse - usage errors have the form of Python', () => {
  assert.equal(
    formatUsageError(saltProgram, 'no such option: --foo'),
    "Usage: salt [options] '<target>' <function> [arguments]\n\nsalt: error: no such option: --foo\n",
  );
});

test('optparse - our own options are not found by prefixes, and planned ones are refused', () => {
  const options = [{ ...flag(['--later'], 'later', 'Not built yet.'), planned: true }];
  assert.throws(() => scan({ ...saltProgram, options }, ['--later']), {
    message: 'option --later is not available yet',
  });
  assert.throws(() => scan(saltProgram, ['--wat=1']), { message: /^no such option: --wat/ });
  assert.throws(() => scan(saltProgram, ['--ex']), {
    message: 'ambiguous option: --ex (--executor-opts, --external-auth?)',
  });
});

test('options - the command line beats the configuration, which beats the default', () => {
  const config = { raw: (key: string): Value | undefined => (key === 'timeout' ? 20 : undefined) };
  const none = parse(saltProgram, []);
  assert.equal(effectiveOption(none, undefined, 'timeout'), 5);
  assert.equal(effectiveOption(none, config, 'timeout'), 20);
  assert.equal(effectiveOption(none, config, 'batch'), '');
  assert.equal(effectiveOption(parse(saltProgram, ['-t7']), config, 'timeout'), 7);
  assert.deepEqual(
    parse(saltProgram, ['-t7', '-G']).overrides(),
    new Map<string, Value>([
      ['timeout', 7],
      ['grain', true],
    ]),
  );
});

test('options - defaults come from the environment where Salt takes them from there', () => {
  const result = scan(saltProgram, [], {
    SALT_CONFIG_DIR: '/srv/etc',
    SALT_NO_PARSE: '',
    SALT_HARD_CRASH: '1',
  });
  assert.equal(result.kind, 'options');
  const { parsed } = result as { parsed: ParsedOptions };
  assert.equal(parsed.get('config_dir'), '/srv/etc');
  assert.equal(parsed.get('no_parse'), '');
  assert.equal(parsed.get('hard_crash'), '1');
  assert.equal(parsed.isExplicit('config_dir'), false);
});
