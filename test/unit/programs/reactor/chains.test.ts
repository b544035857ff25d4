import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chains } from '../../../../src/programs/reactor/chains.ts';
import { dict } from '../../../../src/python/values/value.ts';

const event = (tag: string, data: Record<string, string> = {}) => ({ tag, data: dict(data) });

test('chains - an event of a job follows from what started the job', () => {
  const chains = new Chains();
  assert.equal(chains.generation(event('salt/job/7/ret/web')), 1);
  chains.started('7', 4);
  assert.equal(chains.generation(event('salt/job/7/ret/web')), 5);
  assert.equal(chains.generation(event('my/tag', { jid: '7' })), 5);
  assert.equal(chains.generation(event('my/tag', { jid: '8' })), 1);
});

test('chains - an event that a function of a reaction has fired follows from it, once', () => {
  const chains = new Chains();
  chains.fired(event('my/loop', { word: 'a' }), 3);
  assert.equal(chains.generation(event('my/loop', { word: 'b' })), 1);
  assert.equal(chains.generation(event('my/loop', { word: 'a', _stamp: 'now' })), 4);
  assert.equal(chains.generation(event('my/loop', { word: 'a' })), 1);
});

test('chains - a minion that fires one tag without end is told of once a minute', () => {
  const chains = new Chains();
  const count = (nowMs: number): number => {
    let times = 0;
    for (let n = 0; n < 2000; n++) if (chains.isSuspicious(event('my/loop', { id: 'web' }), nowMs)) times++;
    return times;
  };
  assert.equal(count(0), 1);
  assert.equal(count(59_999), 0);
  assert.equal(count(60_000), 1);
  assert.equal(chains.isSuspicious(event('salt/beacon/web/load', { id: 'web' }), 0), false);
});
