// Runs the tests: `node scripts/test.mjs [unit|e2e|interop] [name filter]`; without a word, unit and e2e.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundleModules, filesBelow, root } from './bundle.mjs';

const [suite, filter = ''] = process.argv.slice(2);
const suites = suite ? [suite] : ['unit', 'e2e'];

async function run(name) {
  const sources = filesBelow(join(root, 'test', name), '.test.ts').filter((path) => path.includes(filter));
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

/** Unit tests share one process, because starting one costs more than running them; the others get one each. */
function testArguments(name, built, outdir) {
  const reporter = `--test-reporter=${process.stdout.isTTY ? 'spec' : (process.env.TEST_REPORTER ?? 'dot')}`;
  const summary = [
    '--test-reporter-destination=stdout',
    '--test-reporter=' + join(root, 'scripts/summary-reporter.mjs'),
    '--test-reporter-destination=stdout',
  ];
  if (name !== 'unit')
    return ['--test', `--test-concurrency=${name === 'e2e' ? 2 : 1}`, reporter, ...summary, ...built];
  const all = join(outdir, 'all.mjs');
  writeFileSync(all, built.map((path) => `import ${JSON.stringify(path)};`).join('\n'));
  return [reporter, ...summary, all];
}

let status = 0;
if (suites.some((name) => name !== 'unit')) await import('./build.mjs');
for (const name of suites) status = (await run(name)) || status;
process.exit(status);
