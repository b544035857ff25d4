/** Grains that are collected at the first look. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { LateDict } from '../../../src/cli/call/late-dict.ts';
import { copyValue, isDict, truthy, type Dict, type Value } from '../../../src/python/values/value.ts';
import { decode, encode } from '../../../src/formats/wire/msgpack.ts';

const content = (): Dict =>
  new Map<Value, Value>([
    ['os', 'Debian'],
    ['cpus', 2],
  ]);

const looks: [string, (grains: LateDict) => unknown, unknown][] = [
  ['get', (grains) => grains.get('os'), 'Debian'],
  ['has', (grains) => grains.has('cpus'), true],
  ['size', (grains) => grains.size, 2],
  ['keys', (grains) => [...grains.keys()], ['os', 'cpus']],
  ['values', (grains) => [...grains.values()], ['Debian', 2]],
  [
    'entries',
    (grains) => [...grains.entries()],
    [
      ['os', 'Debian'],
      ['cpus', 2],
    ],
  ],
  [
    'spread',
    (grains) => [...grains],
    [
      ['os', 'Debian'],
      ['cpus', 2],
    ],
  ],
  ['new Map', (grains) => new Map(grains), content()],
  ['copy', (grains) => copyValue(grains), content()],
  ['truth', (grains) => truthy(grains), true],
  ['encode', (grains) => decode(encode(grains, 'local'), 'local'), content()],
  ['delete', (grains) => grains.delete('os'), true],
];

for (const [name, look, expected] of looks) {
  test(`salt-call - grains are collected when looked at by ${name}, once`, () => {
    let filled = 0;
    const grains = new LateDict(() => {
      filled++;
      return content();
    });
    assert.ok(isDict(grains));
    assert.equal(filled, 0);
    assert.deepEqual(look(grains), expected);
    look(grains);
    assert.equal(filled, 1);
  });
}

test('salt-call - what is set before the first look wins over what is collected', () => {
  const grains = new LateDict(content);
  grains.set('os', 'mine');
  const seen: Value[] = [];
  grains.forEach((value) => seen.push(value));
  assert.deepEqual(seen, ['mine', 2]);
});
