import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PendingBytes } from '../../../../src/network/transport/pending-bytes.ts';

test('pending bytes - what comes in small and large chunks is joined as it came', () => {
  const sizes = [
    1,
    4095,
    1,
    4096,
    3,
    70_000,
    0,
    511,
    512,
    513,
    60_000,
    ...Array.from({ length: 300 }, () => 7),
  ];
  const whole = Buffer.alloc(sizes.reduce((a, b) => a + b));
  for (let at = 0; at < whole.length; at++) whole[at] = at % 251;
  const pending = new PendingBytes();
  for (let round = 0; round < 2; round++) {
    let at = 0;
    let joined: Buffer | undefined;
    for (const size of sizes) {
      assert.equal(joined, undefined);
      joined = pending.join(whole.subarray(at, at + size), whole.length);
      at += size;
    }
    assert.ok(joined?.equals(whole));
    assert.equal(pending.length, 0);
  }
});

test('pending bytes - the little that is left of a large chunk does not keep the chunk', () => {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const pending = new PendingBytes();
  pending.add(chunk.subarray(-10));
  const joined = pending.join(Buffer.from('y'), 11);
  assert.equal(String(joined), 'xxxxxxxxxxy');
  assert.ok((joined?.buffer.byteLength ?? Infinity) <= 8192);
});
