/** The `locale_info` grain (salt/grains/core.py). */
import { dict, type Dict } from '../../../../python/values/value.ts';
import type { GrainsContext } from '../context.ts';
import type { GrainsHost } from '../host.ts';
import { timezoneName } from './timezone.ts';

/** defaultlanguage, defaultencoding, detectedencoding and timezone. */
export function localeGrains(ctx: GrainsContext): Dict {
  const [language, encoding] = defaultLocale(ctx.host);
  return dict({
    locale_info: {
      defaultlanguage: language,
      defaultencoding: encoding,
      detectedencoding: 'utf-8',
      timezone: timezoneName(ctx.host, ctx.clock.nowMs()) ?? 'unknown',
    },
  });
}

/** Encodings in Python's spelling, by letters and digits of the usual ones. */
const ENCODINGS: ReadonlyMap<string, string> = new Map([
  ['utf8', 'UTF-8'],
  ['eucjp', 'eucJP'],
  ['euckr', 'eucKR'],
  ['shiftjis', 'SJIS'],
  ['sjis', 'SJIS'],
  ['koi8r', 'KOI8-R'],
  ['koi8u', 'KOI8-U'],
  ['gb2312', 'gb2312'],
  ['gbk', 'gbk'],
  ['gb18030', 'gb18030'],
  ['big5', 'big5'],
  ['tis620', 'tis620'],
  ['cp1251', 'CP1251'],
  ...['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '13', '14', '15', '16'].map(
    (n) => [`iso8859${n}`, `ISO8859-${n}`] as const,
  ),
]);

/** Encodings of locales that do not name one; ISO8859-1 for the rest. */
const OLD_ENCODINGS: Readonly<Record<string, readonly string[]>> = {
  'ISO8859-2': ['cs', 'hr', 'hu', 'pl', 'ro', 'sk', 'sl', 'bs'],
  'ISO8859-5': ['mk', 'bg_BG5'],
  'ISO8859-6': ['ar'],
  'ISO8859-7': ['el'],
  'ISO8859-8': ['he'],
  'ISO8859-9': ['tr'],
  'ISO8859-13': ['lt', 'lv'],
  'ISO8859-15': ['et'],
  CP1251: ['bg', 'be'],
  'UTF-8': ['ru', 'sr', 'hi', 'bn', 'ta', 'te', 'hy', 'am', 'km', 'my', 'ne'],
  'KOI8-U': ['uk'],
  eucJP: ['ja'],
  eucKR: ['ko'],
  'ISO8859-11': ['th'],
};

/**
 * What Python's locale.getlocale() says at its start: the locale of LC_ALL, LC_CTYPE or LANG if the machine has it;
 * else C.UTF-8, whose name Python takes for American English; nothing at all when LC_ALL asks for the C locale.
 */
export function defaultLocale(host: GrainsHost): [language: string | null, encoding: string | null] {
  const all = host.env.get('LC_ALL') ?? '';
  const wanted = all || host.env.get('LC_CTYPE') || host.env.get('LANG') || 'C';
  const isPlainC = wanted === 'C' || wanted === 'POSIX' || !hasLocale(host, wanted);
  if (isPlainC) return all === '' ? ['en_US', 'UTF-8'] : [null, null];
  const [name = '', encoding = ''] = wanted.replace(/@.*/, '').split('.');
  if (name === 'C') return ['en_US', 'UTF-8'];
  const [language = '', country] = name.split('_');
  const normal =
    country === undefined ? language.toLowerCase() : `${language.toLowerCase()}_${country.toUpperCase()}`;
  if (encoding === '') return [normal, wanted.endsWith('@euro') ? 'ISO8859-15' : oldEncoding(normal)];
  return [normal, ENCODINGS.get(encoding.toLowerCase().replace(/[^a-z0-9]/g, '')) ?? encoding];
}

function oldEncoding(name: string): string {
  if (name === 'zh_CN') return 'gb2312';
  if (name.startsWith('zh_')) return 'big5';
  const [language = ''] = name.split('_');
  return (
    Object.entries(OLD_ENCODINGS).find(([, languages]) => languages.includes(language))?.[0] ?? 'ISO8859-1'
  );
}

const LOCALE_FOLDERS = ['/usr/lib/locale', '/usr/share/locale'];
const ARCHIVE = '/usr/lib/locale/locale-archive';
const ARCHIVE_MAGIC = 0xde020109;

/** True when the C library has the locale compiled: a folder of its own or a name in the archive. */
function hasLocale(host: GrainsHost, name: string): boolean {
  if (host.platform !== 'linux' || !host.stat('/usr/lib/locale')) return true;
  const normal = name.replace(/\.([^@]*)/, (_, e: string) => `.${e.toLowerCase().replace(/[^a-z0-9]/g, '')}`);
  if (/^C\.utf8$/.test(normal)) return true;
  const spellings = [...new Set([name, normal])];
  if (spellings.some((x) => host.stat(`${LOCALE_FOLDERS[0]}/${x}/LC_CTYPE`))) return true;
  // the archive's head tells where the names are: 12 numbers, the sixth and seventh are place and length
  const head = host.readBytes(ARCHIVE, 0, 28);
  if (head?.length !== 28 || head.readUInt32LE(0) !== ARCHIVE_MAGIC) return false;
  const names =
    host.readBytes(ARCHIVE, head.readUInt32LE(20), head.readUInt32LE(24))?.toString('latin1') ?? '';
  return spellings.some((x) => names.includes(`${x}\0`));
}
