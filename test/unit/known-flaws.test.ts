/** Keeps docs/internals/known-flaws.md true: the tests that it names exist, and what it calls missing is missing. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Row {
  readonly cve: string;
  readonly isMissing: boolean;
  /** Test files; for what is not here the path that would bring the flaw along. */
  readonly paths: readonly string[];
}

const rows: Row[] = read('docs/internals/known-flaws.md')
  .split('\n')
  .flatMap((line) => {
    const found = /^\|\s*(\d{4}-\d+)\s*\|.*\|\s*([^|]*?)\s*\|$/.exec(line);
    if (found === null) return [];
    const [, cve = '', proof = ''] = found;
    const paths = [...proof.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
    return [{ cve: `CVE-${cve}`, isMissing: proof.startsWith('not here:'), paths }];
  });

/** The CVEs in the titles of a file's tests. */
function titled(path: string): Set<string> {
  const titles = [...read(path).matchAll(/\btest\(\s*(['"`])([\s\S]*?)\1,/g)].map(
    (match) => match[2] as string,
  );
  return new Set(titles.flatMap((title) => title.match(/CVE-\d{4}-\d+/g) ?? []));
}

test('known flaws - every row names tests with its CVE in their titles, or what does not exist', () => {
  assert.ok(rows.length >= 70, `${rows.length} rows`);
  assert.equal(new Set(rows.map(({ cve }) => cve)).size, rows.length, 'each once');
  for (const { cve, isMissing, paths } of rows) {
    assert.ok(paths.length > 0, `${cve} has a proof`);
    for (const path of paths) {
      if (isMissing) {
        // a module is a file in the folder of its subject
        for (const form of [path, path.replace(/(\/module)?\.ts$/, '')])
          assert.ok(!existsSync(join(ROOT, form)), `${form} exists by now: ${cve} needs a test`);
        assert.ok(
          existsSync(dirname(join(ROOT, path.replace(/\/module\.ts$/, '')))),
          `${path} would stand in a folder that there is not`,
        );
      } else assert.ok(titled(path).has(cve), `${path} has a test with ${cve} in its title`);
    }
  }
});

test('known flaws - every CVE in the title of a test has a row', () => {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && path !== 'unit/known-flaws.test.ts')
    .map((path) => `test/${path}`);
  const known = new Set(rows.map(({ cve }) => cve));
  const unknown = files.flatMap((path) =>
    [...titled(path)].filter((cve) => !known.has(cve)).map((cve) => `${cve} ${path}`),
  );
  assert.deepEqual(unknown, []);
});
