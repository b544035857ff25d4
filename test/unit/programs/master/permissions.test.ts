import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAuthorised, type AuthorisationRequest } from '../../../../src/programs/master/auth/permissions.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';

const kwargs = (init: Record<string, Value>): Dict => dict({ ...init, __kwarg__: true });
const request = (change: Partial<AuthorisationRequest> = {}): AuthorisationRequest => ({
  funs: ['test.ping'],
  args: [[]],
  minions: ['web1'],
  minionsOf: (expression) => new Set(expression === 'web*' ? ['web1', 'web2'] : []),
  ...change,
});

test('permissions - a pattern is anchored at the start of the function only', () => {
  assert.ok(isAuthorised(['test\\..*'], request()));
  assert.ok(isAuthorised(['test.ping'], request({ funs: ['test.pingpong'] })));
  assert.ok(!isAuthorised(['ping'], request()));
  assert.ok(!isAuthorised(['cmd.*'], request()));
  assert.ok(!isAuthorised(['('], request()));
  assert.ok(!isAuthorised([], request()));
});

test('permissions - of several functions every one must be allowed (CVE-2013-4435)', () => {
  const both = { funs: ['test.ping', 'cmd.run'], args: [[], ['id']] };
  assert.ok(!isAuthorised(['test.*'], request(both)));
  assert.ok(isAuthorised(['test.*', 'cmd.run'], request(both)));
});

test('permissions - looking for a running job is always allowed', () => {
  assert.ok(isAuthorised([], request({ funs: ['saltutil.find_job'] })));
});

test('permissions - every predicted minion must be inside the target, and there must be one (CVE-2022-22941)', () => {
  const perms = [dict({ 'web*': ['test.*'] })];
  assert.ok(isAuthorised(perms, request()));
  assert.ok(!isAuthorised(perms, request({ minions: ['web1', 'db1'] })));
  assert.ok(!isAuthorised(perms, request({ minions: [] })));
  assert.ok(!isAuthorised(perms, request({ funs: ['cmd.run'] })));
});

test('permissions - arguments and keywords can be constrained', () => {
  const perms = [
    dict({ 'web*': [dict({ 'cmd.run': dict({ args: ['ls( .*)?$'], kwargs: dict({ cwd: '/srv' }) }) })] }),
  ];
  const call = (...args: Value[]): AuthorisationRequest => request({ funs: ['cmd.run'], args: [args] });
  assert.ok(isAuthorised(perms, call('ls /', kwargs({ cwd: '/srv/x' }))));
  assert.ok(!isAuthorised(perms, call('rm /', kwargs({ cwd: '/srv' }))));
  assert.ok(!isAuthorised(perms, call('ls /', kwargs({ cwd: '/etc' }))));
  assert.ok(!isAuthorised(perms, call('ls /')));
  assert.ok(!isAuthorised(perms, call()));
});

test('permissions - a text that becomes a keyword puts nothing else in the place that a rule looks at', () => {
  const perms = [dict({ 'web*': [dict({ 'cmd.run': dict({ args: ['uptime'] }) })] })];
  const call = (...args: Value[]): AuthorisationRequest => request({ funs: ['cmd.run'], args: [args] });
  assert.ok(isAuthorised(perms, call('uptime')));
  assert.ok(isAuthorised(perms, call('uptime', 'cwd=/srv')));
  assert.ok(!isAuthorised(perms, call('uptime=1', 'rm -rf /')));
  assert.ok(!isAuthorised(perms, call('x=1', 'uptime')), 'a function may take it as it stands');
  assert.ok(!isAuthorised(perms, call(kwargs({ uptime: 1 }), 'rm')));
});
