import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { packZip, unpackZip } from '../../../../src/plugins/archive/module/unpack.ts';
import { ZipReader } from '../../../../src/plugins/archive/module/zip-reader.ts';

const LIMITS = { membersMax: 1000, unpackedBytesMax: 1_000_000, linksMayLeadOut: false };
const OPTIONS = { excludes: [], password: undefined, keepsModes: true, limits: LIMITS };

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'brine-zip-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** An archive whose names are changed to others of the same length after it was made. */
async function forged(root: string, names: Readonly<Record<string, string>>): Promise<string> {
  const [source, path] = [join(root, 'src'), join(root, 'forged.zip')];
  mkdirSync(source);
  for (const name of Object.keys(names)) writeFileSync(join(source, name), 'content');
  await packZip(path, Object.keys(names), { cwd: source, allowsBig: false });
  let bytes = readFileSync(path, 'latin1');
  for (const [name, other] of Object.entries(names)) bytes = bytes.replaceAll(name, other);
  writeFileSync(path, bytes, 'latin1');
  return path;
}

test('archive - nothing is written through links that lead out of the folder', async (t) => {
  const root = folder(t);
  const path = await forged(root, { 'a-b': 's/b' });
  const [dest, other] = [join(root, 'dest'), join(root, 'other')];
  mkdirSync(dest);
  mkdirSync(other);
  symlinkSync(other, join(dest, 's'));
  await assert.rejects(unpackZip(path, dest, OPTIONS), /'s\/b' would be written to .*other, outside of/);
  assert.deepEqual(readdirSync(other), []);
  rmSync(join(dest, 's'));
  mkdirSync(join(dest, 's'));
  symlinkSync(join(other, 'new'), join(dest, 's', 'b'));
  await assert.rejects(unpackZip(path, dest, OPTIONS), /outside of/);
  assert.deepEqual(readdirSync(other), []);
});

test('archive - contents that are not as long as they say, and cut archives, are refused', async (t) => {
  const root = folder(t);
  const path = await forged(root, { aaa: 'aaa' });
  const bytes = readFileSync(path);
  const index = bytes.indexOf('PK\x01\x02', 0, 'latin1');
  const lying = Buffer.from(bytes);
  lying.writeUInt32LE(3, index + 24);
  writeFileSync(path, lying);
  await assert.rejects(unpackZip(path, join(root, 'out'), OPTIONS), /Bad CRC-32 for file 'aaa'/);
  for (const length of [0, 10, index, bytes.length - 1]) {
    writeFileSync(path, bytes.subarray(0, length));
    assert.throws(() => new ZipReader(path), /is not a zip file/);
  }
});
