// Has `rpmbuild` write RPM packages. What it would add of the machine and the moment is given to it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bundle.mjs';
import { runProgram } from '../run-program.mjs';
import { MAINTAINER } from './deb.mjs';
import { RPM_ARCHITECTURES, specOf } from './rpm-spec.mjs';
import { place, settle, timeOfCommit } from './tree.mjs';

/** @throws Error where there is no `rpmbuild` */
export function needRpmbuild() {
  if (spawnSync('rpmbuild', ['--version'], { stdio: 'ignore' }).status !== 0)
    throw new Error(
      'RPM packages are written by rpmbuild: apt-get install rpm, or dnf install rpm-build. --format deb makes none.',
    );
}

/**
 * @param packages of `packagesOf`
 * @param options architecture as Debian names it, a folder to work in, and the one for the packages
 * @returns the paths of the packages
 */
export function buildRpms(packages, { arch, work, to, isQuick }) {
  const timeS = timeOfCommit();
  const top = join(work, 'rpm');
  rmSync(top, { recursive: true, force: true });
  const tree = join(top, 'tree');
  for (const each of packages) {
    for (const { rpm, ...file } of each.files) place({ ...file, to: rpm?.to ?? file.to }, tree);
    place(
      { to: `/usr/share/doc/${each.name}/NEWS.md`, text: readFileSync(join(root, 'CHANGELOG.md')) },
      tree,
    );
  }
  mkdirSync(join(tree, 'etc/salt'), { recursive: true });
  settle(tree, timeS);
  const spec = join(top, 'brine.spec');
  writeFileSync(spec, specOf(packages, { tree, maintainer: MAINTAINER, timeS }));
  const machine = RPM_ARCHITECTURES[arch];
  const settings = {
    _topdir: top,
    _rpmdir: to,
    _build_name_fmt: '%%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm',
    _buildhost: 'brine',
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
    // of one thread: more would cut the file by their number
    _binary_payload: isQuick ? 'w1.gzdio' : 'w9.xzdio',
    // programs come as they are, stripped already
    __os_install_post: '%{nil}',
    debug_package: '%{nil}',
    _build_id_links: 'none',
    source_date_epoch_from_changelog: '0',
    // no name of the platform that they happen to be made on
    _host_vendor: 'brine',
    optflags: '%{nil}',
    dist: '%{nil}',
    distribution: '%{nil}',
  };
  const defines = Object.entries(settings).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  runProgram('rpmbuild', ['-bb', '--quiet', '--target', `${machine}-linux`, ...defines, spec], {
    env: { SOURCE_DATE_EPOCH: String(timeS) },
  });
  rmSync(tree, { recursive: true });
  return packages.map(({ name, version }) => join(to, `${name}-${version}-1.${machine}.rpm`));
}
