import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  builtDocuments,
  GENERATED_FOLDERS,
  generatedDocuments,
  REFERENCE_PATH,
} from '../../../src/cli/documents/generated-docs.ts';
import { subjectDifferences } from '../../../src/cli/documents/subject-differences.ts';
import { MODULE_TABLE } from '../../../src/plugins/registry/module/table.generated.ts';
import { STATE_TABLE } from '../../../src/plugins/registry/state/table.generated.ts';
import { RUNNER_TABLE } from '../../../src/plugins/registry/runner/table.generated.ts';
import { WHEEL_TABLE } from '../../../src/plugins/registry/wheel/table.generated.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const read = (path: string): string =>
  existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : '';

test('documents - the reference is the one that the tables give', async () => {
  const documents = await generatedDocuments(read(REFERENCE_PATH), subjectDifferences(ROOT));
  const stale = [...documents].filter(([path, content]) => read(path) !== content).map(([path]) => path);
  assert.deepEqual(stale, [], 'write them anew with: node scripts/run-ts.mjs scripts/generate-docs.ts');
});

test('documents - each module has its page and stands in the list, and no page is of a module that is gone', async () => {
  const documents = await generatedDocuments(read(REFERENCE_PATH), subjectDifferences(ROOT));
  const names = [
    ['modules', MODULE_TABLE.map(({ name }) => name)],
    ['states', STATE_TABLE.map(({ name }) => name)],
    ['runners', [...RUNNER_TABLE.keys()]],
    ['wheel', [...WHEEL_TABLE.keys()]],
  ] as const;
  for (const [folder, modules] of names) {
    const index = read(`docs/reference/${folder}/README.md`);
    for (const name of modules) {
      assert.ok(read(`docs/reference/${folder}/${name}.md`).startsWith(`# ${name}\n`), `${folder}/${name}`);
      assert.ok(index.includes(`\n- [${name}](${name}.md): `), `${folder}/${name}`);
    }
  }
  const kept = GENERATED_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  );
  assert.deepEqual(
    kept.filter((path) => !documents.has(path)),
    [],
  );
});

test('documents - programs that stand behind one name are on one page, each with its functions', () => {
  const page = read('docs/reference/modules/pkg.md');
  assert.deepEqual(
    [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading),
    ['aptpkg', 'yumpkg', 'pacmanpkg', 'zypperpkg', 'apkpkg'],
  );
  assert.equal([...page.matchAll(/^### pkg\.install$/gm)].length, 5);
  assert.match(read('docs/reference/modules/README.md'), /^- \[pkg\]\(pkg\.md\): .*\n {2}.*`install`/m);
});

test('documents - the names of the former pages lead on', () => {
  for (const [old, folder] of [
    ['functions', 'modules'],
    ['states', 'states'],
    ['runners', 'runners'],
    ['wheel', 'wheel'],
  ])
    assert.match(read(`docs/reference/${old}.md`), new RegExp(`\\(${folder}/README\\.md\\)`));
});

test('documents - a build makes a man page of each program, and completion for each shell', async () => {
  const documents = await builtDocuments();
  const programs = ['salt', 'salt-api', 'salt-call', 'salt-cp', 'salt-key', 'salt-master', 'salt-minion'];
  for (const name of [...programs, 'salt-run', 'salt-syndic', 'brine', 'brine-sls', 'sls'])
    assert.match(documents.get(`docs/man/${name}.1`) ?? '', /^\.TH /m, name);
  for (const name of ['salt.bash', '_salt', 'salt.fish'])
    assert.match(documents.get(`docs/completion/${name}`) ?? '', /state\.apply/, name);
  assert.equal(documents.size, 15);
});

test('documents - they are the same on every machine', () => {
  const env = {
    PATH: process.env['PATH'],
    BRINE_ROOT: ROOT,
    SHELL: '/bin/other',
    HOME: '/nonexistent',
    TZ: 'Asia/Tokyo',
  };
  const args = [join(ROOT, 'scripts/run-ts.mjs'), join(ROOT, 'scripts/generate-docs.ts'), '--check'];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' });
  assert.deepEqual({ stdout, stderr, status }, { stdout: '', stderr: '', status: 0 });
});

test('documents - own options are in the reference, and marked', () => {
  const reference = read(REFERENCE_PATH);
  for (const option of ['--exit-codes', '--canary', '--abort-on', '--watch', '--gather-job-timeout']) {
    assert.match(reference, new RegExp(`^- \`${option}=.*_Not in Salt\\._$`, 'm'));
  }
});
