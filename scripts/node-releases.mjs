// Releases of Node that Brine is tested with and packaged with: each comes from the npm registry as `node-linux-ARCH`,
// in the version of scripts/node-versions.json, and is unpacked once into `build/nodes`.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.mjs';
import { runProgram } from './run-program.mjs';

/** Version, and the integrity that the registry states for each architecture, by the major version. */
export const NODE_RELEASES = JSON.parse(readFileSync(join(root, 'scripts/node-versions.json'), 'utf8'));

/**
 * Brings a release onto this machine.
 * @param major `24`
 * @param arch as Node names it: `x64`, `arm64`
 * @returns the folder of the release, with its programs, its licence and its manual
 * @throws Error when there is no such release, or what the registry sends is not what was recorded
 */
export function nodeRelease(major, arch = process.arch) {
  const release = NODE_RELEASES[major];
  if (release === undefined)
    throw new Error(
      `There is no Node ${major} in scripts/node-versions.json; there are ${Object.keys(NODE_RELEASES).join(', ')}.`,
    );
  if (release[arch] === undefined) throw new Error(`There is no Node for the architecture ${arch}.`);
  const nodes = join(root, 'build/nodes');
  const folder = join(nodes, `${release.version}-${arch}`);
  if (existsSync(folder)) return folder;
  mkdirSync(nodes, { recursive: true });
  const aside = mkdtempSync(join(nodes, 'new-'));
  try {
    unpack(`node-linux-${arch}@${release.version}`, release[arch], aside);
    renameSync(join(aside, 'package'), folder);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return folder;
}

function unpack(name, integrity, folder) {
  const packed = runProgram('npm', ['pack', name, '--json', '--pack-destination', folder], { cwd: folder });
  const file = join(folder, JSON.parse(packed)[0].filename);
  const [algorithm] = integrity.split('-');
  const found = `${algorithm}-${createHash(algorithm).update(readFileSync(file)).digest('base64')}`;
  if (found !== integrity)
    throw new Error(`${name} has the integrity ${found}, and scripts/node-versions.json says ${integrity}.`);
  runProgram('tar', ['-xzf', file, '-C', folder, '--no-same-owner']);
}
