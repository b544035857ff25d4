// Runs one TypeScript program of the repository: `node scripts/run-ts.mjs FILE [ARGUMENT...]`.
import { spawn } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { bundleModules, root } from './bundle.mjs';

const [file, ...args] = process.argv.slice(2);
const outdir = join(root, 'build', `run-${process.pid}`);
await bundleModules([resolve(file)], outdir);
symlinkSync(join(root, 'src/runtime/python-host/guest'), join(outdir, 'python'));
const built = join(outdir, relative(root, resolve(file))).replace(/\.ts$/, '.mjs');
const child = spawn(process.execPath, ['--enable-source-maps', built, ...args], {
  stdio: 'inherit',
  env: { ...process.env, BRINE_ROOT: root },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  rmSync(outdir, { recursive: true, force: true });
  process.exit(code ?? (signal ? 1 : 0));
});
