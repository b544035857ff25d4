// What all packages share: Node, the built programs, and the libraries that they load, for one architecture.
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { externalPackages, filesBelow, root } from '../bundle.mjs';
import { NODE_RELEASES, nodeRelease } from '../node-releases.mjs';
import { runProgram } from '../run-program.mjs';
import { loadedLibraries } from './libraries.mjs';
import { checkNative } from './native.mjs';
import { billOfMaterials } from './sbom.mjs';

/** The release that packages bring. */
export const PACKAGED_NODE = '24';
/** Debian's names of architectures, and Node's and GNU's. */
const ARCHITECTURES = {
  amd64: { node: 'x64', gnu: 'x86_64-linux-gnu' },
  arm64: { node: 'arm64', gnu: 'aarch64-linux-gnu' },
};
/** Native code without which programs fail: the job cache and others keep data with it. */
const NATIVE = ({ node }) => ['node/bin/node', `@libsql/linux-${node}-gnu/index.node`];
/** Of a library, what no program loads. */
const NOT_LOADED = /\.(md|map|ts|mts|cts|flow|tsbuildinfo|yml|yaml)$|^\.|^(AUTHORS|CHANGELOG|HISTORY)/i;
/** A licence is passed on with what it is for, whatever its file is called. */
const LICENCE = /^(?:licen[cs]e|copying|notice)/i;
const SHEBANG_FILE_BYTES_MAX = 10_000;
const NEVER_LOADED_FOLDERS = new Set([
  '@types',
  'undici-types',
  'test',
  'tests',
  'docs',
  'example',
  'examples',
  '.bin',
]);

/**
 * @param arch as Debian names it
 * @param folder that is made
 * @param version that the packages have
 * @returns the version of Brine, and the folder
 */
export async function stagePayload(arch, folder, version = ownVersion()) {
  const names = ARCHITECTURES[arch];
  if (names === undefined)
    throw new Error(
      `There are no packages for ${arch}; there are for ${Object.keys(ARCHITECTURES).join(', ')}.`,
    );
  mkdirSync(folder, { recursive: true });
  stageNode(nodeRelease(PACKAGED_NODE, names.node), names, join(folder, 'node'));
  await stagePrograms(folder, version);
  stageLibraries(names.node, folder, version);
  withoutShebangs(folder);
  checkNative(folder, arch, NATIVE(names));
  return { arch, version, folder };
}

function ownVersion() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

function stageNode(release, names, folder) {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(join(release, 'bin/node'), join(folder, 'bin/node'));
  copyFileSync(join(release, 'LICENSE'), join(folder, 'LICENSE'));
  chmodSync(join(folder, 'bin/node'), 0o755);
  // the tables of names are a seventh of it
  runProgram(stripOf(names), ['--strip-unneeded', join(folder, 'bin/node')]);
}

/** The `strip` of this machine reads its own programs alone. */
function stripOf({ node, gnu }) {
  const programs = [`${gnu}-strip`, ...(node === process.arch ? ['strip'] : [])];
  const found = programs.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
  if (found === undefined)
    throw new Error(`${programs[0]} is needed: apt-get install binutils-${gnu.replaceAll('_', '-')}`);
  return found;
}

/** What has a worker do usual jobs, as one file. */
async function stageTrainer(folder) {
  await build({
    absWorkingDir: root,
    entryPoints: ['scripts/train-worker.ts'],
    outfile: join(folder, 'bin/train-worker.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    external: externalPackages,
    banner: {
      js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);",
    },
    logLevel: 'warning',
  });
}

/** Code caches are V8's of one machine, and made by the packages when they are installed. */
async function stagePrograms(folder, version) {
  const dist = join(folder, 'dist');
  runProgram(process.execPath, [join(root, 'scripts/build.mjs')], {
    cwd: root,
    env: { BRINE_DIST: dist, BRINE_BUILD: 'quick' },
  });
  // a quick build leaves man pages and completion as an earlier one made them
  runProgram(process.execPath, [join(root, 'scripts/run-ts.mjs'), 'scripts/generate-docs.ts', '--built'], {
    cwd: root,
  });
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  await stageTrainer(folder);
  copyFileSync(join(root, 'scripts/code-caches.mjs'), join(folder, 'bin/code-caches.mjs'));
  const { name, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`);
}

function stageLibraries(cpu, folder, version) {
  const aside = join(folder, 'npm');
  mkdirSync(aside);
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(root, name), join(aside, name));
  const only = ['--omit=dev', '--os=linux', `--cpu=${cpu}`, '--libc=glibc'];
  runProgram('npm', ['ci', ...only, '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', aside]);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const loaded = loadedLibraries(packages);
  for (const path of loaded)
    if (existsSync(join(aside, path))) copyLibrary(join(aside, path), join(folder, path));
  const bundled = JSON.parse(readFileSync(join(folder, 'dist/libraries.json'), 'utf8'));
  const beside = loaded.filter((path) => existsSync(join(aside, path)));
  writeFileSync(join(folder, 'bundled-licences.txt'), licencesOf(packages, bundled));
  const node = NODE_RELEASES[PACKAGED_NODE].version;
  writeFileSync(
    join(folder, 'sbom.cdx.json'),
    billOfMaterials({ version, node }, packages, [...bundled, ...beside]),
  );
  rmSync(aside, { recursive: true });
  prune(join(folder, 'node_modules'));
  // npm takes both libraries of C for one machine
  const natives = join(folder, 'node_modules/@libsql');
  for (const name of readdirSync(natives))
    if (name.includes('musl')) rmSync(join(natives, name), { recursive: true });
}

/** The licences of the libraries that lie in the bundles, which have no folders of their own. */
function licencesOf(packages, bundled) {
  return bundled
    .map((path) => {
      const files = readdirSync(join(root, path)).filter((name) => LICENCE.test(name));
      const texts = files.sort().map((name) => readFileSync(join(root, path, name), 'utf8').trim());
      const { version, license } = packages[path];
      return [`== ${path.slice('node_modules/'.length)} ${version} (${license})`, ...texts, ''].join('\n\n');
    })
    .join('\n');
}

/** Those inside it come by themselves, where they are loaded. */
function copyLibrary(from, to) {
  cpSync(from, to, { recursive: true, filter: (path) => path === from || basename(path) !== 'node_modules' });
}

/** Nobody starts them but the programs of the packages, which name Node. */
function withoutShebangs(folder) {
  for (const path of filesBelow(folder, '')) {
    if (statSync(path).size > SHEBANG_FILE_BYTES_MAX) continue;
    const text = readFileSync(path, 'latin1');
    // the second line of a script of both, to the shell alone
    const plain = text.replace(/^#!.*\bnode\b.*\n|^#!\/bin\/sh\n':' .*\n/, '');
    if (plain !== text) writeFileSync(path, plain, 'latin1');
    chmodSync(path, 0o644);
  }
}

function prune(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && NEVER_LOADED_FOLDERS.has(entry.name)) rmSync(path, { recursive: true });
    else if (entry.isDirectory()) prune(path);
    else if (NOT_LOADED.test(entry.name) && !LICENCE.test(entry.name)) rmSync(path);
  }
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}
