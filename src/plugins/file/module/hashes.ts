/** Hashes of files and of sources, and finding them in files of hashes. Follows 3006.16 salt/modules/file.py. */
import { CommandExecutionError, SaltInvocationError, ArgumentError } from '../../../errors/errors.ts';
import { baseName, isAbs, isFile } from '../../../python/paths.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { strip } from '../../../python/values/text.ts';
import { dict, type Dict, type Value, pyTypeName } from '../../../python/values/value.ts';
import { HASH_BY_LENGTH, HASH_LENGTHS, hashFile } from '../../shared/hash-kinds.ts';
import { opt, P } from '../../shared/file-params.ts';
import { linesOf, readText } from '../../shared/file-text.ts';
import { cacheSource } from './fetch-source.ts';
import { parseUrl, VALID_PROTOCOLS } from '../../shared/source-url.ts';
import { param } from '../../../runtime/loader/params.ts';

/** A hash and its kind. */
export interface SourceSum {
  readonly hsum: string;
  readonly hash_type: string;
}

/** A sum as the mapping that functions hand around; the order of its entries is that of the object. */
export function sumDict(sum: SourceSum): Dict {
  return dict({ ...sum });
}

function supportedLengths(): string {
  const known = [...HASH_BY_LENGTH].sort(([a], [b]) => a - b);
  return known.map(([length, name]) => `${name} (${length})`).join(', ');
}

function badFormat(sourceHash: Value): CommandExecutionError {
  return new CommandExecutionError(
    `Source hash ${pyStr(sourceHash)} format is invalid. The supported formats are: 1) a hash, 2) an expression in ` +
      'the format <hash_type>=<hash>, or 3) either a path to a local file containing hashes, or a URI of a remote hash ' +
      `file. Supported protocols for remote hash files are: ${VALID_PROTOCOLS.join(', ')}. The hash may also not be of ` +
      `a valid length, the following are supported hash types and lengths: ${supportedLengths()}.`,
  );
}

/** Where the hash of a source is to be looked for, and what for. */
export interface SumQuestion {
  readonly fileName: string;
  readonly source: string;
  readonly sourceHash: Value;
  readonly sourceHashName: string | undefined;
  readonly saltenv: string;
  readonly verifySsl: boolean;
}

/** `file.get_source_sum`. @throws CommandExecutionError */
export async function sourceSum(ctx: ModuleContext, question: SumQuestion): Promise<SourceSum> {
  const { sourceHash } = question;
  if (typeof sourceHash !== 'string') throw badFormat(sourceHash);
  const path = await hashFilePath(ctx, question, sourceHash);
  if (path === undefined) return sumInText(sourceHash);
  const found = extractHash(ctx, path, '', question);
  if (found === undefined) throw badFormat(sourceHash);
  return { ...found, hsum: found.hsum.toLowerCase() };
}

async function hashFilePath(
  ctx: ModuleContext,
  { saltenv, verifySsl }: SumQuestion,
  sourceHash: string,
): Promise<string | undefined> {
  if (isAbs(sourceHash)) return sourceHash;
  const { scheme } = parseUrl(sourceHash);
  if (scheme === '') return undefined;
  if (!VALID_PROTOCOLS.includes(scheme)) throw badFormat(sourceHash);
  const path = await cacheSource(ctx, sourceHash, { saltenv, verifySsl });
  if (path === '') throw new CommandExecutionError(`Source hash file ${sourceHash} not found`);
  return path;
}

function sumInText(sourceHash: string): SourceSum {
  const at = sourceHash.indexOf('=');
  if (at < 0 && !/^[0-9a-fA-F]+$/.test(sourceHash)) throw badFormat(sourceHash);
  const hsum = strip(sourceHash.slice(at + 1));
  const type = at < 0 ? HASH_BY_LENGTH.get(sourceHash.length) : strip(sourceHash.slice(0, at));
  if (type === undefined) throw badFormat(sourceHash);
  const wanted = HASH_LENGTHS.get(type);
  if (wanted === undefined) {
    throw new CommandExecutionError(
      `Invalid hash type '${type}'. Supported hash types are: ${[...HASH_LENGTHS.keys()].join(', ')}. Either remove ` +
        `the hash type and simply use '${hsum}' as the source_hash, or change the hash type to a supported type.`,
    );
  }
  const fitting = HASH_BY_LENGTH.get(hsum.length);
  if (fitting === undefined) throw badFormat(sourceHash);
  if (hsum.length !== wanted) {
    throw new CommandExecutionError(
      `Invalid length (${hsum.length}) for hash type '${type}'. Either remove the hash type and simply use '${hsum}' as ` +
        `the source_hash, or change the hash type to '${fitting}'`,
    );
  }
  const digits = hsum.toLowerCase();
  return at < 0 ? { hsum: digits, hash_type: type } : { hash_type: type, hsum: digits };
}

const SEPARATORS = ' \t\n\r\v\f\\/*';
const SPACES = ' \t\n\r\v\f';

/** A name that a line of hashes may speak of. */
interface Wanted {
  readonly whole: string;
  /** What the line may end with. */
  readonly end: string;
  /** What may stand before that. */
  readonly separators: string;
}

function wantedNames(question: Pick<SumQuestion, 'fileName' | 'source' | 'sourceHashName'>): Wanted[] {
  const { fileName, source, sourceHashName } = question;
  const wanted: Wanted[] = [];
  if (sourceHashName !== undefined && sourceHashName !== '')
    wanted.push({ whole: sourceHashName, end: sourceHashName, separators: SPACES });
  if (fileName !== '') wanted.push({ whole: fileName, end: baseName(fileName), separators: SEPARATORS });
  if (source !== '') {
    const { path, host } = parseUrl(source);
    wanted.push({ whole: source, end: baseName(path || host), separators: SEPARATORS });
  }
  return wanted;
}

function isAbout(line: string, { whole, end, separators }: Wanted): boolean {
  if (line.endsWith(end)) {
    const before = line.at(-end.length - 1);
    return line.length > end.length && before !== undefined && separators.includes(before);
  }
  return line.startsWith(whole) && /^\s/.test(line.slice(whole.length));
}

/**
 * `file.extract_hash`: the hash in a file of hashes that stands for one of the names; the first hash at all when none
 * does.
 * @param hashType the kind to look for; empty for any
 */
function extractHash(
  ctx: ModuleContext,
  path: string,
  hashType: string,
  question: Pick<SumQuestion, 'fileName' | 'source' | 'sourceHashName'>,
): SourceSum | undefined {
  const length = HASH_LENGTHS.get(hashType);
  if (length === undefined && hashType !== '') {
    ctx.log.warning(
      `file.extract_hash: Unsupported hash_type '${hashType}', falling back to matching any supported hash_type`,
    );
  }
  const count = length === undefined ? '32,128' : String(length);
  const pattern = new RegExp(`(?<![a-z0-9])([a-f0-9]{${count}})(?![a-z0-9])`, 'i');
  const wanted = wantedNames(question);
  const found: (SourceSum | undefined)[] = wanted.map(() => undefined);
  let first: SourceSum | undefined;
  for (const raw of linesOf(readText(path))) {
    const line = strip(raw);
    const hsum = pattern.exec(line)?.[1];
    const type = hsum === undefined ? undefined : HASH_BY_LENGTH.get(hsum.length);
    if (hsum === undefined || type === undefined) continue;
    const sum = { hsum, hash_type: type };
    first ??= sum;
    wanted.forEach((name, i) => {
      if (found[i] === undefined && isAbout(line, name)) found[i] = sum;
    });
  }
  return found.find((sum) => sum !== undefined) ?? first;
}

async function checkHash(path: string, fileHash: Value): Promise<boolean> {
  if (typeof fileHash !== 'string') throw new SaltInvocationError('hash must be a string');
  const separator = [':', '='].find((char) => fileHash.includes(char));
  if (separator !== undefined) {
    const at = fileHash.indexOf(separator);
    return (await hashFile(path, fileHash.slice(0, at))) === fileHash.slice(at + 1);
  }
  const type = HASH_BY_LENGTH.get(fileHash.length);
  if (type === undefined) {
    throw new SaltInvocationError(
      `Hash ${fileHash} (length: ${fileHash.length}) could not be matched to a supported hash type. The supported hash ` +
        `types and lengths are: ${supportedLengths()}`,
    );
  }
  return (await hashFile(path, type)) === fileHash;
}

const FORM = opt(P.form, 'sha256');

/** @throws ArgumentError for what is neither a whole number nor None, in Python's words */
const CHUNK_SIZE = param.by(
  (value) => {
    if (value !== null && typeof value !== 'number' && typeof value !== 'bigint')
      throw new ArgumentError(`argument should be integer or None, not '${pyTypeName(value)}'`);
  },
  { type: 'int', doc: 'Without effect.' },
);

/** Functions about hashes. */
export const hashFunctions = {
  get_hash: defineFunction({
    doc: 'Computes the hash of a file.',
    params: {
      path: P.path,
      form: FORM,
      chunk_size: opt(CHUNK_SIZE, 65536),
    },
    returns: 'hexadecimal digits',
    examples: ["salt '*' file.get_hash /etc/shadow"],
    run: (_ctx, { path, form }) => hashFile(path, form),
  }),
  get_sum: defineFunction({
    doc: 'Computes the hash of a file.',
    params: { path: P.path, form: FORM },
    returns: 'hexadecimal digits, or `File not found`',
    examples: ["salt '*' file.get_sum /etc/passwd sha512"],
    run: (_ctx, { path, form }) => {
      const file = path;
      return isFile(file) ? hashFile(file, form) : 'File not found';
    },
  }),
  check_hash: defineFunction({
    doc: 'Returns whether a file has a certain hash.',
    params: { path: P.path, file_hash: param.value({ type: 'str', doc: 'The hash, or `<type>:<hash>`.' }) },
    returns: 'true or false',
    examples: ["salt '*' file.check_hash /etc/fstab md5:<md5sum>"],
    run: (_ctx, { path, file_hash }) => checkHash(path, file_hash),
  }),
  get_source_sum: defineFunction({
    doc: 'Finds out what hash a source has to have.',
    params: {
      file_name: opt(param.textIfGiven({ doc: 'The name of the file in a file of hashes.' }), ''),
      source: opt(param.textIfGiven({ doc: P.source.doc }), ''),
      source_hash: opt(P.source_hash, null),
      source_hash_name: opt(param.textIfGiven({ doc: P.source_hash_name.doc }), null),
      saltenv: opt(param.textIfGiven({ doc: P.saltenv.doc }), 'base'),
      verify_ssl: opt(P.verify_ssl, true),
    },
    returns: '`{hash_type, hsum}`',
    examples: [
      "salt '*' file.get_source_sum /tmp/foo.tar.gz source=http://mydomain.tld/foo.tar.gz source_hash=499ae16dcae71eeb7c3a30c75ea7a1a6",
    ],
    run: async (ctx, args) =>
      sumDict(
        await sourceSum(ctx, {
          fileName: args.file_name ?? '',
          source: args.source ?? '',
          sourceHash: args.source_hash,
          sourceHashName: args.source_hash_name,
          saltenv: args.saltenv ?? 'base',
          verifySsl: args.verify_ssl,
        }),
      ),
  }),
  extract_hash: defineFunction({
    doc: 'Finds the hash of a file in a file of hashes.',
    params: {
      hash_fn: param.text({ doc: 'The file of hashes.' }),
      hash_type: opt(param.textIfGiven({ doc: P.form.doc }), 'sha256'),
      file_name: opt(param.textIfGiven({ doc: 'The name of the file in the file of hashes.' }), ''),
      source: opt(param.textIfGiven({ doc: P.source.doc }), ''),
      source_hash_name: opt(param.textIfGiven({ doc: P.source_hash_name.doc }), null),
    },
    returns: '`{hsum, hash_type}`; nothing when there is none',
    examples: ["salt '*' file.extract_hash /path/to/hash/file sha512 /etc/foo"],
    run: (ctx, args) => {
      const found = extractHash(ctx, args.hash_fn, args.hash_type ?? '', {
        fileName: args.file_name ?? '',
        source: args.source ?? '',
        sourceHashName: args.source_hash_name,
      });
      return found === undefined ? null : sumDict(found);
    },
  }),
};
