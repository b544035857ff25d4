import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowed } from '../../../support/access.ts';
import type { LocalQuestion } from '../../../../src/runtime/access/question.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';

const kwargs = (init: Record<string, Value>): Dict => dict({ ...init, __kwarg__: true });
const request = (change: Partial<LocalQuestion> = {}): LocalQuestion => ({
  client: 'local',
  funs: ['test.ping'],
  args: [[]],
  minions: ['web1'],
  minionsOf: (expression) => new Set(expression === 'web*' ? ['web1', 'web2'] : []),
  ...change,
});

test('permissions - a pattern is anchored at the start of the function only', () => {
  assert.ok(isAllowed(['test\\..*'], request()));
  assert.ok(isAllowed(['test.ping'], request({ funs: ['test.pingpong'] })));
  assert.ok(!isAllowed(['ping'], request()));
  assert.ok(!isAllowed(['cmd.*'], request()));
  assert.ok(!isAllowed(['('], request()));
  assert.ok(!isAllowed([], request()));
});

test('permissions - of several functions every one must be allowed (CVE-2013-4435)', () => {
  const both = { funs: ['test.ping', 'cmd.run'], args: [[], ['id']] };
  assert.ok(!isAllowed(['test.*'], request(both)));
  assert.ok(isAllowed(['test.*', 'cmd.run'], request(both)));
});

test('permissions - looking for a running job is always allowed', () => {
  assert.ok(isAllowed([], request({ funs: ['saltutil.find_job'] })));
});

test('permissions - every predicted minion must be inside the target, and there must be one (CVE-2022-22941)', () => {
  const perms = [dict({ 'web*': ['test.*'] })];
  assert.ok(isAllowed(perms, request()));
  assert.ok(!isAllowed(perms, request({ minions: ['web1', 'db1'] })));
  assert.ok(!isAllowed(perms, request({ minions: [] })));
  assert.ok(!isAllowed(perms, request({ funs: ['cmd.run'] })));
});

test('permissions - arguments and keywords can be constrained', () => {
  const perms = [
    dict({ 'web*': [dict({ 'cmd.run': dict({ args: ['ls( .*)?$'], kwargs: dict({ cwd: '/srv' }) }) })] }),
  ];
  const call = (...args: Value[]): LocalQuestion => request({ funs: ['cmd.run'], args: [args] });
  assert.ok(isAllowed(perms, call('ls /', kwargs({ cwd: '/srv/x' }))));
  assert.ok(!isAllowed(perms, call('rm /', kwargs({ cwd: '/srv' }))));
  assert.ok(!isAllowed(perms, call('ls /', kwargs({ cwd: '/etc' }))));
  assert.ok(!isAllowed(perms, call('ls /')));
  assert.ok(!isAllowed(perms, call()));
});

test('permissions - a constraint that is no text stands for itself', () => {
  const patterns = dict({ test: true, timeout: 5, queue: null });
  const perms = [dict({ 'web*': [dict({ 'state.apply': dict({ args: ['web'], kwargs: patterns }) })] })];
  const call = (given: Record<string, Value>): LocalQuestion =>
    request({ funs: ['state.apply'], args: [['web', kwargs(given)]] });
  assert.ok(isAllowed(perms, call({ test: true, timeout: 5, queue: 1 })));
  assert.ok(isAllowed(perms, call({ test: 'True', timeout: '5', queue: 1 })));
  assert.ok(!isAllowed(perms, call({ test: false, timeout: 5, queue: 1 })));
  assert.ok(!isAllowed(perms, call({ test: 'Truest', timeout: 5, queue: 1 })), 'the whole text counts');
  assert.ok(!isAllowed(perms, call({ test: true, timeout: 55, queue: 1 })));
  assert.ok(!isAllowed(perms, call({ timeout: 5, queue: 1 })));
});

test('permissions - a text that becomes a keyword puts nothing else in the place that a rule looks at', () => {
  const perms = [dict({ 'web*': [dict({ 'cmd.run': dict({ args: ['uptime'] }) })] })];
  const call = (...args: Value[]): LocalQuestion => request({ funs: ['cmd.run'], args: [args] });
  assert.ok(isAllowed(perms, call('uptime')));
  assert.ok(isAllowed(perms, call('uptime', 'cwd=/srv')));
  assert.ok(!isAllowed(perms, call('uptime=1', 'rm -rf /')));
  assert.ok(!isAllowed(perms, call('x=1', 'uptime')), 'a function may take it as it stands');
  assert.ok(!isAllowed(perms, call(kwargs({ uptime: 1 }), 'rm')));
});
