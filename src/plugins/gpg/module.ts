/**
 * `gpg`: keys of OpenPGP, and what is signed and encrypted with them. Follows 3006.16 salt/modules/gpg.py, with
 * python-gnupg below it.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ArgumentError, SaltInvocationError } from '../../errors/errors.ts';
import type { GpgEnded } from '../../host/gpg.ts';
import type { Logger } from '../../host/log.ts';
import { findProgram } from '../../host/which.ts';
import { writeInPlace } from '../../host/file-operations.ts';
import { PythonError } from '../../python/exceptions.ts';
import { isOsError } from '../../python/os-errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, pyTypeName, truthy, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { createKey, deleteKey, trustKey, TRUST_NUMBERS } from './module/changes.ts';
import { inputOf, keepOutput, Keyring, neededPassphrase } from './module/keyring.ts';
import { describeFound, describeKey, keyOf, listKeys, searchKeys } from './module/keys.ts';
import { cryptedBy, importedBy, receivedBy, verifiedBy } from './module/outcome.ts';

const KEYSERVER = 'keys.openpgp.org';
const TRUST_MODELS = ['pgp', 'classic', 'tofu', 'tofu+pgp', 'direct', 'always', 'auto'];

const user = param.textIfGiven({
  default: null,
  doc: "Whose keys; `salt` for the minion's own, in `gpgkeys` beside its configuration. Default: those of the user that the minion runs as.",
});
const gnupghome = param.textIfGiven({ default: null, doc: 'The folder of the keys.' });
const WHOSE = { user, gnupghome } as const;
const KEY = {
  keyid: param.textIfGiven({ default: null, doc: 'The id of the key, short or long.' }),
  fingerprint: param.textIfGiven({ default: null, doc: 'The fingerprint of the key.' }),
} as const;
const keyserver = param.textIfGiven({ default: null, doc: `The keyserver; default: ${KEYSERVER}.` });
const text = (what: string): ReturnType<typeof param.textIfGiven> =>
  param.textIfGiven({ default: null, doc: `The text that is ${what}.` });
const filename = (what: string): ReturnType<typeof param.textIfGiven> =>
  param.textIfGiven({ default: null, doc: `The file that is ${what}.` });
const output = param.textIfGiven({ default: null, doc: 'The file that the result is written to.' });
const bare = param.flag({ default: false, doc: 'Return the result itself, without a mapping around it.' });
const usePassphrase = param.flag({
  default: false,
  doc: 'Open the key with `gpg_passphrase` of the pillar.',
});

/** @throws ArgumentError for what Python could not hand to a program */
function keyNames(value: Value): string[] {
  const names = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value];
  return names.map((name) => {
    if (typeof name === 'string') return name;
    throw new ArgumentError(`expected str, bytes or os.PathLike object, not ${pyTypeName(name)}`);
  });
}

const recipientsOf = (value: Value): string[] => (truthy(value) ? [value].flat().map(pyStr) : []);

/** The words by which gpg signs what it encrypts: with the first key, or with one that is named. */
function signingWords(value: Value): string[] {
  if (!truthy(value)) return [];
  return ['--sign', ...(value === true ? [] : ['--default-key', pyStr(value)])];
}

function readKeyFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isOsError(error)) throw new SaltInvocationError('filename does not exist.');
    throw error;
  }
}

const failed = (status: string): string => `${status}.\nPlease check the salt-minion log.`;

/** The module. */
export const gpgModule = defineModule({
  name: 'gpg',
  file: 'gpg',
  doc: 'Keys of OpenPGP, and what is signed and encrypted with them, by gpg.',
  words: { lines: ['text'], dashes: ['text'] },
  unavailable: () =>
    findProgram('gpg') === undefined
      ? 'The gpg execution module cannot be loaded: gpg binary is not in the path.'
      : undefined,
  failsWith: {
    error: [
      'create_key',
      'decrypt',
      'delete_key',
      'encrypt',
      'export_key',
      'import_key',
      'receive_keys',
      'trust_key',
    ],
  },
  functions: {
    search_keys: defineFunction({
      doc: 'Searches keys on a keyserver.',
      params: {
        text: param.text({ doc: 'An address, an id or a fingerprint.' }),
        keyserver,
        user,
      },
      returns: 'list of mappings: keyid, uids, expires, created, keyLength',
      examples: ["salt '*' gpg.search_keys user@example.com keyserver=keyserver.ubuntu.com"],
      run: async (ctx, args) => {
        const keyring = await Keyring.open(ctx, { user: args.user, gnupghome: undefined });
        return (await searchKeys(keyring, args.text, args.keyserver ?? KEYSERVER)).map(describeFound);
      },
    }),
    list_keys: defineFunction({
      doc: 'Lists public keys.',
      params: WHOSE,
      returns: 'list of mappings: keyid, fingerprint, uids, expires, created, keyLength, ownerTrust, trust',
      examples: ["salt '*' gpg.list_keys"],
      run: async (ctx, whose) => (await listKeys(await Keyring.open(ctx, whose))).map(describeKey),
    }),
    list_secret_keys: defineFunction({
      doc: 'Lists secret keys.',
      params: WHOSE,
      returns: 'as list_keys',
      examples: ["salt '*' gpg.list_secret_keys"],
      run: async (ctx, whose) => (await listKeys(await Keyring.open(ctx, whose), true)).map(describeKey),
    }),
    create_key: defineFunction({
      doc: 'Makes a pair of keys.',
      params: {
        key_type: param.value({ type: 'str', default: 'RSA', doc: 'The kind of the primary key: RSA, DSA.' }),
        key_length: param.value({ type: 'int', default: 1024, doc: 'Its length in bits.' }),
        name_real: param.value({ type: 'str', default: 'Autogenerated Key', doc: 'The name of its owner.' }),
        name_comment: param.value({
          type: 'str',
          default: 'Generated by SaltStack',
          doc: 'A comment beside the name.',
        }),
        name_email: param.value({ type: 'str', default: null, doc: 'An address.' }),
        subkey_type: param.value({ type: 'str', default: null, doc: 'The kind of a secondary key.' }),
        subkey_length: param.value({ type: 'int', default: null, doc: 'Its length in bits.' }),
        expire_date: param.value({
          type: 'str',
          default: null,
          doc: 'When it expires: a date, 30 days as `30d`, 0 for never.',
        }),
        use_passphrase: param.flag({
          default: false,
          doc: 'Protect it with `gpg_passphrase` of the pillar.',
        }),
        ...WHOSE,
      },
      returns: 'mapping: res, fingerprint, message',
      examples: ["salt -t 15 '*' gpg.create_key"],
      run: (ctx, { use_passphrase, user: of, gnupghome: folder, ...fields }) =>
        createKey(ctx, { user: of, gnupghome: folder }, fields, use_passphrase),
    }),
    delete_key: defineFunction({
      doc: 'Deletes a key.',
      params: {
        ...KEY,
        delete_secret: param.flag({ default: false, doc: 'Delete its secret key, too.' }),
        ...WHOSE,
        use_passphrase: param.flag({
          default: true,
          doc: 'Open the secret key with `gpg_passphrase` of the pillar.',
        }),
      },
      returns: 'mapping: res, message',
      examples: ["salt '*' gpg.delete_key keyid=3FAD9F1E delete_secret=True"],
      run: (ctx, { keyid, fingerprint, delete_secret, use_passphrase, ...whose }) =>
        deleteKey(
          ctx,
          whose,
          { keyid, fingerprint },
          { withSecret: delete_secret, isProtected: use_passphrase },
        ),
    }),
    get_key: defineFunction({
      doc: 'Describes a public key.',
      params: { ...KEY, ...WHOSE },
      returns: 'mapping as of list_keys; false without such a key',
      examples: ["salt '*' gpg.get_key keyid=3FAD9F1E"],
      run: async (ctx, { keyid, fingerprint, ...whose }) => {
        const key = keyOf(await listKeys(await Keyring.open(ctx, whose)), keyid, fingerprint);
        return key === undefined ? false : describeKey(key);
      },
    }),
    get_secret_key: defineFunction({
      doc: 'Describes a secret key.',
      params: { ...KEY, ...WHOSE },
      returns: 'mapping as of list_keys; false without such a key',
      examples: ["salt '*' gpg.get_secret_key keyid=3FAD9F1E"],
      run: async (ctx, { keyid, fingerprint, ...whose }) => {
        const key = keyOf(await listKeys(await Keyring.open(ctx, whose), true), keyid, fingerprint);
        return key === undefined ? false : describeKey(key);
      },
    }),
    import_key: defineFunction({
      doc: 'Imports keys.',
      params: { text: text('imported'), filename: filename('imported'), ...WHOSE },
      returns: 'mapping: res, message',
      examples: ["salt '*' gpg.import_key filename='/path/to/public-key-file'"],
      run: async (ctx, args) => {
        const keyring = await Keyring.open(ctx, args, true);
        if (args.text === undefined && args.filename === undefined)
          throw new SaltInvocationError('filename or text must be passed.');
        // Salt compat: of the two the file is taken
        const input = args.filename === undefined ? Buffer.from(args.text ?? '') : readKeyFile(args.filename);
        const { statuses } = await keyring.run(['--import'], { input });
        const { count, imported, unchanged, notImported } = importedBy(statuses);
        if (imported > 0) return dict({ res: true, message: 'Successfully imported key(s).' });
        if (unchanged > 0) return dict({ res: true, message: 'Key(s) already exist in keychain.' });
        const isFailed = notImported > 0 || count === 0;
        return dict({ res: !isFailed, message: isFailed ? 'Unable to import key.' : '' });
      },
    }),
    export_key: defineFunction({
      doc: 'Exports keys as text.',
      params: {
        keyids: param.by(keyNames, {
          type: 'list or str',
          default: null,
          doc: 'Ids, fingerprints, names or addresses: a list, or a text with commas.',
        }),
        secret: param.flag({ default: false, doc: 'The secret keys.' }),
        ...WHOSE,
        use_passphrase: usePassphrase,
        output,
        bare,
      },
      returns: 'mapping: res, comment',
      examples: ["salt '*' gpg.export_key keyids=3FAD9F1E secret=True"],
      run: async (ctx, args) => {
        const keyring = await Keyring.open(ctx, args);
        const passphrase = await neededPassphrase(ctx, args.secret && args.use_passphrase);
        const command = args.secret ? '--export-secret-key' : '--export';
        const { stdout } = await keyring.run([command, '--armor', '--', ...args.keyids], { passphrase });
        const exported = stdout.toString('latin1');
        if (exported === '') return args.bare ? false : dict({ res: false });
        keepOutput(args.output, stdout);
        if (args.bare) return exported;
        const where = `Exported key data has been written to ${args.output ?? ''}`;
        return dict({ res: true, comment: args.output === undefined ? exported : where });
      },
    }),
    receive_keys: defineFunction({
      doc: 'Gets keys from a keyserver.',
      params: {
        keyserver,
        keys: param.by(keyNames, {
          type: 'list or str',
          default: null,
          doc: 'Their ids: a list, or a text with commas.',
        }),
        ...WHOSE,
      },
      returns: 'mapping: res, changes, message (a list)',
      examples: ["salt '*' gpg.receive_keys keys=3FAD9F1E user=username"],
      run: async (ctx, args) => {
        const keyring = await Keyring.open(ctx, args, true);
        const words = ['--keyserver', args.keyserver ?? KEYSERVER, '--recv-keys', '--', ...args.keys];
        const { statuses } = await keyring.run(words);
        const message = receivedBy(statuses).flatMap(({ reason, fingerprint }) => {
          if (reason === undefined) return ['Unable to add key to keychain'];
          if (reason === '1') return [`Key ${fingerprint} added to keychain`];
          return reason === '0' ? [`Key ${fingerprint} already exists in keychain`] : [];
        });
        return dict({ res: true, changes: dict(), message });
      },
    }),
    trust_key: defineFunction({
      doc: 'Sets how far the owner of a key is trusted.',
      params: {
        ...KEY,
        trust_level: param.textIfGiven({ default: null, doc: [...TRUST_NUMBERS.keys()].join(', ') }),
        user,
      },
      returns: 'mapping: res, message, fingerprint',
      examples: ["salt '*' gpg.trust_key keyid='3FAD9F1E' trust_level='marginally'"],
      run: (ctx, { keyid, fingerprint, trust_level, user: of }) =>
        trustKey(ctx, { user: of, gnupghome: undefined }, { keyid, fingerprint }, trust_level),
    }),
    sign: defineFunction({
      doc: 'Signs a text or a file.',
      params: {
        user,
        keyid: param.textIfGiven({ default: null, doc: 'The key; default: the first secret one.' }),
        text: text('signed'),
        filename: filename('signed'),
        output,
        use_passphrase: usePassphrase,
        gnupghome,
      },
      returns: 'what was signed, with its signature',
      examples: ["salt '*' gpg.sign text='Hello there.  How are you?'"],
      run: async (ctx, args) => {
        const keyring = await Keyring.open(ctx, args);
        const passphrase = await neededPassphrase(ctx, args.use_passphrase);
        const by = args.keyid === undefined ? [] : ['--default-key', args.keyid];
        const input = inputOf(args.text, args.filename);
        const { stdout } = await keyring.run(['-sa', '--clearsign', ...by], { input, passphrase });
        if (args.text === undefined && args.output !== undefined) writeInPlace(args.output, stdout);
        return stdout;
      },
    }),
    verify: defineFunction({
      doc: 'Verifies the signature of a text or a file.',
      params: {
        text: text('verified'),
        user,
        filename: filename('verified'),
        gnupghome,
        signature: param.textIfGiven({
          default: null,
          doc: 'The file with the signature, where it is apart.',
        }),
        trustmodel: param.textIfGiven({
          default: null,
          doc: `The model of trust: ${TRUST_MODELS.join(', ')}.`,
        }),
      },
      returns: 'mapping: res, username, key_id, trust_level, message',
      examples: ["salt '*' gpg.verify filename='/path/to/important.file' trustmodel=direct"],
      run: async (ctx, args) => {
        const keyring = await Keyring.open(ctx, args);
        const { trustmodel } = args;
        if (trustmodel !== undefined && !TRUST_MODELS.includes(trustmodel)) {
          const message = `Invalid trustmodel defined: ${trustmodel}. Use one of: ${TRUST_MODELS.join(', ')}`;
          ctx.log.warning(message);
          return dict({ res: false, message });
        }
        const words = ['--verify', ...(trustmodel === undefined ? [] : ['--trust-model', trustmodel])];
        const isApart =
          args.text === undefined && args.filename !== undefined && args.signature !== undefined;
        const { statuses } = isApart
          ? await keyring.run([...words, '--', resolve(args.signature ?? ''), resolve(args.filename ?? '')])
          : await keyring.run(words, { input: inputOf(args.text, args.filename) });
        const { trustLevel, username, keyId } = verifiedBy(statuses);
        if (trustLevel === undefined)
          return dict({ res: false, message: 'The signature could not be verified.' });
        const said = { username, key_id: keyId, trust_level: trustLevel };
        return dict({ res: true, ...said, message: 'The signature is verified.' });
      },
    }),
    encrypt: defineFunction({
      doc: 'Encrypts a text or a file.',
      params: {
        user,
        recipients: param.by(recipientsOf, {
          type: 'list or str',
          default: null,
          doc: 'For whom: id, fingerprint, name or address.',
        }),
        text: text('encrypted'),
        filename: filename('encrypted'),
        output,
        sign: param.by(signingWords, {
          type: 'bool or str',
          default: null,
          doc: 'Sign it, too: true, or the key.',
        }),
        use_passphrase: param.flag({
          default: false,
          doc: 'Open the signing key with `gpg_passphrase` of the pillar.',
        }),
        always_trust: param.flag({ default: false, doc: 'Take the keys for trusted.' }),
        gnupghome,
        bare,
      },
      returns: 'mapping: res, comment',
      examples: ["salt '*' gpg.encrypt text='Hello there.  How are you?' recipients=recipient@example.com"],
      run: async (ctx, args) => {
        const keyring = await Keyring.open(ctx, args);
        const passphrase = await neededPassphrase(ctx, args.sign.length > 0 && args.use_passphrase);
        const input = inputOf(args.text, args.filename);
        if (args.recipients.length === 0)
          throw new PythonError('ValueError', 'No recipients specified with asymmetric encryption');
        const recipients = args.recipients.flatMap((each) => ['--recipient', each]);
        const trust = args.always_trust ? ['--always-trust'] : [];
        const words = ['--encrypt', ...recipients, '--armor', ...args.sign, ...trust];
        const ended = await keyring.run(words, { input, passphrase });
        return cryptResult(ctx.log, args, ended, 'Encrypted');
      },
    }),
    decrypt: defineFunction({
      doc: 'Decrypts a text or a file.',
      params: {
        user,
        text: text('decrypted'),
        filename: filename('decrypted'),
        output,
        use_passphrase: usePassphrase,
        gnupghome,
        bare,
      },
      returns: 'mapping: res, comment',
      examples: ["salt '*' gpg.decrypt filename='/path/to/important.file.gpg'"],
      run: async (ctx, args) => {
        const keyring = await Keyring.open(ctx, args);
        const passphrase = await neededPassphrase(ctx, args.use_passphrase);
        const input = inputOf(args.text, args.filename);
        const ended = await keyring.run(['--decrypt'], { input, passphrase });
        return cryptResult(ctx.log, args, ended, 'Decrypted');
      },
    }),
  },
});

/** What was encrypted or decrypted, or where it was written. */
function cryptResult(
  log: Logger,
  args: { readonly output: string | undefined; readonly bare: boolean },
  { statuses, stdout, stderr }: GpgEnded,
  what: string,
): Value {
  const { isOk, status } = cryptedBy(statuses);
  if (!isOk) {
    log.error(stderr.toString('utf8'));
    return args.bare ? false : dict({ res: false, comment: failed(status) });
  }
  keepOutput(args.output, stdout);
  const result = args.output === undefined ? stdout : Buffer.alloc(0);
  if (args.bare) return result;
  const where = `${what} data has been written to ${args.output ?? ''}`;
  return dict({ res: true, comment: args.output === undefined ? result : where });
}
