/** Lines of apt's sources: what they are taken for, and how they are written again. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { localMinion } from '../../../support/local-minion.ts';
import {
  describedSource,
  parseSource,
  sourceText,
  wrongFormat,
} from '../../../../src/plugins/modules/pkg/apt-sources.ts';

const LINES = [
  'deb cdrom:[Debian GNU/Linux 11.4.0 _Bullseye_ - Official amd64 NETINST 20220709-10:31]/ stable contrib main',
  'deb [trusted=yes] cdrom:[Debian 11]/ stable main',
  'deb [trusted=yes] http://one.example.com/ ./',
  'deb [signed-by=/k.gpg arch=amd64,arm64 lang=de] http://one.example.com/debian bookworm main contrib',
  'deb [arch+=i386] http://one.example.com/debian bookworm main',
  'deb-src file:/srv/mirror bookworm main',
];

for (const line of LINES)
  test(`pkgrepo - ${line} stays as it is`, () => {
    const source = parseSource(line);
    assert.ok(source);
    assert.equal(sourceText(source), `${line}\n`);
    assert.equal(describedSource(line, new Map())?.get('line'), `${line}\n`.trim());
  });

test('pkgrepo - the name of a disc is part of the address', () => {
  const source = parseSource('deb cdrom:[One two _three_]/ stable main');
  assert.equal(source?.uri, 'cdrom:[One two _three_]/');
  assert.equal(source.dist, 'stable');
  assert.deepEqual(source.comps, ['main']);
});

const WRONG = [
  'deb [trusted=yes http://one.example.com/debian bookworm main',
  'deb cdrom:[Debian 11 stable main',
  'deb bookworm main',
  'debb http://one.example.com/debian bookworm main',
  'deb http://one.example.com/debian',
  'deb one.example.com/debian bookworm main',
  '',
];

for (const line of WRONG)
  test(`pkgrepo - "${line}" is no source`, () => {
    assert.equal(parseSource(line), undefined);
    assert.equal(describedSource(line, new Map()), undefined);
  });

test('pkgrepo - no line is written into a file in the format deb822', async (t) => {
  assert.equal(wrongFormat('/etc/apt/sources.list.d/one.list'), undefined);
  assert.match(wrongFormat('/etc/apt/sources.list.d/one.sources') ?? '', /deb822/);
  const { path, run } = localMinion(t, { grains: { os_family: 'Debian', os: 'Debian' } });
  const file = path('one.sources');
  for (const isTest of ['True', 'False']) {
    const line = 'deb [trusted=yes] http://one.example.com/debian bookworm main';
    const words = [line, `file=${file}`, 'refresh=False', `test=${isTest}`];
    const { ret } = await run('state.single', 'pkgrepo.managed', ...words);
    const [result] = Object.values(ret as Record<string, { result: boolean; comment: string }>);
    assert.equal(result?.result, false);
    assert.match(result.comment, /one\.sources is a file in the format deb822/);
  }
  assert.equal(existsSync(file), false);
});
