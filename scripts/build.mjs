// Builds `dist/` (or the folder named by BRINE_DIST): one CommonJS bundle for each program, because one file starts fastest.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { externalPackages, filesBelow, root } from './bundle.mjs';

/** The programs that people start and wait for. */
const COMMANDS = new Set(['salt.cjs', 'salt-call.cjs', 'salt-key.cjs', 'salt-run.cjs']);

const outdir = process.env.BRINE_DIST ? resolve(process.env.BRINE_DIST) : join(root, 'dist');
// bundles are made aside and moved over one by one: programs that are running meanwhile never find a file missing
const fresh = `${outdir}.${process.pid}`;
mkdirSync(outdir, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: filesBelow(join(root, 'src', 'bin'), '.ts'),
  outdir: fresh,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: false,
  legalComments: 'none',
  outExtension: { '.js': '.cjs' },
  external: externalPackages,
  define: { 'import.meta.url': '__brineFileUrl', 'import.meta.dirname': '__dirname' },
  banner: { js: "const __brineFileUrl = require('node:url').pathToFileURL(__filename).href;" },
  logLevel: 'warning',
});
for (const name of readdirSync(fresh)) if (COMMANDS.has(name)) deferBuiltins(join(fresh, name));
for (const name of readdirSync(fresh)) renameSync(join(fresh, name), join(outdir, name));
rmSync(fresh, { recursive: true, force: true });
for (const file of filesBelow(join(root, 'bin'), '')) if (!/\.(json|cjs)$/.test(file)) chmodSync(file, 0o755);
writeCodeCaches();

/**
 * A command that lives for a tenth of a second does not load those parts of Node which it seldom needs before it needs them:
 * `node:crypto` alone takes four milliseconds.
 */
function deferBuiltins(path) {
  const lazy =
    'function __brineLazy(name){return new Proxy({},{get:(_,key)=>require(name)[key],has:(_,key)=>key in require(name)})}';
  const source = readFileSync(path, 'utf8');
  const deferred = source.replaceAll(
    /=require\(("node:(?:crypto|child_process|net|os)")\)/g,
    '=__brineLazy($1)',
  );
  writeFileSync(path, `${lazy}${deferred}`);
}

/** Runs the commands once, so that their next start finds the code compiled. Daemons start seldom and go without. */
function writeCodeCaches() {
  const folder = mkdtempSync(join(tmpdir(), 'brine-build-'));
  const places = ['cachedir: cache', 'pki_dir: pki', 'sock_dir: run', 'log_file: log', 'key_logfile: log'];
  for (const role of ['master', 'minion']) {
    writeFileSync(join(folder, role), [`root_dir: ${folder}`, 'id: build', ...places, ''].join('\n'));
  }
  const runs = {
    salt: ['x', 'test.ping'],
    'salt-key': ['-L'],
    'salt-call': ['--local', 'test.ping'],
    'salt-run': ['jobs.list_jobs'],
  };
  for (const [name, args] of Object.entries(runs)) {
    if (!existsSync(join(outdir, `${name}.cjs`)) || outdir !== join(root, 'dist')) continue;
    const env = { ...process.env, BRINE_WRITE_CODE_CACHE: '1' };
    spawnSync(process.execPath, [join(root, 'bin', name), '-c', folder, ...args], {
      env,
      stdio: 'ignore',
      timeout: 60_000,
    });
  }
  rmSync(folder, { recursive: true, force: true });
}
