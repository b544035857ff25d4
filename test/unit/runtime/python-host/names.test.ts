/** Salt's names for modules in Python, where no Salt is installed: what Salt 3006.16 gave for the same calls. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3';
type Row = readonly [
  module: string,
  fun: string,
  args: unknown[],
  kwargs: object,
  outcome: readonly string[],
];

test('python names - helpers of salt.utils answer as those of Salt do', { skip }, () => {
  const rows = JSON.parse(readFileSync(join(ROOT, 'test/fixtures/python/names.json'), 'utf8')) as Row[];
  const guest = join(ROOT, 'src/runtime/python-host/guest');
  const { stdout, stderr } = spawnSync('python3', [join(ROOT, 'test/support/call_names.py')], {
    input: JSON.stringify(rows.map((row) => row.slice(0, 4))),
    env: {
      PATH: process.env['PATH'],
      PYTHONPATH: `${guest}:${join(guest, 'names')}`,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    encoding: 'utf8',
  });
  const given = JSON.parse(stdout || `"${stderr}"`) as string[][];
  assert.deepEqual(
    rows.map(([module, fun, args], index) => [module, fun, args, given[index]]),
    rows.map(([module, fun, args, , outcome]) => [module, fun, args, outcome]),
  );
});

/** What a line of Python prints that has the folders of the guest on its path. */
function printed(code: string): string {
  const guest = join(ROOT, 'src/runtime/python-host/guest');
  const { stdout, stderr } = spawnSync('python3', ['-c', code], {
    env: {
      PATH: process.env['PATH'],
      PYTHONPATH: `${guest}:${join(guest, 'names')}`,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    encoding: 'utf8',
  });
  return stdout || stderr;
}

test('python names - six.moves is there without being imported by itself', { skip }, () => {
  const code =
    "from salt.ext import six; print(six.moves.urllib.parse.parse_qs('a=1&b=2'), six.moves.range(2), six.moves.urllib_parse.quote('a b'))";
  assert.equal(printed(code), "{'a': ['1'], 'b': ['2']} range(0, 2) a%20b\n");
});

test("python names - __pillar__.value() is the mapping, as with Salt's loader", { skip }, () => {
  const code =
    "from brine_guest.dunders import Surroundings; s = Surroundings(1, {'id': 'm'}, {'os': 'x'}, {'p': 1}); s.renew(); print(s.pillar.value(), s.grains.value(), s.opts.value()['pillar'], s.pillar == {'p': 1})";
  assert.equal(printed(code), "{'p': 1} {'os': 'x'} {'p': 1} True\n");
});

test(
  'python names - an address of a scheme that HTTP does not have is an error, as in Salt',
  { skip },
  () => {
    const code = `
import salt.utils.http
for url in ("/api", "ftp://there/x"):
    try:
        salt.utils.http.query(url)
    except ValueError as error:
        print(error)
`;
    assert.equal(printed(code), 'Unsupported url scheme: /api\nUnsupported url scheme: ftp://there/x\n');
  },
);

test(
  'python names - what a master refuses or does not answer is of the class that Salt raises',
  { skip },
  () => {
    const code =
      "from brine_guest.raised import to_exception; print([type(to_exception(name, 'x')).__name__ for name in ('MasterDownError', 'NotAuthorisedError', 'UnreachableError', 'ArgumentError', 'Strange')])";
    assert.equal(
      printed(code),
      "['SaltClientError', 'AuthorizationError', 'SaltClientError', 'TypeError', 'Exception']\n",
    );
  },
);
