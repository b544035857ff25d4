// One way to turn TypeScript into something Node runs: used by the build, the tests and the benchmark.
import { build } from 'esbuild';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Tests bundle some of the scripts, and say where they belong. */
export const root = process.env.BRINE_ROOT ?? dirname(dirname(fileURLToPath(import.meta.url)));

/** Packages that stay outside the bundles: native code, drivers that few load, and what only tests use. */
export const externalPackages = [
  ...['libsql', 'zeromq', 'fast-check', 'esbuild', 'playwright-core', 'axe-core'],
  ...[
    'mysql2',
    'pg',
    'ioredis',
    'mongodb',
    '@nats-io/transport-node',
    '@nats-io/jetstream',
    'nodemailer',
    'ws',
  ],
];

/** Every file below `dir` whose name ends with `suffix`. */
export function filesBelow(dir, suffix) {
  const out = [];
  for (const name of readdirSync(dir).sort()) {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) out.push(...filesBelow(path, suffix));
    else if (name.endsWith(suffix)) out.push(path);
  }
  return out;
}

/** Bundles entry points into `outdir` as ES modules that share chunks. */
export async function bundleModules(entryPoints, outdir) {
  await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    outbase: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    outExtension: { '.js': '.mjs' },
    external: externalPackages,
    banner: {
      js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);",
    },
    logLevel: 'warning',
  });
}
