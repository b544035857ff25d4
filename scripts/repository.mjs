// Makes the repository that machines install from: `npm run repository -- --key FILE [PACKAGES…]`, of the packages in
// `build/packages` into `build/repository`, or adds to one that is there. It is signed; how its key is changed is in
// scripts/repository/key-changes.mjs.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './bundle.mjs';
import { addPackages, readPublished, writeDists } from './repository/apt.mjs';
import { NEW, withinFolder, writeWhole } from './repository/files.mjs';
import { checkKeys } from './repository/key-changes.mjs';
import {
  buildKeyring,
  buildRpmKeyring,
  keyringOf,
  nextVersion,
  topFiles,
  topFilesOfRpm,
  urlOf,
  versionsIn,
  versionsOfRpm,
} from './repository/keyring.mjs';
import { fingerprintsIn, openKeys } from './repository/keys.mjs';
import { needRpmPrograms, newRpms, publishRpms, readPublishedRpms } from './repository/rpm.mjs';
import { orSay } from './run-program.mjs';

const SUITE = /^[a-z][a-z0-9-]*$/;
const URL_OF_SOURCES = /^(?:https?:\/\/|file:\/)\S+$/;
const PACKAGE = /\.(?:deb|rpm)$/;
const DAY_MS = 86_400_000;

await orSay(() => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      // files of private keys, armored or not
      key: { type: 'string', multiple: true, default: [] },
      'new-key': { type: 'string' },
      'passphrase-file': { type: 'string' },
      'begin-rotation': { type: 'boolean', default: false },
      'end-rotation': { type: 'boolean', default: false },
      into: { type: 'string', default: join(root, 'build/repository') },
      // where machines find it
      url: { type: 'string' },
      suite: { type: 'string', default: 'stable' },
      'valid-days': { type: 'string', default: '90' },
    },
  });
  const settings = settingsOf(values);
  const packages = packagesIn(positionals);
  const keys = openKeys({
    files: values.key,
    made: values['new-key'],
    passphraseFile: values['passphrase-file'],
    outside: [root, settings.folder],
  });
  try {
    withinFolder(settings.folder, () => publish(settings, packages, keys));
  } finally {
    keys.close();
  }
});

function settingsOf(values) {
  if (values.key.length === 0 && values['new-key'] === undefined)
    throw new Error(
      'A repository is signed: name the file of its private key with --key FILE, or have one made with --new-key FILE, outside the checkout.',
    );
  if (values['begin-rotation'] && values['end-rotation'])
    throw new Error('A rotation begins or ends: machines have to know both keys in between.');
  const validDays = Number(values['valid-days']);
  if (!Number.isInteger(validDays) || validDays < 1)
    throw new Error(`--valid-days is a number of days, and not "${values['valid-days']}".`);
  if (!SUITE.test(values.suite)) throw new Error(`"${values.suite}" is no name of a suite.`);
  if (values.url !== undefined && !URL_OF_SOURCES.test(values.url))
    throw new Error(`"${values.url}" is no place of a repository; https://HOST/PATH and file:/PATH are.`);
  const folder = resolve(values.into);
  const said = process.env.SOURCE_DATE_EPOCH;
  return {
    folder,
    suite: values.suite,
    validDays,
    url: values.url ?? urlOf(folder) ?? `file:${folder}`,
    timeS: said === undefined ? Math.floor(Date.now() / 1000) : Number(said),
    change: values['begin-rotation'] ? 'begin' : values['end-rotation'] ? 'end' : undefined,
  };
}

/** Files as they are named, and what lies in folders. */
function packagesIn(places) {
  const isDefault = places.length === 0;
  const paths = isDefault ? [join(root, 'build/packages')] : places;
  return paths.flatMap((path) => {
    if (!existsSync(path)) {
      if (isDefault) return [];
      throw new Error(`${path} is not there.`);
    }
    if (!statSync(path).isDirectory()) {
      if (!PACKAGE.test(path))
        throw new Error(`${path} is no package: its name ends with neither .deb nor .rpm.`);
      return [path];
    }
    const names = readdirSync(path).filter((name) => PACKAGE.test(name));
    if (names.length === 0 && !isDefault) throw new Error(`There is no package in ${path}.`);
    return names.sort().map((name) => join(path, name));
  });
}

function publish(settings, packages, keys) {
  const { folder, suite, timeS, change } = settings;
  const keyring = keyringOf(folder);
  const current = existsSync(keyring) ? fingerprintsIn(keys.home, keyring) : [];
  checkKeys(current, keys.fingerprints, change);
  const atHand = join(keys.home, 'at-hand.gpg');
  writeWhole(atHand, keys.publicKeys());
  const published = readPublished(folder, suite, atHand);
  if (timeS < published.timeS)
    throw new Error(
      `The repository was published at ${new Date(published.timeS * 1000).toISOString()}, and it is not to be of an earlier time: machines would pass it by. See to the clock, or to SOURCE_DATE_EPOCH.`,
    );
  const rpms = packages.filter((path) => path.endsWith('.rpm'));
  const hasRpms = rpms.length > 0 || existsSync(join(folder, 'rpm'));
  if (hasRpms) needRpmPrograms();
  const publishedRpms = hasRpms ? readPublishedRpms(folder, atHand) : undefined;
  const freshRpms = hasRpms ? newRpms(publishedRpms, rpms) : [];
  const debs = packages.filter((path) => path.endsWith('.deb'));
  const added = addPackages(folder, published.stanzas, debs);
  const top = topFiles(folder, { ...settings, keys });
  const version = nextVersion(versionsIn(published.stanzas), top);
  if (version !== undefined)
    added.push(
      ...within(folder, (work) =>
        addPackages(folder, [...published.stanzas, ...added], [buildKeyring(version, top, work)]),
      ),
    );
  const stanzas = [...published.stanzas, ...added];
  const names = added.map((each) => basename(/^Filename: (.*)$/m.exec(each)[1]));
  writeDists(folder, { ...settings, stanzas, before: published.files, keys });
  if (hasRpms)
    names.push(...publishForRpm(settings, { published: publishedRpms, fresh: freshRpms, keys, top }));
  for (const [path, content] of top) writeWhole(path, content);
  report(settings, names, keys);
}

function publishForRpm(settings, { published, fresh, keys, top }) {
  const { folder, timeS } = settings;
  const own = topFilesOfRpm(folder, { ...settings, keys });
  const version = nextVersion(versionsOfRpm(published.packages), own);
  const names = within(folder, (work) => {
    const keyring = version === undefined ? [] : newRpms(published, [buildRpmKeyring(version, own, work)]);
    return publishRpms(folder, { published, fresh: [...fresh, ...keyring], keys, timeS });
  });
  top.push(...own);
  return names;
}

/** Works in a folder beside what is published, which goes with a command that is killed, too. */
function within(folder, work) {
  const aside = mkdtempSync(join(folder, NEW));
  try {
    return work(aside);
  } finally {
    rmSync(aside, { recursive: true });
  }
}

function report({ folder, url, timeS, validDays }, added, keys) {
  for (const name of added) console.log(`added ${name}`);
  console.log(`${folder}: for ${url}, signed with ${keys.fingerprints.join(' and ')}`);
  console.log(
    `Machines believe it until ${new Date(timeS * 1000 + validDays * DAY_MS).toISOString().slice(0, 10)}: run this before then, with or without new packages.`,
  );
}
