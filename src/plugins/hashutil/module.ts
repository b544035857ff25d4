/** `hashutil`: hashes, signatures and Base64. Follows 3006.16 salt/modules/hashutil.py, salt/utils/hashutils.py. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { CommandExecutionError } from '../../errors/errors.ts';
import { readBytes, writeInPlace } from '../../host/file-operations.ts';
import { expandUser } from '../../host/expand-user.ts';
import { isFile } from '../../python/paths.ts';
import { ArgumentError } from '../../errors/errors.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { isBytes, pyTypeName, type Value } from '../../python/values/value.ts';
import { hashName } from '../shared/hash-kinds.ts';
import { noPath, param } from '../../runtime/loader/params.ts';

/** Text as UTF-8, bytes as they are. @throws ArgumentError for anything else */
function bytesOf(value: Value): Uint8Array {
  if (isBytes(value)) return value;
  if (typeof value === 'string') return Buffer.from(value);
  throw new ArgumentError(`expected str, bytes, or bytearray not <class '${pyTypeName(value)}'>`);
}

/** Text where the bytes are text. */
function textOrBytes(bytes: Buffer): Value {
  return decodeUtf8(bytes) ?? new Uint8Array(bytes);
}

function digest(value: Value, algorithm: string): string {
  return createHash(algorithm).update(bytesOf(value)).digest('hex');
}

const DIGESTS = ['md5', 'sha256', 'sha512'];

function checkedDigest(value: Value, checksum: string): string {
  const name = checksum;
  if (!DIGESTS.includes(name)) throw new CommandExecutionError(`Hash func '${name}' is not supported.`);
  return digest(value, name);
}

/** Base64 in lines of 76 characters, each with its end. */
function base64Lines(bytes: Uint8Array): string {
  return (
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  )
    .map((line) => `${line}\n`)
    .join('');
}

/** Base64 as Python reads it: other characters are left out, the filling has to be right. */
function fromBase64(value: Value): Buffer {
  const text = Buffer.from(bytesOf(value))
    .toString('latin1')
    .replace(/[^A-Za-z0-9+/=]/g, '');
  const data = text.replace(/=+$/, '');
  if (data.length % 4 === 1) {
    throw new PythonError(
      'binascii.Error',
      `Invalid base64-encoded string: number of data characters (${data.length}) cannot be 1 more than a multiple of 4`,
    );
  }
  if (text.length % 4 !== 0) throw new PythonError('binascii.Error', 'Incorrect padding');
  return Buffer.from(data, 'base64');
}

function hmac(message: Uint8Array, secret: Uint8Array, algorithm: string): Buffer {
  return createHmac(algorithm, secret).update(message).digest();
}

function isEqual(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}

/** GitHub's `X-Hub-Signature`: `sha1=<hex>`. */
function githubSignature(message: Uint8Array, secret: Uint8Array, challenge: string): boolean {
  const parts = challenge.split('=');
  if (parts.length !== 2) {
    const few = parts.length < 2;
    throw new PythonError(
      'ValueError',
      few
        ? `not enough values to unpack (expected 2, got ${parts.length})`
        : 'too many values to unpack (expected 2)',
    );
  }
  const [type = '', wanted = ''] = parts;
  const name = hashName(type);
  if (name === undefined)
    throw new PythonError('AttributeError', `module 'hashlib' has no attribute ${pyRepr(type)}`);
  return isEqual(hmac(message, secret, name).toString('hex'), wanted);
}

function fileBytes(path: string): Buffer {
  const file = path;
  if (!isFile(expandUser(file))) throw new CommandExecutionError(`File path '${file}' not found.`);
  return readBytes(file);
}

const INSTR = { instr: param.value({ type: 'str or bytes', doc: 'The text or the bytes.' }) } as const;
const CHECKSUM = param.text({ default: 'md5', doc: 'md5, sha256 or sha512.' });
const SIGNED = {
  string: param.by(bytesOf, { type: 'str', doc: 'The message.' }),
  shared_secret: param.by(bytesOf, { type: 'str', doc: 'The secret that both sides know.' }),
} as const;
const CHALLENGE = { challenge_hmac: param.text({ doc: 'The signature to compare with.' }) } as const;
const HEX = 'hexadecimal digits';

const simpleDigest = (algorithm: string) =>
  defineFunction({
    doc: `Computes the ${algorithm.toUpperCase()} hash of a text.`,
    params: INSTR,
    returns: HEX,
    examples: [`salt '*' hashutil.${algorithm}_digest 'get salted'`],
    run: (_ctx, { instr }) => digest(instr, algorithm),
  });

/** The module. */
export const hashutilModule = defineModule({
  name: 'hashutil',
  file: 'hashutil',
  doc: 'Computes hashes and signatures, and converts to Base64 and back.',
  functions: {
    digest: defineFunction({
      doc: 'Computes the hash of a text.',
      params: { ...INSTR, checksum: CHECKSUM },
      returns: HEX,
      examples: ["salt '*' hashutil.digest 'get salted'"],
      run: (_ctx, { instr, checksum }) => checkedDigest(instr, checksum),
    }),
    digest_file: defineFunction({
      doc: 'Computes the hash of a file.',
      params: { infile: param.text({ doc: 'The path.' }), checksum: CHECKSUM },
      returns: HEX,
      examples: ["salt '*' hashutil.digest_file /path/to/file"],
      run: (_ctx, { infile, checksum }) => checkedDigest(new Uint8Array(fileBytes(infile)), checksum),
    }),
    md5_digest: simpleDigest('md5'),
    sha256_digest: simpleDigest('sha256'),
    sha512_digest: simpleDigest('sha512'),
    base64_b64encode: defineFunction({
      doc: 'Converts to Base64 in one line.',
      params: INSTR,
      returns: 'text',
      examples: ["salt '*' hashutil.base64_b64encode 'get salted'"],
      run: (_ctx, { instr }) => Buffer.from(bytesOf(instr)).toString('base64'),
    }),
    base64_b64decode: defineFunction({
      doc: 'Converts from Base64.',
      params: INSTR,
      returns: 'text, or bytes that are no text',
      examples: ["salt '*' hashutil.base64_b64decode 'Z2V0IHNhbHRlZA=='"],
      run: (_ctx, { instr }) => textOrBytes(fromBase64(instr)),
    }),
    base64_encodestring: defineFunction({
      doc: 'Converts to Base64 in lines of 76 characters.',
      params: INSTR,
      returns: 'text',
      examples: ["salt '*' hashutil.base64_encodestring 'get salted'"],
      run: (_ctx, { instr }) => base64Lines(bytesOf(instr)),
    }),
    base64_decodestring: defineFunction({
      doc: 'Converts from Base64 in lines.',
      params: INSTR,
      returns: 'text, or bytes that are no text',
      examples: ["salt '*' hashutil.base64_decodestring instr='Z2V0IHNhbHRlZAo='"],
      run: (_ctx, { instr }) => textOrBytes(fromBase64(instr)),
    }),
    base64_encodefile: defineFunction({
      doc: 'Converts a file to Base64 in lines of 76 characters.',
      params: { fname: param.text({ doc: 'The path.' }) },
      returns: 'text',
      examples: ["salt '*' hashutil.base64_encodefile /path/to/binary_file"],
      run: (_ctx, { fname }) => base64Lines(readBytes(fname)),
    }),
    base64_decodefile: defineFunction({
      doc: 'Converts from Base64 into a file.',
      params: { instr: INSTR.instr, outfile: param.textOnly(noPath, { doc: 'The path.' }) },
      returns: 'true',
      examples: [
        `salt '*' hashutil.base64_decodefile instr='Z2V0IHNhbHRlZAo=' outfile='/path/to/binary_file'`,
      ],
      run: (_ctx, { instr, outfile }) => {
        // None is an empty text to Python's StringIO
        writeInPlace(outfile, instr === null ? '' : fromBase64(instr));
        return true;
      },
    }),
    hmac_signature: defineFunction({
      doc: 'Compares the HMAC-SHA256 of a message, as Base64, with a signature.',
      params: { ...SIGNED, ...CHALLENGE },
      returns: 'true or false',
      examples: [
        `salt '*' hashutil.hmac_signature 'get salted' 'shared secret' 'eBWf9bstXg+NiP5AOwppB5HMvZiYMPzEM9W5YMm/AmQ='`,
      ],
      run: (_ctx, { string, shared_secret, challenge_hmac }) =>
        isEqual(hmac(string, shared_secret, 'sha256').toString('base64'), challenge_hmac),
    }),
    hmac_compute: defineFunction({
      doc: 'Computes the HMAC-SHA256 of a message.',
      params: SIGNED,
      returns: HEX,
      examples: [`salt '*' hashutil.hmac_compute 'get salted' 'shared secret'`],
      run: (_ctx, { string, shared_secret }) => hmac(string, shared_secret, 'sha256').toString('hex'),
    }),
    github_signature: defineFunction({
      doc: 'Compares a message with a signature as GitHub sends it (`sha1=<hex>`).',
      params: { ...SIGNED, ...CHALLENGE },
      returns: 'true or false',
      examples: [
        `salt '*' hashutil.github_signature '{"ref":....} ' 'shared secret' 'sha1=bc6550fc290acf5b42283fa8deaf55cea0f8c206'`,
      ],
      run: (_ctx, { string, shared_secret, challenge_hmac }) =>
        githubSignature(string, shared_secret, challenge_hmac),
    }),
  },
});
