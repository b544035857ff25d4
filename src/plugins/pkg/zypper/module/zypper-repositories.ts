/** The repositories of zypper: files `*.repo`. Follows 3006.16 salt/modules/zypperpkg.py. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { CommandExecutionError } from '../../../../errors/errors.ts';
import { compareText } from '../../../../python/values/order.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { withSecretFile } from '../../../shared/secret-file.ts';
import { parseConfig } from '../../../shared/config-parser.ts';
import { elementsOf, zypperXml } from './zypper.ts';
import { below } from './zypper-lists.ts';

const FOLDER = '/etc/zypp/repos.d';

/** `pkg.list_repos`: alias to options; `0` and `1` are truths, `NONE` is None. */
export function zypperRepositories(root: Value): Map<string, Dict> {
  const folder = below(root, FOLDER);
  const out = new Map<string, Dict>();
  if (!existsSync(folder)) return out;
  for (const file of readdirSync(folder).sort(compareText)) {
    if (!file.endsWith('.repo')) continue;
    const path = `${folder}/${file}`;
    for (const [alias, options] of parseConfig(readFileSync(path, 'utf8'), path, true)) {
      const known: Dict = out.get(alias) ?? new Map();
      for (const [name, value] of options) known.set(name, meaning(value));
      out.set(alias, known.set('alias', alias));
    }
  }
  return out;
}

function meaning(text: string): Value {
  return text === '0' || text === '1' ? text === '1' : text === 'NONE' ? null : text;
}

/** `pkg.get_repo`: empty when there is none. */
export function zypperRepository(repo: string, root: Value): Dict {
  return zypperRepositories(root).get(repo) ?? new Map();
}

/** `pkg.del_repo` @throws CommandExecutionError `Repository … not found.` */
export async function deleteZypperRepository(ctx: ModuleContext, repo: string, root: Value): Promise<Dict> {
  if (zypperRepositories(root).has(repo)) {
    const xml = await zypperXml(ctx, ['rr', '--loose-auth', '--loose-query', repo], { root });
    const [message] = elementsOf(xml, 'message');
    if (elementsOf(xml, 'progress').length > 0 && message !== undefined)
      return new Map<Value, Value>([
        [repo, true],
        ['message', message.text],
      ]);
  }
  throw new CommandExecutionError(`Repository '${repo}' not found.`);
}

/** `pkg.mod_repo` @throws CommandExecutionError */
export async function modifyZypperRepository(ctx: ModuleContext, repo: string, kwargs: Dict): Promise<Dict> {
  const root = kwargs.get('root') ?? null;
  const isNew = !zypperRepositories(root).has(repo);
  if (isNew) await addRepository(ctx, repo, kwargs, root);
  const known = zypperRepository(repo, root);
  const baseurl = kwargs.get('baseurl');
  if (!isNew && baseurl !== undefined && baseurl !== known.get('baseurl')) {
    // the address cannot be changed: it is made anew with what it had
    await deleteZypperRepository(ctx, repo, root);
    return modifyZypperRepository(
      ctx,
      repo,
      new Map([['cache', false] as [Value, Value], ...known, ...kwargs]),
    );
  }
  const options = repositoryOptions(kwargs);
  const isImporting = kwargs.get('gpgautoimport') === true;
  const first = isImporting ? ['--gpg-auto-import-keys'] : [];
  if (options.length > 0) await zypperXml(ctx, [...first, 'mr', ...options, repo], { refreshes: true, root });
  if (isImporting) await zypperXml(ctx, [...first, 'refresh', repo], { root });
  const now = zypperRepository(repo, root);
  return isImporting || isNew || options.length > 0
    ? now
    : now.set('comment', 'Specified arguments did not result in modification of repo');
}

async function addRepository(ctx: ModuleContext, repo: string, kwargs: Dict, root: Value): Promise<void> {
  const given = kwargs.get('url') ?? kwargs.get('mirrorlist') ?? kwargs.get('baseurl') ?? null;
  if (!truthy(given))
    throw new CommandExecutionError(
      `Repository '${repo}' not found, and neither 'baseurl' nor 'mirrorlist' was specified`,
    );
  const url = pyStr(given);
  if (!/^[a-z][a-z0-9+.-]*:/i.test(url))
    throw new CommandExecutionError(
      `Repository '${repo}' not found and URL for baseurl/mirrorlist is malformed`,
    );
  for (const [alias, options] of zypperRepositories(root))
    if (addressKey(pyStr(options.get('baseurl') ?? '')) === addressKey(url))
      throw new CommandExecutionError(`Repository '${repo}' already exists as '${alias}'.`);
  await addAddress(ctx, { repo, url, root });
  if (!zypperRepositories(root).has(repo))
    throw new CommandExecutionError(
      `Failed add new repository '${repo}' for unspecified reason. Please check zypper logs.`,
    );
}

/**
 * Has zypper add an address. Salt compat: there, an address with a password is an argument, which every user of the
 * machine reads; here zypper reads it from a file.
 */
async function addAddress(
  ctx: ModuleContext,
  { repo, url, root }: { readonly repo: string; readonly url: string; readonly root: Value },
): Promise<void> {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*:[^/?#]*@/i.test(url)) {
    await zypperXml(ctx, ['ar', url, repo], { root });
    return;
  }
  if (/[\r\n[\]]/.test(`${repo}${url}`))
    throw new CommandExecutionError(
      `Repository '${repo}' has a name or an address with line ends or brackets`,
    );
  const content = `[${repo}]\nname=${repo}\nenabled=1\nautorefresh=0\nbaseurl=${url}\n`;
  await withSecretFile(ctx, { content, runas: null, ending: '.repo' }, (path) =>
    zypperXml(ctx, ['ar', path], { root }),
  );
}

/** The same for addresses that mean the same: `file:///x` and `file:/x`, with and without the slash behind a host. */
function addressKey(url: string): string {
  const [, scheme = '', host = '', path = '', rest = ''] =
    /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(.*)$/i.exec(url) ?? [];
  return JSON.stringify([scheme.toLowerCase(), host, path === '' ? '/' : path, rest]);
}

/** Keywords that are options with and without. */
const SWITCHES = [
  ['enabled', '--enable', '--disable'],
  ['refresh', '--refresh', '--no-refresh'],
  ['cache', '--keep-packages', '--no-keep-packages'],
  ['gpgcheck', '--gpgcheck', '--no-gpgcheck'],
] as const;

function repositoryOptions(kwargs: Dict): string[] {
  const text = (name: string): string => pyStr(kwargs.get(name) ?? null);
  return [
    ...SWITCHES.flatMap(([name, on, off]) =>
      kwargs.has(name) ? [truthy(kwargs.get(name) ?? null) ? on : off] : [],
    ),
    ...(kwargs.has('priority') ? [`--priority=${text('priority')}`] : []),
    ...(kwargs.has('humanname') ? [`--name='${text('humanname')}'`] : []),
    ...(kwargs.has('name') ? ['--name', text('name')] : []),
  ];
}
