// Runs one TypeScript program of the repository: `node scripts/run-ts.mjs FILE [ARGUMENT...]`.
import { spawn } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { bundleModules, root } from './bundle.mjs';

const [file, ...args] = process.argv.slice(2);
const outdir = join(root, 'build', `run-${process.pid}`);
await bundleModules([resolve(file)], outdir);
const built = join(outdir, relative(root, resolve(file))).replace(/\.ts$/, '.mjs');
// programs in Python are looked for beside the code that starts them, which lies in chunks or in the program itself
for (const folder of new Set([outdir, dirname(built)]))
  symlinkSync(join(root, 'src/runtime/python-host/guest'), join(folder, 'python'));
const child = spawn(process.execPath, ['--enable-source-maps', built, ...args], {
  stdio: 'inherit',
  env: { ...process.env, BRINE_ROOT: root },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  rmSync(outdir, { recursive: true, force: true });
  process.exit(code ?? (signal ? 1 : 0));
});
