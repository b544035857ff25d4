/** Versions of Debian's packages; the order and the refusals are those of `dpkg --compare-versions` (1.21.22). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareDeb, matchVersion } from '../../../../src/plugins/pkg/module/versions.ts';

test('versions of packages - an order as dpkg has it', () => {
  const ascending = ['', '1.0~rc1', '1.0', '1.0-1', '1.0-1.1', '1.0a', '1.10', '1:0.1', '1:2:3'];
  for (const [index, version] of ascending.entries()) {
    assert.equal(compareDeb(version, version), 0, version);
    const next = ascending[index + 1];
    if (next !== undefined) assert.equal(compareDeb(version, next), -1, `${version} and ${next}`);
  }
  assert.equal(compareDeb('{}', '1.0'), 1);
});

test('versions of packages - what dpkg takes for no version is in no order', () => {
  const refused = [
    "OrderedDict([('a', 'b')])",
    '1:',
    ':1',
    'a:1',
    '1.0-',
    '1:-3',
    '1:1-2-',
    '-1',
    ' ',
    'a b',
  ];
  for (const version of [...refused, '99999999999:1']) {
    assert.equal(compareDeb(version, '1.0'), null, version);
    assert.equal(compareDeb('1.0', version), null, version);
  }
  assert.equal(matchVersion('!=1.0-', ['1.0'], compareDeb, false), undefined);
  assert.equal(matchVersion('!=1.0-1', ['1.0'], compareDeb, false), '1.0');
});
