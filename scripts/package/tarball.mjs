// The archive of one version, `VERSION/` with Node and the programs: what `brine.upgrade` brings to a minion, and what
// can be unpacked by hand where there are no packages.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runProgram } from '../run-program.mjs';
import { openToAll, settle, timeOfCommit } from './tree.mjs';

/** As Node names machines, which is what a minion knows of its own. */
const NODE_NAMES = { amd64: 'x64', arm64: 'arm64' };
const BYTES_MAX = 1024 * 1024 * 1024;

/**
 * @param payload version, architecture and folder
 * @returns the path of the archive
 */
export function buildTarball({ version, arch, folder }, { work, to, isQuick }) {
  const tree = join(work, 'tarball');
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree);
  cpSync(folder, join(tree, version), { recursive: true });
  openToAll(join(tree, version));
  const time = timeOfCommit();
  settle(tree, time);
  const words = [
    '--sort=name',
    `--mtime=@${time}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--format=gnu',
  ];
  const plain = runProgram('tar', ['-C', tree, ...words, '-cf', '-', version], {
    encoding: 'buffer',
    maxBuffer: BYTES_MAX,
  });
  const file = join(to, `brine-${version}-linux-${NODE_NAMES[arch]}.tar.gz`);
  writeFileSync(file, gzipSync(plain, { level: isQuick ? 1 : 9 }));
  rmSync(tree, { recursive: true });
  return file;
}
