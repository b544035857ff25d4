import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getColors, parseColorTheme } from '../../../../src/plugins/outputters/colors.ts';
import { progressLine } from '../../../../src/plugins/outputters/progress.ts';
import {
  chooseOutputter,
  displayOutput,
  loadOutputter,
  OUTPUTTER_NAMES,
} from '../../../../src/plugins/outputters/registry.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';

const plain = { color: false };

test('outputters - --out wins over the hint, except highstate', () => {
  assert.equal(chooseOutputter(undefined), 'nested');
  assert.equal(chooseOutputter('highstate'), 'highstate');
  assert.equal(chooseOutputter('highstate', { output: 'json' }), 'json');
  assert.equal(chooseOutputter('no_return', { output: 'highstate' }), 'no_return');
  assert.equal(chooseOutputter('', { isStatic: true, fun: 'state.apply' }), 'highstate');
  assert.equal(chooseOutputter('', { isStatic: true, fun: 'test.ping' }), 'nested');
  assert.equal(chooseOutputter('json', { progress: true }), 'progress');
});

test('outputters - an unknown name falls back to nested and says so', async () => {
  const reports: string[] = [];
  const text = await displayOutput(dict({ web1: true }), 'no_out', plain, (message) => reports.push(message));
  assert.equal(text, 'web1:\n    True');
  await displayOutput('x', 'grains', plain, (message) => reports.push(message));
  await displayOutput('x', '__proto__', plain, (message) => reports.push(message));
  assert.deepEqual(reports, [
    'Invalid outputter no_out specified, fall back to nested',
    'Invalid outputter __proto__ specified, fall back to nested',
  ]);
});

test('outputters - every name but the uninstalled ones loads', async () => {
  for (const name of OUTPUTTER_NAMES) {
    assert.equal((await loadOutputter(name)) === undefined, name === 'pony', name);
  }
});

test('outputters - data an outputter is not for is shown by nested', async () => {
  assert.equal(await displayOutput(dict({ web1: 5 }), 'key', plain), 'web1:\n    5');
  assert.equal(await displayOutput([1, 'x'], 'newline_values_only', plain), '- 1\n- x');
  assert.equal(
    await displayOutput(dict({ web1: 5 }), 'yaml', { color: false, indent: 'pretty' }),
    'web1:\n    5',
  );
});

test('outputters - one minion through nested', async () => {
  const value = dict({ minion1: dict({ b: [1, [], dict()], a: 'one\ntwo', e: '', d: dict(), f: null }) });
  const lines = [
    'minion1:',
    '    ----------',
    '    a:',
    '        one',
    '        two',
    '    b:',
    '        - 1',
  ];
  lines.push(
    '        |_',
    '        |_',
    '          ----------',
    '    d:',
    '        ----------',
    '    e:',
    '    f:',
  );
  assert.equal(await displayOutput(value, undefined, plain), [...lines, '        None'].join('\n'));
  assert.equal(
    await displayOutput(dict({ web1: 'a\x1b[31m' }), 'nested', { color: true, retcode: 1 }),
    '\x1b[0;31mweb1\x1b[0;0m:\n    \x1b[0;32ma?[31m\x1b[0;0m',
  );
});

test('outputters - a missing minion through json and no_return', async () => {
  const value = dict({ web3: 'Minion did not return. [No response]' });
  assert.equal(
    await displayOutput(value, 'json', plain),
    '{\n    "web3": "Minion did not return. [No response]"\n}',
  );
  assert.equal(
    await displayOutput(value, 'no_return', plain),
    'web3:\n    Minion did not return. [No response]',
  );
});

test('outputters - an empty state run', async () => {
  const text = await displayOutput(dict({ py1: dict() }), 'highstate', plain);
  const rule = '-'.repeat(11);
  const head = `py1:\n\nSummary for py1\n${rule}\nSucceeded: 0\nFailed:   0\n${rule}`;
  assert.equal(text, `${head}\nTotal states run:    0\nTotal run time:  0.000 ms`);
});

test('outputters - a colour theme replaces single colours', () => {
  const theme = parseColorTheme(new Map<Value, Value>([['CYAN', '0;1;95'], ['RED', 7]])); // prettier-ignore
  assert.equal(getColors(true, theme).CYAN, '\x1b[0;1;95m');
  assert.equal(getColors(true, theme).RED, '\x1b[7m');
  assert.equal(getColors(true, theme).GREEN, '\x1b[0;32m');
  assert.equal(getColors(false, theme).CYAN, '');
});

test('outputters - the progress bar has the width asked for', () => {
  const line = progressLine({ returned: 1, expected: 2, elapsedMs: 3_725_000 }, 70);
  assert.equal(line.length, 70);
  assert.match(line, /^ 50% \|#+ +\| Elapsed Time: 1:02:05 Returns: \[1\/2\]$/);
});
