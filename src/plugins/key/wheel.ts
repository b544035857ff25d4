/** `key.*`: the keys of minions (salt/wheel/key.py, 3006.16). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pemFinger } from '../../network/crypto/fingerprint.ts';
import { isKeySize, KEY_BITS_MIN, KEY_SIZES } from '../../network/crypto/rsa.ts';
import { PythonError } from '../../python/exceptions.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { generatePair } from '../../storage/keys/generate.ts';
import type { KeyIds } from '../../storage/keys/manager.ts';
import { isStorableId, type KeyState } from '../../storage/keys/store.ts';
import { defineRunners, type RunnerContext, type RunnerSpec } from '../shared/runner/runner.ts';
import { globsOf, idsOf, keyManager, revokeOptions, shownIds, shownTexts } from './wheel/chosen-keys.ts';
import { generateKeys, generateSignature } from './wheel/generate-keys.ts';
import { defineWheel } from '../shared/wheel/wheel.ts';

const MASTER_KEY = 'master.pub';
const IDS = 'mapping of folder (`minions`, `minions_pre`, `minions_rejected`, `minions_denied`) to ids';
const WHERE = `${IDS}: where the keys are afterwards`;

const matchParam = param.by(globsOf, {
  type: 'str or list of str',
  doc: 'A glob for ids, several with commas between them, or a list of globs.',
});
const idsParam = param.by(idsOf, {
  type: 'dict',
  doc: 'The keys: folder (`minions_pre` …) to a list of ids.',
});
const hashParam = param.textOrNone({ default: null, doc: 'The hash; else the option `hash_type`.' });
const sizeParam = param.count({ default: KEY_BITS_MIN, doc: 'Bits of the key, 2048 at least.' });
const include = (state: string) =>
  param.flag({ default: false, doc: `Take keys that are ${state} as well as those that wait.` });

type Change = (ctx: RunnerContext, ids: KeyIds, from: readonly KeyState[]) => void;

/** Keys that are chosen by globs are changed, and looked for by the globs again. */
function byGlob(ctx: RunnerContext, match: string | string[], from: KeyState[], change: Change): Dict {
  const manager = keyManager(ctx);
  change(ctx, manager.match(match), from);
  return shownIds(manager.match(match));
}

/** Keys that are named are changed, and looked for wherever they are now. */
function byName(ctx: RunnerContext, ids: KeyIds, from: KeyState[], change: Change): Dict {
  change(ctx, ids, from);
  return shownIds(keyManager(ctx).whereAreNow(ids));
}

const accept: Change = (ctx, ids, from) => void keyManager(ctx).accept(ids, from);
const reject: Change = (ctx, ids, from) =>
  void keyManager(ctx).reject(ids, from, revokeOptions(ctx, new Map()));
const remove: Change = (ctx, ids) => void keyManager(ctx).delete(ids, revokeOptions(ctx, ids));

function acceptFrom(rejected: boolean, denied: boolean): KeyState[] {
  return ['pending', ...(rejected ? (['rejected'] as const) : []), ...(denied ? (['denied'] as const) : [])];
}

function rejectFrom(accepted: boolean, denied: boolean): KeyState[] {
  return ['pending', ...(accepted ? (['accepted'] as const) : []), ...(denied ? (['denied'] as const) : [])];
}

/** The master's own public key, as its file has it. */
function masterKeyText({ keys }: RunnerContext): string {
  const text = keys.readLocalKey(MASTER_KEY);
  if (text !== undefined) return text;
  throw new PythonError(
    'FileNotFoundError',
    `[Errno 2] No such file or directory: '${keys.pkiDir}/${MASTER_KEY}'`,
  );
}

async function newPair(keysize: number): Promise<Dict> {
  const bits = Math.max(keysize, KEY_BITS_MIN);
  if (!isKeySize(bits))
    throw new CommandExecutionError(`No key of ${bits} bits is made; ${KEY_SIZES}: change keysize.`);
  const { privateKey, publicKey } = await generatePair(bits);
  return dict({ priv: privateKey, pub: publicKey });
}

/**
 * The id that a new key is stored under. Salt compat: Salt takes out of every id what no host name has, so that `web_1`
 * would become `web1`; here that happens only to what cannot be an id.
 */
function cleanId(given: string): string {
  const trimmed = given.trim();
  if (trimmed === '') throw new CommandExecutionError('Empty value during sanitation');
  const isAnId: boolean = isStorableId(trimmed);
  if (isAnId) return trimmed;
  const id = trimmed.replace(/[^a-zA-Z0-9.-]/g, '').replace(/^\.+|\.+$/g, '');
  if (isStorableId(id)) return id;
  throw new CommandExecutionError(`${JSON.stringify(given)} cannot be the id of a minion.`);
}

const printed: RunnerSpec = defineWheel({
  doc: 'Gives public keys as their files have them.',
  params: { match: matchParam },
  pythonName: 'key_str',
  returns: 'mapping of folder to a mapping of id to key',
  run: (ctx, { match }) => shownTexts(keyManager(ctx).print(match)),
});

/** The functions for keys. */
export const keyWheel = defineRunners({
  name: 'key',
  doc: 'The keys of minions.',
  functions: {
    list: defineWheel({
      doc: 'Lists the keys in a state.',
      params: {
        match: param.text({
          doc: 'A word that begins with `acc`, `pre` or `un`, `rej`, `den`, or `all` for every state.',
        }),
      },
      pythonName: 'list_',
      returns: `${IDS}; empty for another word`,
      run: (ctx, { match }) => {
        const ids = keyManager(ctx).listStatus(match);
        if (match.startsWith('all')) ids.set('local', ctx.keys.localKeys());
        return shownIds(ids);
      },
    }),
    list_all: defineWheel({
      doc: 'Lists all keys.',
      returns: `${IDS}, and \`local\` to the key files of the master itself`,
      run: (ctx) => shownIds(keyManager(ctx).listKeys().set('local', ctx.keys.localKeys())),
    }),
    name_match: defineWheel({
      doc: 'Lists the keys that match.',
      params: { match: matchParam },
      returns: IDS,
      run: (ctx, { match }) => shownIds(keyManager(ctx).match(match)),
    }),
    accept: defineWheel({
      doc: 'Accepts keys.',
      params: {
        match: matchParam,
        include_rejected: include('rejected'),
        include_denied: include('denied'),
      },
      returns: WHERE,
      run: (ctx, { match, include_rejected, include_denied }) =>
        byGlob(ctx, match, acceptFrom(include_rejected, include_denied), accept),
    }),
    accept_dict: defineWheel({
      doc: 'Accepts keys that are named.',
      params: {
        match: idsParam,
        include_rejected: include('rejected'),
        include_denied: include('denied'),
      },
      returns: WHERE,
      run: (ctx, { match, include_rejected, include_denied }) =>
        byName(ctx, match, acceptFrom(include_rejected, include_denied), accept),
    }),
    reject: defineWheel({
      doc: 'Rejects keys.',
      params: {
        match: matchParam,
        include_accepted: include('accepted'),
        include_denied: include('denied'),
      },
      returns: WHERE,
      run: (ctx, { match, include_accepted, include_denied }) =>
        byGlob(ctx, match, rejectFrom(include_accepted, include_denied), reject),
    }),
    reject_dict: defineWheel({
      doc: 'Rejects keys that are named.',
      params: {
        match: idsParam,
        include_accepted: include('accepted'),
        include_denied: include('denied'),
      },
      returns: WHERE,
      run: (ctx, { match, include_accepted, include_denied }) =>
        byName(ctx, match, rejectFrom(include_accepted, include_denied), reject),
    }),
    delete: defineWheel({
      doc: 'Deletes keys, whatever was decided about them.',
      params: { match: matchParam },
      returns: WHERE,
      run: (ctx, { match }) => byGlob(ctx, match, [], remove),
    }),
    delete_dict: defineWheel({
      doc: 'Deletes keys that are named.',
      params: { match: idsParam },
      returns: WHERE,
      run: (ctx, { match }) => byName(ctx, match, [], remove),
    }),
    print: printed,
    key_str: defineWheel({
      ...printed,
      doc: 'The same as `key.print`; Salt documents it, but has it under that name only.',
    }),
    master_key_str: defineWheel({
      doc: 'Gives the public key of the master.',
      returns: '`{local: {master.pub: key}}`',
      run: (ctx) => dict({ local: dict({ [MASTER_KEY]: masterKeyText(ctx) }) }),
    }),
    finger: defineWheel({
      doc: 'Gives fingerprints, also those of the key files of the master itself.',
      params: { match: matchParam, hash_type: hashParam },
      returns: 'mapping of folder, or `local`, to a mapping of id to fingerprint',
      run: (ctx, { match, hash_type }) =>
        shownTexts(keyManager(ctx).fingerprints(match, hash_type ?? ctx.opts.get('hash_type'))),
    }),
    finger_master: defineWheel({
      doc: 'Gives the fingerprint of the public key of the master.',
      params: { hash_type: hashParam },
      returns: '`{local: {master.pub: fingerprint}}`',
      run: (ctx, { hash_type }) => {
        const finger = pemFinger(masterKeyText(ctx), hash_type ?? ctx.opts.get('hash_type'));
        return dict({ local: dict({ [MASTER_KEY]: finger }) });
      },
    }),
    gen: defineWheel({
      doc: 'Makes a key pair, of which the master keeps nothing.',
      params: {
        id_: param.textOrNone({ default: null, doc: 'Not needed: nothing is stored. Must not be empty.' }),
        keysize: sizeParam,
      },
      returns: '`{priv: str, pub: str}`',
      run: (_ctx, { id_, keysize }) => {
        if (id_?.trim() === '') throw new CommandExecutionError('Empty value during sanitation');
        return newPair(keysize);
      },
    }),
    gen_accept: defineWheel({
      doc: 'Makes a key pair for a minion, and accepts its public key.',
      params: {
        id_: param.text({ doc: 'The id of the minion.' }),
        keysize: sizeParam,
        force: param.flag({ default: false, doc: 'Replace the key that is accepted already.' }),
      },
      returns: '`{priv: str, pub: str}`; empty when there is a key already',
      run: async (ctx, { id_, keysize, force }) => {
        const id = cleanId(id_);
        if (!force && ctx.keys.has(id, 'accepted')) return new Map();
        const pair = await newPair(keysize);
        ctx.keys.writeAccepted(id, String(pair.get('pub')));
        return pair;
      },
    }),
    gen_keys: defineWheel({
      doc: 'Makes a key pair in files; a private key that is there is kept.',
      params: {
        keydir: param.textIfGiven({ default: null, doc: 'The folder; else the `pki_dir` of the master.' }),
        keyname: param.textIfGiven({ default: null, doc: 'The name of both files; else `minion`.' }),
        keysize: { default: null, type: 'int', doc: 'Bits of the key; else the option `keysize`.' },
        user: param.textIfGiven({ default: null, doc: 'Who shall own the files.' }),
      },
      returns: 'the fingerprint',
      run: (ctx, { keydir, keyname, keysize, user }) =>
        generateKeys(
          withOptions(ctx, {
            gen_keys_dir: keydir ?? ctx.keys.pkiDir,
            gen_keys: keyname ?? 'minion',
            keysize: keysize ?? ctx.opts.raw('keysize') ?? null,
            gen_keys_user: user ?? '',
          }),
        ),
    }),
    gen_signature: defineWheel({
      doc: 'Signs the public key of the master, so that minions can check it before they trust it.',
      params: {
        priv: param.textOrEmpty({ doc: 'Path of the private key to sign with; else that in `pki_dir`.' }),
        pub: param.textOrEmpty({ doc: 'Path of the public key to sign; else that of the master.' }),
        signature_path: param.textOrEmpty({ doc: 'Folder for the signature; else `pki_dir`.' }),
        auto_create: param.flag({ default: false, doc: 'Make a key to sign with where there is none.' }),
        keysize: { default: null, type: 'int', doc: 'Bits of that key; else the option `keysize`.' },
      },
      returns: 'True; False when there is a signature already; a text that says what is missing',
      run: (ctx, { priv, pub, signature_path, auto_create, keysize }) =>
        generateSignature(
          withOptions(ctx, {
            priv,
            pub,
            signature_path,
            auto_create,
            keysize: keysize ?? ctx.opts.raw('keysize') ?? null,
          }),
        ),
    }),
  },
});

/** The options with what a command line would have said. */
function withOptions({ opts }: RunnerContext, said: Readonly<Record<string, Value>>): Dict {
  return new Map<Value, Value>([...opts.toDict(), ...Object.entries(said)]);
}
