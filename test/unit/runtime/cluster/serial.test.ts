import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../../../src/host/log.ts';
import { ClusterSerial } from '../../../../src/runtime/cluster/serial.ts';

test('cluster serial - a publisher is raised above what other masters have given, and only then', async () => {
  const raised: number[] = [];
  let isThere = true;
  const serial = new ClusterSerial(async (above) => {
    if (!isThere) throw new Error('the publisher is starting');
    raised.push(above);
  }, silentLogger);
  serial.given(10);
  await serial.heard(9);
  await serial.heard(undefined);
  assert.deepEqual([serial.highest, raised], [10, []]);
  isThere = false;
  await serial.heard(20);
  isThere = true;
  await serial.heard(20);
  await serial.heard(20);
  assert.deepEqual([serial.highest, raised], [20, [20]], 'what it did not take is told again');
});
