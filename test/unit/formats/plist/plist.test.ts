/** Property lists: written as Python's plistlib writes them (recorded), and read again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePlist } from '../../../../src/formats/plist/read.ts';
import { dumpPlist } from '../../../../src/formats/plist/write.ts';
import { dict, float, PyDatetime } from '../../../../src/python/values/value.ts';

const value = dict({
  z: [1, { c: 'd<&>' } as never].map((item) => (typeof item === 'number' ? item : dict(item))),
  a: { x: 'q"\n', e: {}, l: [] },
  r: 1.5,
  whole: float(2),
  t: true,
  d: new Uint8Array([1, 2, 3]),
  when: new PyDatetime('20240102T03:04:05.000000'),
});

test('plist - is written as by Python', () => {
  const text = dumpPlist(dict({ b: [1, dict({ c: 'd' })], a: { x: 'q"\n' }, d: new Uint8Array([1, 2, 3]) }));
  assert.equal(
    text,
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n' +
      '<plist version="1.0">\n<dict>\n\t<key>a</key>\n\t<dict>\n\t\t<key>x</key>\n\t\t<string>q"\n</string>\n\t</dict>\n\t<key>b</key>\n' +
      '\t<array>\n\t\t<integer>1</integer>\n\t\t<dict>\n\t\t\t<key>c</key>\n\t\t\t<string>d</string>\n\t\t</dict>\n\t</array>\n' +
      '\t<key>d</key>\n\t<data>\n\tAQID\n\t</data>\n</dict>\n</plist>\n',
  );
});

test('plist - what is written is read again', () => {
  assert.deepEqual(parsePlist(dumpPlist(value, { sortKeys: false })), value);
});

test('plist - what cannot be written or read is refused', () => {
  assert.throws(() => dumpPlist(null), /unsupported type/);
  assert.throws(() => dumpPlist(new Map([[1, 2]])), /keys must be strings/);
  assert.throws(() => dumpPlist('\x01'), /control characters/);
  assert.throws(() => parsePlist('<plist><dict><string>x</string></dict></plist>'), /a key must come first/);
  assert.throws(() => parsePlist('<plist><string>x</plist>'), /mismatched tag/);
  assert.throws(() => parsePlist('<!DOCTYPE x [<!ENTITY a "b">]><plist><string>&a;</string></plist>'), /./);
  assert.throws(() => parsePlist('bplist00'), /binary property lists/);
  assert.throws(() => parsePlist(''), /Invalid file/);
});
