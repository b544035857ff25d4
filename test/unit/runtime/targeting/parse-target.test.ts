import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectedIds, forecast } from '../../../../src/runtime/targeting/forecast.ts';
import { matchMinion } from '../../../../src/runtime/targeting/match-minion.ts';
import { parseTarget } from '../../../../src/runtime/targeting/parse-target.ts';
import { isTargetType, TARGET_TYPES, TargetError } from '../../../../src/runtime/targeting/target.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';

const subject = { id: 'web1', grains: dict({ os: 'Debian' }), pillar: dict({ role: 'web' }) };
const fleet = { ids: ['db1', 'web1'], data: () => ({ grains: subject.grains, pillar: subject.pillar }) };

test('parse-target - unknown types are refused with a hint', () => {
  assert.throws(() => parseTarget('x', 'grian'), {
    name: 'TargetError',
    message: /'grian'; did you mean 'grain'\?/,
  });
  assert.throws(() => parseTarget('x', '__proto__'), /known types: glob, pcre/);
  assert.equal(isTargetType('constructor'), false);
  assert.equal(TARGET_TYPES.every(isTargetType), true);
});

test('parse-target - what is no text is refused', () => {
  const wrong: Value[] = [null, 5, true, dict(), Buffer.from('x')];
  for (const type of TARGET_TYPES) {
    for (const tgt of wrong) assert.throws(() => parseTarget(tgt, type), TargetError, type);
  }
  assert.throws(() => parseTarget(['a', 5], 'compound'), /must be text, not int/);
  assert.throws(() => parseTarget(['web*'], 'glob'), /must be text, not list/);
});

test('parse-target - errors keep the position inside a regular expression', () => {
  assert.throws(() => parseTarget('web(', 'pcre'), { name: 'TargetError', position: 3 });
  assert.throws(() => parseTarget('os:(', 'grain_pcre'), /unterminated subpattern/);
  assert.throws(() => parseTarget('os', 'grain'), /no delimiter ':' in 'os'/);
  assert.throws(() => parseTarget('10.0.0.1/8', 'ipcidr'), /Invalid IP\/CIDR target: 10\.0\.0\.1\/8/);
});

test('parse-target - range targets have no server to ask', () => {
  const target = parseTarget('%cluster', 'range');
  assert.equal(matchMinion(target, subject), false);
  assert.match(forecast(target, fleet).fault?.message ?? '', /range server/);
});

test('parse-target - data targets match the store of the minion', () => {
  const datastore = dict({ text: 'Value', list: ['One', 2], map: { key: 1 } });
  const matches = (tgt: string) => matchMinion(parseTarget(tgt, 'data'), { ...subject, datastore });
  assert.deepEqual(['text:V*', 'text:v*', 'list:one', 'list:2', 'map:key', 'map:k*', 'no:*'].map(matches), [
    true,
    false,
    true,
    true,
    true,
    false,
    false,
  ]);
  assert.equal(matchMinion(parseTarget('text:V*', 'data'), subject), false);
  assert.match(forecast(parseTarget('text:V*', 'data'), fleet).fault?.message ?? '', /data target/);
});

test('parse-target - the delimiter counts on the minion for grain, grain_pcre and pillar only', () => {
  const matches = (tgt: string, type: string) => matchMinion(parseTarget(tgt, type, '|'), subject);
  assert.equal(matches('os|Debian', 'grain'), true);
  assert.equal(matches('role|web', 'pillar'), true);
  assert.equal(matches('role|web', 'pillar_exact'), false);
  assert.deepEqual(forecast(parseTarget('role|web', 'pillar_exact', '|'), fleet).minions, ['db1', 'web1']);
});

test('parse-target - a node group needs the groups', () => {
  const groups = dict({ web: 'web1 or web2' });
  assert.throws(() => parseTarget('web', 'nodegroup'), TargetError);
  assert.throws(() => parseTarget('__proto__', 'nodegroup', ':', groups), TargetError);
  assert.equal(matchMinion(parseTarget('web', 'nodegroup', ':', groups), subject), true);
});

test('forecast - a list keeps its order and names each minion once', () => {
  const result = forecast(parseTarget(['web1', 'x', 'db1', 'web1', 'x'], 'list'), fleet);
  assert.deepEqual([result.minions, result.missing], [['web1', 'db1'], ['x']]);
});

test('forecast - blanks beside the commas of a list are no part of an id, wherever the list is written', () => {
  for (const text of ['web1, db1', ' web1,\tdb1 ', 'web1 ,db1,'])
    assert.deepEqual(forecast(parseTarget(text, 'list'), fleet).minions, ['web1', 'db1'], text);
  assert.equal(matchMinion(parseTarget('x, web1', 'list'), subject), true);
});

test('forecast - connected minions are those with an address of a connection', () => {
  const connected = {
    ids: ['a', 'b', 'c'],
    data: (id: string) =>
      id === 'c' ? undefined : { grains: dict(id === 'a' ? { ipv4: ['10.0.0.1'] } : { ipv6: ['::2'] }) },
    connectedAddresses: new Set(['10.0.0.1', '::3']),
  };
  assert.deepEqual(connectedIds(connected), ['a']);
  assert.deepEqual(connectedIds({ ...connected, cacheEnabled: false }), []);
});
