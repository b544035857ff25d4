import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  InvalidRequirement,
  packageKey,
  parseRequirement,
} from '../../../src/python/packages/requirement.ts';
import {
  comparePackageVersions,
  fulfills,
  parsePackageVersion,
} from '../../../src/python/packages/version.ts';

// in the order of packaging.version.Version
const ORDERED = [
  '1.dev0',
  '1.0.dev456',
  '1.0a1',
  '1.0a2.dev456',
  '1.0a12.dev456',
  '1.0a12',
  '1.0b1.dev456',
  '1.0b2',
  '1.0b2.post345.dev456',
  '1.0b2.post345',
  '1.0rc1.dev456',
  '1.0rc1',
  '1.0',
  '1.0+abc.5',
  '1.0+abc.7',
  '1.0+5',
  '1.0.post456.dev34',
  '1.0.post456',
  '1.1.dev1',
  '1.10',
  '1!0.1',
];

test('versions of packages - are in the order of PEP 440', () => {
  const versions = ORDERED.map(parsePackageVersion).filter((version) => version !== undefined);
  assert.equal(versions.length, ORDERED.length);
  for (const [i, a] of versions.entries())
    for (const [j, b] of versions.entries())
      assert.equal(
        Math.sign(comparePackageVersions(a, b)),
        Math.sign(i - j),
        `${ORDERED[i] ?? ''} and ${ORDERED[j] ?? ''}`,
      );
  assert.equal(parsePackageVersion('1.0-x-y'), undefined);
});

test('versions of packages - fulfil what is asked of them', () => {
  const right = [
    '1.4.5 ~= 1.4',
    '1.4.5 == 1.4.*',
    '1.0+local == 1.0',
    '1.0.0 == 1',
    'v1.0 == 1.0',
    '2.0 != 1.*',
  ];
  const wrong = [
    '2.0 ~= 1.4',
    '1.5 == 1.4.*',
    '1.3 ~= 1.4',
    '1.0 == 1.0+local',
    '1.5 != 1.*',
    'odd == 1',
    '1 ~= 1',
  ];
  const isTrue = (line: string): boolean => {
    const [version = '', operator = '', wanted = ''] = line.split(' ');
    return fulfills(version, [operator, wanted]);
  };
  assert.deepEqual(
    right.filter((line) => !isTrue(line)),
    [],
  );
  assert.deepEqual(wrong.filter(isTrue), []);
});

test('requirements - name, versions and what is none', () => {
  assert.deepEqual(parseRequirement('Django >=1.6, <= 1.7 ; python_version > "3"'), {
    name: 'Django',
    specs: [
      ['>=', '1.6'],
      ['<=', '1.7'],
    ],
  });
  assert.deepEqual(parseRequirement('requests[security, socks]==2.0'), {
    name: 'requests',
    specs: [['==', '2.0']],
  });
  assert.deepEqual(parseRequirement('git+https://example.com/x.git#egg=x'), { name: 'x', specs: [] });
  assert.deepEqual(parseRequirement('https://example.com/x.tar.gz'), { name: undefined, specs: [] });
  assert.deepEqual(parseRequirement('https://example.com/my_x-1.2-py3-none-any.whl'), {
    name: 'my-x',
    specs: [['==', '1.2']],
  });
  for (const wrong of ['a b', 'a=1', '', '-e x', './nosuch/folder', 'a>=1 2'])
    assert.throws(() => parseRequirement(wrong), InvalidRequirement, wrong);
  assert.equal(packageKey('My_Package.X'), 'my-package-x');
});
