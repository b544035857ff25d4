/** Salt's filters that need the machine: files, randomness, time, accounts, the network (3006.16 salt/utils/). */
import { PythonError } from '../../python/exceptions.ts';
import { createHash, getHashes } from 'node:crypto';
import { promises as dns } from 'node:dns';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { asksFor, native, operated, type NativeBody, type TValue } from '../../formats/jinja/index.ts';
import type { Clock } from '../../host/clock.ts';
import { formatTime } from '../../host/log-time.ts';
import type { Random } from '../../host/random.ts';
import { findProgram } from '../../host/which.ts';
import { findUser } from '../../host/users.ts';
import { toPyFloat } from '../../python/values/number-format.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';

/** Bytes of a file that decide whether it is text. */
const SNIFF_BYTES = 512;
const RANDOM_MAX = 1_000_000;

const s = (value: TValue | undefined): string => (typeof value === 'string' ? value : pyStr(value as Value));

function sniff(path: string): Buffer | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function isText(path: string): boolean {
  const block = sniff(path)?.subarray(0, SNIFF_BYTES);
  if (block === undefined || block.includes(0)) return false;
  if (block.length === 0) return true;
  if (!block.toString('utf8').includes('\ufffd')) return true;
  const odd = block.filter((byte) => (byte < 32 || byte > 126) && ![8, 9, 10, 12, 13].includes(byte));
  return odd.length / block.length <= 0.3;
}

function isBinary(path: string): boolean {
  const block = sniff(path)?.subarray(0, 2048);
  return block !== undefined && (block.includes(0) || block.toString('utf8').includes('\ufffd'));
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [folder];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))];
}

function hashOf(path: string, form: string): string {
  if (!getHashes().includes(form)) throw new PythonError('ValueError', `Invalid hash type: ${form}`);
  return createHash(form).update(readFileSync(path)).digest('hex');
}

/** `date_format`: a time stamp, or now, by Python's strftime. */
function dateText(value: TValue, form: string, clock: Clock): string {
  if (value === null) return formatTime(form, clock.nowMs());
  const object = asksFor(value);
  if (object?.title === 'datetime.datetime') return s(operated(object, 'format', object, form) ?? null);
  const seconds = toPyFloat(value as Value);
  if (typeof seconds !== 'number')
    throw new PythonError('RuntimeError', `Unable to parse ${s(value)}. Consider installing timelib`);
  return formatTime(form, seconds * 1000);
}

function sample(items: readonly TValue[], size: number, random: Random): TValue[] {
  if (size > items.length || size < 0)
    throw new PythonError('ValueError', 'Sample larger than population or is negative');
  const pool = [...items];
  return Array.from({ length: size }, () => pool.splice(random.int(0, pool.length - 1), 1)[0] as TValue);
}

const list = (value: TValue | undefined): TValue[] =>
  Array.isArray(value) ? [...value] : typeof value === 'string' ? [...value] : [];

async function resolvable(name: string): Promise<TValue> {
  try {
    return (await dns.lookup(name)).address;
  } catch {
    throw new PythonError('RuntimeError', `Unable to resolve address ${name}`);
  }
}

/** The filters, by name. */
export function hostFilters(clock: Clock, random: Random): ReadonlyMap<string, NativeBody> {
  const hex = (): string => random.int(0, 255).toString(16).toUpperCase().padStart(2, '0');
  const randomHash = native('random_hash', ['size', ['hash_type', null]], ([size, kind]) =>
    createHash(kind === null ? 'md5' : s(kind))
      .update(String(random.int(0, Math.min(Number(size), 2 ** 47))))
      .digest('hex'),
  );
  const format = native('date_format', ['value', ['format', '%Y-%m-%d']], ([value, form]) =>
    dateText(value, s(form), clock),
  );
  return new Map<string, NativeBody>([
    ['which', native('which', ['exe'], ([name]) => findProgram(s(name)) ?? null)],
    [
      'is_empty',
      native('is_empty', ['filename'], ([path]) => statSync(s(path), { throwIfNoEntry: false })?.size === 0),
    ],
    ['is_text_file', native('is_text', ['fp_', ['blocksize', SNIFF_BYTES]], ([path]) => isText(s(path)))],
    ['is_bin_file', native('is_binary', ['path'], ([path]) => isBinary(s(path)))],
    ['list_files', native('list_files', ['directory'], ([path]) => filesBelow(s(path)))],
    [
      'file_hashsum',
      native('get_hash', ['path', ['form', 'sha256'], ['chunk_size', 65536]], ([path, form]) =>
        hashOf(s(path), s(form)),
      ),
    ],
    ['date_format', format],
    ['strftime', format],
    ['random_hash', randomHash],
    ['rand_str', randomHash],
    [
      'random_str',
      native('random', [['size', 32]], ([size]) => {
        const count = Math.min(Number(size), RANDOM_MAX);
        return random.bytes(count).toString('base64').slice(0, count);
      }),
    ],
    [
      'random_sample',
      native('sample', ['value', 'size', ['seed', null]], ([value, size]) =>
        sample(list(value), Number(size), random),
      ),
    ],
    [
      'random_shuffle',
      native('shuffle', ['value', ['seed', null]], ([value]) =>
        sample(list(value), list(value).length, random),
      ),
    ],
    [
      'gen_mac',
      native('gen_mac', [['prefix', 'AC:DE:48']], ([prefix]) => `${s(prefix)}:${hex()}:${hex()}:${hex()}`),
    ],
    [
      'get_uid',
      native('get_uid', [['user', null]], async ([user]) =>
        user === null ? (process.geteuid?.() ?? null) : ((await findUser(s(user)))?.uid ?? null),
      ),
    ],
    [
      'dns_check',
      native('dns_check', ['addr', ['port', 80], ['safe', false], ['ipv6', null]], ([name]) =>
        resolvable(s(name)),
      ),
    ],
  ]);
}
