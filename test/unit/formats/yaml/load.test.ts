import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { dict, PyFloat, type Value } from '../../../../src/python/values/value.ts';
import { YamlError, loadYaml, resolvePlainScalar } from '../../../../src/formats/yaml/load.ts';
import { toJson } from '../../../../src/formats/json/text.ts';
import { parseKeyword } from '../../../../src/formats/yaml/keyword.ts';
import { yamlifyArgument } from '../../../../src/formats/yaml/yamlify.ts';

interface Recording {
  readonly text: string;
  readonly want?: unknown;
  /** empty where PyYAML ends with an error of Python, which has no place */
  readonly error?: { readonly line?: number; readonly column?: number; readonly message?: string };
}

function recordings(name: string): readonly Recording[] {
  const path = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/yaml', name);
  return JSON.parse(readFileSync(path, 'utf8')) as Recording[];
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Values as the recordings write them. */
function tagged(value: Value): unknown {
  if (value instanceof PyFloat) return { f: floatText(value.value) };
  if (typeof value === 'bigint') return { i: String(value) };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { i: String(value) } : { f: floatText(value) };
  if (Array.isArray(value)) return ['l', ...value.map(tagged)];
  if (value instanceof Map) return ['m', ...[...value].map(([key, item]) => [tagged(key), tagged(item)])];
  if (value instanceof Uint8Array) return { b: Buffer.from(value).toString('hex') };
  return value;
}

function errorOf(text: string, source?: string): YamlError {
  try {
    loadYaml(text, source === undefined ? {} : { source });
  } catch (error) {
    assert.ok(error instanceof YamlError, String(error));
    return error;
  }
  return assert.fail(`no error for ${JSON.stringify(text)}`);
}

test('yaml - documents give the values and the errors of the real loader', () => {
  for (const { text, want, error } of recordings('documents.json')) {
    if (!error) {
      assert.deepEqual(tagged(loadYaml(text)), want, JSON.stringify(text));
      continue;
    }
    const thrown = errorOf(text);
    if (error.message === undefined) continue;
    assert.equal(thrown.message, error.message, JSON.stringify(text));
    assert.equal(thrown.line, error.line, JSON.stringify(text));
    assert.equal(thrown.column, error.column, JSON.stringify(text));
  }
});

/** Words of which YAML would lose a part, or make another number: Salt reads them, ours stay what they are. */
const STAY_TEXTS: readonly string[] = [
  ...['echo -H "Accept: x" http://h/#frag', 'a: b # c', '? a # c', 'a: # c', 'a#b: c', '1 # c', 'true # c'],
  ...['! test -e /x', '! ', '>', '&bg x', '{ echo a; }', '{ echo a; } # c', '{a}'],
  ...[
    '!<tag:yaml.org,2002:str> 5',
    '1._',
    '.1_',
    '1:0',
    '1:5',
    'key: value # c',
    '1:30',
    '59:59',
    '20:01',
    '1:2:3:4',
    '1_2:30',
    '0x_ff',
    '0b1_0',
    '12:34:56',
    '|2',
    '>-',
    '-1:30',
    '|+',
    '|-',
    '&a b',
    '&a',
    '! a',
    'True # y',
    '5 # x',
    '190:20:30',
    '22:22',
    '52:54:00:12:34:56',
    '1:30.5',
    '1_000.5',
    '0x1_F',
    '1_0:30',
    '-1_000',
  ],
  ...[],
  ...[
    '-5_',
    ' .nan #c',
    '0644 #c',
    '2._21',
    "1 ##'",
    '+2_',
    '&b',
    ' 1:30 #c',
    '{(?=.$}',
    'N#n:',
    '-5:3',
    "&y?'_",
    '28410:6',
    '.nan #c',
    '2:9',
    '60:6',
    '+11_',
    '&N::E',
    '5_80.81',
    '1_5:5',
    '-54_',
    ' No #c',
    '71611:1',
    ' {}#9@-',
    '4:0.',
    '&_yx',
    '&nxaN',
    '&n:+:`',
    '4:6',
    'No #c',
    'e>#$:',
    '81:2',
    ' &aa',
    ' yes #c',
    'b#+]|@:',
    '_+"#n:',
    '-39_7',
    '&-a',
    '81486:4',
    '804:5',
    '+30_',
    '&9?~',
    '.0_46',
    '> ',
    ' 1:30',
    '8:5',
  ],
];

test('yaml - a word of a command line of which something would be lost stays a text', () => {
  for (const text of STAY_TEXTS) assert.deepEqual(yamlifyArgument(text), text);
  assert.deepEqual(parseKeyword('k=a: b # c'), { name: 'k', value: 'a: b # c' });
});

test('yaml - a word of a command line is a value where that is meant', () => {
  const values: readonly (readonly [string, Value])[] = [
    ['{a: b} # c', dict({ a: 'b' })],
    ['[1, 2] # c', [1, 2]],
    ['{}', dict()],
    ['[]', []],
    ['{a: 1, b}', dict({ a: 1, b: null })],
    ['!!str 5', '5'],
    ['yes', true],
    ['0644', 644],
    ["'22:22'", '22:22'],
    ['"a: b"', 'a: b'],
  ];
  for (const [text, value] of values) assert.equal(toJson(yamlifyArgument(text)), toJson(value), text);
});

test('yaml - words of a command line give the values of the real function', () => {
  for (const { text, want } of recordings('arguments.json')) {
    if (STAY_TEXTS.includes(text)) continue;
    assert.deepEqual(tagged(yamlifyArgument(text)), want, JSON.stringify(text));
  }
});

test('yaml - an error names the text, the place and what was being done', () => {
  const error = errorOf('a: 1\nb: 2\na: 3\n', '/srv/salt/x.sls');
  assert.equal(error.reason, "found conflicting ID 'a'");
  assert.equal(error.context, 'while constructing a mapping');
  assert.deepEqual(
    [error.kind, error.line, error.column, error.source],
    ['constructor', 3, 1, '/srv/salt/x.sls'],
  );
  assert.equal(
    error.message,
    'while constructing a mapping\n  in "/srv/salt/x.sls", line 1, column 1\n' +
      `found conflicting ID 'a'\n  in "/srv/salt/x.sls", line 3, column 1`,
  );
});

test('yaml - characters that cannot be written are refused with their place', () => {
  const error = errorOf('a: 1\nb: \x07\n');
  assert.equal(error.reason, 'unacceptable character #x0007: control characters are not allowed');
  assert.deepEqual([error.kind, error.line, error.column], ['reader', 2, 4]);
});

test('yaml - aliases share their value, but may not contain themselves', () => {
  const value = loadYaml('a: &x [1]\nb: *x\n') as Map<string, Value>;
  assert.equal(value.get('a'), value.get('b'));
  assert.equal(errorOf('&a [*a]').reason, 'found unconstructable recursive node');
  assert.equal(errorOf('&a {<<: *a}').reason, 'found unconstructable recursive node');
});

test('yaml - a bomb of aliases is refused before it is built', () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 30; level++) {
    lines.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    );
  }
  assert.match(errorOf(lines.join('\n')).reason, /aliases would grow this document/);
  const merges = lines.map((line) => line.replace('[', '{<<: [').replace(/\]$/, ']}'));
  merges[0] = 'a0: &a0 {x: 1}';
  assert.match(errorOf(merges.join('\n')).reason, /aliases would grow this document/);
});

test('yaml - nesting without end is refused, and quickly', () => {
  for (const text of ['[', '{a: ', '- ', '? ', '[{a: ']) {
    assert.equal(errorOf(text.repeat(50_000)).reason, 'nesting is deeper than 1000 levels');
  }
  loadYaml('['.repeat(900) + ']'.repeat(900));
});

test('yaml - what JSON can say is read as JSON, keys apart', () => {
  const json = fc.jsonValue({ noUnicodeString: false, depthSize: 'small' });
  const plain = (value: Value): unknown => {
    if (value instanceof PyFloat) return value.value;
    if (typeof value === 'bigint') return Number(value);
    if (Array.isArray(value)) return value.map(plain);
    if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]));
    return value;
  };
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value, (_, item: unknown) =>
        typeof item === 'number' ? Math.round(item) % 1e9 : item,
      );
      // libyaml looks at most 1024 characters ahead for a key
      fc.pre(text.length < 1000 && !/[\x7f-\x9f\ud800-\udfff\ufffe\uffff]|\\ud[89a-f]|__proto__/.test(text));
      assert.deepEqual(plain(loadYaml(text)), JSON.parse(text));
    }),
  );
});

test('yaml - any text gives a value or an error of its own kind', () => {
  const pieces = [
    'a',
    ': ',
    '- ',
    '\n',
    '  ',
    '[',
    ']',
    '{',
    '}',
    ', ',
    '"',
    "'",
    '&x ',
    '*x',
    '!!str ',
    '|\n',
    '>',
    '#',
    '\\',
    '<<: ',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 20 }), (parts) => {
      try {
        loadYaml(parts.join(''));
      } catch (error) {
        assert.ok(error instanceof YamlError, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

test('yaml - a lone plain scalar is resolved without a document around it', () => {
  const cases: readonly (readonly [string, Value])[] = [
    ['0644', 644],
    ['-0644', -420],
    ['1.0', new PyFloat(1)],
    ['yes', true],
    ['y', 'y'],
    ['~', null],
    ['2001-01-01', '2001-01-01'],
    ['12345678901234567890', 12345678901234567890n],
    ['<<', '<<'],
    ['0x_', '0x_'],
  ];
  for (const [text, expected] of cases) assert.deepEqual(resolvePlainScalar(text), expected, text);
});
