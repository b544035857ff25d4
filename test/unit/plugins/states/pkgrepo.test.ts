/** Lines of apt's sources: what they are taken for, and how they are written again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describedSource } from '../../../../src/plugins/pkg/apt/module/apt-plan.ts';
import { parseSource, sourceText } from '../../../../src/plugins/pkg/apt/module/apt-sources.ts';
import { isDict } from '../../../../src/python/values/value.ts';

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
    const described = describedSource(line, new Map());
    assert.ok(isDict(described));
    assert.equal(described.get('line'), `${line}\n`.trim());
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
    assert.match(String(describedSource(line, new Map())), /is not valid/);
  });
