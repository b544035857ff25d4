/** The option `vault`, in the words of 3006 and 3007. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vaultSettings } from '../../../../src/network/http/vault-settings.ts';
import { dict } from '../../../../src/python/values/value.ts';

test('vault - the words of 3006 and of 3007 mean the same', () => {
  const auth = { method: 'token', token: 'x', uses: 5, ttl: 60, token_backend: 'disk' };
  const old = vaultSettings(dict({ url: 'http://v:8200', auth, policies: ['saltstack/{minion}'] }));
  const now = vaultSettings(
    dict({
      server: { url: 'http://v:8200' },
      auth: { method: 'token', token: 'x' },
      cache: { backend: 'disk' },
      policies: { assign: ['saltstack/{minion}'] },
      issue: { type: 'token', wrap: false, token: { params: { num_uses: 5, explicit_max_ttl: 60 } } },
    }),
  );
  for (const { url, backend, policies, issue } of [old, now])
    assert.deepEqual(
      [url, backend, policies.patterns, issue.uses, issue.ttl],
      ['http://v:8200', 'disk', ['saltstack/{minion}'], 5, 60],
    );
});

test('vault - what masters do not do is refused, never left out', () => {
  for (const [issue, sentence] of [
    [{ type: 'approle' }, /vault:issue:type is approle, and masters give tokens only/],
  ] as const)
    assert.throws(() => vaultSettings(dict({ url: 'http://v', issue })), sentence);
  assert.throws(() => vaultSettings(undefined), /the option `vault` is missing/);
});
