import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJson } from '../../../../src/formats/json/text.ts';
import {
  versionsByState,
  type MinionVersion,
} from '../../../../src/plugins/manage/runner/minion-versions.ts';

const master = { salt: '3006.16', brine: '0.10.0' };
const compared = (...minions: MinionVersion[]): unknown =>
  JSON.parse(toJson(versionsByState(minions, master))) as unknown;

test('manage.versions - minions of Salt and those that are up to date show the version of Salt', () => {
  assert.deepEqual(
    compared(
      { id: 'b', salt: '3006.16', brine: '0.10.0' },
      { id: 'a', salt: '3006.16', brine: undefined },
      { id: 'old', salt: '3006.9', brine: undefined },
      { id: 'new', salt: '3007.1', brine: undefined },
      { id: 'off', salt: undefined, brine: '0.9.0' },
    ),
    {
      'Up to date': { a: '3006.16', b: '3006.16' },
      'Minion requires update': { old: '3006.9' },
      'Minion newer than master': { new: '3007.1' },
      'Minion offline': { off: false },
      Master: '3006.16',
    },
  );
});

test('manage.versions - an older and a newer Brine are told apart though they follow the same Salt', () => {
  assert.deepEqual(
    compared(
      { id: 'older', salt: '3006.16', brine: '0.9.2' },
      { id: 'same', salt: '3006.16', brine: '0.10.0' },
      { id: 'newer', salt: '3006.16', brine: '0.10.1' },
    ),
    {
      'Minion requires update': { older: '3006.16 (Brine 0.9.2)' },
      'Up to date': { same: '3006.16' },
      'Minion newer than master': { newer: '3006.16 (Brine 0.10.1)' },
      Master: '3006.16 (Brine 0.10.0)',
    },
  );
});
