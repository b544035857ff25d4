// Private keys, in a home of GnuPG that lasts as long as the command: nothing of the caller's own is read or changed.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { runProgram } from '../run-program.mjs';

const OUTPUT_BYTES_MAX = 1e8;
const OTHERS = 0o077;
const PRIVATE = 0o600;
/** In memory, where there is such a place. */
const SHARED_MEMORY = '/dev/shm';

/**
 * @param wanted `files` with private keys, `made`, the file of a key that is to be made, or undefined;
 *   `passphraseFile` or undefined; `outside`, the folders in which no private key may lie
 * @returns what signs with all of them; `close` it
 * @throws Error that names the file with which something is wrong
 */
export function openKeys({ files, made, passphraseFile, outside }) {
  for (const file of [...files, ...(made === undefined ? [] : [made])]) checkPlace(file, outside);
  for (const file of [...files, ...(passphraseFile === undefined ? [] : [passphraseFile])])
    checkPrivate(file);
  if (made !== undefined && existsSync(made))
    throw new Error(`${made} is there already: name it with --key, or another file with --new-key.`);
  const home = mkdtempSync(join(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), 'brine-keys-'));
  const passphrase = join(home, 'passphrase');
  const loopback = [
    ...['--batch', '--quiet', '--no-tty', '--pinentry-mode', 'loopback'],
    ...['--passphrase-file', passphrase],
  ];
  const gpg = (args, options = {}) => runProgram('gpg', ['--homedir', home, ...loopback, ...args], options);
  const close = () => {
    runProgram('gpgconf', ['--homedir', home, '--kill', 'all']);
    rmSync(home, { recursive: true });
  };
  try {
    writeFileSync(passphrase, passphraseFile === undefined ? '' : readFileSync(passphraseFile), {
      mode: PRIVATE,
    });
    for (const file of files) gpg(['--import', file]);
    if (made !== undefined) makeKey(gpg, made);
    return { ...signer(gpg, loopback, files), home, close };
  } catch (error) {
    close();
    throw error;
  }
}

function signer(gpg, loopback, files) {
  const keys = keysOf(gpg(['--with-colons', '--list-secret-keys']));
  if (keys.length === 0) throw new Error(`There is no private key in ${files.join(', ')}.`);
  const users = keys.flatMap(({ fingerprint }) => ['--local-user', fingerprint]);
  const made = Math.max(...keys.map(({ madeS }) => madeS));
  // no signature is older than its key
  const at = (timeS) => ['--faked-system-time', `${Math.max(timeS, made)}!`];
  const sign = (kind, text, timeS) =>
    gpg([...at(timeS), '--digest-algo', 'SHA512', ...users, ...kind], { input: text });
  return {
    fingerprints: fingerprintsOf(keys),
    /** The same, as they were named. */
    named: keys.map(({ fingerprint }) => fingerprint),
    /** For programs that call `gpg` themselves. */
    signingArguments: (timeS) => [...loopback, ...at(timeS)],
    /** A text with its signatures. */
    clearsign: (text, timeS) => sign(['--clearsign'], text, timeS),
    /** Signatures that lie beside what they are of. */
    detach: (text, timeS) => sign(['--armor', '--detach-sign'], text, timeS),
    /** The public keys, as a keyring. */
    publicKeys: () =>
      gpg(['--export-options', 'export-minimal', '--export', ...fingerprintsOf(keys)], {
        encoding: 'buffer',
      }),
    /** The same as text, each by itself: an older `rpm` reads one key of a block. */
    publicKeysAsText: () =>
      fingerprintsOf(keys)
        .map((each) => gpg(['--export-options', 'export-minimal', '--armor', '--export', each]))
        .join(''),
  };
}

function fingerprintsOf(keys) {
  return keys.map(({ fingerprint }) => fingerprint).sort();
}

/** RSA, since the rpm of Red Hat's older systems reads no other kind that is as strong. */
function makeKey(gpg, file) {
  const made = gpg([
    '--status-fd',
    '1',
    '--yes',
    '--quick-gen-key',
    'Brine packages',
    'rsa4096',
    'sign',
    'never',
  ]);
  const fingerprint = /KEY_CREATED \w ([0-9A-F]+)/.exec(made)[1];
  writeFileSync(file, gpg(['--armor', '--export-secret-keys', fingerprint]), { mode: PRIVATE, flag: 'wx' });
  console.log(`made ${file}, the private key: keep it, and a copy, where nobody else can read it`);
}

/**
 * The fingerprints of a keyring's keys.
 * @param home a folder of GnuPG
 */
export function fingerprintsIn(home, keyring) {
  const listed = runProgram('gpg', [
    ...['--homedir', home, '--batch', '--quiet', '--no-tty', '--with-colons'],
    ...['--show-keys', keyring],
  ]);
  return fingerprintsOf(keysOf(listed));
}

/** Primary keys of a list of `gpg --with-colons`. */
function keysOf(listed) {
  const keys = [];
  let madeS;
  for (const fields of listed.split('\n').map((line) => line.split(':'))) {
    if (fields[0] === 'sec' || fields[0] === 'pub') madeS = Number(fields[5]);
    else if (fields[0] === 'fpr' && madeS !== undefined) {
      keys.push({ fingerprint: fields[9], madeS });
      madeS = undefined;
    }
  }
  return keys;
}

/**
 * Reads a signed text; one that has further signatures of keys unknown here is whole, as it is for APT.
 * @param keyring the file of public keys, one of which must have signed
 * @returns the text that is signed; undefined when none of them has
 */
export function verifiedText(keyring, file) {
  const { stdout, stderr, error } = spawnSync(
    'gpgv',
    ['--status-fd', '2', '--keyring', resolve(keyring), '--output', '-', resolve(file)],
    { encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX },
  );
  if (error !== undefined) throw new Error(`gpgv failed: ${error.message}`);
  const isWhole = stderr.includes('[GNUPG:] VALIDSIG ') && !stderr.includes('[GNUPG:] BADSIG ');
  return isWhole ? stdout : undefined;
}

/** @returns whether one of the keys of a keyring has signed a file, with a signature that lies beside it */
export function verifies(keyring, signature, file) {
  if (!existsSync(signature)) return false;
  const { stderr, error } = spawnSync(
    'gpgv',
    ['--status-fd', '2', '--keyring', resolve(keyring), resolve(signature), resolve(file)],
    { encoding: 'utf8' },
  );
  if (error !== undefined) throw new Error(`gpgv failed: ${error.message}`);
  return stderr.includes('[GNUPG:] VALIDSIG ') && !stderr.includes('[GNUPG:] BADSIG ');
}

function checkPlace(file, outside) {
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new Error(`${file} cannot be a key: there is no folder ${folder}.`);
  const place = existsSync(file) ? realpathSync(file) : join(realpathSync(folder), 'key');
  const within = outside.find((each) =>
    place.startsWith(`${existsSync(each) ? realpathSync(each) : resolve(each)}${sep}`),
  );
  if (within !== undefined)
    throw new Error(
      `${file} lies in ${within}, from where a private key is copied along: keep it in another place.`,
    );
}

function checkPrivate(file) {
  if (!existsSync(file)) throw new Error(`${file} is not there.`);
  const mode = statSync(file).mode;
  if ((mode & OTHERS) !== 0)
    throw new Error(`${file} can be read by others (mode ${(mode & 0o777).toString(8)}): chmod 600 ${file}`);
}
