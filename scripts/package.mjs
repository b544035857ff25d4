// Makes the packages: `npm run package [-- --arch amd64,arm64 --format deb,rpm --quick --tarball]`, into `build/packages`. Each has
// Node inside, so that the system's does not matter, in a folder of its version; what the packages are is in
// scripts/package/packages.mjs.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './bundle.mjs';
import { buildDebs } from './package/deb.mjs';
import { buildTarball } from './package/tarball.mjs';
import { stagePayload } from './package/payload.mjs';
import { packagesOf } from './package/packages.mjs';
import { buildRpms, needRpmbuild } from './package/rpm.mjs';
import { orSay } from './run-program.mjs';

const WRITERS = { deb: buildDebs, rpm: buildRpms };

await orSay(async () => {
  const { values } = parseArgs({
    options: {
      arch: { type: 'string', default: 'amd64,arm64' },
      format: { type: 'string', default: 'deb,rpm' },
      // for trying things out: packages that are made sooner, and are larger
      quick: { type: 'boolean', default: false },
      // another version than that of package.json, for trying out upgrades
      version: { type: 'string' },
      // only the archive that brine.upgrade brings to minions
      tarball: { type: 'boolean', default: false },
      into: { type: 'string', default: join(root, 'build/packages') },
    },
  });
  const formats = values.format.split(',');
  for (const format of formats)
    if (WRITERS[format] === undefined)
      throw new Error(
        `There are no packages of the format ${format}; there are ${Object.keys(WRITERS).join(', ')}.`,
      );
  if (formats.includes('rpm')) needRpmbuild();
  const to = resolve(values.into);
  mkdirSync(to, { recursive: true });
  for (const arch of values.arch.split(',')) {
    const work = join(root, 'build/package', arch);
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work, { recursive: true });
    const payload = await stagePayload(arch, join(work, 'payload'), values.version);
    const bill = join(to, `brine_${payload.version}_${arch}.cdx.json`);
    copyFileSync(join(payload.folder, 'sbom.cdx.json'), bill);
    console.log(bill);
    console.log(buildTarball(payload, { work, to, isQuick: values.quick }));
    if (values.tarball) continue;
    for (const format of formats)
      for (const file of WRITERS[format](packagesOf(payload), { arch, work, to, isQuick: values.quick }))
        console.log(file);
  }
});
