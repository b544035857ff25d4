/** Who is not there, and what can be said of those that were never seen. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Presence } from '../../../../src/programs/master/presence.ts';
import { fakeClock } from '../../../support/module-context.ts';

test('presence - whoever was never seen is certain not to be there only while no connection may be his', () => {
  const presence = new Presence(fakeClock(), () => undefined);
  for (const id of ['web1', 'web2', 'web3']) presence.note(id, true);
  presence.note('web3', false);
  const ids = ['web1', 'web3', 'dead'];
  const certain = presence.absence(ids, 2);
  assert.deepEqual([...certain.lost.keys()], ['web3']);
  assert.deepEqual(certain.strange, ['dead']);
  assert.match(certain.unseenSince ?? '', /^\d{4}-\d\d-\d\dT/);
  // a third connection that has not said whose it is: it may be the one of a real Salt's minion
  assert.equal(presence.absence(ids, 3).unseenSince, undefined);
  assert.equal(presence.absence(ids).unseenSince, undefined, 'in a cluster nobody knows');
});
