/** `locale`: the language and its forms that the system uses. Follows 3006.16 salt/modules/localemod.py. */
import { readdirSync } from 'node:fs';
import { CommandExecutionError } from '../../errors/errors.ts';
import { readTextIfExists } from '../../host/files.ts';
import { isFile, pathExists } from '../../python/paths.ts';
import { findProgram } from '../../host/which.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { osErrorText } from '../../python/os-errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { escapePattern } from '../shared/regex.ts';
import { ranAll, runAll, runCode, runText } from '../shared/program.ts';
import { isSystemdBooted } from '../shared/systemd-host.ts';
import { param } from '../../runtime/loader/params.ts';

/** The parts of `de_DE.UTF-8@euro UTF-8`. */
interface LocaleName {
  readonly language: string;
  readonly territory: string;
  readonly codeset: string;
  readonly modifier: string;
  readonly charmap: string;
}

function splitLocale(text: string): LocaleName {
  const [locale = '', charmap = ''] = halves(text.trim(), ' ');
  const [beforeModifier, modifier] = halves(locale, '@');
  const [beforeCodeset, codeset] = halves(beforeModifier, '.');
  const [language, territory] = halves(beforeCodeset, '_');
  return { language, territory, codeset, modifier, charmap };
}

function halves(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

function joinLocale({ language, territory, codeset, modifier, charmap }: LocaleName): string {
  const parts: [string, string][] = [
    ['_', territory],
    ['.', codeset],
    ['@', modifier],
    [' ', charmap],
  ];
  return language + parts.map(([mark, part]) => (part === '' ? '' : mark + part)).join('');
}

/** One spelling for each: `en_US.utf8`. */
function normalLocale(text: string): string {
  const name = splitLocale(text);
  return joinLocale({
    ...name,
    territory: name.territory.toUpperCase(),
    codeset: name.codeset.toLowerCase().replaceAll('-', ''),
    charmap: '',
  });
}

async function listAvailable(ctx: ModuleContext): Promise<string[]> {
  return (await runText(ctx, ['locale', '-a'])).split('\n');
}

/** What `localectl` says of the system's locale. @throws CommandExecutionError when it cannot be asked */
async function localectlStatus(ctx: ModuleContext): Promise<Map<string, string>> {
  if (findProgram('localectl') === undefined) throw new CommandExecutionError('Unable to find "localectl"');
  const { stdout, stderr } = await runAll(ctx, ['localectl', 'status'], { ignore_retcode: true });
  if (stderr.includes('Failed to connect to bus: No such file or directory'))
    throw new CommandExecutionError('Command "localectl" is in a degraded state.');
  const found = new Map<string, string>();
  let isLocale = false;
  let isAny = false;
  for (const line of stdout.split('\n')) {
    const [key, rest] = line.includes(': ') ? halves(line, ': ') : ['', line];
    if (key !== '') isLocale = key.trim().toLowerCase() === 'system locale';
    const data = rest.trim();
    if (data === '') continue;
    isAny = true;
    const [name, value] = halves(data, '=');
    if (isLocale && data.includes('=')) found.set(name, value);
  }
  if (!isAny) throw new CommandExecutionError('Unable to parse result of "localectl"');
  return found;
}

const FILES: readonly (readonly [family: string, file: string, name: string])[] = [
  ['Suse', '/etc/sysconfig/language', 'RC_LANG'],
  ['RedHat', '/etc/sysconfig/i18n', 'LANG'],
  ['Debian', '/etc/default/locale', 'LANG'],
];

/** The file that holds the locale where systemd does not. */
function localeFile(ctx: ModuleContext): readonly [file: string, name: string] | undefined {
  const family = pyStr(ctx.grains.get('os_family') ?? '');
  const found = FILES.find(([name]) => family.includes(name));
  return found === undefined ? undefined : [found[1], found[2]];
}

function usesLocalectl(ctx: ModuleContext): boolean {
  const isBroken = ctx.grains.get('os_family') === 'Suse' && ctx.grains.get('osmajorrelease') === 12;
  return isSystemdBooted() && !isBroken;
}

async function getLocale(ctx: ModuleContext): Promise<string> {
  if (usesLocalectl(ctx)) return (await localectlStatus(ctx)).get('LANG') ?? '';
  if (ctx.grains.get('os_family') === 'Gentoo')
    return (await runText(ctx, ['eselect', '--brief', 'locale', 'show'])).trim();
  const place = localeFile(ctx);
  if (place === undefined)
    throw new CommandExecutionError(`Error: "${pyStr(ctx.grains.get('oscodename') ?? '')}" is unsupported!`);
  const [file, name] = place;
  const lines = (readTextIfExists(file) ?? '').split('\n').filter((line) => line.startsWith(`${name}=`));
  return lines[0]?.split('=')[1]?.replaceAll('"', '') ?? '';
}

async function setLocale(ctx: ModuleContext, locale: string): Promise<boolean> {
  if (usesLocalectl(ctx)) {
    const settings = new Map([...(await localectlStatus(ctx)), ['LANG', locale]]);
    const words = [...settings].map(([name, value]) => `${name}=${value}`);
    return (await runCode(ctx, ['localectl', 'set-locale', ...words])) === 0;
  }
  if (ctx.grains.get('os_family') === 'Gentoo')
    return (await runCode(ctx, ['eselect', '--brief', 'locale', 'set', locale])) === 0;
  const place = localeFile(ctx);
  if (place === undefined) throw new CommandExecutionError('Error: Unsupported platform!');
  const [file, name] = place;
  if (file === '/etc/default/locale') {
    const program = findProgram('update-locale');
    if (program === undefined)
      throw new CommandExecutionError('Cannot set locale: "update-locale" was not found.');
    await runText(ctx, [program]);
  } else if (!isFile(file)) await ctx.functions.call('file.touch', [file]);
  const change = [file, `^${name}=.*`, `${name}="${locale}"`];
  await ctx.functions.call('file.replace', change, { append_if_not_found: true });
  return true;
}

/** A locale as this system writes it. */
function ownForm(
  { grains }: ModuleContext,
  given: string,
): { readonly parts: LocaleName; readonly name: string; readonly locale: string } {
  const parts = splitLocale(given);
  const name = `${parts.language}_${parts.territory}`;
  const isCompleted = parts.charmap === '' && grains.get('os') !== 'Ubuntu';
  return { parts, name, locale: isCompleted ? joinLocale({ ...parts, charmap: parts.codeset }) : given };
}

/** Whether this system can make a locale of that name. @throws CommandExecutionError where it has no list of them */
export function isAvailable(ctx: ModuleContext, given: string): boolean {
  const isFileBased = ctx.grains.get('os') === 'Debian' || ctx.grains.get('os_family') === 'Gentoo';
  return isKnown(ctx, { ...ownForm(ctx, given), isFileBased });
}

async function generate(ctx: ModuleContext, given: string, kwargs: Dict): Promise<Value> {
  const os = ctx.grains.get('os');
  const isGentoo = ctx.grains.get('os_family') === 'Gentoo';
  const { parts, name, locale } = ownForm(ctx, given);
  if (!isAvailable(ctx, given)) {
    ctx.log.error(`The provided locale "${locale}" is not found`);
    return false;
  }
  if (pathExists('/etc/locale.gen')) {
    const change = ['/etc/locale.gen', `^\\s*#\\s*${escapePattern(locale)}\\s*$`, `${locale}\n`];
    await ctx.functions.call('file.replace', change, { append_if_not_found: true });
  } else if (os === 'Ubuntu') {
    const file = `/var/lib/locales/supported.d/${parts.language}`;
    await ctx.functions.call('file.touch', [file]);
    const change = [file, escapePattern(locale), locale];
    await ctx.functions.call('file.replace', change, { append_if_not_found: true });
  }
  const verbose = truthy(kwargs.get('verbose'));
  const words = generatorWords({
    locale,
    name,
    codeset: parts.codeset,
    isUbuntu: os === 'Ubuntu',
    isGentoo,
    verbose,
  });
  const result = await ranAll(ctx, [words], { python_shell: false });
  const code = result.get('retcode') ?? 1;
  if (code !== 0) ctx.log.error(pyStr(result.get('stderr') ?? ''));
  return verbose ? result : code === 0;
}

function isKnown(
  _ctx: ModuleContext,
  {
    locale,
    name,
    isFileBased,
  }: { readonly locale: string; readonly name: string; readonly isFileBased: boolean },
): boolean {
  if (isFileBased) {
    const path = '/usr/share/i18n/SUPPORTED';
    const text = readTextIfExists(path);
    if (text === undefined) throw new CommandExecutionError(`[Errno 2] No such file or directory: '${path}'`);
    return text.split('\n').includes(locale);
  }
  const folder = pathExists('/etc/SuSE-release') ? '/usr/share/locale' : '/usr/share/i18n/locales';
  try {
    return readdirSync(folder).includes(name);
  } catch (error) {
    throw new CommandExecutionError(`Locale "${locale}" is not available: ${osErrorText(error)}`);
  }
}

function generatorWords(what: {
  readonly locale: string;
  readonly name: string;
  readonly codeset: string;
  readonly isUbuntu: boolean;
  readonly isGentoo: boolean;
  readonly verbose: boolean;
}): string[] {
  if (findProgram('locale-gen') !== undefined) {
    const option = what.isGentoo ? ['--generate'] : [];
    return ['locale-gen', ...option, what.isUbuntu ? normalLocale(what.locale) : what.locale];
  }
  if (findProgram('localedef') === undefined)
    throw new CommandExecutionError('Command "locale-gen" or "localedef" was not found on this system.');
  const target = `${what.name}.${what.codeset}`;
  const words = ['localedef', '--force', '-i', what.name, '-f', what.codeset, target];
  return [...words, what.verbose ? '--verbose' : '--quiet'];
}

const locale = param.text({ doc: 'The locale, such as `en_US.UTF-8`.' });

/** The module. */
export const localeModule = defineModule({
  name: 'locale',
  file: 'localemod',
  doc: 'The language of the system, and the forms of its texts.',
  words: {},
  failsWith: { false: ['gen_locale', 'set_locale'] },
  functions: {
    list_avail: defineFunction({
      doc: 'Lists the locales that can be used.',
      returns: 'list',
      run: (ctx) => listAvailable(ctx),
    }),
    get_locale: defineFunction({
      doc: "Returns the system's locale.",
      returns: 'text',
      run: (ctx) => getLocale(ctx),
    }),
    set_locale: defineFunction({
      doc: "Sets the system's locale.",
      params: { locale },
      returns: 'bool',
      examples: ["salt '*' locale.set_locale 'en_US.UTF-8'"],
      run: (ctx, args) => setLocale(ctx, args.locale),
    }),
    avail: defineFunction({
      doc: 'Returns whether a locale can be used.',
      params: { locale },
      returns: 'bool',
      examples: ["salt '*' locale.avail 'en_US.UTF-8'"],
      run: async (ctx, args) => {
        const wanted = normalLocale(args.locale);
        return (await listAvailable(ctx)).some((each) => normalLocale(each) === wanted);
      },
    }),
    gen_locale: defineFunction({
      doc: 'Makes a locale usable. Keyword: `verbose`, to see what the program says.',
      params: { locale: { ...locale, doc: 'The locale, such as `en_US.UTF-8 UTF-8`.' } },
      kwargs: 'kwargs',
      returns: 'bool; with `verbose` the outcome of the program',
      examples: ["salt '*' locale.gen_locale 'en_IE.UTF-8 UTF-8'"],
      run: (ctx, args, _rest, kwargs) => generate(ctx, args.locale, kwargs),
    }),
  },
});
