/** The file in which the rules of iptables are kept for the next start (3006.16 salt/modules/iptables.py). */
import { mkdirSync } from 'node:fs';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { readBytes } from '../../../host/file-operations.ts';
import { dirName, isDir } from '../../../python/paths.ts';
import { textPattern } from '../../shared/regex.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { printedRules } from './programs.ts';

interface Places {
  readonly ipv4: string;
  readonly ipv6: string;
}

const BY_FAMILY: ReadonlyMap<Value, Places> = new Map([
  ['RedHat', { ipv4: '/etc/sysconfig/iptables', ipv6: '/etc/sysconfig/ip6tables' }],
  ['Arch', { ipv4: '/etc/iptables/iptables.rules', ipv6: '/etc/iptables/ip6tables.rules' }],
  ['Debian', { ipv4: '/etc/iptables/rules.v4', ipv6: '/etc/iptables/rules.v6' }],
  [
    'Suse',
    {
      ipv4: '/etc/sysconfig/scripts/SuSEfirewall2-custom',
      ipv6: '/etc/sysconfig/scripts/SuSEfirewall2-custom',
    },
  ],
  ['Void', { ipv4: '/etc/iptables/iptables.rules', ipv6: '/etc/iptables/ip6tables.rules' }],
  ['NILinuxRT', { ipv4: '/etc/natinst/share/iptables.conf', ipv6: '/etc/natinst/share/ip6tables.conf' }],
]);
const BY_SYSTEM: ReadonlyMap<Value, Places> = new Map([
  ['Gentoo', { ipv4: '/var/lib/iptables/rules-save', ipv6: '/var/lib/ip6tables/rules-save' }],
  ['Alpine', { ipv4: '/etc/iptables/rules-save', ipv6: '/etc/iptables/rules6-save' }],
]);

/** The file of this system. @throws CommandExecutionError where none is known */
function savedRulesPath(grains: Dict, family: string): string {
  const places = BY_FAMILY.get(grains.get('os_family') ?? null) ?? BY_SYSTEM.get(grains.get('os') ?? null);
  if (places === undefined)
    throw new CommandExecutionError(
      `Where ${pyStr(grains.get('os') ?? null)} keeps the rules of iptables is not known; name the file.`,
    );
  return family === 'ipv6' ? places.ipv6 : places.ipv4;
}

/** What the file says. @throws PythonError `[Errno 2] No such file or directory: …` */
export function savedRules(ctx: ModuleContext, file: string | undefined, family: string): string {
  return readBytes(file ?? savedRulesPath(ctx.grains, family)).toString('utf8');
}

/** Patterns of lines that are not to be saved; wrong ones are left out with a warning. */
async function saveFilters(ctx: ModuleContext): Promise<((line: string) => boolean)[]> {
  const given = await ctx.functions.call('config.option', ['iptables.save_filters', []]);
  return (Array.isArray(given) ? given : []).flatMap((source) => {
    try {
      const pattern = textPattern(pyStr(source));
      return [(line: string) => pattern.search(line) !== undefined];
    } catch (error) {
      ctx.log.warning(`Skipping regex rule: '${pyStr(source)}': ${messageOf(error)}`);
      return [];
    }
  });
}

/** Writes the rules of now into a file. @returns what `file.write` says */
export async function saveRules(
  ctx: ModuleContext,
  file: string | undefined,
  family: string,
): Promise<Value> {
  const path = file ?? savedRulesPath(ctx.grains, family);
  const folder = dirName(path);
  if (!isDir(folder)) mkdirSync(folder, { recursive: true });
  const text = await printedRules(ctx, family);
  const filters = await saveFilters(ctx);
  const lines = text.split(/(?<=\n)/).filter((line) => !filters.some((isUnwanted) => isUnwanted(line)));
  return ctx.functions.call('file.write', [path, lines.join('')]);
}
