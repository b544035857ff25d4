// Runs the tests: `node scripts/test.mjs [unit|e2e|databases|faults|interop] [name filter]`; without a word, the first three.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { bundleModules, filesBelow, root } from './bundle.mjs';
import { DATABASE_SERVERS, installCommand, missingServers } from './database-programs.mjs';

const [suite, filter = ''] = process.argv.slice(2);
let status = 0;
const suites = suite ? [suite] : ['unit', 'e2e', 'databases'];

async function run(name) {
  const found = filesBelow(join(root, 'test', name), '.test.ts').filter((path) => path.includes(filter));
  const sources = name === 'databases' ? withServers(found) : found;
  if (sources.length === 0) return 0;
  const outdir = join(root, 'build', `${name}-${process.pid}`);
  try {
    await bundleModules(sources, outdir);
    const built = sources.map((path) => join(outdir, relative(root, path)).replace(/\.ts$/, '.mjs'));
    const env = { ...process.env, BRINE_ROOT: root, NODE_OPTIONS: '--enable-source-maps' };
    delete env.NODE_EXTRA_CA_CERTS;
    return (
      spawnSync(process.execPath, testArguments(name, built, outdir), { stdio: 'inherit', cwd: root, env })
        .status ?? 1
    );
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** Those tests whose server is installed; the first word of a file's name says which it needs. Tells which are left out. */
function withServers(sources) {
  const serverOf = (path) => Object.keys(DATABASE_SERVERS).find((name) => basename(path).startsWith(name));
  const missing = missingServers([...new Set(sources.map(serverOf))]);
  if (missing.length === 0) return sources;
  const isRequired = process.env.BRINE_REQUIRE_DATABASES === '1';
  console.log(
    `${isRequired ? 'Failed' : 'Left out'}: the tests with ${missing.join(', ')}, which are not installed (${installCommand(missing)}).`,
  );
  if (isRequired) status = 1;
  return sources.filter((path) => !missing.includes(serverOf(path)));
}

/** Unit tests share one process, because starting one costs more than running them; the others get one each. */
function testArguments(name, built, outdir) {
  const reporter = `--test-reporter=${process.stdout.isTTY ? 'spec' : (process.env.TEST_REPORTER ?? 'dot')}`;
  const summary = [
    '--test-reporter-destination=stdout',
    '--test-reporter=' + join(root, 'scripts/summary-reporter.mjs'),
    '--test-reporter-destination=stdout',
  ];
  if (name !== 'unit')
    return [
      '--test',
      `--test-concurrency=${name === 'e2e' || name === 'databases' ? 2 : 1}`,
      reporter,
      ...summary,
      ...built,
    ];
  const all = join(outdir, 'all.mjs');
  writeFileSync(all, built.map((path) => `import ${JSON.stringify(path)};`).join('\n'));
  return [reporter, ...summary, all];
}

if (suites.some((name) => name !== 'unit')) await import('./build.mjs');
for (const name of suites) status = (await run(name)) || status;
process.exit(status);
