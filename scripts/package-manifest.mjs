// What `npm pack` and `npm publish` do to package.json: the package has no scripts, since there is nothing to be built
// where it is installed, and none of what only the checkout needs. `strip` keeps the file as it was in build/,
// `restore` puts it back.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const manifest = join(root, 'package.json');
const kept = join(root, 'build/package.json.kept');
const OF_THE_CHECKOUT = ['scripts', 'devDependencies', 'allowScripts'];

/** Puts back what an earlier run has kept; one that was ended between both leaves it behind. */
function restore() {
  if (existsSync(kept)) renameSync(kept, manifest);
}

/** The package holds what the sources say. */
function build() {
  const sources = readdirSync(join(root, 'src'), { recursive: true })
    .map((name) => statSync(join(root, 'src', name)))
    .filter((source) => source.isFile());
  const newest = Math.max(...sources.map(({ mtimeMs }) => mtimeMs));
  const program = statSync(join(root, 'dist/sls.cjs'), { throwIfNoEntry: false });
  if (program !== undefined && program.mtimeMs > newest) return;
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 70);
}

/** V8 takes no code cache of another version. */
function leaveOutCaches() {
  writeFileSync(join(root, 'dist/.npmignore'), '*.cache\n');
}

function strip() {
  restore();
  build();
  leaveOutCaches();
  const text = readFileSync(manifest, 'utf8');
  mkdirSync(dirname(kept), { recursive: true });
  writeFileSync(kept, text);
  const entries = Object.entries(JSON.parse(text)).filter(([name]) => !OF_THE_CHECKOUT.includes(name));
  const packed = { ...Object.fromEntries(entries), ...whereItLives() };
  writeFileSync(`${manifest}.new`, `${JSON.stringify(packed, null, 2)}\n`);
  renameSync(`${manifest}.new`, manifest);
}

/**
 * Where the source lies and where faults are reported is known to whoever publishes, and not written down before it is
 * true.
 */
function whereItLives() {
  const url = process.env.BRINE_REPOSITORY;
  if (url === undefined || url === '') return {};
  return {
    repository: { type: 'git', url: `git+${url}.git` },
    bugs: { url: `${url}/issues` },
    homepage: `${url}#readme`,
  };
}

function mayPublish() {
  if (/^https:\/\/[\w.-]+\/[\w./-]*[\w-]$/.test(process.env.BRINE_REPOSITORY ?? '')) return;
  process.stderr.write(
    'Nothing was published: BRINE_REPOSITORY is to hold the public address of the repository (https://HOST/OWNER/NAME), which the package then names as its repository, and its place for bugs.\n',
  );
  process.exit(64);
}

const actions = new Map([
  ['strip', strip],
  ['restore', restore],
  ['may-publish', mayPublish],
]);
const action = actions.get(process.argv[2] ?? '');
if (action === undefined) {
  process.stderr.write(`Usage: node scripts/package-manifest.mjs ${[...actions.keys()].join('|')}\n`);
  process.exit(64);
}
action();
