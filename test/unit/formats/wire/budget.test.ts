import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AUTHENTICATED,
  BudgetError,
  CLEAR,
  contentOf,
  FieldNames,
  fieldsOf,
  requireWithin,
  Walk,
  type Budget,
} from '../../../../src/formats/wire/budget.ts';
import {
  decode,
  decodeAt,
  encode,
  MsgpackError,
  TruncatedMsgpackError,
} from '../../../../src/formats/wire/msgpack.ts';
import { dict, PyDatetime, PyFloat, type Value } from '../../../../src/python/values/value.ts';

const NOTHING: Budget = { ...CLEAR, elementsMax: 1, memoryBytesMax: 0 };

/** One value of each kind that msgpack has. */
const SAMPLES: readonly Value[] = [
  ...[null, true, false, 0, 127, 128, 65535, 65536, 2 ** 32, -1, -32, -33, -129, -32769, -(2 ** 31) - 1],
  ...[
    2n ** 63n,
    new PyFloat(1),
    0.5,
    '',
    'x',
    'x'.repeat(31),
    'x'.repeat(32),
    'x'.repeat(300),
    'x'.repeat(70_000),
  ],
  ...[
    Buffer.alloc(3, 255),
    Buffer.alloc(300, 255),
    Buffer.alloc(70_000, 255),
    new PyDatetime('20240102T03:04:05.678901'),
  ],
  ...[[], [1, [2, [3]]], Array.from({ length: 20 }, (_, n) => n), Array.from({ length: 70_000 }, () => 0)],
  ...[dict({}), dict({ a: dict({ b: [] }) }), new Map(Array.from({ length: 20 }, (_, n) => [n, 'v']))],
];

test('budget - a walk passes every kind of value in both dialects, and ends where the value ends', () => {
  for (const dialect of ['network', 'local'] as const)
    for (const sample of SAMPLES) {
      const packed = Buffer.concat([encode(sample, dialect), Buffer.from([1])]);
      const walk = new Walk(packed, AUTHENTICATED);
      walk.skip();
      assert.equal(walk.at, packed.length - 1, String(sample).slice(0, 40));
      assert.equal(decodeAt(packed, dialect, 0).end, walk.at);
    }
});

test('budget - a value that is cut short is cut short for the walk, too', () => {
  for (const sample of SAMPLES) {
    const packed = encode(sample, 'local');
    for (const length of [0, 1, 2, packed.length >> 1, packed.length - 1]) {
      if (length >= packed.length) continue;
      assert.throws(() => new Walk(packed.subarray(0, length), AUTHENTICATED).skip(), TruncatedMsgpackError);
    }
  }
  assert.throws(() => new Walk(Buffer.from([0xc1]), AUTHENTICATED).skip(), MsgpackError);
});

test('budget - lengths are held against it when they are announced, not when their values come', () => {
  for (const [tag, budget] of [
    ['dd', { ...AUTHENTICATED, elementsMax: 1000 }],
    ['df', { ...AUTHENTICATED, memoryBytesMax: 1000, memoryBytesPerByte: 0 }],
  ] as const) {
    const packed = Buffer.concat([Buffer.from(`${tag}00010000`, 'hex'), Buffer.alloc(200_000)]);
    const walk = new Walk(packed, budget);
    assert.throws(() => walk.skip(), BudgetError);
  }
});

test('budget - each kind of bomb is refused, and what it names is its limit', () => {
  const bombs: readonly (readonly [name: string, value: string, count: number])[] = [
    ['maps', '80', 1_000_000],
    ['lists', '90', 4_000_000],
    ['short bytes', 'a1ff', 2_000_000],
    ['floats', 'ca3fc00000', 2_000_000],
    ['maps of one', '810100', 400_000],
    ['nulls', 'c0', 21_000_000],
  ];
  const perByte: Budget = { ...AUTHENTICATED, memoryBytesPerByte: 4 };
  for (const [name, value, count] of bombs) {
    const head = Buffer.from([0xdd, 0, 0, 0, 0]);
    head.writeUInt32BE(count, 1);
    const one = Buffer.from(value, 'hex');
    const bomb = Buffer.concat([head, Buffer.alloc(count * one.length, one)]);
    assert.throws(() => requireWithin(bomb, perByte), BudgetError, name);
  }
  assert.throws(
    () => requireWithin(encode('x'.repeat(65 * 1024), 'network'), CLEAR),
    /65\d* bytes.* 65536 are allowed \(stage clear\)/,
  );
});

test('budget - deep nesting costs a walk no stack', () => {
  const deep = Buffer.concat([Buffer.alloc(1_000_000, 0x91), Buffer.from([0])]);
  new Walk(deep, AUTHENTICATED).skip();
  assert.throws(() => decode(deep, 'network', AUTHENTICATED), /nested deeper than 512/);
});

test('budget - decoding without anything left makes nothing', () => {
  assert.throws(() => decode(encode([dict({})], 'network'), 'network', NOTHING), BudgetError);
  assert.equal(decode(encode(7, 'network'), 'network', NOTHING), 7);
});

test('fields - are given as their bytes, in whatever form their names are written', () => {
  const names = new FieldNames('id', 'load');
  const map = Buffer.concat([
    Buffer.from('83', 'hex'),
    encode('x', 'network'),
    encode([dict({})], 'network'),
  ]);
  for (const key of ['a26964', 'd9026964', 'da00026964', 'c4026964', 'db000000026964']) {
    const packed = Buffer.concat([
      map,
      Buffer.from(key, 'hex'),
      encode('m1', 'network'),
      encode('y', 'network'),
      Buffer.from([0]),
    ]);
    const [id, load] = fieldsOf(packed, CLEAR, names) ?? [];
    assert.equal(id && contentOf(id)?.toString(), 'm1');
    assert.equal(load, undefined);
  }
});

test('fields - a wanted one that is there twice, no map, and bytes behind it are told apart', () => {
  const names = new FieldNames('id');
  const twice = Buffer.concat([
    Buffer.from([0x82]),
    encode('id', 'network'),
    Buffer.from([1]),
    encode('id', 'local'),
    Buffer.from([1]),
  ]);
  assert.equal(fieldsOf(twice, CLEAR, names), undefined);
  assert.equal(fieldsOf(encode([1], 'network'), CLEAR, names), undefined);
  assert.deepEqual(fieldsOf(encode(dict({}), 'network'), CLEAR, names), [undefined]);
  assert.throws(() => fieldsOf(Buffer.from([0x80, 0]), CLEAR, names), /1 bytes follow/);
  assert.throws(() => fieldsOf(Buffer.alloc(0), CLEAR, names), TruncatedMsgpackError);
});
