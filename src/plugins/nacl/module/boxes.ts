/**
 * Boxes with the keys that options and arguments name (3006.16 salt/utils/nacl.py), for the module and the runner
 * `nacl`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import {
  BoxError,
  KEY_BYTES,
  openSecret,
  publicKeyOf,
  seal,
  sealSecret,
  unseal,
} from '../../../formats/nacl/boxes.ts';
import { writeFileAtomic } from '../../../host/files.ts';
import type { Random } from '../../../host/random.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import { dict, isBytes, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** What boxes are made and opened with. */
export interface BoxUse {
  /** The options of the program: `pki_dir`. */
  readonly opts: Dict;
  /** What `nacl.config` says. */
  readonly config: Value;
  readonly random: Random;
  /** Reads a file that is to be put into a box, or taken out of it: a path or an address. */
  readonly readFile: (name: string) => Promise<string | Uint8Array>;
}

const SETTINGS = ['box_type', 'sk', 'sk_file', 'pk', 'pk_file'];

/** The settings, weakest first: where Salt keeps keys, the option, and what the caller says. */
function settingsOf({ opts, config }: BoxUse, kwargs: Dict): Dict {
  const folder = pyStr(opts.get('pki_dir') ?? '');
  const given = (name: string, usual: string): Value =>
    truthy(kwargs.get(name)) ? kwargs.get(name)! : usual;
  const settings = dict({
    box_type: 'sealedbox',
    sk: null,
    sk_file: given('sk_file', join(folder, 'master/nacl')),
    pk: null,
    pk_file: given('pk_file', join(folder, 'master/nacl.pub')),
  });
  if (isDict(config)) for (const [name, value] of config) settings.set(name, value);
  for (const name of SETTINGS) if (kwargs.has(name)) settings.set(name, kwargs.get(name) ?? null);
  return settings;
}

/** The arguments of old, `keyfile` and `key`, which mean secret boxes. */
function withNewNames(kwargs: Dict): Dict {
  const out: Dict = new Map(kwargs);
  for (const [old, name] of [
    ['keyfile', 'sk_file'],
    ['key', 'sk'],
  ] as const)
    if (kwargs.has(old)) out.set(name, kwargs.get(old) ?? null).set('box_type', 'secretbox');
  return out;
}

/** @throws CommandExecutionError when there is none, or it is none */
function keyOf(settings: Dict, name: 'sk' | 'pk'): Buffer {
  const given = settings.get(name);
  const file = pyStr(settings.get(`${name}_file`) ?? '');
  const text = truthy(given) ? bytesOf(given ?? null).toString() : readKey(file, name);
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === KEY_BYTES) return key;
  const place = truthy(given) ? `the value of ${name}` : file;
  throw new CommandExecutionError(`No key of NaCl, which is ${KEY_BYTES} bytes in base64: ${place}`);
}

function readKey(file: string, name: 'sk' | 'pk'): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const what = name === 'sk' ? 'no key or sk_file found' : 'no pubkey or pk_file found';
    throw new CommandExecutionError(`${what}: ${messageOf(error)}; nacl.keygen makes one`, { cause: error });
  }
}

function bytesOf(data: Value): Buffer {
  return isBytes(data) ? Buffer.from(data) : Buffer.from(pyStr(data));
}

const textOrBytes = (bytes: Buffer): Value => decodeUtf8(bytes) ?? new Uint8Array(bytes);

/** Kinds of boxes. */
export type BoxKind = 'sealedbox' | 'secretbox';

function kindOf(use: BoxUse, kwargs: Dict): BoxKind {
  return settingsOf(use, kwargs).get('box_type') === 'secretbox' ? 'secretbox' : 'sealedbox';
}

/** Runs what makes or opens a box. @throws CommandExecutionError in the words of the fault */
function boxing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof BoxError) throw new CommandExecutionError(error.message, { cause: error });
    throw error;
  }
}

/** Puts data into a box, as base64. @param kind default: by the settings @throws CommandExecutionError */
export function encrypt(use: BoxUse, data: Value, given: Dict, kind?: BoxKind): string {
  const kwargs = kind === undefined ? withNewNames(given) : given;
  const settings = settingsOf(use, kwargs);
  const random = (size: number): Buffer => use.random.bytes(size);
  const box = boxing(() =>
    (kind ?? kindOf(use, kwargs)) === 'secretbox'
      ? sealSecret(bytesOf(data), keyOf(settings, 'sk'), random)
      : seal(bytesOf(data), keyOf(settings, 'pk'), random),
  );
  return box.toString('base64');
}

/** Takes data out of a box; None stays None. @throws CommandExecutionError for a box of another key */
export function decrypt(use: BoxUse, data: Value, given: Dict, kind?: BoxKind): Value {
  if (data === null) return null;
  const kwargs = kind === undefined ? withNewNames(given) : given;
  const key = keyOf(settingsOf(use, kwargs), 'sk');
  const open = (kind ?? kindOf(use, kwargs)) === 'secretbox' ? openSecret : unseal;
  return textOrBytes(boxing(() => open(Buffer.from(bytesOf(data).toString(), 'base64'), key)));
}

/**
 * `enc_file` and `dec_file`: a file through `encrypt` or `decrypt`, to the caller or to a file that is not there yet.
 */
export async function convertFile(
  use: BoxUse,
  convert: typeof encrypt | typeof decrypt,
  { name, out }: { readonly name: string; readonly out: string | undefined },
  kwargs: Dict,
): Promise<Value> {
  const read = await use.readFile(name);
  const data = convert(use, typeof read === 'string' ? read : new Uint8Array(read), kwargs);
  if (out === undefined) return data;
  if (existsSync(out)) throw new CommandExecutionError(`file:${out} already exist.`);
  writeFileAtomic(out, bytesOf(data), { mode: 0o600, durable: true });
  return `Wrote: ${out}`;
}

/** `keygen`: a pair of keys, to the caller or to files. @throws CommandExecutionError when both files are there */
export function keygen(random: Random, skFile: string | undefined, pkFile: string | undefined): Value {
  const made = random.bytes(KEY_BYTES);
  if (skFile === undefined)
    return dict({ sk: made.toString('base64'), pk: publicKeyOf(made).toString('base64') });
  const publicFile = pkFile ?? `${skFile}.pub`;
  const [hasSecret, hasPublic] = [existsSync(skFile), existsSync(publicFile)];
  if (hasSecret && hasPublic)
    throw new CommandExecutionError(`sk_file:${skFile} and pk_file:${publicFile} already exist.`);
  const secret = hasSecret ? keyOf(dict({ sk_file: skFile }), 'sk') : made;
  if (!hasSecret) writeFileAtomic(skFile, secret.toString('base64'), { mode: 0o600, durable: true });
  writeFileAtomic(publicFile, publicKeyOf(secret).toString('base64'), { mode: 0o644, durable: true });
  return hasSecret ? `saved pk_file: ${publicFile}` : `saved sk_file:${skFile}  pk_file: ${publicFile}`;
}
