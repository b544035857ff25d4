/** Who may log in from where. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mayLogIn } from '../../../../src/programs/api/api-acl.ts';
import { Exchange } from '../../../../src/programs/api/exchange.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { keptLog } from '../../../support/attacker.ts';

test('api_acl - addresses are a list, the names of a mapping, or a text', () => {
  const may = (addresses: Value, address: string): boolean =>
    mayLogIn(dict({ users: dict({ ops: addresses }) }), 'ops', address, keptLog().log);
  for (const anywhere of ['*', ['*'], dict({ '*': null }), ['10.0.0.9', '*'], '10.0.0.9 *'])
    assert.equal(may(anywhere, '10.0.0.1'), true);
  for (const here of ['10.0.0.1', ['10.0.0.1'], '10.0.0.9, 10.0.0.1', dict({ '10.0.0.1': true })])
    assert.equal(may(here, '10.0.0.1'), true);
  // a part of an address is another one
  for (const elsewhere of ['10.0.0.12', ['10.0.0.12'], '110.0.0.1', '', [], dict(), null, true, 7])
    assert.equal(may(elsewhere, '10.0.0.1'), false);
});

test('api_acl - whoever is not named goes by the star, and by nothing else', () => {
  const acl = dict({ users: dict({ '*': '10.0.0.1', ops: ['10.0.0.2'] }) });
  const { log } = keptLog();
  assert.equal(mayLogIn(acl, 'ann', '10.0.0.1', log), true);
  assert.equal(mayLogIn(acl, 'ops', '10.0.0.1', log), false);
  assert.equal(mayLogIn(dict({ users: dict({ ops: '*' }) }), 'ann', '10.0.0.1', log), false);
  const emptied = dict({ users: dict({ '*': '*', ops: null }) });
  assert.equal(mayLogIn(emptied, 'ops', '10.0.0.1', log), false, 'nothing behind a name is not the star');
});

test('exchange - a name without a value is seen, and is no field', () => {
  const request = { method: 'GET', url: '/ws/abc?format_events&a=1&b=', socket: {}, headers: {} };
  const { query, flags } = new Exchange(
    request as unknown as IncomingMessage,
    undefined as unknown as ServerResponse,
    '',
    { clientOf: (address) => address },
  );
  assert.deepEqual([...query], [['a', '1']]);
  assert.deepEqual([...flags], ['format_events', 'b']);
});
