import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decode,
  decodeAt,
  encode,
  MsgpackError,
  TruncatedMsgpackError,
  type Dialect,
} from '../../../../src/formats/wire/msgpack.ts';
import { dict, PyDatetime, PyFloat, valuesEqual, type Value } from '../../../../src/python/values/value.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const roundTrip = (value: Value, dialect: Dialect): Value => decode(encode(value, dialect), dialect);

test('msgpack - the network dialect never uses str 8 or bin', () => {
  assert.equal(hex(encode('x'.repeat(40), 'network')).slice(0, 6), 'da0028');
  assert.equal(
    hex(encode({ enc: 'aes', load: Buffer.from('fffe', 'hex') }, 'network')),
    '82a3656e63a3616573a46c6f6164a2fffe',
  );
  assert.equal(hex(encode('bad load', 'network')), 'a8626164206c6f6164');
});

test('msgpack - the local dialect tells text from bytes', () => {
  assert.equal(hex(encode('x'.repeat(40), 'local')).slice(0, 4), 'd928');
  assert.equal(hex(encode(Buffer.from('ab'), 'local')), 'c4026162');
  assert.deepEqual(roundTrip(Buffer.from('ab'), 'local'), Buffer.from('ab'));
});

test('msgpack - network bytes that are UTF-8 become text, the rest stays bytes', () => {
  assert.equal(roundTrip(Buffer.from('grün'), 'network'), 'grün');
  assert.deepEqual(roundTrip(Buffer.from([0xff, 0xfe]), 'network'), Buffer.from([0xff, 0xfe]));
});

test('msgpack - floats stay floats and great integers stay exact', () => {
  assert.deepEqual(roundTrip(new PyFloat(8), 'network'), new PyFloat(8));
  assert.equal(roundTrip(8, 'network'), 8);
  assert.equal(roundTrip(1.5, 'network'), 1.5);
  assert.equal(roundTrip(2n ** 63n, 'network'), 2n ** 63n);
  assert.equal(roundTrip(-(2n ** 63n), 'network'), -(2n ** 63n));
  assert.equal(roundTrip(2n ** 64n, 'network'), '18446744073709551616');
  assert.equal(hex(encode(2 ** 40, 'network')), 'cf0000010000000000');
});

test('msgpack - maps keep order and key types', () => {
  const value = new Map<Value, Value>([
    ['10', 'a'],
    ['2', 'b'],
    [1, 'c'],
    [true, 'd'],
    [null, 'e'],
    ['__proto__', 'f'],
  ]);
  assert.deepEqual([...(roundTrip(value, 'network') as Map<Value, Value>)], [...value]);
});

test('msgpack - datetimes are extension 78', () => {
  const bytes = encode(new PyDatetime('20240102T03:04:05.678901'), 'network');
  assert.equal(hex(bytes), 'c7184e' + Buffer.from('20240102T03:04:05.678901').toString('hex'));
  assert.equal(String(decode(bytes, 'network')), '2024-01-02 03:04:05.678901');
});

test('msgpack - hostile lengths and nesting cost an error, not memory', () => {
  assert.throws(() => decode(Buffer.from('ddffffffff', 'hex'), 'network'), TruncatedMsgpackError);
  assert.throws(() => decode(Buffer.from('dfffffffff', 'hex'), 'network'), TruncatedMsgpackError);
  assert.throws(
    () => decode(Buffer.concat([Buffer.alloc(100_000, 0x91), Buffer.from([1])]), 'network'),
    MsgpackError,
  );
  assert.throws(() => decode(Buffer.from('c1', 'hex'), 'network'), MsgpackError);
  assert.throws(() => decode(Buffer.from('0101', 'hex'), 'network'), MsgpackError);
});

test('msgpack - any bytes decode to a value or a MsgpackError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        decode(bytes, 'network');
      } catch (error) {
        assert.ok(error instanceof MsgpackError);
      }
    }),
    { numRuns: 2000 },
  );
});

test('msgpack - values survive a round trip in both dialects', () => {
  const leaf = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
    fc.double({ noNaN: true }).map((x) => (Number.isInteger(x) ? new PyFloat(x) : x)),
    fc.string({ unit: 'binary' }),
  );
  const { value } = fc.letrec<{ value: Value }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value'), { maxLength: 5 }),
      fc
        .array(fc.tuple(fc.string(), tie('value')), { maxLength: 5 })
        .map((pairs) => new Map<Value, Value>(pairs)),
    ),
  }));
  for (const dialect of ['network', 'local'] as const) {
    fc.assert(
      fc.property(value, (v) => valuesEqual(roundTrip(v, dialect), v)),
      { numRuns: 500 },
    );
  }
});

test('msgpack - a stream of values is read one by one', () => {
  const stream = Buffer.concat([encode({ a: 1 }, 'local'), encode([2], 'local')]);
  const first = decodeAt(stream, 'local', 0);
  assert.deepEqual(decodeAt(stream, 'local', first.end), { value: [2], end: stream.length });
  assert.throws(() => decodeAt(stream.subarray(0, 2), 'local', 0), TruncatedMsgpackError);
});

test('msgpack - a map that encodes something itself when it is read does not disturb what is being encoded', () => {
  class Late extends Map<Value, Value> {
    override *entries(): MapIterator<[Value, Value]> {
      encode(dict({ other: 'x'.repeat(50) }), 'local');
      yield ['made', 'late'];
    }
    override [Symbol.iterator](): MapIterator<[Value, Value]> {
      return this.entries();
    }
    override forEach(run: (value: Value, key: Value, map: Map<Value, Value>) => void): void {
      for (const [key, value] of this.entries()) run(value, key, this);
    }
    override get size(): number {
      return 1;
    }
  }
  const bytes = encode(dict({ a: 1, late: new Late(), z: 'end' }), 'local');
  assert.deepEqual(decode(bytes, 'local'), dict({ a: 1, late: dict({ made: 'late' }), z: 'end' }));
});
