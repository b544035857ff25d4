/**
 * What `npm pack` makes, installed outside of the checkout: its programs run, its types compile, and what the types
 * name is there.
 */
import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const NAME = '@brine-project/brine';
interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly man: readonly string[];
  readonly [name: string]: unknown;
}

function run(cwd: string, program: string, ...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(program, args, { cwd, encoding: 'utf8', timeout: 120_000 });
}

function mustRun(cwd: string, program: string, ...args: string[]): string {
  const { status, stdout, stderr } = run(cwd, program, ...args);
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}\n${stderr}`);
  return stdout;
}

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

/** Packs a copy of what is packed: package.json of the checkout is not touched while other tests run. */
function pack(folder: string): string {
  const copy = join(folder, 'checkout');
  mkdirSync(join(copy, 'src/runtime/extensions'), { recursive: true });
  for (const name of [
    'package.json',
    'README.md',
    'LICENSE',
    'ARCHITECTURE.md',
    'bin',
    'dist',
    'docs',
    'scripts',
  ])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, preserveTimestamps: true });
  const types = 'src/runtime/extensions/brine.d.ts';
  cpSync(join(ROOT, types), join(copy, types));
  // what was built is newer than its sources
  utimesSync(join(copy, types), 0, 0);
  const before = readFileSync(join(copy, 'package.json'), 'utf8');
  mustRun(copy, 'npm', 'pack', '--offline', '--pack-destination', folder);
  assert.equal(readFileSync(join(copy, 'package.json'), 'utf8'), before, 'the checkout is as it was');
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  return join(folder, tarball ?? 'no tarball');
}

/** A folder into which the package was installed; what it depends on is taken from the checkout. */
function install(folder: string, tarball: string): string {
  const site = join(folder, 'site');
  mkdirSync(join(site, 'node_modules'), { recursive: true });
  for (const name of Object.keys(readManifest(join(ROOT, 'package.json')).dependencies)) {
    const link = join(site, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  writeFileSync(join(site, 'package.json'), JSON.stringify({ name: 'site', private: true, type: 'module' }));
  mustRun(site, 'npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
  return site;
}

/** A module, a beacon and all others as a site writes them. */
const SOURCE = `
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError, defineAuth, defineBeacon, defineEngine, defineFunction,
  defineGrains, defineModule, defineOutputter, defineRenderer, float } from 'brine';
import { ApiClient } from '${NAME}/api-client';

export const greet = defineModule({
  functions: {
    hello: defineFunction({
      doc: 'Greets.',
      params: { name: { type: 'str', doc: 'whom' }, times: { type: 'int', default: 1, doc: 'how often' } },
      run: ({ name, times }) => {
        const text: string = name.repeat(times);
        if (text === '') throw new SaltInvocationError('nobody');
        if (text.length > 9) throw new CommandNotFoundError('greet');
        return { text, share: float(1) };
      },
    }),
  },
});
export const all = [defineAuth, defineBeacon, defineEngine, defineGrains, defineOutputter, defineRenderer, ApiClient];
const error: Error = new CommandExecutionError('failed');
export const said: string = error.message;
`;

test('package - what npm pack makes, installed elsewhere: programs, types, and what they name', async (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-package-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tarball = pack(folder);
  const listed = mustRun(folder, 'tar', 'tzf', tarball).split('\n');
  assert.deepEqual(
    listed.filter((name) => /\.cache$|node_modules|\/test\//.test(name)),
    [],
  );

  const site = install(folder, tarball);
  const home = join(site, 'node_modules', NAME);
  const manifest = readManifest(join(home, 'package.json'));
  for (const name of ['scripts', 'devDependencies', 'allowScripts'])
    assert.equal(manifest[name], undefined, name);
  for (const name of ['author', 'license', 'homepage', 'keywords', 'description', 'engines'])
    assert.notEqual(manifest[name], undefined, name);
  assert.deepEqual(
    [...manifest.man].sort(),
    Object.keys(manifest.bin)
      .map((name) => `docs/man/${name}.1`)
      .sort(),
    'one for each',
  );
  for (const path of [...manifest.man, ...Object.values(manifest.bin)])
    assert.ok(existsSync(join(home, path)), path);
  for (const name of ['salt.bash', '_salt', 'salt.fish'])
    assert.ok(existsSync(join(home, 'docs/completion', name)), name);

  const bin = (name: string): string => join(site, 'node_modules/.bin', name);
  for (const name of Object.keys(manifest.bin))
    assert.match(mustRun(site, bin(name), '--version'), /Brine/, name);
  mkdirSync(join(site, 'conf'));
  writeFileSync(
    join(site, 'conf/minion'),
    `root_dir: ${site}/root\nid: here\nfile_client: local\nfile_roots: {base: [${site}/srv]}\n`,
  );
  const called = mustRun(
    site,
    bin('salt-call'),
    '-c',
    join(site, 'conf'),
    '--local',
    '--out=json',
    'test.echo',
    'hi',
  );
  assert.deepEqual(JSON.parse(called), { local: 'hi' });
  // a state run needs layers, templates and Python's names
  mkdirSync(join(site, 'srv'));
  writeFileSync(join(site, 'srv/one.sls'), `${site}/file: {file.managed: [{contents: {{ grains.id }}}]}\n`);
  mustRun(site, bin('salt-call'), '-c', join(site, 'conf'), '--local', 'state.apply', 'one');
  assert.equal(readFileSync(join(site, 'file'), 'utf8'), 'here\n');
  assert.match(mustRun(site, bin('brine-sls'), 'check', 'srv'), /1 file/);

  await t.test('package - the types compile without the checkout, by either name', async () => {
    // as `npm install brine@file:…` has it
    const alias = join(folder, 'alias');
    mkdirSync(join(alias, 'node_modules'), { recursive: true });
    symlinkSync(home, join(alias, 'node_modules/brine'));
    writeFileSync(join(alias, 'package.json'), JSON.stringify({ name: 'alias', type: 'module' }));
    writeFileSync(join(alias, 'site.ts'), SOURCE.replace(`${NAME}/api-client`, 'brine/api-client'));
    writeFileSync(join(site, 'site.ts'), SOURCE.replace("from 'brine'", `from '${NAME}'`));
    // one run for both, since most of its time is for what Node and ECMAScript declare
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023', 'dom'],
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
      skipLibCheck: false,
      skipDefaultLibCheck: true,
    };
    const files = [join(alias, 'site.ts'), join(site, 'site.ts')];
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = run(folder, process.execPath, compiler, '-p', '.');
    assert.equal(status, 0, stdout);
    const declared = readFileSync(join(home, 'src/runtime/extensions/brine.d.ts'), 'utf8');
    const names = [...declared.matchAll(/^export (?:function|class|const) (\w+)/gm)].map(
      ([, name]) => name ?? '',
    );
    assert.ok(names.includes('defineBeacon') && names.includes('float'));
    // each by its own name, as Node reads them out of what was bundled
    const code = `import { ${names.join(', ')} } from '${NAME}'; console.log([${names.join(', ')}].every((each) => typeof each === 'function'));`;
    assert.equal(mustRun(site, process.execPath, '--input-type=module', '-e', code).trim(), 'true');
    assert.equal(
      mustRun(alias, process.execPath, '--input-type=module', '-e', code.replace(NAME, 'brine')).trim(),
      'true',
    );
  });
});
