// Builds `dist/` (or the folder named by BRINE_DIST): one CommonJS bundle for each program, because one file starts fastest.
import { build } from 'esbuild';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { externalPackages, filesBelow, root } from './bundle.mjs';

const outdir = process.env.BRINE_DIST ? resolve(process.env.BRINE_DIST) : join(root, 'dist');
rmSync(outdir, { recursive: true, force: true });
mkdirSync(outdir, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: filesBelow(join(root, 'src', 'bin'), '.ts'),
  outdir,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  keepNames: true,
  sourcemap: false,
  legalComments: 'none',
  outExtension: { '.js': '.cjs' },
  external: externalPackages,
  define: { 'import.meta.url': '__brineFileUrl', 'import.meta.dirname': '__dirname' },
  banner: { js: "const __brineFileUrl = require('node:url').pathToFileURL(__filename).href;" },
  logLevel: 'warning',
});
for (const file of filesBelow(join(root, 'bin'), '')) if (!file.endsWith('.json')) chmodSync(file, 0o755);
