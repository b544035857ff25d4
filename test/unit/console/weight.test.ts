/** What the console weighs. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const MOST_BYTES = 250_000;

test('console - the page with all that it loads is 250 kB at most, compressed', () => {
  const folder = join(ROOT, 'dist', 'console');
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const named = [...page.matchAll(/"console\/([\w.-]+)"/g)].map((match) => match[1] as string);
  assert.equal(named.length, 2);
  let bytes = gzipSync(page).length;
  for (const name of named) {
    const text = readFileSync(join(folder, name));
    // whoever takes gzip gets more than whoever takes brotli
    assert.ok(
      brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }).length < text.length,
    );
    assert.ok(readdirSync(folder).includes(`${name}.br`) && readdirSync(folder).includes(`${name}.gz`));
    bytes += gzipSync(text).length;
  }
  assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
});

test('console - the page has no script and no style of its own, and names no other host', () => {
  const folder = join(ROOT, 'dist', 'console');
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  assert.doesNotMatch(page, /<style|style=|<script(?![^>]*src=)|\son\w+=|https?:/);
  const [script = ''] = page.match(/console-\w+\.js/) ?? [];
  const text = readFileSync(join(folder, script), 'utf8');
  const hosts = new Set(text.match(/https?:\/\/[\w.-]+/g) ?? []);
  // names of namespaces, which nobody asks
  hosts.delete('http://www.w3.org');
  assert.deepEqual([...hosts], []);
});
