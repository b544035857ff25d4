/** Rules and calls as a real Salt 3006.16 decides on them (salt/utils/minions.py), and as we do. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { given, rulesOf } from '../../../../src/runtime/access/auth-list.ts';
import { decide } from '../../../../src/runtime/access/decide.ts';
import { faultsOfRoles, rulesOfRoles } from '../../../../src/runtime/access/roles.ts';
import { reachOfRule } from '../../../../src/runtime/access/reach.ts';
import type { Decision, Question } from '../../../../src/runtime/access/question.ts';
import type { Fleet } from '../../../../src/runtime/targeting/target.ts';
import { parseJson } from '../../../../src/formats/json/parse.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';

const root = process.env['BRINE_ROOT'] ?? process.cwd();
const recorded = parseJson(
  readFileSync(join(root, 'test/fixtures/salt-3006.16/access-rules.json'), 'utf8'),
) as Dict;
const grains = recorded.get('grains') as Dict;
const nodegroups = recorded.get('nodegroups') as Dict;
const fleet: Fleet = {
  ids: [...grains.keys()].map(String),
  data: (id) => ({ grains: grains.get(id) as Dict, pillar: new Map() }),
};

function cases(name: string): Dict[] {
  return (recorded.get(name) as Value[]).filter(isDict);
}

function ask(rules: Value, question: Question): Decision {
  return decide({ user: 'somebody', rights: { kind: 'limited', rules: given(rules, 'recorded') } }, question);
}

function texts(value: Value | undefined): string[] {
  return (value as Value[]).map(String);
}

test('access - jobs are allowed as a real Salt allows them, but none without minions', () => {
  let allowed = 0;
  for (const each of cases('local')) {
    const minions = texts(each.get('minions'));
    const decision = ask(each.get('rules') as Value, {
      client: 'local',
      funs: [String(each.get('fun'))],
      args: [each.get('args') as Value],
      minions,
      minionsOf: (expression) => reachOfRule(expression, fleet, nodegroups),
    });
    const expected = each.get('allowed') === true && !hasTargetRule(each, minions);
    assert.equal(decision.allowed, expected, JSON.stringify([...each].map(([k, v]) => [k, String(v)])));
    if (decision.allowed) allowed++;
  }
  assert.ok(allowed > 60, String(allowed));
});

/** A rule for a target fits every job that reaches nobody in Salt; here it fits none. */
function hasTargetRule(each: Dict, minions: readonly string[]): boolean {
  return minions.length === 0 && (each.get('rules') as Value[]).some(isDict);
}

test('access - functions of the master are allowed as a real Salt allows them', () => {
  for (const each of cases('master')) {
    const kwarg = each.get('kwarg') as Dict;
    const last: Value[] = kwarg.size === 0 ? [] : [new Map<Value, Value>([['__kwarg__', true], ...kwarg])];
    const decision = ask(each.get('rules') as Value, {
      client: each.get('client') === 'wheel' ? 'wheel' : 'runner',
      fun: String(each.get('fun')),
      args: [...(each.get('arg') as Value[]), ...last],
    });
    assert.equal(
      decision.allowed,
      each.get('allowed'),
      JSON.stringify([...each].map(([k, v]) => [k, String(v)])),
    );
  }
});

/** Names that Salt takes for patterns over the entries; here a name is a name. */
const TAKEN_FOR_PATTERNS = new Set(['*', 'al*']);

test('access - a user has the rules that a real Salt gives him', () => {
  for (const each of cases('fill')) {
    const name = String(each.get('name'));
    const rules = rulesOf(
      each.get('entries') as Dict,
      { name, groups: texts(each.get('groups')) },
      { source: 'recorded', permissive: each.get('permissive') === true },
    );
    const mine = rules.map(({ rule }) => rule);
    if (TAKEN_FOR_PATTERNS.has(name)) assert.ok(mine.length <= (each.get('rules') as Value[]).length, name);
    else assert.deepEqual(mine, each.get('rules'), `${name} ${String(each.get('groups'))}`);
  }
});

test('access - what no rule can allow, and what nobody may', () => {
  const question: Question = {
    client: 'local',
    funs: ['test.ping'],
    args: [[]],
    minions: ['web1'],
    minionsOf: () => new Set(['web1']),
  };
  const beyond = ask(['.*'], { ...question, beyondRules: ['ret_config'] });
  assert.deepEqual(beyond, { allowed: false, reason: 'ret_config is only for those who may do everything' });
  const blacklist = dict({ users: ['mal*'], modules: ['cmd.*'] });
  const full = (user: string, funs: string[]): boolean =>
    decide({ user, rights: { kind: 'full' } }, { ...question, funs }, blacklist).allowed;
  assert.deepEqual(
    [full('root', ['test.ping']), full('mallory', ['test.ping']), full('root', ['test.ping', 'cmd.run'])],
    [true, false, false],
  );
  const reason = ask([dict({ 'web*': ['test.ping'] })], question);
  assert.ok(reason.allowed && reason.rules[0]?.source === 'recorded');
});

test('access - a role gives its rules to its users and groups', () => {
  const roles = dict({
    deployers: dict({
      users: ['alice'],
      groups: ['ops'],
      rules: [dict({ 'web*': ['state.apply'] }), '@jobs'],
    }),
    readers: dict({ users: ['bob'], rules: ['test.*'] }),
  });
  const sources = (name: string, groups: string[]): string[] =>
    rulesOfRoles(roles, { name, groups }).map(({ source }) => source);
  assert.deepEqual(sources('alice', []), ['role deployers', 'role deployers']);
  assert.deepEqual(sources('bob', ['ops']), ['role deployers', 'role deployers', 'role readers']);
  assert.deepEqual(sources('carol', ['users']), []);
  assert.deepEqual([...faultsOfRoles(roles)], []);
  const odd = dict({ a: dict({ user: ['x'], rules: [] }), b: ['x'], c: dict({ users: [] }) });
  assert.deepEqual([...faultsOfRoles(odd).keys()], ['roles:a', 'roles:b', 'roles:c']);
});
