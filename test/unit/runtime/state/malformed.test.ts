/**
 * SLS whose `include`, `exclude` or `extend` is not what it looks like: all of it is told, nothing is left out in
 * silence.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { calledWith } from '../../../support/sls-runs.ts';

const NAME = 'where the name of an SLS has to stand';
/** Items as errors show them, where that is in another way than they are written. */
const SHOWN: ReadonlyMap<string, string> = new Map([
  ['null', 'None'],
  ['{foo: x}', "{'foo': 'x'}"],
  ['{sls: x, id: y}', "{'sls': 'x', 'id': 'y'}"],
  ['{id: null}', "{'id': None}"],
]);
const CASES: readonly (readonly [sls: string, errors: readonly string[]])[] = [
  [
    'include: [{base: x}, 5.0x]',
    [
      'Specified SLS 5.0x in saltenv base is not available on the salt master or through a configured fileserver',
    ],
  ],
  ['include: [null]', [`Include Declaration in SLS a has an empty item ${NAME}`]],
  ['include: [[x]]', [`Include Declaration in SLS a has ['x'] ${NAME}`]],
  ['include: [{}]', [`Include Declaration in SLS a has an empty mapping ${NAME}`]],
  [
    'include: [{c: d, base: x}]',
    ["Include Declaration in SLS a has 'c' and 'base' in one item: each include is an item of its own"],
  ],
  [
    'include: [{x: null}]',
    ["Include Declaration in SLS a has a colon behind 'x': write '- x', or '- environment: x'"],
  ],
  ['include: [{base: [x]}]', [`Include Declaration in SLS a has ['x'] ${NAME}`]],
  ...['5', 'null', '{foo: x}', '{sls: x, id: y}', '{id: null}'].map(
    (item): readonly [string, readonly string[]] => [
      `exclude: [x, ${item}]`,
      [
        `Exclude Declaration in SLS a has ${SHOWN.get(item) ?? item}: write '- name' or '- sls: name' for an SLS, '- id: name' for an ID`,
      ],
    ],
  ),
  [
    'include: [x]\nextend: {z: {test: {a: 1}}}',
    ["Extension 'test' of ID 'z' in SLS 'a' is not formed as a list"],
  ],
  [
    'include: [x]\nextend: {z: {test: null}}',
    ["Extension 'test' of ID 'z' in SLS 'a' is not formed as a list"],
  ],
];

for (const [sls, errors] of CASES)
  test(`malformed SLS - ${sls.replace('\n', ' ')}`, async (t) => {
    const files = { 'a.sls': sls, 'x.sls': 'z: test.nop' };
    const { value } = await calledWith(t, files, 'state.show_low_sls', ['a']);
    assert.deepEqual(value, errors);
  });

test('malformed SLS - a top file whose include is no list runs nothing', async (t) => {
  const files = { 'top.sls': "include: a\nbase: {'*': [a]}", 'a.sls': 'z: test.nop' };
  const { value, error } = await calledWith(t, files, 'state.show_lowstate', []);
  assert.deepEqual([value ?? error], [[]]);
});
