// Builds the console into `dist/console/`: one script and one style sheet, named by what is in them, and the page that
// loads both. Each lies there compressed as well, so that no request compresses anything.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { root } from './bundle.mjs';

/** Files of an earlier build stay as long as a page that was opened with it may ask for them. */
const STALE_MS = 3_600_000;

/**
 * @param outdir the folder of all programs; the console has a folder of its own in it
 * @returns the paths of the files that it is made of
 */
export async function buildConsole(outdir) {
  const folder = join(outdir, 'console');
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  const source = join(root, 'src', 'console');
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: { console: join(source, 'views', 'main.tsx'), style: join(source, 'style', 'console.css') },
    outdir: fresh,
    entryNames: '[name]-[hash]',
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'chrome110', 'firefox110', 'safari16.4'],
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const names = readdirSync(fresh);
  const named = (ending) => names.find((name) => name.endsWith(ending));
  const page = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('SCRIPT', named('.js'))
    .replace('STYLE', named('.css'));
  writeFileSync(join(fresh, 'index.html'), page);
  for (const name of readdirSync(fresh)) compress(join(fresh, name));
  // the page comes last: it names what must be there already
  const built = readdirSync(fresh).sort(
    (a, b) => Number(a.startsWith('index')) - Number(b.startsWith('index')),
  );
  for (const name of built) renameSync(join(fresh, name), join(folder, name));
  rmSync(fresh, { recursive: true, force: true });
  removeStale(folder, new Set(built));
  return Object.keys(metafile.inputs);
}

function compress(path) {
  const text = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
}

function removeStale(folder, current) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, basename(name));
    if (!current.has(name) && Date.now() - statSync(path).mtimeMs > STALE_MS) rmSync(path);
  }
}
