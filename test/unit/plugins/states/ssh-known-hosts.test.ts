/** `ssh_known_hosts` of a user that is not there (recorded from salt/states/ssh_known_hosts.py, 3006.16). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { callState } from '../../../support/state-context.ts';

test('ssh_known_hosts - absent of a user that a state before it will make is foretold in test mode, and fails without it', async () => {
  const functions = {
    'ssh.get_known_host_entries': dict({ status: 'error', error: 'User ann does not exist' }),
  };
  const made = dict({ name: 'ann', result: null, changes: dict(), comment: '' });
  const before = new Map<Value, Value>([['user_|-ann_|-ann_|-present', made]]);
  const run = async (isTest: boolean, running: Dict = before) => {
    const result = await callState('ssh_known_hosts.absent', dict({ name: 'a.example', user: 'ann' }), {
      ...{ functions, running },
      test: isTest,
    });
    return [result.get('result'), result.get('comment'), result.get('changes')];
  };
  assert.deepEqual(await run(true), [
    null,
    'Key for a.example is set to be removed from .ssh/known_hosts',
    dict(),
  ]);
  assert.deepEqual(await run(true, new Map()), [false, 'User ann does not exist', dict()]);
  assert.deepEqual(await run(false), [false, 'User ann does not exist', dict()]);
});
