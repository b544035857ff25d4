/** The command line of `salt-key`. */
import { toNumber, type Value } from '../../python/values/value.ts';
import type { CliGroup, CliProgram, OptionRules } from '../command-line/optparse.ts';
import { colorContradiction, colorIdle, outputFileDependence } from './rules.ts';
import {
  configDirOption,
  eauthGroup,
  exitCodesOption,
  flag,
  hardCrashOption,
  informationOptions,
  loggingGroup,
  outputGroup,
  refuse,
  saltfileOption,
  text,
  userOption,
} from './shared.ts';

/** The smallest and largest key that can be made, in bits. */
const KEY_BITS = { min: 2048, max: 32768 };

const LIST_WORDS = ['acc', 'pre', 'un', 'rej', 'den', 'all'];

function checkList(value: Value): Value {
  const word = String(value);
  if (word !== '' && !LIST_WORDS.some((start) => word.startsWith(start))) {
    refuse(`'${word}' is not a valid argument to '--list'`);
  }
  return value;
}

function checkKeySize(value: Value): Value {
  const bits = toNumber(value) ?? 0;
  if (bits < KEY_BITS.min) refuse(`The minimum value for keysize is ${KEY_BITS.min}`);
  if (bits > KEY_BITS.max) refuse(`The maximum value for keysize is ${KEY_BITS.max}`);
  return value;
}

function wordToBoolean(value: Value): Value {
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  return word === 'true' ? true : word === 'false' ? false : value;
}

const actionsGroup: CliGroup = {
  title: 'Actions',
  options: [
    text(
      ['-l', '--list'],
      'list',
      "List the keys in one state: 'acc' or 'accepted', 'pre', 'un' or 'unaccepted', 'rej' or 'rejected', " +
        "'den' or 'denied', or 'all'. With another action, only keys in this state are taken: -l denied -d web1.",
      { default: '', metavar: 'ARG', convert: checkList },
    ),
    flag(['-L', '--list-all'], 'list_all', 'List all keys, as "--list all" does.'),
    text(
      ['-a', '--accept'],
      'accept',
      'Accept the pending keys that match: a glob, or several separated by commas. --include-rejected and ' +
        '--include-denied widen the choice.',
      { default: '' },
    ),
    flag(['-A', '--accept-all'], 'accept_all', 'Accept all pending keys.'),
    text(
      ['-r', '--reject'],
      'reject',
      'Reject the pending keys that match: a glob, or several separated by commas. --include-accepted and ' +
        '--include-denied widen the choice.',
      { default: '' },
    ),
    flag(['-R', '--reject-all'], 'reject_all', 'Reject all pending keys.'),
    flag(
      ['--include-all'],
      'include_all',
      'Take rejected keys in when accepting, accepted ones when rejecting; the two options below say it better.',
    ),
    flag(['--include-accepted'], 'include_accepted', 'Take accepted keys in when rejecting.'),
    flag(['--include-rejected'], 'include_rejected', 'Take rejected keys in when accepting.'),
    flag(['--include-denied'], 'include_denied', 'Take denied keys in when accepting or rejecting.'),
    text(['-p', '--print'], 'print', 'Print the keys that match.', { default: '' }),
    flag(['-P', '--print-all'], 'print_all', 'Print all keys.'),
    text(['-d', '--delete'], 'delete', 'Delete the keys that match, whatever their state.', { default: '' }),
    flag(['-D', '--delete-all'], 'delete_all', 'Delete all keys.'),
    text(['-f', '--finger'], 'finger', 'Print the fingerprints of the keys that match.', { default: '' }),
    flag(['-F', '--finger-all'], 'finger_all', 'Print the fingerprints of all keys.'),
  ],
};

const generationGroup: CliGroup = {
  title: 'Key Generation Options',
  options: [
    text(['--gen-keys'], 'gen_keys', 'Make a key pair of this name.', { default: '' }),
    text(['--gen-keys-dir'], 'gen_keys_dir', "Folder for the key pair of --gen-keys. Default: '%default'.", {
      default: '.',
    }),
    {
      flags: ['--keysize'],
      dest: 'keysize',
      action: 'store',
      type: 'int',
      default: KEY_BITS.min,
      help: `Bits of the key of --gen-keys, at least ${KEY_BITS.min}. Default: %default.`,
      convert: checkKeySize,
    },
    flag(
      ['--gen-signature'],
      'gen_signature',
      "Sign the master's public key with the signing key and write the signature to the file " +
        'master_pubkey_signature. A master that sends it lets minions check the key before they trust it. ' +
        'With --auto-create the signing key is made when there is none.',
    ),
    text(['--priv'], 'priv', 'Private key to sign with.', { default: '' }),
    text(['--signature-path'], 'signature_path', 'Folder for the signature.', { default: '' }),
    text(['--pub'], 'pub', 'Public key to sign.', { default: '' }),
    flag(['--auto-create'], 'auto_create', 'Make the signing key pair when it does not exist.'),
  ],
};

/** One of these at a time. */
const ACTIONS = [
  ...['print', 'print_all', 'accept', 'accept_all', 'reject', 'reject_all', 'delete', 'delete_all'],
  ...['finger', 'finger_all', 'gen_keys', 'gen_signature'],
];

const rules: OptionRules = {
  contradictions: [
    { these: ACTIONS, others: ACTIONS, why: 'salt-key does one thing at a time' },
    { these: ['list_all'], others: ['list', ...ACTIONS], why: 'salt-key does one thing at a time' },
    { these: ['list'], others: ['gen_keys', 'gen_signature'], why: 'salt-key does one thing at a time' },
    {
      these: ['list'],
      others: ['include_all', 'include_accepted', 'include_rejected', 'include_denied'],
      why: '--list says which keys are looked at',
    },
    colorContradiction,
  ],
  dependences: [
    // deleting touches the keys of all states anyway
    ...['include_all', 'include_denied'].map((option) => ({
      option,
      needs: ['accept', 'accept_all', 'reject', 'reject_all'],
    })),
    { option: 'include_accepted', needs: ['reject', 'reject_all'] },
    { option: 'include_rejected', needs: ['accept', 'accept_all'] },
    { option: 'preserve_minions', needs: ['delete', 'delete_all'] },
    { option: 'rotate_aes_key', needs: ['delete', 'delete_all', 'reject', 'reject_all'] },
    ...['keysize', 'gen_keys_dir'].map((option) => ({ option, needs: ['gen_keys'] })),
    ...['priv', 'pub', 'signature_path', 'auto_create'].map((option) => ({
      option,
      needs: ['gen_signature'],
    })),
    outputFileDependence,
  ],
  idle: [colorIdle],
};

/** `salt-key`. */
export const saltKeyProgram: CliProgram = {
  name: 'salt-key',
  usage: '[options]',
  description: 'Lists, accepts, rejects and deletes the keys of minions, and makes keys.',
  configFile: 'master',
  example: 'salt-key -a web1',
  rules,
  options: [
    ...informationOptions,
    saltfileOption,
    configDirOption,
    userOption('salt-key'),
    hardCrashOption,
    flag(['-q', '--quiet'], 'quiet', 'Do not show errors.'),
    flag(['-y', '--yes'], 'yes', 'Answer every question with yes. Default: %default.'),
    text(
      ['--rotate-aes-key'],
      'rotate_aes_key',
      'False keeps the session key of the master when keys are deleted or rejected; their minions can then read ' +
        'what is published until it changes. Default: %default.',
      { default: true, convert: wordToBoolean },
    ),
    text(
      ['--preserve-minions'],
      'preserve_minions',
      'True keeps the cached data of deleted minions; a later minion of the same id takes it over. ' +
        'Default: %default.',
      { default: false, convert: wordToBoolean },
    ),
    exitCodesOption,
  ],
  groups: [
    eauthGroup(false),
    outputGroup('salt-key'),
    actionsGroup,
    generationGroup,
    loggingGroup({ fileDest: 'key_logfile', filePath: '/var/log/salt/key', short: false }),
  ],
};
