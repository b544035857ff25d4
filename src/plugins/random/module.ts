/** `random`: random texts, numbers and choices. Follows 3006.16 salt/modules/mod_random.py. */
import { createHash } from 'node:crypto';
import { ArgumentError, CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import type { Random } from '../../host/random.ts';
import { pyCount } from '../../python/conversions.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isBytes, isInt, type Value } from '../../python/values/value.ts';
import { hashName } from '../shared/hash-kinds.ts';
import { SeededRandom } from './module/mersenne.ts';
import { passwordHash, randomPassword, randomText } from '../shared/password-hash.ts';
import { noText, param } from '../../runtime/loader/params.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
const WHITESPACE = ' \t\n\r\v\f';
const DIGITS = '0123456789';
const TEXT_LENGTH_MAX = 1_000_000;

/** Salt's hash of a value. @throws SaltException `You must specify a valid algorithm.` */
function hashOf(value: Value, algorithm: string): string {
  const name = hashName(algorithm);
  if (name === undefined)
    throw new PythonError('salt.exceptions.SaltException', 'You must specify a valid algorithm.');
  if (typeof value !== 'string' && !isBytes(value))
    throw new ArgumentError('object supporting the buffer API required');
  return createHash(name).update(value).digest('hex');
}

/** What numbers are drawn from: a seed, or the system's randomness. */
interface Draw {
  below(limit: number): number;
  sample<T>(values: readonly T[], count: number): T[];
}

function drawFrom(random: Random, seed: Value): Draw {
  if (typeof seed === 'boolean') return new SeededRandom(seed ? 1n : 0n); // numbers in Python
  if (seed !== null) return new SeededRandom(isInt(seed) ? BigInt(seed) : pyStr(seed));
  return {
    below: (limit) => (limit <= 0 ? 0 : random.int(0, limit - 1)),
    sample: (values, count) => {
      const pool = [...values];
      return Array.from(
        { length: count },
        () => pool.splice(random.int(0, pool.length - 1), 1)[0] as (typeof pool)[number],
      );
    },
  };
}

/** @param size how many; undefined for all of them */
function sample(ctx: ModuleContext, value: Value, size: Value | undefined, seed: Value): Value[] {
  if (!Array.isArray(value) && typeof value !== 'string')
    throw new ArgumentError('Population must be a sequence.  For dicts or sets, use sorted(d).');
  const values: readonly Value[] = typeof value === 'string' ? [...value] : value;
  const count = size === undefined ? values.length : pyCount(size);
  if (count < 0 || count > values.length)
    throw new PythonError('ValueError', 'Sample larger than population or is negative');
  return drawFrom(ctx.random, seed === null ? null : hashOf(seed, 'sha512')).sample(values, count);
}

const flag = (value: boolean, doc: string) => param.flag({ default: value, doc });
const seed = param.value({ default: null, type: 'any', doc: 'The same seed gives the same choice.' });

/** The module. */
export const randomModule = defineModule({
  name: 'random',
  file: 'mod_random',
  doc: 'Makes random texts, numbers and choices.',
  functions: {
    hash: defineFunction({
      doc: 'Computes the hash of a text.',
      params: {
        value: param.value({ type: 'str', doc: 'The text.' }),
        algorithm: param.text({ default: 'sha512', doc: 'The hash.' }),
      },
      returns: 'hexadecimal digits',
      examples: ["salt '*' random.hash 'I am a string' md5"],
      run: (_ctx, { value, algorithm }) => hashOf(value, algorithm),
    }),
    str_encode: defineFunction({
      doc: 'Encodes a text as Base64.',
      params: {
        value: param.value({ type: 'str', doc: 'The text.' }),
        encoder: param.textAlone({ default: 'base64', doc: 'How; there is `base64`.' }),
      },
      returns: 'text',
      examples: ["salt '*' random.str_encode 'I am a new string' base64"],
      run: (_ctx, { value, encoder }) => {
        const bytes = typeof value === 'string' ? Buffer.from(value) : isBytes(value) ? value : undefined;
        if (bytes === undefined || encoder !== 'base64')
          throw new SaltInvocationError('Value must be an encode-able string');
        return Buffer.from(bytes).toString('base64');
      },
    }),
    get_str: defineFunction({
      doc: 'Makes a random text.',
      params: {
        length: param.count({ default: 20, doc: 'How many characters.' }),
        chars: param.textIfGiven({
          default: null,
          doc: 'The characters to choose from, in place of the kinds below.',
        }),
        lowercase: flag(true, 'With small letters.'),
        uppercase: flag(true, 'With capital letters.'),
        digits: flag(true, 'With digits.'),
        punctuation: flag(true, 'With punctuation.'),
        whitespace: flag(false, 'With spaces, tabs and ends of lines.'),
        printable: flag(false, 'With all of these.'),
      },
      returns: 'text',
      examples: ["salt '*' random.get_str 128"],
      run: (ctx, args) => {
        const kinds: readonly [boolean, string][] = [
          [args.lowercase, LETTERS],
          [args.uppercase, LETTERS.toUpperCase()],
          [args.digits, DIGITS],
          [args.punctuation, PUNCTUATION],
          [args.whitespace, WHITESPACE],
        ];
        const given = args.chars ?? '';
        const all = args.printable ? kinds.map(([, chars]) => chars).join('') : given;
        const chars = all !== '' ? all : kinds.map(([isWanted, kind]) => (isWanted ? kind : '')).join('');
        const length = args.length;
        if (length > TEXT_LENGTH_MAX)
          throw new CommandExecutionError(
            `A random text of more than ${TEXT_LENGTH_MAX} characters is refused.`,
          );
        if (length > 0 && chars === '')
          throw new CommandExecutionError('There are no characters to make a random text of.');
        return randomText(ctx.random, Math.max(0, length), chars);
      },
    }),
    shadow_hash: defineFunction({
      doc: 'Makes a hash of a password, as it stands in /etc/shadow.',
      params: {
        crypt_salt: param.textOrNone({ default: null, doc: 'The salt; default: a random one.' }),
        password: param.textOnlyOrNone(noText('crypt() argument 1'), {
          default: null,
          doc: 'The password; default: a random one.',
        }),
        algorithm: param.textOrNone({ default: 'sha512', doc: 'sha512, sha256 or md5.' }),
      },
      returns: 'the hash',
      examples: ["salt '*' random.shadow_hash 'My5alT' 'MyP@asswd' md5"],
      run: (ctx, { crypt_salt, password, algorithm }) =>
        passwordHash(ctx.random, password ?? randomPassword(ctx.random), crypt_salt, algorithm),
    }),
    rand_int: defineFunction({
      doc: 'Draws a whole number.',
      params: {
        start: param.count({ default: 1, doc: 'The smallest.' }),
        end: param.count({ default: 10, doc: 'The greatest.' }),
        seed,
      },
      returns: 'int',
      examples: ["salt '*' random.rand_int 1 10"],
      run: (ctx, args) => {
        const [start, end] = [args.start, args.end];
        if (end < start)
          throw new PythonError(
            'ValueError',
            `empty range for randrange() (${start}, ${end + 1}, ${end + 1 - start})`,
          );
        return start + drawFrom(ctx.random, args.seed).below(end - start + 1);
      },
    }),
    seed: defineFunction({
      doc: "Draws a number that is always the same for a minion, to spread minions' work over time.",
      params: {
        range: param.count({ default: 10, doc: 'Numbers from 0 to below this.' }),
        hash: param.value({
          default: null,
          type: 'str',
          doc: "What the number is made of; default: the minion's id.",
        }),
      },
      returns: 'int',
      examples: ["salt '*' random.seed 10 hash=None"],
      run: (ctx, { range, hash }) => {
        const limit = range;
        if (limit <= 0) throw new PythonError('ValueError', 'empty range for randrange()');
        return drawFrom(ctx.random, hash ?? ctx.grains.get('id') ?? ctx.id).below(limit);
      },
    }),
    sample: defineFunction({
      doc: 'Chooses some of a list.',
      params: {
        value: param.value({ type: 'list', doc: 'The list.' }),
        size: param.value({ type: 'int', doc: 'How many.' }),
        seed,
      },
      returns: 'list',
      examples: [`salt '*' random.sample '["one", "two"]' 1 seed="something"`],
      run: (ctx, args) => sample(ctx, args.value, args.size, args.seed),
    }),
    shuffle: defineFunction({
      doc: 'Puts a list into random order.',
      params: { value: param.value({ type: 'list', doc: 'The list.' }), seed },
      returns: 'list',
      examples: [`salt '*' random.shuffle '["one", "two"]' seed="something"`],
      run: (ctx, { value, seed: given }) => sample(ctx, value, undefined, given),
    }),
  },
});
