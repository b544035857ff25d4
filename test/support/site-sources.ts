/** The cases of test/compare/site-sources: trees of files, what they are asked for, and what a real Salt gave. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { parseJson, toJson } from '../../src/formats/json/text.ts';
import { openSqlite } from '../../src/storage/jobs/sqlite.ts';
import { loadYaml } from '../../src/formats/yaml/load.ts';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { copyWithoutAgent } from './gpg-home.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const CASES = join(ROOT, 'test/compare/site-sources/cases.yaml');
const RECORDED = join(ROOT, 'test/fixtures/site-sources/recorded.json');

/** The grains that the recording minion has. */
export const SITE_GRAINS: Dict = dict({ id: 'web01', os: 'Debian', roles: ['web'] });

/** One case. */
export interface SiteCase {
  readonly name: string;
  readonly entry: Dict;
  readonly recorded: { readonly gave?: Value; readonly raised?: string; readonly text?: string };
}

/** The cases that a filter picks, but for those of reclass, which is a program of its own. */
export function siteCases(picks: (entry: Dict) => boolean): SiteCase[] {
  const recorded = parseJson(readFileSync(RECORDED, 'utf8')) as Dict;
  const all = loadYaml(readFileSync(CASES, 'utf8')) as Dict[];
  return all
    .filter((entry) => picks(entry) && !String(entry.get('name')).startsWith('reclass'))
    .map((entry) => ({ entry, name: String(entry.get('name')) }))
    .map((one) => ({ ...one, recorded: Object.fromEntries(recorded.get(one.name) as Dict) }));
}

/** Writes a case's files. @returns their folder, and the options with it in place of ROOT */
export function siteCase(t: TestContext, { entry }: SiteCase): { root: string; opts: Dict } {
  const root = mkdtempSync(join(tmpdir(), 'brine-site-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const files = entry.get('files');
  for (const [path, text] of isDict(files) ? files : []) {
    const full = join(root, String(path));
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, String(text).replaceAll('ROOT', root), { mode: 0o755 });
  }
  const sql = entry.get('sqlite');
  if (typeof sql === 'string') {
    const database = openSqlite(join(root, 'pillar.db'));
    database.exec(sql);
    database.close();
  }
  const setup = entry.get('setup');
  if (typeof setup === 'string') copyWithoutAgent(madeBy(setup), root);
  const given = parseJson(toJson(entry.get('opts') ?? dict()).replaceAll('ROOT', root)) as Dict;
  return {
    root,
    opts: new Map<Value, Value>([
      ['pillar_roots', dict({ base: [join(root, 'pillar')] })],
      ['file_roots', dict({ base: [join(root, 'states')] })],
      ['id', 'web01'],
      ...given,
    ]),
  };
}

/** What scripts have made, by their text: some take seconds, and several cases share one. */
const made = new Map<string, string>();
process.on('exit', () => [...made.values()].forEach((folder) => rmSync(folder, { recursive: true })));

function madeBy(setup: string): string {
  const known = made.get(setup);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'brine-site-setup-'));
  made.set(setup, folder);
  execFileSync('/bin/sh', ['-c', setup], { cwd: folder, stdio: 'ignore' });
  return folder;
}

/** Holds a value against the recording; the order of keys does not count. */
export function sameAsRecorded(made: Value, { recorded }: SiteCase, root: string): void {
  const shown = (value: Value): string => toJson(value, { sortKeys: true, indent: 1 });
  assert.equal(shown(made).replaceAll(root, 'ROOT'), shown(recorded.gave ?? null));
}
